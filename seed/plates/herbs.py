"""The herbs, one function a species, by what the catalogue says of their leaves and flowers."""
import flowers
import fruits
import inflorescences as flower_heads
from canvas import along, bezier, darker, lighter, mix, point
from habits import LEAF, STEM, herb, leaf_drawer
from leaves import blade, fern, pinnate, trefoil


def mustard_top(colour, radius, eye="#c9d48a", pods=10, outer=7, length=64):
    """Four-petalled flowers in a dome over the pods that they become."""
    def top(canvas, tip, angle, rng):
        low = point(tip, angle + 180, length)
        for i in range(pods):
            where = point(low, angle, length * 0.95 * i / pods)
            fruits.silique(canvas, where, angle + (1 if i % 2 else -1) * (46 - i), 46 - i * 1.5)
        places = [(0, -20)] + [(-26, -2), (26, -4), (-15, 9), (15, 8), (0, 2), (-34, 12), (34, 11)][:outer]
        for x, y in sorted(places, key=lambda p: p[1]):
            at = (tip[0] + x, tip[1] + y)
            canvas.line([point(tip, angle + 180, 14), at], STEM, 1.3)
        for x, y in sorted(places, key=lambda p: -abs(p[0])):
            flowers.petals(canvas, (tip[0] + x * 1.15, tip[1] + y), radius, 4, colour, width=0.95, eye=eye, eye_size=0.15,
                           turn=45 + rng.uniform(-14, 14), squash=0.88)
        for x in (-5, 4, 0):
            canvas.oval((tip[0] + x, tip[1] - 27 - abs(x)), 90, 8, 5, "#93a869")
    return top


def garlic_mustard(c, rng):
    leaf = leaf_drawer(length=74, width=74, teeth=8, cordate=True, petiole=26, veins=4, colour="#76a053")
    herb(c, rng, leaf, mustard_top(c.plant.colour, 14), height=232, lean=14, nodes=6, end=0.70, rise=30, taper=0.55)


def dames_rocket(c, rng):
    leaf = leaf_drawer(length=96, width=27, teeth=9, colour="#6f9455")
    for base, height, lean in (((232, 318), 214, -34), ((352, 318), 232, 26)):
        herb(c, rng, leaf, mustard_top(lighter(c.plant.colour, 0.1), 15, eye="#efe2a0", outer=7, pods=7), base=base, height=height, lean=lean, nodes=6, end=0.66,
             rise=34, taper=0.45)


def hill_mustard(c, rng):
    def leaf(canvas, base, angle, scale, r):
        blade(canvas, base, angle, 96 * scale, 40 * scale, LEAF, "lanceolate", lobes=4, depth=0.62, veins=4)
    def top(canvas, tip, angle, r):
        for turn, reach in ((0, 62), (38, 62), (-38, 62), (66, 52), (-66, 52)):
            end = point(tip, angle + turn, reach)
            canvas.line([point(tip, angle + 180, 12), end], STEM, 2)
            for k in range(6):
                where = point(tip, angle + turn, reach * (0.22 + 0.11 * k))
                pod = point(where, angle + turn + (58 if k % 2 else -58), 12)
                canvas.line([where, pod], STEM, 1)
                canvas.oval(pod, angle + turn, 8, 6, "#93a35f", darker("#93a35f"), 0.6)
                canvas.dot((pod[0] - 1, pod[1] - 1), 1.1, "#6d7d45")
            for k in range(11):
                spot = (end[0] + r.uniform(-17, 17), end[1] + r.uniform(-11, 9))
                flowers.petals(canvas, spot, 8.6, 4, c.plant.colour, width=0.9, eye="#b8b04a", eye_size=0.16, turn=r.uniform(0, 90))
    herb(c, rng, leaf, top, height=196, nodes=6, end=0.78, rise=34, taper=0.4)


def purple_loosestrife(c, rng):
    leaf = leaf_drawer(length=82, width=21, veins=3, colour="#6b9152")
    for base, height, lean, length in (((196, 318), 118, -26, 132), ((404, 318), 124, 28, 128), ((300, 318), 138, 4, 160)):
        herb(c, rng, leaf, lambda canvas, tip, a, r, n=length: flower_heads.spike(canvas, tip, a, n, 42, c.plant.colour, r, bend=3),
             base=base, height=height, lean=lean, nodes=5, end=0.92, rise=34, taper=0.35)


