"""Drafts: functions and classes that the same cell defines once more under their name, before anything could use them.

Rules on the answer's code pass over them. Where the text leaves it open whether the second definition comes about, or
whether something gets hold of the first one before, both count.
"""

import ast
import builtins
from collections.abc import Collection, Iterator

from grading.rules.compiling import compiled
from grading.rules.nodes import walk
from grading.rules.student_code import Code

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# What bases, annotations and defaults may consist of: if no name in them is the student's, no code of theirs runs.
QUIET = (ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.Constant, ast.BinOp, ast.UnaryOp)
QUIET += (ast.operator, ast.unaryop, ast.expr_context)
# The methods with two underscores that a draft may have: with others, such as __slots__, a class may not come about.
SPECIAL = frozenset({"__init__", "__call__", "__repr__"})


def replaced(codes: list[Code], changed: Collection[str]) -> set[ast.AST]:
    """The definitions that another one replaces; `changed` are the names that the cells define or change in part."""
    trees = [code.tree for code in codes if code.tree]
    own = {*changed, *(node.name for tree in trees for node in walk(tree) if isinstance(node, DEFINITIONS))}
    return {node for tree in trees for node in _replaced_in(tree, own)}


def _replaced_in(tree: ast.Module, own: Collection[str]) -> Iterator[ast.AST]:
    last: dict[str, ast.AST] = {}  # what was defined since something ran, or could fail
    done: set[str] = set()  # expressions that had a value since something ran, and so have it again
    passed: set[str] = set()  # annotations that nothing failed at since; Python may not have evaluated them
    names = [statement.name for statement in tree.body if isinstance(statement, DEFINITIONS)]
    for statement in tree.body if len(names) > len({*names}) else ():
        needs = _evaluated(statement)
        if needs is None or any(_is_loud(one, own) for one in (*needs[0], *needs[1])) or not _compiles(statement):
            last, done, passed = {}, set(), set()
            continue
        values, annotations = ({_written(one) for one in part if not _is_sure(one)} for part in needs)
        if not (values <= done and annotations <= done | passed):
            last = {}
        done, passed = done | values, passed | annotations
        if statement.name in last:
            yield last[statement.name]
        last[statement.name] = statement


def _evaluated(statement: ast.stmt) -> tuple[list[ast.expr], list[ast.expr]] | None:
    """The expressions that Python evaluates as it makes a function or class, and the annotations, which it does not
    from Python 3.14 on, nor below `from __future__ import annotations`; None for what may do more than that."""
    if getattr(statement, "type_params", []):
        return None
    annotations: list[ast.expr | None] = []
    match statement:
        case ast.FunctionDef(decorator_list=[], args=args) | ast.AsyncFunctionDef(decorator_list=[], args=args):
            given = [one for one in ast.iter_child_nodes(args) if isinstance(one, ast.arg)]
            found = [*args.defaults, *args.kw_defaults]
            annotations = [statement.returns, *(argument.annotation for argument in given)]
        case ast.ClassDef(decorator_list=[], keywords=[], bases=bases, body=body):
            found = [ast.Tuple(bases, ast.Load())] if bases else []  # together: two that are fine may not be so at once
            for inner in body[ast.get_docstring(statement, clean=False) is not None :]:
                needs = _evaluated(inner) if isinstance(inner, ast.FunctionDef) else None
                if needs is None or inner.name.startswith("__") and inner.name not in SPECIAL:
                    return None
                found, annotations = found + needs[0], annotations + needs[1]
        case _:
            return None
    return [one for one in found if one], [one for one in annotations if one]


def _is_loud(expression: ast.expr, own: Collection[str]) -> bool:
    """Whether the value of an expression may run code of the student's."""
    return any(not isinstance(node, QUIET) or getattr(node, "id", None) in own for node in ast.walk(expression))


def _is_sure(expression: ast.expr) -> bool:
    """Whether an expression has a value wherever it stands: a constant, or one of Python's own names."""
    match expression:
        case ast.Constant() | ast.UnaryOp(operand=ast.Constant(value=int() | float())):
            return True
    return isinstance(expression, ast.Name) and hasattr(builtins, expression.id)


def _written(expression: ast.expr) -> str | ast.expr:
    """An expression as a text, which is the same for the same code; itself, for one that Python can't write down."""
    try:
        return ast.dump(expression)
    except ValueError:  # an integer of thousands of digits
        return expression


def _compiles(statement: ast.stmt) -> bool:
    """Whether Python accepts a statement of the cell's own, which it compiles only when those before have run.

    What a text brings in, as in exec("def f(): pass"), may come to stand elsewhere.
    """
    of_text = any(hasattr(node, "of_text") for node in ast.walk(statement))
    return not of_text and compiled(ast.Module([statement], [])) is not None
