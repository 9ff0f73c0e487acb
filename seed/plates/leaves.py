"""Leaves: outlines by the shape that botany names, and how compound ones are put together."""
import math

from canvas import bezier, darker, lighter, point

# Where a leaf is widest and how it narrows: the exponents of t and 1 - t in its half width.
PROFILES = {
    "lanceolate": (0.55, 0.95), "elliptic": (0.65, 0.70), "ovate": (0.42, 0.85), "obovate": (1.05, 0.50),
    "round": (0.48, 0.48), "linear": (0.18, 0.45), "oblong": (0.28, 0.30), "acuminate": (0.50, 1.35),
    "spatulate": (1.30, 0.45), "triangular": (0.22, 0.95), "sword": (0.12, 0.60),
}


def half_width(profile, t):
    a, b = PROFILES[profile]
    peak = a / (a + b)
    return (t ** a) * ((1 - t) ** b) / ((peak ** a) * ((1 - peak) ** b)) if 0 < t < 1 else 0.0


def blade(canvas, base, angle, length, width, colour, profile="elliptic", teeth=0, lobes=0, depth=0.5, cordate=False,
          wavy=0.0, veins=4, parallel=False, spines=False, curve=0.0, rib=None):
    """A simple leaf.

    width is the whole width; teeth and lobes are counted a side; depth is how much of the half width a
    lobe's bay takes away; cordate draws the base back into two ears; curve bends the leaf, in degrees.
    """
    def place(t, v):
        bend = curve * t
        return point(base, angle + bend * 0.5, t * length, v)

    def side(sign):
        points = []
        steps = max(18, teeth * 2, lobes * 6)
        for i in range(1, steps):
            t = i / steps
            w = half_width(profile, t) * width / 2
            forward = 0.0
            if lobes:
                phase = (t * lobes) % 1
                ridge = 1 - abs(phase * 2 - 1)
                w *= 1 - depth + depth * ridge ** (1.4 if spines else 0.8)
                forward = 0.05 * ridge
            if teeth:
                if i % 2:
                    w *= 1.0
                    forward = 0.4 / steps
                else:
                    w *= 0.88
            if wavy:
                w *= 1 + wavy * math.sin(t * 34)
            points.append(place(min(t + forward, 0.995), sign * w))
        if cordate:
            ears = [place(-0.10, sign * width * 0.20), place(-0.07, sign * width * 0.36), place(0.04, sign * width * 0.46)]
            points = ears + [p for p, t in zip(points, (i / steps for i in range(1, steps))) if t > 0.1]
        return points

    left, right = side(1), side(-1)
    outline = [place(0, 0)] + left + [place(1, 0)] + right[::-1]
    smooth = not teeth and not (lobes and spines)
    canvas.shape(outline, colour, smooth=smooth)
    canvas.shape([place(0, 0)] + right + [place(1, 0)], darker(colour, 0.35), opacity=0.22, smooth=smooth)
    rib = rib or lighter(colour, 0.35)
    canvas.line([place(t / 8, 0) for t in range(0, 8)], rib, max(0.8, width / 30))
    for i in range(1, veins + 1):
        t = i / (veins + 1)
        for sign in (1, -1):
            if parallel:
                v = half_width(profile, 0.5) * width / 2 * (i / (veins + 1)) * sign
                canvas.line([place(s, v * half_width(profile, s)) for s in (0.08, 0.3, 0.5, 0.7, 0.9)], rib, 0.6, 0.7)
            else:
                w = half_width(profile, min(t + 0.14, 0.97)) * width / 2 * (0.72 - (depth * 0.35 if lobes else 0))
                canvas.line([place(t, 0), place(t + 0.07, sign * w * 0.55), place(min(t + 0.15, 0.97), sign * w)],
                            rib, 0.7, 0.7)
    if spines:
        for sign in (1, -1):
            for k in range(lobes):
                t = (k + 0.5) / lobes
                w = half_width(profile, t) * width / 2
                canvas.line([place(t + 0.04, sign * w * 0.96), place(t + 0.075, sign * (w * 1.0 + 7))], lighter(colour, 0.5), 1.1)
        canvas.line([place(1, 0), place(1.05, 0)], lighter(colour, 0.5), 1.1)


