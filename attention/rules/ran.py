"""Loops in functions that ran, however the answer reached them: the kernel tells which of the cells' functions did."""

import ast
from collections.abc import Collection, Iterator
from types import CodeType

from attention.questions.versions import fingerprint
from grading.core import messages
from grading.rules.compiling import compiled
from grading.rules.nodes import walk
from grading.rules.static import Breach, loop_in, own_map
from grading.rules.student_code import editable

# Through these a notebook watches all that PyTorch does, its own answer's part too, and mostly to look at it.
WATCHING = frozenset({"__torch_function__", "__torch_dispatch__"})
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def loop_that_ran(answer_id: str, ran: Collection[str]) -> Breach | None:
    """The breach, if any of the functions in the student's cells that has one of these fingerprints has a loop."""
    codes = [code for code in editable(answer_id) if code.tree]
    own = own_map([code.tree for code in codes])
    for code in codes:
        functions = [node for node in walk(code.tree) if isinstance(node, Function)]
        functions = [node for node in functions if getattr(node, "name", "") not in WATCHING]
        looping = {node: loop for node in functions if (loop := loop_in(node, own))}
        for function, nodes in _functions(code.tree) if looping else ():
            if all(node in looping for node in nodes) and fingerprint(function) in ran:
                loop, what = looping[nodes[0]]
                return Breach(messages.breach_loop(code.where, loop.lineno, code.line(loop.lineno), what))
    return None


def _functions(tree: ast.Module) -> Iterator[tuple[CodeType, list[Function]]]:
    """The code of each function of a cell, with those that it can be: several lambdas may begin in one line."""
    whole = compiled(tree, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    places: dict[tuple[str, int], list[Function]] = {}
    for node in walk(tree):
        if isinstance(node, Function):
            first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
            places.setdefault((getattr(node, "name", "<lambda>"), first), []).append(node)
    waiting = [whole] if whole else []
    while waiting:
        code = waiting.pop()
        waiting += [one for one in code.co_consts if isinstance(one, CodeType)]
        if nodes := places.get((code.co_name, code.co_firstlineno)):
            yield code, nodes
