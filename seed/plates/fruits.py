"""Fruits."""
from canvas import darker, lighter, point
from leaves import blade


def berry(canvas, centre, radius, colour, speckled=False):
    canvas.dot(centre, radius, colour, darker(colour, 0.3), 0.8)
    canvas.oval((centre[0] - radius * 0.32, centre[1] - radius * 0.36), 35, radius * 0.55, radius * 0.36, lighter(colour, 0.65), opacity=0.85)
    if speckled:
        for dx, dy in ((0.3, 0.1), (-0.1, 0.45), (0.45, -0.35), (-0.5, 0.15), (0.15, 0.7), (0.0, -0.1)):
            canvas.dot((centre[0] + dx * radius, centre[1] + dy * radius), 0.9, lighter(colour, 0.6))


def berries(canvas, base, angle, count, reach, radius, colour, spread=26, speckled=False, stalk="#7a8a58"):
    """Berries on stalks of their own, from one point."""
    for i in range(count):
        a = angle + (i - (count - 1) / 2) * spread
        centre = point(base, a, reach * (1 - 0.12 * (i % 2)))
        canvas.line([base, centre], stalk, 1.3)
        berry(canvas, centre, radius, colour, speckled)


def hip(canvas, base, angle, size, colour="#b9382c"):
    centre = point(base, angle, size)
    canvas.line([base, centre], "#7a8a58", 1.2)
    canvas.oval(point(centre, angle, size * 0.1), angle, size * 0.62, size * 0.5, colour, darker(colour, 0.3), 0.7)
    for turn in (-35, 0, 35):
        canvas.line([point(centre, angle, size * 0.38), point(point(centre, angle, size * 0.38), angle + turn, size * 0.2)], "#54402e", 1.0)


def aril(canvas, base, angle, size, husk, seed):
    """An open capsule: husks spread, the seed in its bright coat between."""
    centre = point(base, angle, size)
    canvas.line([base, centre], "#7a8a58", 1.2)
    for turn in (35, 150, 270):
        blade(canvas, centre, turn, size * 0.85, size * 0.66, husk, "ovate", veins=0)
    canvas.dot(centre, size * 0.42, seed, darker(seed, 0.3), 0.7)
    canvas.dot((centre[0] - size * 0.12, centre[1] - size * 0.14), size * 0.10, lighter(seed, 0.6))


def pod(canvas, base, angle, length, width, colour="#8f9c5f", seeds=5, curve=0.0):
    blade(canvas, base, angle, length, width, colour, "oblong", veins=0, curve=curve)
    for i in range(seeds):
        canvas.dot(point(base, angle + curve * 0.25, length * (0.18 + 0.66 * i / max(1, seeds - 1))), width * 0.22, darker(colour, 0.15), opacity=0.6)


def silique(canvas, base, angle, length, colour="#7d935c"):
    """A mustard's pod: a thin one on a short stalk."""
    start = point(base, angle - 12, length * 0.18)
    canvas.line([base, start], colour, 1.3)
    canvas.line([start, point(start, angle + 6, length * 0.82)], colour, 2.4)


def samara(canvas, base, angle, length, colour):
    """A wing with the seed in its middle."""
    blade(canvas, base, angle, length, length * 0.27, colour, "elliptic", veins=0, curve=14)
    canvas.oval(point(base, angle + 3, length * 0.48), angle, length * 0.20, length * 0.13, darker(colour, 0.4))
