"""Part 1's visible check and figure: the shapes of one head's three matrices, their form, and as blocks."""

from attention_course import blocks, symbols
from attention_course.figure import ORANGE, SKY, heading, show, subplots
from attention_course.table import Table

LETTERS = "D_1 D_2 D_qk D_v H"
SIZES = {"D_1": 6, "D_2": 5, "D_qk": 3, "D_v": 4, "H": 2}


def check_part01(names):
    """Prints a line per shape: whether it is there and is a pair in letters. Whether it is right is not looked at."""
    table = Table(1)
    for name in ("shape_W_Q_h", "shape_W_K_h", "shape_W_V_h"):
        with table.line(f"form of {name}"):
            symbols.pair(names, name, LETTERS)
    table.end()


def draw_part01(names):
    """Each matrix, in the shape that you gave it, next to the token that it acts on."""
    figure, panels = subplots(1, 3, figsize=(11, 4), top=0.5)
    said, rows = [], []
    for M, token, letter, vector in (("Q", "x", "D_1", "q"), ("K", "y", "D_2", "k"), ("V", "y", "D_2", "v")):
        shape = names.get(f"shape_W_{M}_h")
        matrix, given = blocks.size(shape, SIZES), (SIZES[letter], 1)
        fits = matrix is not None and matrix[1] == given[0]
        words = blocks.fits(matrix, given, token, (shape,))
        pieces = [
            blocks.Block(f"$W^{M}_h$", matrix, "" if shape is None else blocks.written(shape), colour=SKY),
            blocks.Block(f"${token}$", given, letter),
            "=",
            blocks.Block(f"${vector}$", (matrix[0], 1) if fits else None, colour=ORANGE),
        ]
        rows.append((pieces, "" if matrix is None else words))
        said.append(f"W^{M}_h: {words}.")
    blocks.equations(panels, rows)
    blocks.titled(panels, ["query", "key", "value"])
    heading(figure, blocks.drawn(SIZES), fontsize=11)
    print(blocks.drawn(SIZES), *said, sep="\n")
    show(figure, f"Three products, matrix times token, as blocks of squares. {' '.join(said)}")
