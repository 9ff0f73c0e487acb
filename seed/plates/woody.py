"""The shrubs, trees and vines: a twig across the plate with what the catalogue says of leaves, flowers and fruits."""
import math

import flowers
import fruits
from canvas import along, bezier, darker, mix, point
from habits import creeper, leaf_drawer, twig
from leaves import blade, palmate, pinnate


def buckthorn(leaf, berry_colours, thorn, bark):
    def draw(c, rng):
        def axil(canvas, where, d, i, r):
            fruits.berries(canvas, where, d - 82 if i % 2 else d + 96, 4, 27, 8.6, berry_colours[i % len(berry_colours)], 30)
        axis = twig(c, rng, leaf, axil, nodes=6, bark=bark, rise=42, tip_leaf=not thorn)
        if thorn:
            tip, d = along(axis, 0.99)
            c.shape([point(tip, d, -2, 3), point(tip, d, 30), point(tip, d, -2, -3)], "#4d3f33", smooth=False)
    return draw


def rose_flowers(c, where, a, r, count=5):
    for k in range(count):
        end = point(where, a + (k - (count - 1) / 2) * 30, 40 + 10 * (k % 2))
        c.line([where, end], "#7a8f55", 1.8)
        flowers.petals(c, end, 19, 5, c.plant.colour, width=1.05, eye="#e2b93b", eye_size=0.26, turn=r.uniform(0, 72), squash=0.9, notch=True, outline="#a9b3a2")
        for n in range(9):
            t = n / 9 * 6.283
            c.dot((end[0] + math.cos(t) * 7, end[1] + math.sin(t) * 6.2), 1.2, "#c4952a")


def multiflora_rose(c, rng):
    def leaf(canvas, base, a, s, r):
        pinnate(canvas, base, a, 76 * s, "#6b9352", pairs=3, leaflet=dict(length=33 * s, width=19 * s, profile="elliptic", teeth=6, veins=3), curve=10)
    axis = twig(c, rng, leaf, None, start=(70, 300), bend=(250, 120), end=(506, 192), nodes=7, bark="#7f8d58", thickness=6, rise=24)
    for share in (0.16, 0.30, 0.47, 0.62, 0.78, 0.9):
        where, d = along(axis, share)
        c.shape([point(where, d + 180, 4), point(where, d - 110, 11), point(where, d, 4)], "#9c6b52", smooth=False)
    for share, turn in ((0.36, 74), (0.70, 70)):
        where, d = along(axis, share)
        rose_flowers(c, where, d + turn, rng)
    where, d = along(axis, 0.90)
    for k in range(4):
        fruits.hip(c, where, 62 + k * 22, 32 - 4 * (k % 2))


def barberry(c, rng):
    def leaf(canvas, base, a, s, r):
        for turn in (-48, 44, -16, 16, 0):
            blade(canvas, base, a + turn * 1.15, 50 * s, 17 * s, mix("#7d9c4e", "#9a4a3a", r.uniform(0, 0.30)), "spatulate", veins=2)
    def axil(canvas, where, d, i, r):
        c.line([where, point(where, d + (64 if i % 2 else -64) + 180, 20)], "#5a4434", 1.8)
        for k in range(2):
            end = point(where, -90 + (k - 0.5) * 50, 34)
            canvas.line([where, end], "#8a7a4a", 1.2)
            if i % 2:
                canvas.oval(point(end, -90, 8), 90, 27, 15, "#c8302a", darker("#c8302a", 0.3), 0.8)
                canvas.oval((end[0] - 3, end[1] + 4), 90, 8, 3, "#ee8f84")
            else:
                flowers.petals(canvas, (end[0], end[1] + 7), 15, 6, c.plant.colour, width=0.9, eye="#d8b04a", eye_size=0.2, turn=30, squash=0.85)
    twig(c, rng, leaf, axil, start=(44, 262), bend=(290, 96), end=(508, 122), nodes=7, bark="#7a4a3c", thickness=7, rise=14, taper=0.1)


def autumn_olive(c, rng):
    leaf = leaf_drawer(length=78, width=27, veins=3, colour="#7f9a86", rib="#d3e0d5")
    def axil(canvas, where, d, i, r):
        if i % 2:
            fruits.berries(canvas, where, d - 90, 5, 24, 7.4, "#c0392f", 26, speckled=True, stalk="#a09a80")
        else:
            for k in range(4):
                a = d + 100 + (k - 1.5) * 28
                end = point(where, a, 18)
                canvas.line([where, point(end, a, 5)], darker(c.plant.colour, 0.08), 4.4)
                flowers.petals(canvas, point(end, a, 8), 9, 4, c.plant.colour, width=0.72, eye="#d9b95a", eye_size=0.18, turn=r.uniform(20, 70))
    twig(c, rng, leaf, axil, nodes=7, bark="#9b8f7c", rise=40)


