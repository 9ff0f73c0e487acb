"""How flowers stand together. Each draws at the end of a stem, from `base` along `angle`."""
import math

from canvas import along, bezier, darker, lighter, mix, point
import flowers

GREEN = "#6f8a4e"


def spike(canvas, base, angle, length, width, colour, rng, bend=0.0):
    """Flowers packed around an axis, in whorls that grow small to the top."""
    axis = bezier(base, point(base, angle, length * 0.5), point(base, angle + bend, length))
    canvas.stem(axis, 4, 1.5, GREEN)
    rows = int(length / 9)
    for row in range(rows):
        share = 0.02 + 0.93 * row / rows
        centre, direction = along(axis, share)
        reach = width / 2 * (1 - share) ** 0.45 + 2
        if share > 0.86:
            for v in (-0.5, 0.5):
                canvas.oval(point(centre, direction, 0, v * reach), direction, 7, 5, darker(colour, 0.2))
            continue
        for v in (-1, 1, -0.45, 0.5):
            where = point(centre, direction, rng.uniform(-2, 2), v * reach * 0.62)
            flowers.petals(canvas, where, reach * 0.50 + 1.5, 6, mix(colour, "#ffffff", rng.uniform(0, 0.22)), width=0.42,
                           eye=darker(colour, 0.4), eye_size=0.16, turn=rng.uniform(0, 60), squash=0.85)


def raceme(canvas, base, angle, length, count, draw, rng, side=0, bend=0.0, start=0.05, stalk=14, taper=0.55, rise=42):
    """Flowers on stalks along an axis; `draw(where, angle, size, share)` draws one. side 1 or -1 puts all of
    them on one side."""
    axis = bezier(base, point(base, angle, length * 0.55), point(base, angle + bend, length))
    canvas.stem(axis, 3.6, 1.4, GREEN)
    for i in range(count):
        share = start + (0.98 - start) * i / count
        where, direction = along(axis, share)
        sign = side or (1 if i % 2 else -1)
        a = direction + sign * (rise + (1 - share) * 34)
        size = 1 - taper * share
        tip = point(where, a, stalk * size)
        canvas.line([where, tip], GREEN, 1.3)
        draw(tip, a, size, share)
    return axis


def umbel(canvas, base, angle, reach, rays, spread, colour, rng, umbellet=16, dot=2.6, flat=0.8, stroke=None, stem=GREEN):
    """A compound umbel from the side: rays from one point, each with an umbellet of small flowers."""
    ends = []
    for i in range(rays):
        t = i / (rays - 1) * 2 - 1 if rays > 1 else 0
        a = angle - t * spread
        length = reach * (1 / math.cos(math.radians(t * spread * flat)) if flat else 1)
        length = min(length, reach * 1.35) * rng.uniform(0.96, 1.03)
        end = point(base, a, length)
        canvas.line([base, point(base, a, length * 0.55, -t * 3), end], stem, 1.7)
        ends.append((end, a, t))
    for end, a, t in sorted(ends, key=lambda e: -abs(e[2])):
        number = max(9, int(umbellet * 1.1))
        for k in range(number):
            s = k / (number - 1) * 2 - 1
            tip = point(end, 90 - s * 74 + (a - 90) * 0.35, umbellet * (0.86 + 0.14 * math.cos(s * 3)))
            canvas.line([end, tip], lighter(stem, 0.15), 0.8)
        for k in range(number * 2):
            s = rng.uniform(-1, 1)
            depth = rng.uniform(0.55, 1.0) if k % 3 else 1.0
            tip = point(end, 90 - s * 78 + (a - 90) * 0.35, umbellet * depth)
            canvas.dot(tip, dot * rng.uniform(0.85, 1.2), mix(colour, "#ffffff", rng.uniform(0, 0.25)), stroke or darker(colour, 0.24), 0.55)


