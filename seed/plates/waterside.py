"""Grasses, and the plants of marsh and water."""
import math

import flowers
import inflorescences as flower_heads
from canvas import along, bezier, darker, lighter, mix, point
from habits import herb, tuft, water
from leaves import blade, feather, pad


def grass(heads, leaf_length, leaf_width, nodes, leaf_colour="#7a9a56", rise=30, rib=None, profile="linear"):
    """Culms with blades; each head is (foot x, height, lean, draw)."""
    def draw(c, rng):
        def leaf(canvas, base, a, s, r):
            sign = 1 if a < 90 else -1
            blade(canvas, base, a, leaf_length * s, leaf_width, mix(leaf_colour, "#3e5a30", r.uniform(0, 0.2)), profile, veins=0, curve=-sign * 42, rib=rib)
        for x, height, lean, top in heads:
            herb(c, rng, leaf, top, base=(x, 318), height=height, lean=lean, nodes=nodes, rise=90 - rise, taper=0.25, thickness=4.6, stem="#8c9c5c", end=0.84)
    return draw


def reed_canary(canvas, tip, a, r):
    flower_heads.grass_head(canvas, tip, a, 88, 24, canvas.plant.colour, r, bend=4, loose=0.3)


def common_reed(c, rng):
    def leaf(canvas, base, a, s, r):
        sign = 1 if a < 90 else -1
        blade(canvas, base, a, 128 * s, 17, mix("#7f9c62", "#3e5a30", r.uniform(0, 0.2)), "linear", veins=0, curve=-sign * 34)
    for x, height, lean, length in ((206, 168, -14, 96), (398, 178, 8, 98), (300, 206, 0, 112)):
        herb(c, rng, leaf, lambda canvas, t, a, r, n=length: flower_heads.plume(canvas, point(t, a, -8), a, n - 8, 46, c.plant.colour, r), base=(x, 320), height=height - 12,
             lean=lean, nodes=6, rise=42, taper=0.2, thickness=6, stem="#a3a066", end=0.9)


def stiltgrass(c, rng):
    def leaf(canvas, base, a, s, r):
        sign = 1 if a < 90 else -1
        blade(canvas, base, a, 74 * s, 17 * s, mix("#86ab5c", "#3e5a30", r.uniform(0, 0.14)), "lanceolate", veins=0, curve=-sign * 20, rib="#f3f6ea")
    def top(canvas, tip, a, r):
        for turn in (-9, 10):
            axis = bezier(tip, point(tip, a + turn, 34), point(tip, a + turn * 2, 66))
            canvas.line(axis, "#8c9c5c", 1.6)
            for k in range(11):
                at, d = along(axis, 0.12 + 0.86 * k / 11)
                canvas.oval(point(at, d, 0, 3 if k % 2 else -3), d + (16 if k % 2 else -16), 12, 4, "#a9b878", darker("#a9b878", 0.3), 0.5)
    for foot, height, lean in (((150, 318), 150, -56), ((236, 318), 190, -40), ((372, 318), 190, 44), ((452, 318), 148, 60), ((304, 318), 206, 2)):
        herb(c, rng, leaf, top, base=foot, height=height, lean=lean, nodes=7, rise=34, taper=0.25, thickness=3, stem="#9a8f5c", end=0.92)


def narrow_leaved_cattail(c, rng):
    water(c, 292, "#86a6a4")
    tuft(c, rng, 11, (300, 322), 268, 19, 9.5, "#7f9a66", 12)
    for x, height, lean, female in ((226, 112, -6, 74), (384, 104, 8, 70), (302, 128, 2, 84)):
        base, tip = (300 + (x - 300) * 0.35, 318), (x, 318 - height)
        axis = bezier(base, (base[0] + (x - base[0]) * 0.3, 318 - height * 0.5), tip)
        c.stem(axis, 5, 4, "#8b8f58")
        _, d = along(axis, 0.98)
        flower_heads.cattail(c, tip, d, 46, 17, female, 15)


