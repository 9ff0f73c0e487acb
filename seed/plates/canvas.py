"""Drawing on a plate: shapes in the plate's own coordinates, y downward, angles in degrees counted
from the right, upward."""
import math


def point(origin, angle, distance, across=0.0):
    """The point `distance` along a direction from `origin`, and `across` to its left."""
    a = math.radians(angle)
    return (origin[0] + distance * math.cos(a) - across * math.sin(a),
            origin[1] - distance * math.sin(a) - across * math.cos(a))


def mix(one, other, share):
    """A colour between two, `share` of the way to the other."""
    a, b = (tuple(int(c[i:i + 2], 16) for i in (1, 3, 5)) for c in (one, other))
    return "#" + "".join(f"{round(x + (y - x) * share):02x}" for x, y in zip(a, b))


def darker(colour, share=0.25):
    return mix(colour, "#20261c", share)


def lighter(colour, share=0.35):
    return mix(colour, "#ffffff", share)


def bezier(start, bend, end, steps=24):
    """The points of a quadratic curve."""
    return [((1 - t) ** 2 * start[0] + 2 * t * (1 - t) * bend[0] + t * t * end[0],
             (1 - t) ** 2 * start[1] + 2 * t * (1 - t) * bend[1] + t * t * end[1])
            for t in (i / steps for i in range(steps + 1))]


def along(points, share):
    """Where on a line of points a share of its length lies, and in which direction it goes there."""
    lengths = [math.dist(a, b) for a, b in zip(points, points[1:])]
    rest = share * sum(lengths)
    for (a, b), length in zip(zip(points, points[1:]), lengths):
        if rest <= length or b is points[-1]:
            t = rest / length if length else 0
            return ((a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t),
                    math.degrees(math.atan2(a[1] - b[1], b[0] - a[0])))
        rest -= length
    return points[-1], 90.0


class Canvas:
    """The elements of an SVG, in the order in which they are painted, and the plant that they show."""

    def __init__(self, plant):
        self.plant = plant
        self.elements = []

    def add(self, element):
        self.elements.append(element)

    @staticmethod
    def _style(fill, stroke, width, opacity):
        style = f'fill="{fill or "none"}"'
        if stroke:
            style += f' stroke="{stroke}" stroke-width="{width:.2f}" stroke-linecap="round" stroke-linejoin="round"'
        if opacity < 1:
            style += f' opacity="{opacity:.2f}"'
        return style

    def shape(self, points, fill=None, stroke=None, width=1.0, opacity=1.0, closed=True, smooth=True):
        """A line through points, smooth or straight, closed or open."""
        p = list(points)
        parts = [f"M{p[0][0]:.1f} {p[0][1]:.1f}"]
        count = len(p)
        if not smooth:
            parts += [f"L{x:.1f} {y:.1f}" for x, y in p[1:]]
        else:
            for i in range(count if closed else count - 1):
                a, b, c, d = (p[(i + k) % count] if closed else p[min(max(i + k, 0), count - 1)]
                              for k in (-1, 0, 1, 2))
                parts.append(f"C{b[0] + (c[0] - a[0]) / 6:.1f} {b[1] + (c[1] - a[1]) / 6:.1f} "
                             f"{c[0] - (d[0] - b[0]) / 6:.1f} {c[1] - (d[1] - b[1]) / 6:.1f} {c[0]:.1f} {c[1]:.1f}")
        if closed:
            parts.append("Z")
        self.add(f'<path d="{"".join(parts)}" {self._style(fill, stroke, width, opacity)}/>')

    def line(self, points, stroke, width, opacity=1.0):
        self.shape(points, None, stroke, width, opacity, closed=False)

    def dot(self, centre, radius, fill, stroke=None, width=1.0, opacity=1.0):
        self.add(f'<circle cx="{centre[0]:.1f}" cy="{centre[1]:.1f}" r="{radius:.1f}" '
                 f'{self._style(fill, stroke, width, opacity)}/>')

    def oval(self, centre, angle, length, width, fill, stroke=None, line=1.0, opacity=1.0):
        """An ellipse whose long axis points along `angle`."""
        self.add(f'<ellipse cx="{centre[0]:.1f}" cy="{centre[1]:.1f}" rx="{length / 2:.1f}" ry="{width / 2:.1f}" '
                 f'transform="rotate({-angle:.1f} {centre[0]:.1f} {centre[1]:.1f})" '
                 f'{self._style(fill, stroke, line, opacity)}/>')

    def stem(self, points, base, tip, fill):
        """A stem along points, from one thickness to another."""
        left, right = [], []
        count = len(points)
        for i, p in enumerate(points):
            a, b = points[max(i - 1, 0)], points[min(i + 1, count - 1)]
            angle = math.degrees(math.atan2(a[1] - b[1], b[0] - a[0]))
            half = (base + (tip - base) * i / (count - 1)) / 2
            left.append(point(p, angle, 0, half))
            right.append(point(p, angle, 0, -half))
        self.shape(left + right[::-1], fill)
