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

UNTOLD = "exec(text)"  # stands for code of which nobody can tell what it does
MAX_QUOTES_TIMES_CHARS = 100_000_000  # a line is read again for each triple quote in it
SIGN = re.compile(r"[\w.]+|[^\w.\s]")
# Python 3.12.0 to 3.12.3 copy a line for each sign in it. A line of 40,000 characters full of numbers has half as much.
MAX_SIGNS_TIMES_BYTES = 1_000_000_000
FLAGS = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # with which IPython compiles a cell
OLD_SIGN = __future__.barry_as_FLUFL.compiler_flag
MOST_COPIED = 50_000  # nodes compiled beyond those of the tree: 0.1 GB; each `finally` in another doubles them
LONG_NUMBER = re.compile(r"\d[\d_]{4000}")  # Python reads up to 4,300 digits, or as many as it has been told


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


def is_copied_often(tree: ast.AST) -> bool:
    """Whether Python, which compiles what stands in a `finally` again for each way out, would take too much memory."""
    nodes = [*ast.walk(tree)]
    copied = any(getattr(node, "finalbody", []) for node in nodes)  # in hardly any cell
    return copied and _compiled_nodes(tree)[0] - len(nodes) > MOST_COPIED


def _compiled_nodes(node: ast.AST) -> tuple[int, int]:
    """How many nodes of a tree Python compiles, each as often as it does so, and how many ways out of it there are."""
    nodes, ways_out = 1, int(isinstance(node, ast.Return | ast.Break | ast.Continue))
    last = getattr(node, "finalbody", [])
    for inner in (one for one in ast.iter_child_nodes(node) if one not in last):
        more, others = _compiled_nodes(inner)
        nodes, ways_out = nodes + more, ways_out + others
    copies = ways_out + 2  # one of each for its end, and for an error
    for inner in last:
        more, others = _compiled_nodes(inner)
        nodes, ways_out = nodes + copies * more, ways_out + copies * others
    return nodes, ways_out
