"""How a plant stands on its plate: the stem or twig with its leaves. What flowers and bears fruit is handed in."""
import math

from canvas import along, bezier, darker, lighter, mix, point
from leaves import blade

LEAF = "#6c9150"
STEM = "#7a8f55"


def leaf_drawer(**options):
    """A function that draws a simple leaf of the plant's outline at a place; the options are those of `blade`, for a
    size of 1."""
    def draw(canvas, base, angle, scale, rng):
        length = options.get("length", 70) * scale
        width = options.get("width", 30) * scale
        rest = {k: v for k, v in options.items() if k not in ("length", "width", "colour", "petiole")}
        petiole = options.get("petiole", 0) * scale
        if petiole:
            tip = point(base, angle, petiole)
            canvas.line([base, tip], darker(options.get("colour", LEAF), 0.12), 2)
            base = tip
        blade(canvas, base, angle, length, width, mix(options.get("colour", LEAF), "#3e5a30", rng.uniform(0, 0.14)),
              canvas.plant.outline, **rest)
    return draw


def herb(canvas, rng, leaf, top, base=(300, 318), height=250, lean=0.0, nodes=6, stem=STEM,
         thickness=5.5, start=0.08, end=0.74, rise=38, taper=0.5, spots=None):
    """One upright stem. `leaf(canvas, base, angle, scale, rng)` draws a leaf, `top(canvas, tip, angle, rng)` what
    the stem ends with."""
    tip = (base[0] + lean, base[1] - height)
    axis = bezier(base, (base[0] + lean * 0.1, base[1] - height * 0.55), tip)

    canvas.stem(axis, thickness, thickness * 0.55, stem)
    if spots:
        for i in range(46):
            where, direction = along(axis, rng.uniform(0.02, 0.97))
            canvas.oval(point(where, direction, 0, rng.uniform(-0.36, 0.36) * thickness * 0.75), direction, rng.uniform(2.5, 5), 1.9, spots)
    for i in range(nodes):
        share = start + (end - start) * i / max(1, nodes - 1)
        where, direction = along(axis, share)
        scale = 1 - taper * i / max(1, nodes - 1)
        turns = (1, -1) if canvas.plant.is_opposite else (1 if i % 2 else -1,)
        for turn in turns:
            leaf(canvas, where, direction + turn * (90 - rise) + rng.uniform(-5, 5), scale, rng)
    _, direction = along(axis, 0.99)
    if top:
        top(canvas, tip, direction, rng)
    return axis


def twig(canvas, rng, leaf, axil, start=(92, 268), bend=(300, 190), end=(522, 88), nodes=6,
         bark="#7d6a55", thickness=7, first=0.10, last=0.93, rise=48, taper=0.25, tip_leaf=True):
    """A branch across the plate. `axil(canvas, where, angle, index, rng)` draws what grows where the leaves do."""
    axis = bezier(start, bend, end, 40)
    canvas.stem(axis, thickness, thickness * 0.35, bark)
    for i in range(nodes):
        share = first + (last - first) * i / max(1, nodes - 1)
        where, direction = along(axis, share)
        scale = 1 - taper * i / max(1, nodes - 1)
        turns = (1, -1) if canvas.plant.is_opposite else (1 if i % 2 else -1,)
        for turn in turns:
            leaf(canvas, where, direction + turn * (90 - rise + rng.uniform(-6, 6)), scale, rng)
        if axil:
            axil(canvas, where, direction, i, rng)
    tip, direction = along(axis, 0.995)
    if tip_leaf:
        leaf(canvas, tip, direction, 0.8 * (1 - taper), rng)
    return axis


def creeper(canvas, rng, leaf, flower, nodes=9, start=(62, 236), end=(540, 214), wave=34, stem="#8b8a54", flowers_at=(1, 3, 5, 7),
            rise=30, taper=0.1):
    """A stem along the ground with pairs of leaves."""
    steps = 60
    axis = [(start[0] + (end[0] - start[0]) * i / steps,
             start[1] + (end[1] - start[1]) * i / steps + wave * math.sin(i / steps * math.pi * 2.1)) for i in range(steps + 1)]
    canvas.stem(axis, 4.4, 2.2, stem)
    blooms = []
    for i in range(nodes):
        where, direction = along(axis, 0.04 + 0.92 * i / (nodes - 1))
        for turn in (1, -1):
            leaf(canvas, where, direction + turn * (90 - rise) + rng.uniform(-8, 8), 1 - taper * i / nodes, rng)
        if i in flowers_at:
            blooms.append((where, direction, i))
    for where, direction, i in blooms:
        flower(canvas, where, direction, i, rng)
    return axis


def tuft(canvas, rng, count=9, base=(300, 318), length=230, spread=38, width=13, colour=LEAF, bend=26, profile="sword", rib=None):
    """Long leaves from the ground."""
    order = sorted(range(count), key=lambda k: -abs(k - (count - 1) / 2))
    for k in order:
        t = k / (count - 1) * 2 - 1
        blade(canvas, (base[0] + t * 16, base[1]), 90 - t * spread + rng.uniform(-3, 3), length * rng.uniform(0.82, 1.05),
              width, mix(colour, "#3e5a30", rng.uniform(0, 0.25)), profile, veins=0, curve=-t * bend + rng.uniform(-5, 5), rib=rib)


def water(canvas, level, colour="#7fa3ad", width=600, bottom=322):
    """A pond's surface: everything below it is in the water."""
    canvas.add(f'<rect x="16" y="{level}" width="{width - 32}" height="{bottom - level}" fill="{colour}" opacity="0.30"/>')
    for k, (x, length) in enumerate(((40, 120), (210, 60), (330, 150), (520, 40))):
        y = level + (0, 5, 2, 7)[k]
        canvas.line([(x, y), (x + length, y)], lighter(colour, 0.55), 1.4, 0.9)
