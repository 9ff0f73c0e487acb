"""Single flowers and heads."""
import math

from canvas import darker, lighter, mix, point
from leaves import blade


def petals(canvas, centre, radius, count, colour, width=0.7, eye="#e3c34a", eye_size=0.22, turn=90.0, squash=1.0,
           notch=False, outline=None):
    """A flower seen from above: petals around an eye."""
    outline = outline or darker(colour, 0.22)
    for i in range(count):
        a = turn + 360 * i / count
        tip = point((0, 0), a, radius)
        left = point((0, 0), a, radius * 0.70, radius * width * 0.52)
        right = point((0, 0), a, radius * 0.70, -radius * width * 0.52)
        low, lower = point((0, 0), a, radius * 0.25, radius * width * 0.22), point((0, 0), a, radius * 0.25, -radius * width * 0.22)
        ring = [(0, 0), low, left] + ([point((0, 0), a, radius * 0.98, radius * width * 0.26), point((0, 0), a, radius * 0.84),
                                      point((0, 0), a, radius * 0.98, -radius * width * 0.26)] if notch else [tip]) + [right, lower]
        canvas.shape([(centre[0] + x, centre[1] + y * squash) for x, y in ring], colour, outline, max(0.6, radius / 26))
        canvas.line([(centre[0] + x, centre[1] + y * squash) for x, y in
                     (point((0, 0), a, radius * 0.3), point((0, 0), a, radius * 0.66))], outline, max(0.4, radius / 40), 0.5)
    if eye:
        canvas.oval(centre, 0, radius * eye_size * 2, radius * eye_size * 2 * squash, eye, darker(eye, 0.25), 0.6)


def pea(canvas, base, angle, size, colour, keel=None):
    """A pea flower seen from the side: banner, wings and keel."""
    keel = keel or lighter(colour, 0.4)
    canvas.oval(point(base, angle, size * 0.55, -size * 0.10), angle - 8, size * 0.95, size * 0.46, keel, darker(colour, 0.2), 0.6)
    banner = [point(base, angle, 0), point(base, angle, size * 0.18, size * 0.42), point(base, angle, size * 0.62, size * 0.62),
              point(base, angle, size * 0.86, size * 0.34), point(base, angle, size * 0.6, size * 0.08)]
    canvas.shape(banner, colour, darker(colour, 0.25), 0.7)
    canvas.oval(point(base, angle, size * 0.02), angle, size * 0.26, size * 0.26, "#7f9a5b")


def bell(canvas, base, angle, length, colour, width=0.62):
    """A bell with five pointed lobes, hanging along `angle`."""
    w = length * width / 2
    ring = [point(base, angle, 0, w * 0.35), point(base, angle, length * 0.30, w * 0.78), point(base, angle, length * 0.66, w * 0.90),
            point(base, angle, length, w * 1.35), point(base, angle, length * 0.80, w * 0.55), point(base, angle, length * 1.04, 0),
            point(base, angle, length * 0.80, -w * 0.55), point(base, angle, length, -w * 1.35),
            point(base, angle, length * 0.66, -w * 0.90), point(base, angle, length * 0.30, -w * 0.78), point(base, angle, 0, -w * 0.35)]
    canvas.shape(ring, colour, lighter(colour, 0.45), 1.0)
    for v in (-0.45, 0, 0.45):
        canvas.line([point(base, angle, length * 0.12, w * v * 0.6), point(base, angle, length * 0.78, w * v)], darker(colour, 0.2), 0.7, 0.7)
    for v in (-1, 0, 1):
        canvas.line([point(base, angle, -2, 0), point(base, angle, length * 0.22, w * 0.75 * v)], "#6d8750", 1.8)