def japanese_knotweed(c, rng):
    zig = [(120, 318), (176, 262), (226, 238), (282, 190), (336, 172), (396, 128), (456, 112)]
    for a, b in zip(zig, zig[1:]):
        c.stem([a, ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2), b], 8, 6.6, "#a8705a")
    for i, where in enumerate(zig[1:], 1):
        c.oval(where, 40, 13, 8, "#93583f")
        a = 100 if i % 2 else -58
        for k in range(3):
            flower_heads.panicle(c, where, 96 + (k - 1) * 30 if i % 2 else 108 + (k - 1) * 24, 66, 26, c.plant.colour, rng, branches=7, dot=3.0, droop=18 * (k - 1),
                                 stroke="#b9b59c")
        stalk = point(where, a, 18)
        c.line([where, stalk], "#a8705a", 3)
        blade(c, stalk, a, 88 - i * 4, 76 - i * 4, mix("#6f9a50", "#3e5a30", rng.uniform(0, 0.16)), "triangular", veins=5)
    blade(c, zig[-1], 24, 60, 44, "#7fa85c", "triangular", veins=4)


def umbellifer(leaf, reach=62, rays=13, spread=62, umbellet=15, dot=2.7, stem=STEM, spots=None, side=(), thickness=7.5, height=206,
               lean=0, nodes=3, stroke=None, leaf_end=0.5, x=300, rise=24, flat=0.8, burs=()):
    """A carrot's kin: hollow stem, sheathed leaves, an umbel on top and some at its side."""
    def draw(c, rng):
        def top(canvas, tip, a, r):
            flower_heads.umbel(canvas, tip, a, reach, rays, spread, canvas.plant.colour, r, umbellet, dot, stroke=stroke, flat=flat)
        for sign, at, length, scale in side:
            where = (x + lean * at, 318 - height * at)
            end = point(where, 90 - sign * 36, length)
            c.line([where, point(where, 90 - sign * 52, length * 0.5), end], stem, thickness * 0.5)
            flower_heads.umbel(c, end, 90 - sign * 20, reach * scale, max(7, int(rays * scale)), spread, c.plant.colour, rng, umbellet * scale, dot * max(scale, 0.8),
                               stroke=stroke, flat=flat)
        herb(c, rng, leaf, top, base=(x, 318), height=height, lean=lean, nodes=nodes, start=0.06, end=leaf_end, stem=stem, thickness=thickness,
             spots=spots, rise=rise, taper=0.3)
        for foot, at in burs:
            c.line([(x, foot[1] + 62), ((x + foot[0]) / 2, foot[1] + 36), foot], stem, 2.4)
            for k in range(5):
                end = point(foot, at + (k - 2) * 34, 24)
                c.line([foot, end], stem, 1.4)
                for turn in range(0, 360, 30):
                    c.line([end, point(end, turn, 10.5)], "#8a6a4e", 1.2)
                c.oval(end, at, 15, 11, "#a5825c", "#7a5a40", 0.7)
    return draw


def carrot_leaf(length, colour="#6f9552", pairs=7):
    return lambda c, base, a, s, r: fern(c, base, a, length * s, mix(colour, "#3e5a30", r.uniform(0, 0.15)), pairs)


def parsnip_leaf(c, base, a, s, r):
    pinnate(c, base, a, 118 * s, LEAF, pairs=4, leaflet=dict(length=44 * s, width=27 * s, profile="ovate", teeth=6, veins=3), curve=8)


def hogweed_leaf(c, base, a, s, r):
    tip = point(base, a, 34 * s)
    c.line([base, tip], "#8a6f62", 5)
    for turn, reach in ((60, 88), (-60, 88), (0, 118)):
        blade(c, tip, a + turn, reach * s, reach * 0.74 * s, mix("#6c9650", "#3e5a30", r.uniform(0, 0.12)), "ovate", lobes=4, depth=0.48, veins=4, spines=False,
              teeth=0)


