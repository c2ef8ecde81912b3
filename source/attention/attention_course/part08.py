"""Part 8's visible check, and its figure: from one key/value head for all to as many as there are query heads."""

import math

import numpy as np

from attention_course import symbols
from attention_course.answers import result
from attention_course.figure import BLUE, ORANGE, show, subplots
from attention_course.heads import draw_heads
from attention_course.labels import scale, write
from attention_course.table import Table, expect

LETTERS = ("D_1", "D_2", "D_qk", "D_v", "H", "G")
H, DRAWN = 12, (1, 3, 12)  # the figure's query heads, and the G for which it shows who reads what
ALT = """Three drawings of twelve query heads and the key/value heads that they read by your kv_head, for G = 1, 3
and 12. Below, a bar per possible G: a position has 2, 4, 6, 8, 12 or 24 keys and values for G = 1, 2, 3, 4, 6 or 12."""


def check_part08(names):
    """Looks at kv_head and G_for_MHA among a notebook's names: their kind, and the head that query head 0 reads."""
    table = Table(8)
    with table.line("with G = 3, kv_head(h, 3) is 0, 1 or 2 for h = 0, 1, …, 11"):
        expect("kv_head" in names, "there is none yet. Write kv_head in the answer cell, then run that cell")
        heads = [_number(names["kv_head"](h, 3)) for h in range(12)]
        there = all(min(abs(head - g) for g in (0, 1, 2)) < 1e-5 for head in heads)
        expect(there, f"got {', '.join(f'{head:g}' for head in heads)}")
    with table.line("query head 0 reads key/value head 0, whatever G is"):
        for G in (1, 3, 4):
            head = _number(names["kv_head"](0, G))
            expect(abs(head) < 1e-5, f"kv_head(0, {G}): got {head:g}")
    with table.line("G_for_MHA is written in the symbols of the setup cell"):
        expect("G_for_MHA" in names, "there is none yet. Set it in the answer cell, then run that cell")
        got = symbols.unquoted(names["G_for_MHA"])
        letters = getattr(got, "free_symbols", None)
        asked = f"expected an expression in letters, got {got!r}"
        number = ". A number fits a single model: write letters. Has one of them been given a value?"
        expect(letters, asked + number if isinstance(got, (int, float)) else asked)
        strange = ", ".join(sorted({str(letter) for letter in letters} - set(LETTERS)))
        expect(not strange, f"expected only {', '.join(LETTERS)}, got {strange}")
    table.end()


def draw_part08(names):
    """Draws who reads what by your kv_head for H = 12 and three G, and how many keys and values a position has."""
    choices = [G for G in range(1, H + 1) if H % G == 0]
    reads = result(names, "kv_head", lambda kv_head: {G: [_head(kv_head(h, G), G) for h in range(H)] for G in choices})
    if reads is None:
        return
    figure, panels = subplots(4, figsize=(9, 8.2), left=0.51, bottom=0.47, height_ratios=(1, 1, 1, 1.1))
    for axes, G in zip(panels, DRAWN, strict=False):
        heads = reads[G]
        draw_heads(axes, heads, G)
        axes.set_title(f"H = {H}, G = {G}: who reads what, by your kv_head", fontsize=11)
        print(f"G = {G:2}: the query heads 0 to 11 read {' '.join('?' if g is None else str(g) for g in heads)}")
    given = symbols.unquoted(names.get("G_for_MHA"))
    yours, in_letters = _value(given), bool(getattr(given, "free_symbols", None))
    bars = panels[-1].bar(range(len(choices)), [2 * G for G in choices], color=BLUE, width=0.6)
    for place, G in enumerate(choices):
        write(panels[-1], place, 2 * G + 0.4, 2 * G, ha="center", va="bottom")
    if yours in choices:
        bars[choices.index(yours)].set(facecolor=ORANGE, edgecolor="black", linewidth=2)
    panels[-1].set_ylim(0, 2 * H + 4)
    scale(panels[-1], "x", range(len(choices)), [f"G = {G}" + ("\nyour MHA" if yours == G else "") for G in choices])
    scale(panels[-1], "y", name="vectors")
    panels[-1].set_title("Keys and values per position: one of each per key/value head", fontsize=11)
    panels[-1].spines[["top", "right"]].set_visible(False)
    print(f"Keys and values per position: {', '.join(f'{2 * G} for G = {G}' for G in choices)}")
    setting = f"For H = {H}, your G_for_MHA is {yours if yours in choices else 'none of these G'}."
    print(setting if in_letters else "Your G_for_MHA is not written in letters, so no setting is marked.")
    if yours in choices and None not in reads[yours]:
        share = f"{100 * _apart(reads[yours]):.0f} %"
        print(f"With an MHA's first {yours} keys and values, the GQA's results differ from the MHA's by {share}.")
    show(figure, ALT)


def _apart(reads):
    """How far the results of H heads that share an MHA's keys and values, as `reads` says, are from the MHA's own."""
    q, k, v = np.random.default_rng(8).standard_normal((3, H, 5, 4))  # (H, L, d)

    def results(k, v):
        raised = np.exp(q @ k.transpose(0, 2, 1) / 2)  # (H, L, L); 2 is the root of d
        return raised / raised.sum(2, keepdims=True) @ v

    mha = results(k, v)
    return np.linalg.norm(results(k[reads], v[reads]) - mha) / np.linalg.norm(mha)


def _number(head):
    """A head as a float: ints, floats, and arrays or tensors of one number. Fails the line for anything else."""
    expect(head is not None, "got None. Does kv_head end with a return?")
    expect(not isinstance(head, str), "expected a number, got a text")
    expect(not isinstance(head, (list, tuple)), "expected a number, got a list or a tuple")
    expect(
        not getattr(head, "free_symbols", None), f"expected a number, got {head}: inside kv_head, letters don't help"
    )
    return float(head.item() if hasattr(head, "item") else head)


def _head(head, G):
    """The key/value head that is meant, None if there is none of that number."""
    number = float(head.item() if hasattr(head, "item") else head)
    nearest = round(number) if math.isfinite(number) else -1
    return nearest if 0 <= nearest < G and abs(number - nearest) < 1e-5 else None


def _value(expression):
    """An expression in H alone for H = 12; None for anything else."""
    try:
        number = float(expression.subs({symbol: H for symbol in expression.free_symbols if symbol.name == "H"}))
        return round(number) if number == round(number) else None
    except Exception:  # noqa: BLE001  (an answer may be anything)
        return None
