"""CSV that is safe to open in a spreadsheet: no cell of a text computes, and no text begins another cell.

Excel, LibreOffice and Google Sheets compute a cell that begins with = + - @, some also after a tab, a line's end or in
full-width signs, and a formula can send what is in the other cells elsewhere. Every text of ours goes through `cell`.
"""

import re
from collections.abc import Iterable

_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)")
_QUOTED = re.compile(r'[,;\t"\r\n]|^ | $')  # in quotes, whichever separator a reader believes in


def computes(text: str) -> bool:
    """Whether a spreadsheet would compute a cell with this text; a number, negative or not, is one already."""
    return text.lstrip(" ").startswith(_FORMULA) and not _NUMBER.fullmatch(text.strip())


def safe(text: str) -> str:
    """A text that no spreadsheet computes: with an apostrophe in front where it would."""
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) else text


def original(text: str) -> str:
    """The text that `safe` was given."""
    return text[1:] if text.startswith("'") and safe(text[1:]) == text else text


def cell(value: str | float | None) -> str:
    """A value as it stands in a table of ours: a text that stays a text, a number that stays a number, or nothing."""
    if value is None:
        return ""
    return safe(value) if isinstance(value, str) else f"{value:g}"


def lines(rows: Iterable[Iterable[str | float | None]]) -> str:
    """The rows of a table of ours as CSV."""
    return written([cell(value) for value in row] for row in rows)


def written(rows: Iterable[Iterable[str]], separator: str = ",") -> str:
    """Rows as CSV, each text exactly as it is given: for a file in which a platform looks for its own keys."""
    return "".join(f"{separator.join(map(_field, row))}\n" for row in rows)


def _field(text: str) -> str:
    return '"{}"'.format(text.replace('"', '""')) if _QUOTED.search(text) else text