def thistle_plant(size, leaf, heads, height, nod=0, bracts="#73895f", broad=False, spread=1.0, lean=0, nodes=6, rise=32, x=300, end=0.86):
    def draw(c, rng):
        tip = (x + lean, 318 - height)
        for dx, at, drop, scale in heads:
            where = (x + lean * at, 318 - height * at)
            head = (tip[0] + dx, tip[1] + drop)
            c.line([where, ((where[0] + head[0]) / 2 + dx * 0.2, (where[1] + head[1]) / 2 + 8), head], STEM, 3.6)
        def top(canvas, t, a, r):
            for dx, at, drop, scale in heads:
                flowers.thistle(canvas, (t[0] + dx, t[1] + drop), 90 - dx * 0.30, size * scale, c.plant.colour, bracts, spread, broad)
            if nod:
                neck = bezier(t, (t[0] + 16, t[1] - 44), (t[0] + 62, t[1] - 22))
                canvas.stem(neck, 4.6, 4, STEM)
                flowers.thistle(canvas, neck[-1], nod, size, c.plant.colour, bracts, spread, broad)
            else:
                flowers.thistle(canvas, t, a, size, c.plant.colour, bracts, spread, broad)
        herb(c, rng, leaf, top, base=(x, 318), height=height, lean=lean, nodes=nodes, rise=rise, taper=0.42, thickness=7, end=end)
    return draw


def thistle_leaf(length, width, colour="#6f8f5c", lobes=5, depth=0.6):
    return lambda c, base, a, s, r: blade(c, base, a, length * s, width * s, mix(colour, "#3e5a30", r.uniform(0, 0.12)), "lanceolate", lobes=lobes,
                                          depth=depth, veins=lobes, spines=True)


def spotted_knapweed(c, rng):
    def leaf(canvas, base, a, s, r):
        blade(canvas, base, a, 74 * s, 32 * s, "#87a077", "lanceolate", lobes=4, depth=0.86, veins=4)
    for base, height, lean, size in (((210, 318), 190, -40, 46), ((392, 318), 196, 38, 46), ((300, 318), 226, 6, 54)):
        herb(c, rng, leaf, lambda canvas, t, a, r, n=size: flowers.knapweed(canvas, t, a, n, c.plant.colour), base=base, height=height, lean=lean, nodes=6,
             rise=36, stem="#8a9a72", taper=0.5, end=0.84, thickness=4.4)


def leafy_spurge(c, rng):
    def leaf(canvas, base, a, s, r):
        blade(canvas, base, a, 50 * s, 8.5 * s, "#7f9d6c", "linear", veins=0)
    def top(canvas, tip, a, r):
        for k in range(7):
            t = k / 6 * 2 - 1
            end = point(tip, a - t * 72, 58 - 8 * abs(t))
            canvas.line([tip, end], "#9caf5c", 2)
            for turn in (38, -38):
                twin = point(end, a - t * 50 + turn, 15)
                canvas.line([end, twin], "#9caf5c", 1.4)
                for side in (62, -62):
                    blade(canvas, twin, a - t * 40 + turn * 0.4 + side, 17, 17, c.plant.colour, "round", veins=0)
                canvas.dot(twin, 4.2, "#b7b03a", "#8a8a2a", 0.7)
        for k in range(7):
            blade(canvas, tip, a - (k - 3) * 36, 24, 9, "#93ad68", "lanceolate", veins=0)
    for base, height, lean in (((220, 318), 184, -30), ((388, 318), 176, 32), ((302, 318), 212, 2)):
        herb(c, rng, leaf, top, base=base, height=height, lean=lean, nodes=15, rise=30, taper=0.1, thickness=4, end=0.95)


def creeping_bellflower(c, rng):
    leaf = leaf_drawer(length=72, width=34, teeth=9, cordate=True, petiole=12, colour="#6c9455")
    def top(canvas, tip, a, r):
        flower_heads.raceme(canvas, tip, a, 172, 7, lambda w, b, s, share: flowers.bell(canvas, w, -72 + 20 * share, 34 * s + 3, c.plant.colour, 0.66), r, side=-1, bend=8,
                            start=0.03, stalk=30, taper=0.45, rise=44)
        end = point(tip, a + 8, 172)
        for k in range(4):
            canvas.oval(point(end, 70, -8 + 6 * k, -3), 80, 9, 4, "#8d80cc")
    for base, height, lean in (((216, 318), 112, -12), ((372, 318), 104, 6)):
        herb(c, rng, leaf, top, base=base, height=height, lean=lean, nodes=5, end=0.9, rise=22, taper=0.5)