def tubes(canvas, base, angle, length, colour, age=None):
    """A pair of two-lipped honeysuckle flowers on one stalk."""
    for sign, shade in ((1, colour), (-1, age or colour)):
        a = angle + 30 * sign
        throat = point(base, a, length * 0.48)
        canvas.shape([point(base, a, 0, 1.4), point(throat, a, 0, length * 0.10), point(throat, a, 0, -length * 0.10), point(base, a, 0, -1.4)],
                     shade, darker(shade, 0.2), 0.7, smooth=False)
        for turn, reach in ((58, 0.55), (24, 0.60), (-4, 0.62), (-34, 0.58), (-112, 0.55)):
            blade(canvas, throat, a + turn * sign, length * reach, length * 0.19, shade, "obovate", veins=0, rib=darker(shade, 0.12))
        for turn in (-22, 4, 26):
            tip = point(throat, a + turn, length * 0.62)
            canvas.line([throat, tip], lighter(shade, 0.5), 0.8)
            canvas.dot(tip, 1.5, "#d9b23c")


def thistle(canvas, base, angle, size, colour, bracts="#6f8560", spread=1.0, broad=False, spines=True):
    """A thistle's head: an urn of bracts and a brush of florets."""
    centre = point(base, angle, size * 0.42)
    count = 34
    for i in range(count):
        t = i / (count - 1) * 2 - 1
        tip = point(point(base, angle, size * 0.62), angle - t * 58 * spread, size * (0.80 - 0.16 * t * t))
        start = point(base, angle, size * 0.66, -t * size * 0.30)
        canvas.line([start, tip], mix(darker(colour, 0.25), lighter(colour, 0.25), (i * 7 % 10) / 9), 2.0)
    canvas.oval(centre, angle, size * 0.92, size * 0.86, bracts, darker(bracts, 0.3), 1.0)
    rows = ((0.10, 5), (0.30, 6), (0.52, 7), (0.72, 7))
    for row, (height, number) in enumerate(rows):
        for k in range(number):
            v = (k + 0.5) / number * 2 - 1
            half = size * 0.43 * math.sqrt(max(0.0, 1 - (height * 1.15 - 0.52) ** 2 * 3.2))
            where = point(base, angle, size * height * 0.98, -v * half)
            a = angle - v * 62
            reach = size * (0.30 if broad else 0.20)
            blade(canvas, where, a, reach, reach * (0.62 if broad else 0.5), lighter(bracts, 0.12 * (row % 2)), "triangular", veins=0)
            if spines:
                canvas.line([point(where, a, reach * 0.9), point(where, a, reach * 1.55)], lighter(bracts, 0.55), 1.0)


def knapweed(canvas, base, angle, size, colour):
    """A knapweed's head: fringed florets over bracts with dark spots."""
    top = point(base, angle, size * 0.62)
    for i in range(13):
        t = i / 12 * 2 - 1
        a = angle - t * 82
        reach = size * (0.72 - 0.10 * abs(t))
        end = point(top, a, reach)
        canvas.line([top, end], colour, 2.6)
        for turn in (-26, 0, 26):
            canvas.line([point(top, a, reach * 0.66), point(point(top, a, reach * 0.66), a + turn, reach * 0.42)],
                        mix(colour, "#ffffff", 0.12 if turn else 0), 2.0)
    canvas.oval(point(base, angle, size * 0.34), angle, size * 0.78, size * 0.58, "#8fa577", "#5e7350", 0.9)
    for row, number in ((0.12, 3), (0.32, 4), (0.52, 4)):
        for k in range(number):
            v = (k + 0.5) / number * 2 - 1
            canvas.oval(point(base, angle, size * row, -v * size * 0.22), angle, size * 0.13, size * 0.085, "#2f2a28")


def button(canvas, centre, radius, colour):
    """A tansy's button: florets packed into a disc, seen a little from the side."""
    canvas.oval((centre[0], centre[1] + radius * 0.34), 0, radius * 1.9, radius * 1.15, "#7d9460", "#5f7548", 0.7)
    canvas.oval(centre, 0, radius * 2, radius * 1.36, colour, darker(colour, 0.28), 0.8)
    for ring, number in ((0.32, 6), (0.66, 11)):
        for k in range(number):
            a = 2 * math.pi * k / number + ring
            canvas.dot((centre[0] + math.cos(a) * radius * ring, centre[1] + math.sin(a) * radius * ring * 0.66),
                       radius * 0.10, darker(colour, 0.2))


