"""Calls of the student's own functions, as in `norm(W, np)`: which parameter gets which value.

Told only where a name can stand for nothing but the one function that a cell defines under it.
"""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from grading.rules.nodes import names_imported, walk

# By these, the notebook's names can be read and set in ways that nobody follows. What IPython's shell may be asked for,
# `shell` knows: nothing of it sets a name.
OTHER_WAYS = frozenset("globals locals vars exec eval".split())
TIMER = "Timer"  # PyTorch's, whose texts may call a function, too


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


def all_given(nodes: Sequence[ast.AST]) -> dict[ast.arg, list[ast.expr]]:
    """The parameters of those functions of which every call is written down, each with all the values that it can have:
    the student calls them by their names and does nothing else with these. A hidden test gives them no texts. A name
    with two underlines is another one within a class, so functions with such names are left out."""
    names = Counter([*names_bound(nodes), *imported(nodes)])
    words = {getattr(node, "id", getattr(node, "attr", getattr(node, "name", None))) for node in nodes}
    if reads_in_other_ways(nodes) or "*" in names or TIMER in words:
        return {}
    found: dict[ast.arg, list[ast.expr]] = {}
    calls: dict[str, list[ast.Call]] = {}
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            calls.setdefault(node.func.id, []).append(node)
    reads = Counter(node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
    for one in [node for tree in nodes if isinstance(tree, ast.Module) for node in tree.body]:
        if isinstance(one, ast.FunctionDef) and not one.decorator_list and names[one.name] == 1:
            own = calls.get(one.name, [])
            mangled = any("__" in name for name in [one.name, *_parameters(one.args)])
            if not mangled and len(own) == reads[one.name] and not any(map(_is_unpacking, own)):
                found |= _values(one.args, own)
    return found


def _parameters(arguments: ast.arguments) -> list[str]:
    return [node.arg for node in ast.walk(arguments) if isinstance(node, ast.arg)]


def _is_unpacking(call: ast.Call) -> bool:
    return any(isinstance(value, ast.Starred) for value in call.args) or any(not word.arg for word in call.keywords)


def _values(arguments: ast.arguments, calls: Sequence[ast.Call]) -> dict[ast.arg, list[ast.expr]]:
    """All the values of those parameters that each of some calls gives, or that have a default; without those that have
    the parameter's own name, as in `f(op)` of `def f(op)`."""
    places = arguments.posonlyargs + arguments.args
    by_place = zip(places[len(places) - len(arguments.defaults) :], arguments.defaults, strict=True)
    by_name = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    default = {argument.arg: value for argument, value in (*by_place, *by_name) if value is not None}
    given = [default | dict(_pairs(arguments, call)) for call in calls]
    return {
        argument: [
            value
            for value in dict.fromkeys(one.get(argument.arg) for one in (*given, default))
            if value and getattr(value, "id", "") != argument.arg
        ]
        for argument in (*places, *arguments.kwonlyargs)
        if all(argument.arg in one for one in given or [default])
    }


def _pairs(arguments: ast.arguments, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    places = arguments.posonlyargs + arguments.args
    fit = len(call.args) <= len(places) or arguments.vararg is not None
    if fit and not any(isinstance(value, ast.Starred) for value in call.args):
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
