"""Texts that PyTorch's Timer runs, or that `compile` is given: they are read as code of the notebook, whose names they
may use, as in `Timer("f(x)", "from __main__ import f, x")`.
"""

import ast
from collections.abc import Iterator

from grading.rules.closure import root
from grading.rules.nodes import walk
from grading.rules.own_calls import TIMER
from grading.rules.parsing import parse
from grading.rules.student_code import Code
from grading.rules.texts import Texts

TEXTS = frozenset({"stmt", "setup", "global_setup"})  # what a Timer is given as code
Place = tuple[Code, ast.AST]


def is_timer(node: ast.AST, modules: dict[str, str]) -> bool:
    """Whether this is torch.utils.benchmark's Timer."""
    match node:
        case ast.Name(id=name):
            return modules.get(name, "").split(".")[-1] == TIMER
        case ast.Attribute(value=value, attr=attr) if attr == TIMER:
            return root(value) in modules
    return False


def given(call: ast.AST, modules: dict[str, str]) -> list[ast.expr]:
    """The texts that a call of a Timer or of `compile` is given as code; none for any other code."""
    match call:
        case ast.Call(func=ast.Name(id="compile"), args=[text, *_]):
            return [text]
        case ast.Call(func=func, args=texts, keywords=words) if is_timer(func, modules):
            return texts + [word.value for word in words if word.arg in (*TEXTS, None)]
    return []


def as_codes(codes: list[Code], modules: dict[str, str], texts: Texts) -> Iterator[tuple[Code, Place]]:
    """Such texts, as far as they can be told, each as the body of a function, as a Timer runs it, with its call."""
    for code in codes:
        for call in walk(code.tree) if code.tree else ():
            for text in given(call, modules):
                for source in sorted(texts.of(text) or ()):
                    if tree := parse(source):
                        yield Code(code.where, False, source, _function(tree.body)), (code, call)


def _function(body: list[ast.stmt]) -> ast.Module:
    """The body of a function without a name. What it imports from the notebook, it knows by the same name anyway."""
    tree = ast.parse("def timed(): pass")
    tree.body[0].name = ""
    tree.body[0].body = [one for one in body if not is_of_the_notebook(one)] or tree.body[0].body
    return tree


def is_of_the_notebook(node: ast.AST) -> bool:
    """Whether a text's import gives it names of the notebook, as `from __main__ import f` does for a Timer."""
    match node:
        case ast.ImportFrom(module="__main__", names=names, level=0):
            return not any(alias.asname or alias.name.startswith(("_", "*")) for alias in names)
    return False
