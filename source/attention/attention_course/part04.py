"""Part 4's visible check and figure: the shapes of the heads' results and of W^O, their form, and as blocks."""

from attention_course import blocks, symbols
from attention_course.figure import heading, show, subplots
from attention_course.table import Table

LETTERS = "D_1 D_2 D_qk D_v H"
SIZES = {"D_1": 5, "D_2": 7, "D_qk": 4, "D_v": 2, "H": 3}


def check_part04(names):
    """Prints a line per shape: whether it is there and has the right form. Whether it is right is not looked at."""
    table = Table(4)
    for name in ("shape_o_h", "shape_o"):
        with table.line(f"form of {name}"):
            symbols.vector(names, name, LETTERS)
    for name in ("shape_W_O_h", "shape_W_O"):
        with table.line(f"form of {name}"):
            symbols.pair(names, name, LETTERS)
    table.end()


def draw_part04(names):
    """W^O on the stack, and block by block on each head, in the shapes that you gave them."""
    shapes = {name: names.get(f"shape_{name}") for name in ("o_h", "o", "W_O_h", "W_O")}
    size = {name: blocks.size(shape, SIZES) for name, shape in shapes.items()}
    letters = {name: "" if shape is None else blocks.written(shape) for name, shape in shapes.items()}
    out, heads = blocks.Block("$x^{out}$", (SIZES["D_1"], 1), "D_1"), SIZES["H"]
    whole = [
        blocks.Block("$W^O$", size["W_O"], letters["W_O"], heads, along=1),
        blocks.Block("$o$", size["o"], letters["o"], heads),
        "=",
        out,
    ]
    sums: list[blocks.Block | str] = []
    for h in range(heads):
        sums += ["+"] if h else []
        sums.append(blocks.Block(f"$W^O_{h}$", size["W_O_h"], letters["W_O_h"], 1, along=1, first=h))
        sums.append(blocks.Block(f"$o_{h}$", size["o_h"], letters["o_h"], 1, first=h))
    figure, panels = subplots(2, 1, figsize=(9, 6.4), top=0.28, down=0.08)
    said, rows = [], []
    for pieces, matrix, vector in ((whole, "W_O", "o"), ([*sums, "=", out], "W_O_h", "o_h")):
        left, right = size[matrix], size[vector]
        rows.append((pieces, _caption(left, right)))
        said.append(
            f"{matrix}: {blocks.fits(left, right, vector, (shapes[matrix], shapes[vector]))}; x_out has {SIZES['D_1']}."
        )
    blocks.equations(panels, rows)
    heading(figure, f"{blocks.drawn(SIZES)} A colour and a number per head", fontsize=11)
    print(blocks.drawn(SIZES), *said, sep="\n")
    show(
        figure, f"Above W^O times the stack o, below a sum over heads, as blocks in a colour per head. {' '.join(said)}"
    )


def _caption(matrix: tuple[int, int] | None, vector: tuple[int, int] | None) -> str:
    if matrix is None or vector is None:
        return ""
    return "fits" if (matrix[1], matrix[0], vector[1]) == (vector[0], SIZES["D_1"], 1) else "does not fit"