def milfoil(c, rng):
    water(c, 92)
    for foot, tip, bend, above in (((180, 326), (214, 84), (140, 200), True), ((410, 326), (388, 84), (448, 200), True), ((300, 326), (300, 112), (284, 220), False)):
        axis = bezier(foot, bend, tip, 40)
        c.stem(axis, 4, 2.6, "#a5716a")
        whorls = 10
        for i in range(whorls):
            where, d = along(axis, 0.03 + 0.88 * i / whorls)
            for turn in (66, -66, 28, -28):
                feather(c, where, d + turn, (44 if abs(turn) > 40 else 34) * (1 - 0.25 * i / whorls), "#5f8f6a" if abs(turn) > 40 else "#4f7f5c", 9)
        if above:
            top = (tip[0] + 2, tip[1] - 58)
            c.stem([tip, ((tip[0] + top[0]) / 2, (tip[1] + top[1]) / 2), top], 2.6, 1.4, "#a5716a")
            for k in range(8):
                y = tip[1] - 8 - 6.4 * k
                for dx in (-5, 5, 0):
                    c.dot((tip[0] + 0.3 * k + dx, y), 3.4, mix(c.plant.colour, "#ffffff", 0.15 * (k % 2)), "#a85a66", 0.5)


def curly_pondweed(c, rng):
    water(c, 92)
    for foot, tip, bend, head in (((196, 326), (170, 86), (240, 210), True), ((402, 326), (424, 86), (352, 210), True), ((300, 326), (306, 116), (320, 220), False)):
        axis = bezier(foot, bend, tip, 40)
        c.stem(axis, 4, 2.6, "#8d8a4e")
        for i in range(9):
            where, d = along(axis, 0.03 + 0.92 * i / 9)
            blade(c, where, d + (58 if i % 2 else -58), 78 - 3 * i, 22, mix("#6f8f4c", "#7a5f3a", rng.uniform(0, 0.3)), "oblong", veins=0, wavy=0.24, rib="#c3cf92")
        if head:
            top = (tip[0], tip[1] - 44)
            c.stem([tip, ((tip[0] + top[0]) / 2 + 2, (tip[1] + top[1]) / 2), top], 3, 2.4, "#8d8a4e")
            for k in range(4):
                for dx in (-6, 6, 0):
                    c.dot((top[0] + dx, top[1] + 4 + 7 * k), 4, mix(c.plant.colour, "#ffffff", 0.12 * (k % 2)), "#6d5236", 0.6)


def yellow_iris(c, rng):
    water(c, 300, "#8fb0b4")
    tuft(c, rng, 9, (300, 322), 236, 30, 20, "#6f9560", 14, rib="#a9c494")
    for tip, bend, size in (((216, 120), (262, 220), 62), ((392, 132), (344, 226), 58), ((304, 72), (302, 200), 66)):
        axis = bezier((300, 322), bend, tip)
        c.stem(axis, 6, 5, "#6f8f55")
        blade(c, point(tip, 90, -26), 78, 40, 14, "#7f9f62", "lanceolate", veins=0)
        flowers.iris(c, tip, size, c.plant.colour)


def flowering_rush(c, rng):
    water(c, 292, "#86a6a4")
    tuft(c, rng, 8, (300, 322), 190, 34, 8, "#76965e", 20)
    axis = bezier((300, 322), (298, 220), (302, 150))
    c.stem(axis, 5.5, 4.5, "#7a8f55")
    tip = (302, 150)
    ends = []
    for k in range(13):
        t = k / 12 * 2 - 1
        a = 90 - t * 82
        reach = (98 if k % 2 else 74) - 10 * abs(t)
        end = point(tip, a, reach)
        c.line([tip, point(tip, a, reach * 0.5, -t * 5), end], "#8a8f5c", 1.8)
        ends.append(end)
    for k, end in enumerate(ends):
        if k in (0, 12):
            c.oval(end, 90, 10, 7, "#c97a94")
            continue
        flowers.petals(c, end, 19, 3, lighter(c.plant.colour, 0.15), width=0.86, eye=None, turn=90)
        flowers.petals(c, end, 16, 3, lighter(c.plant.colour, 0.5), width=0.8, eye="#b0506e", eye_size=0.30, turn=30)
    for turn in (40, -40, 0):
        blade(c, tip, 90 + 90 + turn * 0.6, 22, 7, "#a5896a", "lanceolate", veins=0)


