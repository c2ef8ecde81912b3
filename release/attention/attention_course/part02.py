"""Part 2's visible check and figure: the stacked matrices, their form, and as blocks with a colour per head."""

import torch

from attention_course import blocks, symbols
from attention_course.figure import heading, show, subplots
from attention_course.table import Table, expect, numbers, three_digits

LETTERS = "D_1 D_2 D_qk D_v H"
SIZES = {"D_1": 7, "D_2": 5, "D_qk": 2, "D_v": 4, "H": 3}


def check_part02(names):
    """Prints a line per check: the form of the shapes, and of what the two functions return."""
    table = Table(2)
    for name in ("shape_W_Q", "shape_W_K", "shape_W_V"):
        with table.line(f"form of {name}"):
            symbols.pair(names, name, LETTERS)
    for name in ("shape_q", "shape_k", "shape_v"):
        with table.line(f"form of {name}"):
            symbols.vector(names, name, LETTERS)
    for name in ("q_from_x", "m_from_y"):
        with table.line(f"{name}: a (6, 4) matrix and a token of 4 zeros give 6 zeros along one axis"):
            function = symbols.there(names, name)
            expect(callable(function), f"expected a function, got {symbols.quoted(function)}")
            got = numbers(function(torch.ones(6, 4), torch.zeros(4)))
            expect(got.shape == (6,), f"expected shape (6,), got {got.shape}")
            expect((got == 0).all(), f"expected zeros, got {three_digits(got)}")
    table.end()


def draw_part02(names):
    """Each stacked matrix and its vector, in the shapes that you gave them, with a colour per head."""
    figure, panels = subplots(1, 3, figsize=(11, 5.4), top=0.5)
    said, rows = [], []
    for M, token, letter, vector in (("Q", "x", "D_1", "q"), ("K", "y", "D_2", "k"), ("V", "y", "D_2", "v")):
        shapes = names.get(f"shape_W_{M}"), names.get(f"shape_{vector}")
        matrix, result = (blocks.size(shape, SIZES) for shape in shapes)
        given, heads = (SIZES[letter], 1), SIZES["H"]
        letters = ["" if shape is None else blocks.written(shape) for shape in shapes]
        words = blocks.fits(matrix, given, token, shapes[:1])
        yours = f"your {vector} has {_count(result, shapes[1])}"
        pieces = [
            blocks.Block(f"$W^{M}$", matrix, letters[0], heads),
            blocks.Block(f"${token}$", given, letter),
            "=",
            blocks.Block(f"${vector}$", result, letters[1], heads),
        ]
        rows.append((pieces, "" if None in (matrix, result) else f"{words}; {yours}"))
        said.append(f"W^{M}: {words}; {yours}.")
    blocks.equations(panels, rows)
    blocks.titled(panels, ["queries", "keys", "values"])
    heading(figure, f"{blocks.drawn(SIZES)} A colour and a number per head", fontsize=11)
    print(blocks.drawn(SIZES), *said, sep="\n")
    show(figure, f"Three stacked matrices times one token, as blocks with a colour per head. {' '.join(said)}")


def _count(size: tuple[int, int] | None, given: object) -> str:
    if size is None:
        return "no size yet" if given is None else "a size that is not drawn"
    return f"{size[0]}" if size[1] == 1 else f"{size[0]} × {size[1]}"
