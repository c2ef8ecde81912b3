"""Names that others chose: which a student may have, and how any name, or text of a submission, is printed.

A file system takes any bytes as a name: control characters that a terminal obeys, bytes that are no text, markup that a
page would run. A student's name goes into the gradebook, into web addresses, pages, tables and the terminal, so it must
be a name there too: `trouble` says why one is not. Everything else is only ever shown, through `printable`.
"""

import contextlib
import re
import unicodedata
from pathlib import Path

from grading.core import messages

LONGEST = 128  # characters of a student's name: what nbgrader's gradebook has room for
SHOWN = 80  # characters of a name that a line shows
# Letters, digits and accents of every script are fine, and of everything else what names and login names use. Not among
# them: what ends a text in HTML, JavaScript or a shell (< > & " ' ` \ $), what an address takes for itself (/ % # ?),
# and what nbgrader takes for a pattern (* ?).
_SIGNS = frozenset(" .,_-+@()[]~=’·–")
# Letters and marks that nobody sees, with which two names look alike: fillers, joiners and selectors of variants.
_UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
_UNDECODED = re.compile("[\udc80-\udcff]")  # how Python writes a byte of a name that is not UTF-8


def trouble(student: str, where: str = "submitted/") -> str | None:
    """Why nobody can be graded under this name, and what to do; None for a name that is fine.

    where  the folder, in words, in which the student's own has this name
    """
    if _UNDECODED.search(student):
        return messages.name_wrong(where, messages.NAME_NOT_TEXT)
    if found := list(dict.fromkeys(c for c in student if not _is_fine(c))):
        return messages.name_wrong(where, f"has {' '.join(map(_visible, found[:5]))} in it")
    if not student or student.startswith("."):  # a folder named .. would lie elsewhere
        return messages.name_wrong(where, messages.NAME_DOT)
    if student != student.strip():
        return messages.name_wrong(where, messages.NAME_SPACE)
    return messages.name_long(where, LONGEST) if len(student) > LONGEST else None


def printable(name: str, limit: int | None = None) -> str:
    """A name, or any text, in one line that no terminal obeys: what cannot be printed is written as in Python's texts.

    Bytes that are no UTF-8 are written as `\\xff`, and a space at either end, which nobody would see, as `\\x20`.
    """
    inner = name.strip(" ")
    before, after = ("\\x20" * n for n in (len(name) - len(name.lstrip(" ")), len(name) - len(name.rstrip(" "))))
    shown = f"{before}{''.join(map(_shown, inner))}{after if inner else ''}"
    return shown if limit is None or len(shown) <= limit else f"{shown[: limit - 1]}…"


def short(name: str) -> str:
    """As `printable`, and so short that a line has room for more."""
    return printable(name, SHOWN)


def printable_lines(text: str) -> str:
    """A text of several lines, such as a traceback, that no terminal obeys; indentation and ends of lines stay."""
    return "".join(c if c in "\n\t" else _shown(c) for c in text)


def _is_fine(character: str) -> bool:
    seen = unicodedata.category(character)[0] in "LMN" and not _UNSEEN.match(character)
    return seen or character in _SIGNS


def _visible(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii") if _UNSEEN.match(character) else printable(character)


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    if _UNDECODED.match(character):
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")


def path(path: Path) -> str:
    """A path as the user would write it: relative to where they are, if it lies below."""
    with contextlib.suppress(ValueError, OSError, RuntimeError):  # RuntimeError: of a link that leads to itself
        return printable(str(path.resolve().relative_to(Path.cwd())))
    return printable(str(path))


def whole_path(path: Path) -> str:
    """A path from the root on, for a log that is read elsewhere."""
    return printable(str(path.absolute()))