def pinnate(canvas, base, angle, length, colour, pairs=4, leaflet=None, terminal=True, curve=0.0, stalk=0.18):
    """A feathered leaf: leaflets in pairs along a rachis, and one at its end."""
    leaflet = leaflet or {}
    size = leaflet.get("length", length * 0.34)
    shape = {"profile": "elliptic", "veins": 2, **{k: v for k, v in leaflet.items() if k not in ("length", "width")}}
    width = leaflet.get("width", size * 0.42)
    end = point(base, angle + curve, length)
    bend = point(base, angle - curve * 0.2, length * 0.5)
    rachis = bezier(base, bend, end, 16)
    canvas.line(rachis, darker(colour, 0.15), 2.0)
    for i in range(pairs):
        share = stalk + (1 - stalk) * (i + 0.25) / (pairs + 0.1)
        where = rachis[min(int(share * 16), 16)]
        ahead = rachis[min(int(share * 16) + 1, 16)]
        direction = math.degrees(math.atan2(where[1] - ahead[1], ahead[0] - where[0])) if ahead != where else angle
        shrink = 1 - 0.32 * abs(share - 0.45)
        for sign in (1, -1):
            blade(canvas, where, direction + sign * 58, size * shrink, width * shrink, colour, **shape)
    if terminal:
        blade(canvas, end, angle + curve * 1.4, size, width, colour, **shape)


def fern(canvas, base, angle, length, colour, pairs=7, spread=0.42, depth=2):
    """A leaf cut finely and again: the lace of carrots and tansies."""
    end = point(base, angle, length)
    canvas.line([base, end], darker(colour, 0.1), max(0.9, length / 70))
    if depth == 0:
        blade(canvas, base, angle, length, length * 0.36, colour, "elliptic", veins=0)
        return
    for i in range(pairs):
        share = 0.16 + 0.80 * i / pairs
        where = point(base, angle, length * share)
        size = length * spread * (1 - share) ** 0.75 * (1.0 if i else 0.85)
        for sign in (1, -1):
            if depth > 1 and size > 16:
                fern(canvas, where, angle + sign * 54, size, colour, max(3, pairs - 3), 0.44, depth - 1)
            else:
                blade(canvas, where, angle + sign * 50, max(size, 5), max(size * 0.34, 2.4), colour, "elliptic", veins=0)
    blade(canvas, point(base, angle, length * 0.93), angle, length * 0.12 + 3, length * 0.05 + 2, colour, veins=0)


def trefoil(canvas, base, angle, size, colour, profile="obovate", teeth=0, stalk=0.5, width=0.5):
    """Three leaflets on a stalk."""
    tip = point(base, angle, size * stalk)
    canvas.line([base, tip], darker(colour, 0.15), 1.8)
    for turn in (62, -62, 0):
        blade(canvas, tip, angle + turn, size, size * width, colour, profile, teeth=teeth, veins=3)


def palmate(canvas, base, angle, size, colour, lobes=5, stalk=0.45, teeth=True):
    """A leaf whose lobes spread like fingers, cut to two thirds."""
    tip = point(base, angle, size * stalk)
    canvas.line([base, tip], darker(colour, 0.15), 2.0)
    order = sorted(range(lobes), key=lambda k: -abs(k - (lobes - 1) / 2))
    for k in order:
        turn = (k - (lobes - 1) / 2) * 46
        reach = size * (1 - 0.11 * abs(k - (lobes - 1) / 2))
        blade(canvas, tip, angle + turn, reach, reach * 0.42, colour, "elliptic", teeth=9 if teeth else 0, veins=3)
    canvas.dot(tip, size * 0.10, colour)


def pad(canvas, centre, radius, colour, cleft=90, squash=0.5, tilt=0.0):
    """A floating round leaf with a cleft, seen slantwise."""
    points = []
    for i in range(33):
        a = cleft + 14 + (360 - 28) * i / 32
        p = point((0, 0), a, radius)
        points.append((centre[0] + p[0], centre[1] + p[1] * squash + p[0] * tilt))
    heart = point((0, 0), cleft, radius * 0.12)
    heart = (centre[0] + heart[0], centre[1] + heart[1] * squash)
    canvas.shape(points + [heart], colour)
    for i in range(1, 8):
        a = cleft + 360 * i / 8
        p = point((0, 0), a, radius * 0.82)
        canvas.line([heart, (centre[0] + p[0], centre[1] + p[1] * squash + p[0] * tilt)], lighter(colour, 0.35), 0.9, 0.8)


def feather(canvas, base, angle, length, colour, pairs=11):
    """A leaf of threads, as water plants have under water."""
    canvas.line([base, point(base, angle, length)], colour, 1.5)
    for i in range(1, pairs + 1):
        share = i / (pairs + 1)
        where = point(base, angle, length * share)
        size = length * 0.42 * math.sin(math.pi * (0.15 + 0.8 * share))
        for sign in (1, -1):
            canvas.line([where, point(where, angle + sign * 48, size)], colour, 1.15)
