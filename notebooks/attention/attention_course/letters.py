"""A line of text as a small image: words, and formulas between dollar signs as far as the course's figures have them.

matplotlib reads each formula of a figure with a parser for all of TeX, and draws each letter by itself. Here a formula
is letters with an index or exponent, as in $W^{UK}_h$; any other is left to matplotlib.
"""

import functools
import re
from itertools import groupby
from typing import NamedTuple

import numpy as np
from matplotlib import rcParams
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.ft2font import LoadFlags

SIGNS = {r"\alpha": "α", r"\Sigma": "Σ", r"\cdot": "·", r"\,": "\N{THIN SPACE}"}
ACCENTS = {r"\hat": "\N{COMBINING CIRCUMFLEX ACCENT}", r"\widetilde": "\N{COMBINING TILDE}"}
UPRIGHT = "Σ"  # of the letters of formulas, which lean otherwise
SMALL = 0.7  # times its text's size, an index or exponent
RAISED = {"": 0.0, "^": 0.4, "_": -0.2, "_ below ^": -0.36}  # of a text's size: by how much it stands above its line
LOWER = {"_": "_ below ^"}
FONTS = "font.family", "font.sans-serif", "font.serif", "font.monospace"  # settings that say which font is used
PIECE = re.compile(
    r"(?P<place>[_^]?)(?:\{(?P<group>[^{}\\]+)\}|(?P<accent>\\hat|\\widetilde)(?:\s+(?P<under>\w)|\{(?P<braced>\w)\})"
    r"|(?P<sign>\\(?:,|\w+))|(?P<one>[^\s\\{}_^]))\s*"
)


class Letters(NamedTuple):
    """How far each pixel of a line is covered, from 0 to 255, last row first; all else in pixels.

    The image starts `left` of the line's start and `below` its baseline; `gap` is what stands between two lines.
    """

    letters: np.ndarray
    left: float
    below: float
    width: float
    ascent: float
    descent: float
    gap: float


def letters(text, size, weight, dpi) -> Letters | None:
    """The image of a line, `size` in points; None if it has a formula that only matplotlib knows."""
    return drawn(text, size, weight, dpi, tuple(str(rcParams[name]) for name in FONTS))


@functools.lru_cache(1000)
def drawn(text, size, weight, dpi, fonts) -> Letters | None:
    """As `letters`, in these settings' fonts; an image that was drawn before is there at once."""
    words = text.split("$")
    if len(words) == 1:
        return _plain(text, size, weight, "normal", dpi, fonts)
    placed, pen = [], 0.0  # images, each with where it starts and by how much it is raised
    for number, piece in enumerate(words):
        if number % 2 == 0:
            if piece:
                placed.append((_plain(piece, size, weight, "normal", dpi, fonts), pen, 0.0))
                pen += placed[-1][0].width
            continue
        runs = _runs(piece)
        if runs is None:
            return None
        base = pen  # where indices and exponents of the last letter start
        for place, content, leans in runs:
            smaller, style = size * (SMALL if place else 1), "oblique" if leans else "normal"
            image = _plain(content, smaller, "normal", style, dpi, fonts)
            start = base if place else pen
            placed.append((image, start, RAISED[place] * size * dpi / 72))
            pen = max(pen, start + image.width)
            base = base if place else pen
    return _joined(placed, pen)


def _runs(formula) -> list[tuple[str, str, bool]] | None:
    """The runs of letters in a formula: each "" or "^" or "_", what it says, and whether that leans."""
    runs, at = [], 0
    while at < len(formula):
        found = PIECE.match(formula, at)
        if found is None:
            return None
        place, group, accent, under, braced, sign, one = found.groups()
        content = (under or braced) + ACCENTS[accent] if accent else group or one or SIGNS.get(sign)
        if content is None:
            return None
        pieces = groupby(content, lambda char: (char.isalpha() or char in ACCENTS.values()) and char not in UPRIGHT)
        several = [(place, "".join(run), leans) for leans, run in pieces]
        if place and len(several) > 1:  # they would stand one upon the other
            return None
        if place and runs and runs[-1][0] not in ("", place):  # an index and an exponent of one letter keep apart
            several = [(LOWER.get(which, which), *run) for which, *run in (runs.pop(), *several)]
        runs += several
        at = found.end()
    return runs


def _joined(placed: list[tuple[Letters, float, float]], width: float) -> Letters:
    """Images side by side, some raised, as one image."""
    left = min(start + piece.left for piece, start, _ in placed)
    below = min(up + piece.below for piece, _, up in placed)
    corners = [(round(up + piece.below - below), round(start + piece.left - left)) for piece, start, up in placed]
    sizes = [piece.letters.shape for piece, _, _ in placed]
    shape = [max(at[axis] + of[axis] for at, of in zip(corners, sizes, strict=True)) for axis in (0, 1)]
    image = np.zeros(shape, dtype=np.uint8)
    for (piece, _, _), (row, column) in zip(placed, corners, strict=True):
        high, wide = piece.letters.shape
        part = image[row : row + high, column : column + wide]
        np.maximum(part, piece.letters, out=part)
    ascent = max(piece.ascent + up for piece, _, up in placed)
    descent = max(piece.descent - up for piece, _, up in placed)
    return Letters(image, left, below, width, ascent, descent, placed[0][0].gap)


@functools.lru_cache(1000)
def _plain(text, size, weight, style, dpi, fonts) -> Letters:
    font = get_font(_file(weight, style, fonts))
    font.set_size(size, dpi)
    font.set_text(text, flags=LoadFlags.DEFAULT)
    font.draw_glyphs_to_bitmap()
    width, height = (number / 64 for number in font.get_width_height())
    descent, table, pixels = font.get_descent() / 64, font.get_sfnt_table("OS/2"), size * dpi / 72 / font.units_per_EM
    return Letters(
        np.asarray(font.get_image())[::-1],
        font.get_bitmap_offset()[0] / 64 - 0.5,
        -descent - 1,  # the image has an empty row at its edge
        width,
        max(height - descent, table["sTypoAscender"] * pixels),
        max(descent, -table["sTypoDescender"] * pixels),
        table["sTypoLineGap"] * pixels,
    )


@functools.cache
def _file(weight, style, _fonts) -> str:
    """Where a font is; matplotlib would look it up for each text."""
    return findfont(FontProperties(weight=weight, style=style))
