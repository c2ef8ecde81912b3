"""Reads of a builtin's name that mean something else: a variable or function of the student's, such as `exec = 5`."""

import ast
from collections.abc import Iterable, Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def reads_of_own(trees: Iterable[ast.Module], names: frozenset[str]) -> set[ast.Name]:
    """Where some names are read that stand for the student's own: the local ones of a function, and in a cell those
    that a statement before set.

    That statement stands in the same cell and in no branch, so that the read never runs unless it did.
    """
    found = set()
    for tree in trees:
        for function in _functions(tree):
            own = names & _locals(function)
            body = [function.body] if isinstance(function, ast.Lambda) else function.body  # not what defaults are
            found |= {read for node in body for read in _reads(node, own)}
        deleted = {node.id for node in _names(tree) if isinstance(node.ctx, ast.Del)}
        for statement in tree.body:
            set_here = (_set_by(statement) & names) - deleted
            after = [other for other in tree.body if other.lineno > statement.end_lineno]
            found |= {read for other in after for read in _reads(other, set_here)}
    return found


def _functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def _names(tree: ast.AST) -> Iterator[ast.Name]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Name))


def _reads(tree: ast.AST, names: set[str] | frozenset[str]) -> set[ast.Name]:
    return {node for node in _names(tree) if isinstance(node.ctx, ast.Load) and node.id in names} if names else set()


def _locals(function: Function) -> set[str]:
    """The parameters of a function, and the variables that its own statements set."""
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    found = {argument.arg for argument in every if argument is not None}
    if isinstance(function, ast.Lambda):
        return found
    outside = {
        name for node in ast.walk(function) if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names
    }
    waiting = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif not isinstance(node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            waiting += ast.iter_child_nodes(node)
    return found - outside


def _set_by(statement: ast.stmt) -> set[str]:
    """The names that a statement sets for sure."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Assign(targets=targets):
            return {node.id for target in targets for node in _names(target) if isinstance(node.ctx, ast.Store)}
        case ast.AnnAssign(target=ast.Name(id=name), value=value) if value is not None:
            return {name}
    return set()
