"""Calls of the student's own functions, as in `norm(W, np)`: which parameter gets which value.

Told only where a name can stand for nothing but the one function that a cell defines under it.
"""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator

from grading.rules.nodes import names_imported, walk

# By these, the notebook's names can be read and set in ways that nobody follows. What IPython's shell may be asked for,
# `shell` knows: nothing of it sets a name.
OTHER_WAYS = frozenset("globals locals vars exec eval".split())


def given(trees: Iterable[ast.Module]) -> Iterator[tuple[str, ast.expr]]:
    """The parameters of the student's functions, each with a value that a call gives it."""
    trees = list(trees)
    nodes = [node for tree in trees for node in walk(tree)]
    found = {one.name: one for tree in trees for one in tree.body if isinstance(one, ast.FunctionDef)}
    if not found or reads_in_other_ways(nodes):
        return
    names = Counter([*names_bound(nodes), *imported(nodes)])
    for call in [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]:
        function = found.get(call.func.id)
        if function and not function.decorator_list and names[function.name] == 1 and "*" not in names:
            yield from _pairs(function.args, call)


def _pairs(arguments: ast.arguments, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    places = arguments.posonlyargs + arguments.args
    if not any(isinstance(value, ast.Starred) for value in call.args) and len(call.args) <= len(places):
        yield from ((argument.arg, value) for argument, value in zip(places, call.args, strict=False))
    named = {argument.arg for argument in arguments.args + arguments.kwonlyargs}
    yield from ((keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg in named)


def reads_in_other_ways(nodes: Iterable[ast.AST]) -> bool:
    """Whether names of the notebook may be read or set in ways that nobody follows."""
    return any(isinstance(node, ast.Name) and node.id in OTHER_WAYS for node in nodes)


def meanings(nodes: Iterable[ast.AST]) -> set[str]:
    """The names to which the cells give a meaning of their own, where Python or IPython may have one: `print = f`."""
    nodes = list(nodes)
    return {*names_bound(nodes), *(name for name, path in names_imported(nodes) if not path.startswith("IPython."))}


def imported(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names that import statements give."""
    return (name for name, _ in names_imported(nodes))


def names_bound(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names that code sets by anything but imports, those of parameters too, each as often as it does."""
    yield from names_given(nodes)
    yield from (node.arg for node in nodes if isinstance(node, ast.arg))


def names_given(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names that code sets by anything but imports and parameters, each as often as it does."""
    yield from (node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load))
    yield from names_of_other_kinds(nodes)


def names_of_other_kinds(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Those that no assignment sets: of functions and classes, of caught errors, in patterns, and global ones."""
    for node in nodes:
        match node:
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
                | ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
                | ast.MatchMapping(rest=str(name))
            ):
                yield name
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                yield from names
