"""What the catalogue says of a species, as the drawing needs it."""

# Colours by the catalogue's words for them.
FLOWERS = {
    "white": "#fbfaf4", "cream": "#f4ebc4", "pale yellow": "#f2e48c", "yellow": "#ecc52c", "yellow green": "#cdd84e",
    "greenish yellow": "#cfd27a", "greenish white": "#dfe6cc", "greenish": "#c3cf92", "green": "#b9c77a", "green purple": "#a3b468",
    "green to purple": "#a98aa0", "pink": "#dd8fae", "pink purple": "#b863b5", "magenta": "#b23a86", "purple": "#9a55a8",
    "lilac": "#b48fd0", "violet blue": "#675ebc", "purple brown": "#8d6a72", "brown": "#5b3a22", "brownish": "#a5835c",
}

# The paper is chosen so that the flowers stand out from it, by the first word of their colour.
PAPERS = {
    "white": "#bccbc0", "cream": "#b7c6b8", "yellow": "#d5dce2", "pale": "#d5dce2", "greenish": "#ece4d3", "green": "#ece4d3",
    "magenta": "#efe8da", "pink": "#e9e6d8", "purple": "#efe8d6", "lilac": "#efe8d6", "violet": "#f0ead9", "brown": "#dfe4da",
    "brownish": "#d9e4e4",
}

# Outlines of `leaves.blade` by the catalogue's words for a leaf's shape; what is compound or cut has none.
OUTLINES = {"cordate": "triangular", "truncate": "triangular"} | {
    shape: shape for shape in ("elliptic", "obovate", "lanceolate", "linear", "spatulate", "ovate", "oblong", "acuminate", "round", "sword")}


class Plant:
    """A row of seed/species.csv."""

    def __init__(self, row):
        self.stem = row["image"].rsplit(".", 1)[0]
        self.name = row["name"]
        self.scientific_name = row["scientific_name"]
        self.colour = FLOWERS[row["flower_colour"]]
        self.paper = PAPERS[row["flower_colour"].split()[0]]
        self.outline = OUTLINES.get(row["leaf_shape"])
        self.is_opposite = row["leaf_arrangement"] == "opposite"
