"""Earlier versions of functions and classes, which a later place defines once more under their name.

`drafts` passes over those that are replaced before anything runs. Where something ran in between, it may have failed,
so that the earlier version is still in force: whether the last one is, only the kernel can tell. And what ran may have
kept something of the earlier one, which then counts all the same.
"""

import ast
from collections.abc import Callable, Collection, Mapping

from grading.rules import closure
from grading.rules.closure import Place
from grading.rules.drafts import DEFINITIONS
from grading.rules.nodes import walk
from grading.rules.student_code import Code, defined, editable

InForce = Callable[[Mapping[str, ast.stmt]], Collection[str]]  # which names still mean these definitions
# By these a function may change what is not its own, in ways that its text does not tell.
REACHING = frozenset("setattr delattr globals vars locals exec eval getattr".split())


def superseded(answer_id: str, in_force: InForce) -> frozenset[Place]:
    """Where earlier versions stand that leave nothing behind, of the names whose last version is in force."""
    codes = editable(answer_id)
    table, cells = defined(codes), {id(code): n for n, code in enumerate(codes)}
    last: dict[str, ast.stmt] = {}
    earlier: dict[str, set[Place]] = {}
    for name, entries in table.items():
        entries = sorted(entries, key=lambda entry: (cells[id(entry[0])], entry[1].lineno, entry[1].col_offset))
        code, final = entries[-1]
        made = [(c, n) for c, n in entries[:-1] if isinstance(n, DEFINITIONS)]
        if made and final in code.tree.body and isinstance(final, DEFINITIONS) and not hasattr(final, "of_text"):
            last[name] = final
            earlier[name] = {closure.place(c, n) for c, n in made if _keeps_to_itself(n, table)}
    confirmed = in_force(last) if any(earlier.values()) else ()
    return frozenset(place for name in confirmed for place in earlier.get(name, ()))


def _keeps_to_itself(node: ast.AST, table: Mapping[str, list[tuple[Code, ast.AST]]]) -> bool:
    """Whether a function or class changes nothing but what is its own, and shares no variable with other code."""
    free = closure.free_names(node)
    variables = {name for name in free & table.keys() if not all(isinstance(n, DEFINITIONS) for _, n in table[name])}
    if variables or free & REACHING or hasattr(node, "of_text"):
        return False
    for inner in walk(node):
        if isinstance(inner, ast.Global | ast.Nonlocal):
            return False
        if isinstance(inner, ast.Attribute | ast.Subscript) and not isinstance(inner.ctx, ast.Load):
            owner = inner
            while isinstance(owner, ast.Attribute | ast.Subscript):
                owner = owner.value
            if not isinstance(owner, ast.Name) or owner.id in free:
                return False
    return True