def honeysuckle(age, leaf, fruit_stalk, bark="#9a8a72", course=((62, 258), (290, 186), (520, 94))):
    def draw(c, rng):
        def axil(canvas, where, d, i, r):
            if i in (1, 3):
                base = point(where, d + 90, 10)
                canvas.line([where, base], "#7a8f55", 1.6)
                flowers.tubes(canvas, base, d + 90, 58, c.plant.colour, age)
            if i in (0, 2, 4):
                for side in (1, -1):
                    for k in (-1, 1):
                        at = point(where, d + side * 90 + k * 16, 8 + fruit_stalk)
                        canvas.line([where, at], "#7a8f55", 1.2)
                        fruits.berry(canvas, at, 8.6, "#c9302c")
        twig(c, rng, leaf, axil, *course, nodes=5, bark=bark, rise=34, taper=0.15, thickness=6)
    return draw


def bittersweet(c, rng):
    support = bezier((60, 70), (300, 190), (556, 250))
    c.stem(support, 11, 8, "#9b9282")
    leaf = leaf_drawer(length=62, width=52, teeth=8, petiole=12, colour="#7f9a4c")
    steps = 80
    axis = []
    for i in range(steps + 1):
        where, d = along(support, i / steps)
        axis.append(point(where, d, 0, math.sin(i / steps * math.pi * 5.0) * 17))
    c.stem(axis, 5, 3.4, "#7c6046")
    for i in range(7):
        where, d = along(axis, 0.06 + 0.14 * i)
        up = 1 if i % 2 else -1
        leaf(c, where, d + up * 62, 1, rng)
        for k in range(4):
            fruits.aril(c, where, d - up * 84 + (k - 1.5) * 36, 17 + 5 * (k % 2), "#eda93a", "#d8442a")


def burning_bush(c, rng):
    leaf = leaf_drawer(length=86, width=36, teeth=9, colour="#b8434a", rib="#e8a39a")
    def axil(canvas, where, d, i, r):
        for side in (1, -1):
            fruits.aril(canvas, where, d - 90 * side + 12, 20, "#7a2f4a", "#e8622c")
    axis = bezier((92, 268), (300, 190), (522, 88), 40)
    for i in range(4):
        for v in (6, -6):
            piece = axis[2 + i * 9:10 + i * 9]
            c.line([point(p, 24, 0, v - i * v * 0.10) for p in piece], "#8d7152", 5 - 0.5 * i)
    twig(c, rng, leaf, axil, nodes=5, bark="#6f8052", rise=38, thickness=8)


def black_locust(c, rng):
    def leaf(canvas, base, a, s, r):
        pinnate(canvas, base, -96 if base[0] < 300 else -84, 168 * s, "#74995a", pairs=6, leaflet=dict(length=38 * s, width=22 * s, profile="oblong", veins=2),
                curve=-8 if base[0] < 300 else 8)
    def axil(canvas, where, d, i, r):
        canvas.line([point(where, d + 60, 12), where, point(where, d - 60, 12)], "#5a4434", 2.4)
    axis = twig(c, rng, leaf, axil, start=(48, 92), bend=(300, 20), end=(560, 70), nodes=4, bark="#7d6a55", rise=8, first=0.10, last=0.92, tip_leaf=False, taper=0.05)
    for share, length, turn in ((0.245, 176, -6), (0.52, 196, 4), (0.775, 168, 4)):
        where, _ = along(axis, share)
        stem = bezier(where, (where[0] + 6, where[1] + length * 0.5), (where[0] + turn, where[1] + length))
        c.line(stem, "#8ba066", 2)
        for k in range(20):
            s = 0.16 + 0.82 * k / 20
            at, d = along(stem, s)
            flowers.pea(c, at, d + (58 if k % 2 else -58), 30 * (1 - s * 0.45), c.plant.colour, "#f3f0df")
    where, _ = along(axis, 0.655)
    for k in range(3):
        fruits.pod(c, where, -88 + (k - 1) * 13, 76, 14, "#8a6b48", 6)


def tree_of_heaven(c, rng):
    def leaf(canvas, base, a, s, r):
        pinnate(canvas, base, a, 205 * s, mix("#6c954e", "#3e5a30", r.uniform(0, 0.15)), pairs=8, leaflet=dict(length=52 * s, width=17 * s, profile="acuminate", veins=2), curve=-26)
    c.stem([(300, 330), (298, 262), (300, 196)], 15, 10, "#9a8a76")
    for a, s in ((178, 0.9), (2, 0.9), (156, 0.86), (24, 0.86)):
        leaf(c, (300, 214), a, s, rng)
    for turn in (-34, -12, 12, 34):
        branch = bezier((300, 200), point((300, 200), 90 + turn * 0.6, 50), point((300, 200), 90 + turn, 128))
        c.line(branch, "#b08a6a", 2.2)
        for k in range(15):
            at, d = along(branch, 0.25 + 0.75 * k / 15)
            fruits.samara(c, at, d + (60 if k % 2 else -60) + rng.uniform(-16, 16), 34, mix("#cf8a5c", "#d9c27a", rng.random()))