def teasel_plant(cut):
    def draw(c, rng):
        def leaf(canvas, base, a, s, r):
            if cut:
                blade(canvas, base, a, 116 * s, 54 * s, "#78976a", "lanceolate", lobes=5, depth=0.62, veins=5)
            else:
                blade(canvas, base, a, 112 * s, 32 * s, "#6f9458", "lanceolate", teeth=9, veins=5)
        for base, height, lean, length in (((206, 318), 150, -44, 66), ((404, 318), 158, 42, 66), ((300, 318), 196, 0, 86)):
            herb(c, rng, leaf, lambda canvas, t, a, r, n=length: flowers.teasel(canvas, t, a, n, c.plant.colour), base=base, height=height, lean=lean,
                 nodes=3 if lean == 0 else 2, start=0.14, end=0.66, rise=38, stem="#8e9a68", thickness=6, taper=0.3)
    return draw


def crown_vetch(c, rng):
    def leaf(canvas, base, a, s, r):
        pinnate(canvas, base, a, 112 * s, "#6f9455", pairs=7, leaflet=dict(length=23 * s, width=11 * s, profile="oblong", veins=0), curve=10)
    def crown(canvas, where, a, n, r):
        end = point(where, a, 54)
        canvas.line([where, end], STEM, 2.4)
        for k in range(11):
            flowers.pea(canvas, end, a + 90 - k * 18, 25, c.plant.colour, "#f6e4ee")
    axis = herb(c, rng, leaf, None, base=(120, 306), height=170, lean=360, nodes=6, start=0.05, end=0.92, rise=34, taper=0.25, thickness=4)
    for share, turn, n in ((0.28, 62, 0), (0.56, 70, 1), (0.84, 74, 2), (0.99, 24, 3)):
        where, d = along(axis, share)
        crown(c, where, d + turn, n, rng)


def birdsfoot_trefoil(c, rng):
    def leaf(canvas, base, a, s, r):
        trefoil(canvas, base, a, 29 * s, "#6f9855", stalk=0.45, width=0.52)
        for turn in (70, -70):
            blade(canvas, base, a + turn, 20 * s, 11 * s, "#6f9855", "ovate", veins=0)
    for base, height, lean, bloom in (((190, 316), 150, -56, True), ((412, 316), 150, 60, True), ((300, 316), 194, 8, True), ((250, 316), 96, -84, False),
                                      ((352, 316), 92, 92, False)):
        def top(canvas, t, a, r, bloom=bloom):
            if bloom:
                for k in range(6):
                    flowers.pea(canvas, t, a + 75 - k * 30, 34, c.plant.colour, lighter(c.plant.colour, 0.35))
            else:
                for k in range(4):
                    fruits.pod(canvas, t, a + 42 - k * 28, 40, 5.5, "#8a6f4c", 0)
        herb(c, rng, leaf, top, base=base, height=height, lean=lean, nodes=5, rise=30, taper=0.2, thickness=3.4, end=0.86)


def sweet_clover(leaf_colour):
    def draw(c, rng):
        def leaf(canvas, base, a, s, r):
            trefoil(canvas, base, a, 36 * s, leaf_colour, profile="obovate", teeth=6, stalk=0.62, width=0.42)
        def top(canvas, t, a, r):
            flower_heads.raceme(canvas, t, a, 118, 30, lambda w, b, s, share: flowers.pea(canvas, w, b - (1 if b < a else -1) * 60, 13 * s + 2, c.plant.colour), r, bend=6, stalk=5,
                                start=0.02, taper=0.5, rise=20)
        for base, height, lean in (((196, 318), 138, -58), ((408, 318), 138, 60), ((300, 318), 168, 4), ((256, 318), 112, -30), ((350, 318), 108, 34)):
            herb(c, rng, leaf, top, base=base, height=height, lean=lean, nodes=4, rise=34, taper=0.35, thickness=3.6, end=0.9)
    return draw