def lesser_celandine(c, rng):
    places = [(150, 250), (228, 282), (300, 256), (382, 284), (456, 248), (196, 214), (404, 214), (304, 300)]
    for x, y in places:
        c.line([(300, 322), ((300 + x) / 2, (322 + y) / 2 + 10), (x, y)], "#8aa25c", 2.6)
    for x, y in sorted(places, key=lambda p: p[1]):
        a = math.degrees(math.atan2(300 - y, x - 300))
        blade(c, (x, y), a if y < 290 else -90, 58, 62, mix("#5f944c", "#3e5a30", rng.uniform(0, 0.14)), "round", cordate=True, veins=3, rib="#a9cf8e")
    for x, y, radius in ((176, 118, 38), (424, 122, 38), (300, 84, 44), (242, 182, 33), (364, 186, 33)):
        c.line([(300, 318), ((300 + x) / 2 + (x - 300) * 0.1, 230), (x, y)], "#8aa25c", 2.6)
    for x, y, radius in ((176, 118, 38), (424, 122, 38), (300, 84, 44), (242, 182, 33), (364, 186, 33)):
        flowers.petals(c, (x, y), radius, 9, c.plant.colour, width=0.44, eye="#b8a22a", eye_size=0.17, turn=rng.uniform(0, 40), squash=0.92)
        for k in range(12):
            c.dot(point((x, y), 30 * k, radius * 0.26), 1.7, "#d9930f")


def european_frogbit(c, rng):
    c.add('<rect x="16" y="120" width="568" height="202" fill="#7fa3ad" opacity="0.34"/>')
    for x, y, length in ((60, 148, 90), (420, 136, 120), (300, 300, 160), (80, 268, 70), (470, 226, 80)):
        c.line([(x, y), (x + length, y)], "#e8f1f2", 1.4, 0.8)
    c.line([(120, 210), (220, 236), (320, 206), (430, 240), (510, 208)], "#8a9a5c", 2.2)
    for x, y, radius, cleft in ((110, 200, 50, 250), (230, 246, 60, 80), (352, 196, 54, 300), (470, 248, 60, 110), (300, 288, 46, 200), (520, 184, 40, 30), (168, 288, 40, 20)):
        c.oval((x + 4, y + 6), 0, radius * 2, radius, "#4f7480", opacity=0.25)
        pad(c, (x, y), radius, mix("#74a056", "#3e5a30", rng.uniform(0, 0.14)), cleft, 0.52)
    for foot, tip, radius in (((214, 232), (206, 138), 42), ((410, 226), (420, 118), 44)):
        c.stem([foot, ((foot[0] + tip[0]) / 2 + 5, (foot[1] + tip[1]) / 2), tip], 3.6, 3, "#8a9a5c")
        flowers.petals(c, tip, radius, 3, c.plant.colour, width=1.22, eye="#ecc23a", eye_size=0.2, turn=90, squash=0.86, outline="#9fb0ac")


WATER = {
    "reed-canary-grass": grass([(190, 150, -34, reed_canary), (402, 156, 36, reed_canary), (246, 196, -16, reed_canary), (356, 190, 18, reed_canary), (302, 214, 2, reed_canary)],
                               112, 12, 4),
    "common-reed": common_reed, "japanese-stiltgrass": stiltgrass, "narrow-leaved-cattail": narrow_leaved_cattail,
    "eurasian-watermilfoil": milfoil, "curly-leaf-pondweed": curly_pondweed, "yellow-iris": yellow_iris, "flowering-rush": flowering_rush,
    "lesser-celandine": lesser_celandine, "european-frogbit": european_frogbit,
}
