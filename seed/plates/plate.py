"""A plate: paper, frame, plant, and the names below it."""
import random
import zlib

from canvas import Canvas, mix


def draw(plant, specimen):
    """The SVG of a plate, 600 by 400. `specimen(canvas, rng)` draws the plant."""
    canvas = Canvas(plant)
    canvas.add(f'<rect width="600" height="400" fill="{plant.paper}"/>')
    canvas.add('<clipPath id="frame"><rect x="16" y="16" width="568" height="306"/></clipPath>')
    canvas.add('<g clip-path="url(#frame)">')
    specimen(canvas, random.Random(zlib.crc32(plant.name.encode())))
    canvas.add("</g>")
    canvas.add(f'<rect x="10" y="10" width="580" height="380" fill="none" stroke="{mix(plant.paper, "#ffffff", 0.65)}" '
               'stroke-width="1.6"/>')
    # The line at the foot of the plate ends the stems.
    canvas.add(f'<line x1="150" x2="450" y1="322.5" y2="322.5" stroke="{mix(plant.paper, "#2c3128", 0.35)}"/>')
    text = 'text-anchor="middle" font-family="EB Garamond, serif" fill="#2c3128"'
    canvas.add(f'<text x="300" y="352" {text} font-size="27">{plant.name}</text>')
    canvas.add(f'<text x="300" y="376" {text} font-size="18.5" font-style="italic" fill-opacity="0.82">'
               f"{plant.scientific_name}</text>")
    body = "\n".join(canvas.elements)
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="600" height="400" viewBox="0 0 600 400">\n{body}\n</svg>\n'
