"""Matrices and vectors as blocks of little squares, with their sizes: for the figures of parts 1, 2 and 4."""

from dataclasses import dataclass

import numpy as np
import sympy
from matplotlib.collections import PolyCollection
from matplotlib.patches import Rectangle

from attention_course.figure import BLACK, BLUE, DPI, ORANGE, SMALLEST, YELLOW
from attention_course.labels import write
from attention_course.letters import letters

HEADS = (BLUE, ORANGE, YELLOW)  # dark, middle and light in grey, too
LONGEST = 18  # characters of a shape in letters
LARGEST = 40  # rows or columns, of a block that is drawn
LARGEST_SIDE, SMALLEST_SIDE = 15.0, 3.5  # points, of a square
NARROWEST, GAP, SIGN = 28.0, 12.0, 18.0  # points, of a block, to the next one, and of a sign
ABOVE, BELOW, CAPTION = 22.0, 36.0, 15.0  # points, of a block's name, of what stands below it, and of a caption's line
NUMBERED = 12.0  # points, of the smallest band with a number in it


@dataclass(frozen=True)
class Block:
    """A matrix or a vector, with its rows and columns as numbers, None where the answer gives none.

    `heads` colours that many equal bands, `along` rows (0) or columns (1), from head `first` on.
    """

    name: str
    size: tuple[int, int] | None
    letters: str = ""
    heads: int = 0
    along: int = 0
    first: int = 0
    colour: str = "0.72"


def size(shape: object, sizes: dict[str, int]) -> tuple[int, int] | None:
    """Rows and columns of a shape in letters, n and (n,) being a column; None if it is not a shape of whole numbers."""
    entries = list(shape) if isinstance(shape, (tuple, list, sympy.Tuple, np.ndarray)) else [shape]
    numbers = [_number(entry, sizes) for entry in entries]
    numbers = [*numbers, 1] if len(numbers) == 1 else numbers
    return tuple(numbers) if len(numbers) == 2 and None not in numbers else None


def written(shape: object) -> str:
    """A shape in letters, as the figure writes it."""
    text = str(shape)
    return text if len(text) <= LONGEST else text[: LONGEST - 2] + " …"


def fits(matrix: tuple[int, int] | None, vector: tuple[int, int] | None, what: str, given: tuple) -> str:
    """In words: whether a matrix can act on a vector named `what`, and what comes out.

    `given` are the shapes as the answer gives them, None where there is none yet.
    """
    if matrix is None or vector is None:
        missing = any(shape is None for shape in given)
        return "not drawn yet" if missing else f"not drawn: expected one or two whole numbers up to {LARGEST}"
    (rows, columns), fit = matrix, matrix[1] == vector[0]
    out = f"out {'comes' if rows == 1 else 'come'} {_counted(rows)}" if fit else "nothing comes out"
    return f"{rows} × {columns} on the {_counted(vector[0])} of {what} {'fits' if fit else 'does not fit'}; {out}"


def _counted(number: int) -> str:
    return f"{number} number{'s' * (number != 1)}"


def drawn(sizes: dict[str, int]) -> str:
    """In words: the sizes that a figure is drawn for."""
    return "Drawn for " + ", ".join(f"{letter} = {number}" for letter, number in sizes.items()) + "."


def equations(panels, rows: list[tuple[list[Block | str], str]]) -> None:
    """Draws blocks and the signs between them from left to right, a row into each panel, all with squares of one size.

    With each row comes its caption, which has a line up to each semicolon.
    """
    rooms = [panel.get_window_extent().size * 72 / panel.figure.dpi for panel in panels]  # in points
    rows = [(pieces, caption.split("; ")) for pieces, caption in rows]
    side = LARGEST_SIDE
    while side > SMALLEST_SIDE and not all(_fits(*row, side, room) for row, room in zip(rows, rooms, strict=True)):
        side *= 0.97
    for panel, row, room in zip(panels, rows, rooms, strict=True):
        _equation(panel, *row, side, *(room / side))


def _fits(pieces: list[Block | str], lines: list[str], side: float, room: np.ndarray) -> bool:
    """Whether a row with squares of this side leaves room for its texts in a panel; both in points."""
    high = _tallest(pieces) * side + ABOVE + BELOW + CAPTION * len(lines)
    return sum(_wide(piece, side) for piece in pieces) <= room[0] and high <= room[1]


def _tallest(pieces: list[Block | str]) -> int:
    return max(piece.size[0] if piece.size else 3 for piece in pieces if isinstance(piece, Block))