def panicle(canvas, base, angle, length, width, colour, rng, branches=14, dot=2.6, stem=GREEN, droop=0.0, petals=0, stroke=None):
    """A branched spray of small flowers."""
    axis = bezier(base, point(base, angle, length * 0.55), point(base, angle + droop, length))
    canvas.stem(axis, 3.2, 1.2, stem)
    for i in range(branches):
        share = 0.06 + 0.9 * i / branches
        where, direction = along(axis, share)
        sign = 1 if i % 2 else -1
        reach = width / 2 * (1 - share) ** 0.7 + 5
        a = direction + sign * (52 - 16 * share)
        branch = bezier(where, point(where, a, reach * 0.6), point(where, a - sign * droop * 0.4, reach), 10)
        canvas.line(branch, stem, 1.1)
        for k in range(max(4, int(reach / 4))):
            at, d = along(branch, 0.18 + 0.82 * k / max(1, int(reach / 4)))
            spot = point(at, d + rng.choice((70, -70)), rng.uniform(0, 4.5))
            shade = mix(colour, "#ffffff", rng.uniform(0, 0.3))
            if petals:
                flowers.petals(canvas, spot, dot * 1.7, petals, shade, eye_size=0.2, turn=rng.uniform(0, 90))
            else:
                canvas.dot(spot, dot * rng.uniform(0.8, 1.2), shade, stroke or darker(colour, 0.22), 0.5)
    return axis


def plume(canvas, base, angle, length, width, colour, rng, bend=-26.0):
    """A reed's plume: silky branches that lean with the wind."""
    axis = bezier(base, point(base, angle, length * 0.6), point(base, angle + bend, length), 30)
    canvas.stem(axis, 3.6, 1.4, darker(colour, 0.2))
    strokes = []
    for i in range(150):
        share = (i / 150) ** 0.9
        where, direction = along(axis, share)
        reach = width * (0.30 + 0.70 * math.sin(math.pi * min(1, share * 0.9 + 0.12))) * rng.uniform(0.55, 1.0) * (1 - share * 0.45)
        sign = rng.choice((1, -1, -1))
        a = direction + sign * rng.uniform(12, 44)
        tip = point(where, a + bend * 0.7, reach)
        strokes.append((where, point(where, a, reach * 0.5), tip))
    for where, middle, tip in strokes:
        shade = mix(darker(colour, 0.2), lighter(colour, 0.4), rng.random())
        canvas.line([where, middle, tip], shade, rng.uniform(1.2, 2.6), 0.9)


def grass_head(canvas, base, angle, length, width, colour, rng, bend=0.0, loose=0.0):
    """A grass's panicle, tight or loose, made of pointed spikelets."""
    axis = bezier(base, point(base, angle, length * 0.55), point(base, angle + bend, length), 24)
    canvas.stem(axis, 2.6, 1.0, GREEN)
    count = int(length * 0.8)
    for i in range(count):
        share = i / count
        where, direction = along(axis, share)
        swell = math.sin(math.pi * (0.10 + 0.86 * share)) ** 0.7
        v = rng.uniform(-1, 1) * width / 2 * swell
        a = direction - v / width * (40 + loose * 50)
        spot = point(where, direction, abs(v) * 0.5, v)
        canvas.oval(spot, a, 11, 3.6, mix(darker(colour, 0.15), lighter(colour, 0.35), rng.random()), darker(colour, 0.35), 0.4)


def cattail(canvas, base, angle, male, gap, female, width):
    """A cattail: pollen above, a bare piece of stem, the brown cylinder below."""
    top = point(base, angle, female + gap + male)
    canvas.line([base, point(top, angle, 10)], "#8b8f58", 3.2)
    canvas.line([point(base, angle, width / 2), point(base, angle, female - width / 2)], "#5b3a22", width)
    canvas.line([point(base, angle, width / 2, width * 0.22), point(base, angle, female - width / 2, width * 0.22)], "#7d5534", width * 0.28, 0.8)
    canvas.line([point(base, angle, female + gap + 3), point(top, angle, -3)], "#c2a55e", width * 0.5)