def japanese_hop(c, rng):
    axis = [(60 + 490 * i / 60, 158 + 46 * math.sin(i / 60 * math.pi * 2.2)) for i in range(61)]
    c.stem(axis, 4.2, 2.4, "#7f8d52")
    for i in range(6):
        where, d = along(axis, 0.05 + 0.17 * i)
        for side in (1, -1):
            if (i + (side > 0)) % 2:
                palmate(c, where, d + side * 82, 78 - 4 * i, mix("#6e9650", "#3e5a30", rng.uniform(0, 0.14)), lobes=5 if i % 3 else 7)
            else:
                for k in range(3):
                    a = d + side * 88 + (k - 1) * 58
                    end = point(where, a, 26 + 7 * (k % 2))
                    c.line([where, end], "#7f8d52", 1.3)
                    flowers.cone(c, end, a * 0.4 + (-90 if side < 0 else 60) * 0.6, 36, c.plant.colour)
    tip, d = along(axis, 0.995)
    c.line([tip, point(tip, d + 20, 14), point(tip, d + 70, 20), point(tip, d + 110, 14)], "#7f8d52", 1.8)


def periwinkle(c, rng):
    leaf = leaf_drawer(length=64, width=29, veins=3, colour="#4f8050", rib="#a9c79a")
    def flower(canvas, where, d, i, r):
        end = point(where, 88 + (6 if i % 2 else -6), 74)
        canvas.line([where, end], "#6f8a4e", 2)
        radius = 31
        for k in range(5):
            a = 90 + 72 * k
            ring = [point(end, a - 6, radius * 0.22), point(end, a + 36, radius * 0.78), point(end, a + 26, radius * 1.0), point(end, a - 14, radius * 0.98),
                    point(end, a - 24, radius * 0.55)]
            canvas.shape(ring, c.plant.colour, darker(c.plant.colour, 0.25), 0.9)
        flowers.petals(canvas, end, 10, 5, "#eceaf6", width=0.9, eye="#d9c86a", eye_size=0.3)
    creeper(c, rng, leaf, flower, nodes=9, start=(46, 222), end=(556, 202), wave=26, flowers_at=(1, 4, 7), rise=22)


def moneywort(c, rng):
    leaf = leaf_drawer(length=47, width=45, veins=2, colour="#7fa650", petiole=4)
    def flower(canvas, where, d, i, r):
        end = point(where, 84 + (10 if i % 4 == 1 else -10), 70)
        canvas.line([where, end], "#7f9a4a", 1.8)
        flowers.petals(canvas, end, 27, 5, c.plant.colour, width=0.92, eye="#c98f1e", eye_size=0.16, turn=r.uniform(0, 72))
        for k in range(5):
            canvas.dot(point(end, 36 + 72 * k, 6.5), 1.7, "#b97a18")
    creeper(c, rng, leaf, flower, nodes=11, start=(44, 240), end=(558, 222), wave=30, flowers_at=(1, 3, 5, 7, 9), rise=10)


WOODY = {
    "common-buckthorn": buckthorn(leaf_drawer(length=84, width=48, teeth=14, veins=4, petiole=12, colour="#648b48"), ("#26222c",), True, "#6b6259"),
    "glossy-buckthorn": buckthorn(leaf_drawer(length=84, width=44, veins=7, petiole=11, colour="#5c8a4a", rib="#b5d09a"),
                                  ("#b8352f", "#2a2430", "#b8352f"), False, "#7a6a5c"),
    "multiflora-rose": multiflora_rose, "japanese-barberry": barberry, "autumn-olive": autumn_olive, "oriental-bittersweet": bittersweet,
    "tatarian-honeysuckle": honeysuckle("#e9a9c0", leaf_drawer(length=70, width=42, veins=4, colour="#6c9857"), 12),
    "morrows-honeysuckle": honeysuckle("#f1dc8a", leaf_drawer(length=72, width=35, veins=4, colour="#8aa380"), 12, "#a39a86",
                                        ((64, 112), (300, 120), (522, 236))),
    "amur-honeysuckle": honeysuckle("#f3e3a0", leaf_drawer(length=92, width=40, veins=5, colour="#5f8a4c"), 1, "#8f7f6a"),
    "burning-bush": burning_bush, "black-locust": black_locust, "tree-of-heaven": tree_of_heaven, "japanese-hop": japanese_hop,
    "common-periwinkle": periwinkle, "moneywort": moneywort,
}
