"""Texts that PyTorch's Timer runs, that `compile` is given, or that a magic runs within an expression: they are read as
code of the notebook, whose names they may use, as in `Timer("f(x)", "from __main__ import f, x")`.
"""

import ast
from collections.abc import Iterator

from grading.rules.closure import root
from grading.rules.compiling import UNTOLD
from grading.rules.line_magics import code_of
from grading.rules.nodes import walk
from grading.rules.own_calls import TIMER, names_given
from grading.rules.parsing import LINE_MAGICS, folded, parse
from grading.rules.student_code import Code
from grading.rules.texts import Texts

TEXTS = frozenset({"stmt", "setup", "global_setup"})  # what a Timer is given as code
MOST = 1000  # that are read; where there are more, nobody can tell what the others do
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
    """The texts that a call of a Timer, of `compile` or of a line magic is given as code; none for any other code."""
    match call:
        case ast.Call(func=ast.Attribute(attr="run_line_magic"), args=[magic, text, *_]) if (
            name := folded(magic)
        ) in LINE_MAGICS:
            code = folded(text)
            return [ast.Constant(code_of(name, code))] if code else []
        case ast.Call(func=ast.Name(id="compile"), args=[text, *_]):
            return [text]
        case ast.Call(func=func, args=texts, keywords=words):
            # An attribute of that name, whatever it is one of, since `globals()[name]` may be the module.
            if is_timer(func, modules) or getattr(func, "attr", "") == TIMER:
                return texts + [word.value for word in words if word.arg in (*TEXTS, None)]
    return []


def as_codes(codes: list[Code], modules: dict[str, str], texts: Texts) -> Iterator[tuple[Code, Place]]:
    """Such texts, as far as they can be told, each as the body of a function, as a Timer runs it, with its call."""
    number = 0
    for code in codes:
        for call in walk(code.tree) if code.tree else ():
            for source in [one for text in given(call, modules) for one in sorted(texts.of(text) or ())]:
                number += 1
                if tree := parse(source if number <= MOST else UNTOLD):
                    yield Code(code.where, False, source, _function(tree.body)), (code, call)
                if number > MOST:
                    return


def _function(body: list[ast.stmt]) -> ast.Module:
    """The body of a function without a name, whose variables are the notebook's, as those of `%time x = 3` are. What it
    imports from the notebook, it knows by the same name anyway."""
    tree = ast.parse("def timed(): pass")
    (function,) = tree.body
    function.name = ""
    names = sorted({*names_given(node for one in body for node in ast.walk(one))})
    function.body = [
        *([ast.Global(names)] if names else []),
        *(s for s in body if not is_of_the_notebook(s)),
        ast.Pass(),
    ]
    return tree


def is_of_the_notebook(node: ast.AST) -> bool:
    """Whether a text's import gives it names of the notebook, as `from __main__ import f` does for a Timer."""
    match node:
        case ast.ImportFrom(module="__main__", names=names, level=0):
            return not any(alias.asname or alias.name.startswith(("_", "*")) for alias in names)
    return False
