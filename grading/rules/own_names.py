"""Reads of a name, a builtin's or a module's, that mean something else: the student's own, as after `exec = 5`."""

import ast
from collections.abc import Collection, Iterable, Iterator

from grading.rules import closure
from grading.rules.folding import folded
from grading.rules.nodes import top_level, walk

FORGETTING = frozenset({"xdel", "reset", "reset_selective"})  # magics that delete variables
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def reads_of_own(trees: Iterable[ast.Module], names: frozenset[str]) -> set[ast.Name]:
    """Where some names are read that stand for the student's own: local ones, and those that a statement before set."""
    trees = list(trees)
    return local_reads(trees, names) | reads_of_set(trees, names)


def own_in_the_end(
    trees: Iterable[ast.Module], names: Collection[str], packages: Collection[str] = frozenset()
) -> set[str]:
    """Which of some names the cells set last to something other than one of them, or a piece of one, as in `nn = 4`.

    A statement in a branch may not run, and one that sets an attribute leaves the name what it is. An import of a
    piece of these packages gives a name back.
    """
    is_own: dict[str, bool] = {}
    for statement in (statement for tree in trees for statement in tree.body):
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            is_own |= dict.fromkeys(closure.imported(statement, packages), False)
        given = [*closure.second_names([statement])]
        for name in _set_by(statement) & set(names):
            is_own[name] = not any(closure.root(value) in names for known, value in given if known == name)
    return {name for name, own in is_own.items() if own}


def local_reads(trees: Iterable[ast.Module], names: frozenset[str]) -> set[ast.Name]:
    """Where some names are read as the local ones of a function, a comprehension, or the body of a loop."""
    found = set()
    where = [tree for tree in trees if any(node.id in names for node in _names(tree))]  # in most cells there are none
    for node in (node for tree in where for node in walk(tree)):
        if isinstance(node, Function):
            own = names & _locals(node)
            body = [node.body] if isinstance(node, ast.Lambda) else node.body  # not what defaults are
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            own, body = names & _stored(node.target), node.body
        elif isinstance(node, Comprehension):
            own = names & {name for generator in node.generators for name in _stored(generator.target)}
            first, *others = node.generators  # the first iterable is read outside
            body = [*_results(node), *first.ifs, *others]
        else:
            continue
        if own:
            own -= {inner.id for inner in _names(node) if isinstance(inner.ctx, ast.Del)}
            found |= {read for inner in body for read in _reads(inner, own)}
    return found


def reads_of_set(trees: Iterable[ast.Module], names: frozenset[str]) -> set[ast.Name]:
    """Where some names are read that a statement before set, in this cell or in an earlier one.

    That statement stands in no branch, so that the read never runs unless it did.
    """
    found, before = set(), set()
    for tree in trees:
        deleted = names if _forgets(tree) else {node.id for node in _names(tree) if isinstance(node.ctx, ast.Del)}
        before -= deleted
        found |= _reads(tree, before)
        ends: dict[str, int] = {}  # of the first statement in this cell that sets a name
        for statement in tree.body:
            found |= _reads(statement, {name for name, end in ends.items() if end < statement.lineno})
            for name in (_set_by(statement) & names) - deleted:
                ends.setdefault(name, statement.end_lineno)
        before |= ends.keys()
    return found


def _forgets(tree: ast.Module) -> bool:
    """Whether a magic in a cell deletes variables, as in `%xdel x`."""
    calls = (node for node in walk(tree) if getattr(getattr(node, "func", None), "attr", "") == "run_line_magic")
    return any(folded(name) in FORGETTING for call in calls for name in call.args[:1])


def set_anywhere(trees: Iterable[ast.Module]) -> set[str]:
    """The names that statements outside of functions set, if they run: they may stand in branches."""
    return {name for tree in trees for statement in top_level(tree.body) for name in _set_by(statement)}


def _results(node: ast.expr) -> list[ast.expr]:
    return [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]


def _stored(target: ast.AST) -> set[str]:
    return {node.id for node in _names(target) if isinstance(node.ctx, ast.Store)}


def _names(tree: ast.AST) -> Iterator[ast.Name]:
    return (node for node in walk(tree) if isinstance(node, ast.Name))


def _reads(tree: ast.AST, names: set[str] | frozenset[str]) -> set[ast.Name]:
    return {node for node in _names(tree) if isinstance(node.ctx, ast.Load) and node.id in names} if names else set()


def _locals(function: Function) -> set[str]:
    """The parameters of a function, and the variables that its own statements set."""
    found = {one.arg for one in ast.iter_child_nodes(function.args) if isinstance(one, ast.arg)}
    if isinstance(function, ast.Lambda):
        return found
    outside = {name for node in walk(function) if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names}
    waiting = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif not isinstance(node, ast.Lambda | Comprehension):
            waiting += ast.iter_child_nodes(node)
    return found - outside


def _set_by(statement: ast.stmt) -> set[str]:
    """The names that a statement sets for sure."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Assign(targets=targets):
            return {name for target in targets for name in _stored(target)}
        case ast.AnnAssign(target=ast.Name(id=name), value=value) if value is not None:
            return {name}
    return set()
