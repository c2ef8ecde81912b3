"""Student code as Python compiles it, without what Python warns of meanwhile, such as an assert that is always true.

Nobody asked for that where a hidden test runs: nbgrader gives no points for a test cell with any text on stderr, and a
terminal would show it. Nothing is run.
"""

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


def is_read_often(lines: list[str]) -> bool:
    """Whether a line of a cell would be read again, or copied, so often that it takes too long or too much memory."""
    quotes = ((line.count('"""') + line.count("'''")) * len(line) > MAX_QUOTES_TIMES_CHARS for line in lines)
    long = (line for line in lines if len(line) * sys.getsizeof(line) > MAX_SIGNS_TIMES_BYTES)
    return any(quotes) or any(len(SIGN.findall(line)) * sys.getsizeof(line) > MAX_SIGNS_TIMES_BYTES for line in long)
