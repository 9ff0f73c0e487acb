"""Draws the plates of seed/species.csv: draw.py SPECIES.csv FOLDER writes an SVG for each species, and sheet.svg with
all of them."""
import csv
import sys

from herbs import HERBS
from plant import Plant
from plate import draw
from waterside import WATER
from woody import WOODY

SPECIMENS = HERBS | WOODY | WATER
COLUMNS = 6


def sheet(plates):
    """All plates in rows, a third of their size."""
    rows = -(-len(plates) // COLUMNS)
    cells = "\n".join(f'<svg x="{8 + 208 * (i % COLUMNS)}" y="{8 + 141 * (i // COLUMNS)}" width="200" height="133" viewBox="0 0 600 400">{p}</svg>'
                      for i, p in enumerate(plates))
    width, height = 208 * COLUMNS + 8, 141 * rows + 8
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"><rect width="100%" height="100%" fill="#fff"/>{cells}</svg>\n'


def main(catalogue, folder):
    plates = []
    with open(catalogue, newline="") as file:
        for row in csv.DictReader(file):
            plant = Plant(row)
            plate = draw(plant, SPECIMENS[plant.stem])
            plates.append(plate)
            with open(f"{folder}/{plant.stem}.svg", "w") as svg:
                svg.write(plate)
    with open(f"{folder}/sheet.svg", "w") as svg:
        svg.write(sheet(plates))


main(*sys.argv[1:])