def common_tansy(c, rng):
    leaf = carrot_leaf(106, "#5f8a4a", 9)
    def top(canvas, tip, a, r):
        heads = []
        for k in range(15):
            t = k / 14 * 2 - 1
            end = (tip[0] + t * 112, tip[1] - 66 + 26 * t * t + (13 if k % 2 else 0))
            canvas.line([tip, ((tip[0] + end[0]) / 2 + t * 18, (tip[1] + end[1]) / 2), end], "#7d9460", 2)
            heads.append(end)
        for end in sorted(heads, key=lambda p: p[1]):
            flowers.button(canvas, end, 14, c.plant.colour)
    herb(c, rng, leaf, top, height=196, nodes=6, rise=24, taper=0.4, thickness=6, end=0.86)


def helleborine(c, rng):
    leaf = leaf_drawer(length=92, width=46, parallel=True, veins=4, colour="#6a9350")
    def top(canvas, tip, a, r):
        flower_heads.raceme(canvas, tip, a, 150, 6, lambda w, b, s, share: flowers.orchid(canvas, w, 27 * s + 2, c.plant.colour, "#b06c80", r.uniform(-10, 10)), r,
                            side=0, bend=8, stalk=34, taper=0.5, rise=46)
    herb(c, rng, leaf, top, base=(284, 318), height=150, lean=6, nodes=5, rise=36, taper=0.4, end=0.94, thickness=6)


HERBS = {
    "garlic-mustard": garlic_mustard, "dames-rocket": dames_rocket, "hill-mustard": hill_mustard, "purple-loosestrife": purple_loosestrife,
    "japanese-knotweed": japanese_knotweed,
    "wild-parsnip": umbellifer(parsnip_leaf, reach=66, rays=13, umbellet=16, dot=3.0, side=((1, 0.66, 66, 0.6), (-1, 0.58, 70, 0.6)), height=204, nodes=4),
    "giant-hogweed": umbellifer(hogweed_leaf, reach=92, rays=19, spread=74, umbellet=21, dot=3.1, thickness=15, height=186, nodes=3, spots="#6e2f3f",
                                stroke="#a9ac97", leaf_end=0.42, rise=12),
    "poison-hemlock": umbellifer(carrot_leaf(132, "#5f8a4c", 7), reach=44, rays=11, umbellet=12, dot=2.4, thickness=10, height=216, nodes=4, spots="#7a2f4a",
                                 side=((1, 0.72, 86, 0.9), (-1, 0.66, 92, 0.9), (1, 0.46, 108, 0.7), (-1, 0.42, 112, 0.7)), stroke="#a9ac97", leaf_end=0.56),
    "japanese-hedge-parsley": umbellifer(carrot_leaf(96, "#6b9350", 6), reach=34, rays=8, umbellet=10, dot=2.7, thickness=4.6, height=214, nodes=5,
                                         side=((1, 0.78, 82, 0.9), (-1, 0.62, 98, 0.9)), stroke="#b0a9a0", leaf_end=0.66,
                                         burs=(((404, 190), 70), ((196, 222), 118))),
    "canada-thistle": thistle_plant(36, thistle_leaf(84, 30, "#759468", 4), ((-70, 0.72, 28, 1), (68, 0.76, 22, 1), (-34, 0.86, -6, 0.95), (36, 0.84, -4, 0.95)), 214,
                                    bracts="#7d8f72", nodes=7),
    "bull-thistle": thistle_plant(74, thistle_leaf(120, 52, "#6c8f58", 5, 0.7), ((-96, 0.50, 66, 0.62),), 176, bracts="#74895a", nodes=5, x=312),
    "musk-thistle": thistle_plant(78, thistle_leaf(108, 46, "#7a9668", 5), (), 196, nod=-28, bracts="#84886a", broad=True, spread=1.15, lean=-14, nodes=6, x=274),
    "spotted-knapweed": spotted_knapweed, "leafy-spurge": leafy_spurge, "creeping-bellflower": creeping_bellflower,
    "common-teasel": teasel_plant(False), "cut-leaved-teasel": teasel_plant(True), "crown-vetch": crown_vetch,
    "birds-foot-trefoil": birdsfoot_trefoil, "white-sweet-clover": sweet_clover("#6f9a5a"),
    "yellow-sweet-clover": sweet_clover("#6f9a5a"), "common-tansy": common_tansy, "broad-leaved-helleborine": helleborine,
}