def teasel(canvas, base, angle, length, band, bracts=8, brown="#a58d5c"):
    """A teasel's head: an egg of spines with a band of flowers, in a cage of long bracts."""
    width = length * 0.56
    for i in range(bracts):
        t = (i + 0.5) / bracts * 2 - 1
        a = angle - t * 92
        points = [base, point(base, a, length * 0.42, -t * 6), point(base, a - t * -34, length * (1.05 - 0.30 * abs(t)))]
        canvas.line(points, "#7c8f5a", 2.4)
    def half(s):
        return width / 2 * math.sin(math.pi * (0.06 + 0.88 * s)) ** 0.62
    canvas.shape([point(base, angle, length * s / 20, half(s / 20)) for s in range(21)] +
                 [point(base, angle, length * s / 20, -half(s / 20)) for s in range(20, -1, -1)], brown, darker(brown, 0.3), 1.0)
    for row in range(15):
        s = (row + 0.6) / 15.4
        number = 4 + int(half(s) / 4.2)
        for k in range(number):
            v = ((k + 0.5 * (row % 2) + 0.25) / number) * 2 - 1
            if abs(v) > 1:
                continue
            where = point(base, angle, length * s, -v * half(s))
            in_band = 0.42 < s < 0.60
            if in_band:
                canvas.dot(where, 3.0, mix(band, "#ffffff", 0.25 * (k % 2)), darker(band, 0.25), 0.5)
            else:
                canvas.line([where, point(where, angle - v * 60, length * 0.065)], darker(brown, 0.32), 1.1)


def orchid(canvas, centre, size, outer, lip, turn=0.0):
    """A helleborine's flower, nodding: five pointed tepals and a cupped lip."""
    for a in (90, 150, 30, 200, -20):
        blade(canvas, centre, a + turn, size, size * 0.52, outer, "ovate", veins=0, rib=darker(outer, 0.2))
    canvas.oval((centre[0], centre[1] + size * 0.30), 90, size * 0.72, size * 0.62, lip, darker(lip, 0.3), 0.8)
    canvas.oval((centre[0], centre[1] + size * 0.22), 90, size * 0.36, size * 0.34, darker(lip, 0.45))
    canvas.dot((centre[0], centre[1] - size * 0.02), size * 0.14, "#e8dca0")


def iris(canvas, centre, size, colour):
    """An iris: three falls with a drawn eye, standards and style arms between."""
    for a in (62, 118):
        blade(canvas, centre, a, size * 0.62, size * 0.22, lighter(colour, 0.1), "obovate", veins=0, rib=darker(colour, 0.2))
    for a, reach, width in ((200, 1.0, 0.62), (-20, 1.0, 0.62), (270, 0.95, 0.72)):
        blade(canvas, centre, a, size * reach, size * width, colour, "obovate", veins=0, rib=darker(colour, 0.28))
        eye = point(centre, a, size * reach * 0.46)
        for v in (-0.14, -0.07, 0, 0.07, 0.14):
            canvas.line([point(centre, a, size * 0.22, v * size * 0.6), point(eye, a, size * 0.14, v * size * 1.3)], "#8a5a1e", 1.0, 0.85)
    for a in (232, -52, 90):
        blade(canvas, centre, a, size * 0.46, size * 0.24, lighter(colour, 0.25), "oblong", veins=0, rib=darker(colour, 0.22))


def cone(canvas, base, angle, length, colour):
    """A hop's cone: overlapping scales."""
    for row in range(5):
        s = 0.9 - row * 0.2
        half = length * 0.30 * math.sin(math.pi * (0.12 + 0.8 * s)) ** 0.7
        for v in (-0.75, 0.75, 0):
            where = point(base, angle, length * (s - 0.10), v * half)
            blade(canvas, where, angle + v * 22, length * 0.32, length * 0.26, mix(colour, "#ffffff", 0.10 * row), "ovate", veins=0)
