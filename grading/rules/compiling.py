"""Student code as Python compiles it, without what Python warns of meanwhile, such as an assert that is always true.

Nobody asked for that where a hidden test runs: nbgrader gives no points for a test cell with any text on stderr, and a
terminal would show it. Nothing is run.
"""

import __future__

import ast
import contextlib
import re
import sys
import warnings
from collections.abc import Iterator
from types import CodeType

MAX_QUOTES_TIMES_CHARS = 100_000_000  # a line is read again for each triple quote in it
SIGN = re.compile(r"[\w.]+|[^\w.\s]")
# Python 3.12.0 to 3.12.3 copy a line for each sign in it. A line of 40,000 characters full of numbers has half as much.
MAX_SIGNS_TIMES_BYTES = 1_000_000_000
FLAGS = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # with which IPython compiles a cell
OLD_SIGN = __future__.barry_as_FLUFL.compiler_flag
LONG_NUMBER = re.compile(r"\d[\d_]{4000}")  # Python reads up to 4,300 digits, or as many as it has been told

OPTIONS = re.compile(r"(?:\s*(?:-[nrpNRP]\s*\d+|-[lsTDb]\s*\S+|-\w|--[\w-]+)(?=\s|$))*\s*")  # of a line magic


@contextlib.contextmanager
def unwarned() -> Iterator[None]:
    """Within it, nobody hears what Python warns of as it reads or compiles code."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def compiled(cell: ast.Module, flags: int = 0) -> CodeType | None:
    """The code of a cell, or of some of its statements; None if Python refuses it. `flags` as `compile` has them."""
    try:
        with unwarned():
            return compile(cell, "<cell>", "exec", flags, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return None


def read(text: str) -> ast.Module:
    """The tree of a cell's text; whatever `compile` raises is passed on."""
    with unwarned():
        return compile(text, "<cell>", "exec", FLAGS, dont_inherit=True)


def read_as_set(text: str) -> ast.Module:
    """The same, also where Python takes the text only for what a cell above has set: after `from __future__ import
    barry_as_FLUFL`, IPython has it read `<>` as `!=` in all cells below."""
    try:
        return read(text)
    except SyntaxError:
        if "<>" not in text:
            raise
        with unwarned():
            return compile(text, "<cell>", "exec", FLAGS | OLD_SIGN, dont_inherit=True)


def has_long_number(lines: list[str]) -> bool:
    """Whether a kernel in which `sys.set_int_max_str_digits` was called may read a number that Python refuses here."""
    return any(LONG_NUMBER.search(line) for line in lines)


def is_read_often(lines: list[str]) -> bool:
    """Whether a line of a cell would be read again, or copied, so often that it takes too long or too much memory."""
    quotes = ((line.count('"""') + line.count("'''")) * len(line) > MAX_QUOTES_TIMES_CHARS for line in lines)
    long = (line for line in lines if len(line) * sys.getsizeof(line) > MAX_SIGNS_TIMES_BYTES)
    return any(quotes) or any(len(SIGN.findall(line)) * sys.getsizeof(line) > MAX_SIGNS_TIMES_BYTES for line in long)


def without_options(line: str) -> str:
    """A line magic's code, without the options before it; `-b - f(x)` is code, since %time has no such option."""
    try:
        read(line)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return line[OPTIONS.match(line).end() :]
    return line