def _wide(piece: Block | str, side: float) -> float:
    """The points that a piece takes from left to right, its texts included."""
    if isinstance(piece, str):
        return SIGN
    text = letters(piece.letters, SMALLEST, "normal", DPI) if piece.letters else None
    return max(NARROWEST, (piece.size or (3, 3))[1] * side, text.width * 72 / DPI if text else 0.0) + GAP


def _equation(axes, pieces: list[Block | str], lines: list[str], side: float, wide: float, high: float) -> None:
    """One row into a panel that is `wide` and `high`, in squares of this side in points."""
    tallest, below = _tallest(pieces), (BELOW + CAPTION * len(lines)) / side
    spare = high - tallest - below - ABOVE / side
    axes.set(xlim=(0, wide), ylim=(-tallest / 2 - below - spare / 2, tallest / 2 + (ABOVE / side + spare / 2)))
    axes.axis("off")
    x = (wide - sum(_wide(piece, side) for piece in pieces) / side) / 2
    for piece in pieces:
        width = _wide(piece, side) / side
        if isinstance(piece, str):
            write(axes, x + width / 2, 0, piece, ha="center", va="center", fontsize=14)
        else:
            _draw(axes, piece, x + width / 2, side)
        x += width
    place = {"ha": "center", "va": "top", "offset": (0, -BELOW)}
    write(axes, wide / 2, -tallest / 2, "\n".join(lines), fontsize=SMALLEST + 1, **place)


def titled(panels, names: list[str]) -> None:
    """Writes a name above each panel, and draws a line between one and the next."""
    for panel, name in zip(panels, names, strict=True):
        panel.set_title(name, fontsize=11)
    for panel in panels[1:]:
        panel.plot([0, 0], [0, 1], color="0.8", transform=panel.transAxes, clip_on=False)


def _draw(axes, block: Block, middle: float, side: float) -> None:
    if block.size is None:
        write(axes, middle, 0, "?", ha="center", va="center", fontsize=20, color="0.4")
    rows, columns = block.size or (3, 3)
    left, top = middle - columns / 2, rows / 2
    if block.size is None:
        edge = {"facecolor": "none", "edgecolor": "0.4", "linestyle": "--"}
        axes.add_patch(Rectangle((left, top - rows), columns, rows, **edge))
    else:
        corners, colours = _squares(block, left, top)
        look = {"facecolors": colours, "edgecolors": "white", "linewidths": 0.8}
        axes.add_collection(PolyCollection(corners, **look), autolim=False)
    _number_heads(axes, block, left, top, side)
    write(axes, middle, top, block.name, ha="center", va="bottom", fontsize=13, offset=(0, 3))
    size = f"{rows} × {columns}\n" if block.size else ""
    below = {"ha": "center", "va": "top", "offset": (0, -4)}
    write(axes, middle, -rows / 2, f"{size}{block.letters}", fontsize=SMALLEST, **below)


def _squares(block: Block, left: float, top: float) -> tuple[np.ndarray, list[str]]:
    """The corners of a block's squares, (squares, 4, 2), row by row, and their colours."""
    places = [(row, column) for row in range(block.size[0]) for column in range(block.size[1])]
    rows, columns = np.array(places).T[:, :, None]
    corners = np.stack([left + columns + [0, 1, 1, 0], top - rows - [1, 1, 0, 0]], axis=2)
    return corners, [_colour(block, *place) for place in places]


def _colour(block: Block, row: int, column: int) -> str:
    place, length = (row, block.size[0]) if block.along == 0 else (column, block.size[1])
    if not block.heads or length % block.heads:
        return block.colour
    return HEADS[(block.first + place * block.heads // length) % len(HEADS)]


def _number_heads(axes, block: Block, left: float, top: float, side: float) -> None:
    if not block.heads or block.size is None or block.size[block.along] % block.heads:
        return
    rows, columns = block.size
    if block.size[block.along] / block.heads * side < NUMBERED:
        return
    for n in range(block.heads):
        at = (n + 0.5) / block.heads
        # in the middle of a square
        row, column = (int(rows * at), columns // 2) if block.along == 0 else (rows // 2, int(columns * at))
        x, y = left + column + 0.5, top - row - 0.5
        head = block.first + n
        colour = HEADS[head % len(HEADS)]
        look = {"fontsize": 11, "fontweight": "bold", "color": "white" if colour == BLUE else BLACK}
        write(axes, x, y, str(head), ha="center", va="center", behind=colour, margin=1.2, **look)


def _number(entry: object, sizes: dict[str, int]) -> int | None:
    try:
        value = float(sympy.sympify(str(entry), locals={letter: sympy.Integer(n) for letter, n in sizes.items()}))
        return int(value) if value == int(value) and 0 < value <= LARGEST else None
    except Exception:  # noqa: BLE001  (an answer may be anything, and what is no number is not drawn)
        return None
