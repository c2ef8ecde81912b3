"""Student code as Python compiles it, without what Python warns of meanwhile, such as an assert that is always true.

Nobody asked for that where a hidden test runs: nbgrader gives no points for a test cell with any text on stderr, and a
terminal would show it. Nothing is run.
"""

import ast
import contextlib
import warnings
from collections.abc import Iterator
from types import CodeType


@contextlib.contextmanager
def unwarned() -> Iterator[None]:
    """Within it, nobody hears what Python warns of as it reads or compiles code."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def compiled(statement: ast.stmt) -> CodeType | None:
    """The code of a cell that consists of one statement; None if Python refuses it."""
    try:
        with unwarned():
            return compile(ast.Module([statement], []), "<cell>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return None
