"""Part 6's visible check, and its figure: what a student's A and B do with one row per key/value head."""

import numpy as np
from matplotlib.patches import Rectangle

from attention_course.answers import pieces, result
from attention_course.figure import show, subplots
from attention_course.heads import COLOURS, draw_heads
from attention_course.labels import write
from attention_course.table import Table, expect, numbers

TWO = "the two matrices A and B"
H, G = 12, 3  # of the figure, where each head has one row
MARKS = np.array([[1.0, 7.0], [2.0, 5.0], [3.0, 11.0]])  # W: no row is a multiple or a sum of others
ALT = """Above, twelve query heads as circles, with a line from each to the one of three key/value heads that it reads.
Below, your matrix A times W, one cell per row: the number in a cell says which row of W stands there, in the same order
as the circles if A is right. Below that, the rows that your B gets back from the stack."""


def check_part06(names):
    """Looks at stack_and_pick and rank_relation among a notebook's names: form, and the case of a single copy."""
    table = Table(6)
    with table.line("stack_and_pick(6, 2, 3) gives two matrices"):
        expect("stack_and_pick" in names, "there is none yet. Write it in the answer cell, then run that cell")
        stack_and_pick = names["stack_and_pick"]
        first, second = pieces(stack_and_pick(6, 2, 3), 2, TWO)
    with table.line("the first, A, has shape (H*d, G*d) = (18, 6)"):
        A = numbers(first)
        expect(A.shape == (18, 6), f"got shape {A.shape}")
    with table.line("the second, B, has shape (G*d, H*d) = (6, 18)"):
        B = numbers(second)
        expect(B.shape == (6, 18), f"got shape {B.shape}")
    W = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    with table.line("with H = G there is one copy, so A @ W is W: stack_and_pick(2, 2, 1)"):
        got = numbers(pieces(stack_and_pick(2, 2, 1), 2, TWO)[0]) @ W
        expect(np.allclose(got, W), f"for W = {W.tolist()}, got A @ W = {got.round(3).tolist()}")
    with table.line("and B @ W is W"):
        got = numbers(pieces(stack_and_pick(2, 2, 1), 2, TWO)[1]) @ W
        expect(np.allclose(got, W), f"for W = {W.tolist()}, got B @ W = {got.round(3).tolist()}")
    with table.line('rank_relation is one of "<", "<=", "==", ">=", ">"'):
        expect("rank_relation" in names, "there is none yet. Set it in the answer cell, then run that cell")
        chosen = names["rank_relation"]
        known = isinstance(chosen, str) and chosen.strip() in ("<", "<=", "==", ">=", ">")
        expect(known, f"got {chosen!r}")
    table.end()


def draw_part06(names):
    """Draws who reads what for H = 12 and G = 3, and which rows of W your A and your B bring where."""
    found = result(names, "stack_and_pick", _rows)
    if found is None:
        return
    stacked, picked = found
    print(f"Query head h = 0, 1, …, 11 reads key/value head: {_listed([h % G for h in range(H)])}")
    print(f"Row 0, 1, …, 11 of your A W is the row of W:     {_listed(stacked)}")
    print(f"Row 0, 1, 2 of your B W_tilde is the row of W:   {_listed(picked)}")
    figure, (above, below) = subplots(2, figsize=(9, 4.6), height_ratios=(1.2, 1))
    draw_heads(above, [h % G for h in range(H)], G)
    above.set_title("The pairing: query head h reads key/value head g if h ≡ g (mod 3)", fontsize=11)
    for y, rows, title in ((1.4, stacked, "rows of your $A\\,W$"), (0.2, picked, "rows of your $B\\,\\widetilde{W}$")):
        write(below, -0.3, y + 0.35, title, ha="right", va="center", fontsize=10)
        for place, g in enumerate(rows):
            colour, text = ("0.35", "?") if g is None else (COLOURS[g], str(g))
            below.add_patch(Rectangle((place + 0.06, y), 0.88, 0.7, color=colour))
            write(
                below, place + 0.5, y + 0.34, text, ha="center", va="center", color="white", weight="bold", fontsize=10
            )
    below.set(xlim=(-2.9, H + 0.2), ylim=(0, 2.3))
    below.set_title("What your matrices do, with d = 1: the number of a row of $W$, or ? for none", fontsize=11)
    below.axis("off")
    show(figure, ALT)


def _rows(stack_and_pick):
    """Which row of W each row of A W, and of B times the stack, is: None where it is none."""
    found = pieces(stack_and_pick(H, G, 1), 2, TWO)
    A, B = (np.asarray(numbers(matrix), dtype=float) for matrix in found)
    text = f"expected shapes {(H, G)} and {(G, H)}, got {A.shape} and {B.shape}"
    expect(A.shape == (H, G) and B.shape == (G, H), text)
    return [
        [next((g for g, mark in enumerate(MARKS) if np.allclose(row, mark)), None) for row in rows]
        for rows in (A @ MARKS, B @ np.tile(MARKS, (H // G, 1)))
    ]


def _listed(rows):
    return " ".join("?" if g is None else str(g) for g in rows)
