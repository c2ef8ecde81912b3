"""Modules as values: where a module of a package is taken for more than what it holds, as in `tools = [torch]`.

What is then read from `tools[0]` cannot be followed, so it counts as an import. A second name, as in
`F = nn.functional` or `def f(x, xp=np)`, is followed and may be given.
"""

import ast
from collections.abc import Collection, Iterator, Mapping

from grading.rules import own_calls
from grading.rules.closure import asked_for, second_names
from grading.rules.nodes import names_imported, walk
from grading.rules.own_names import local_reads, reads_of_own, reads_of_set
from grading.rules.parsing import folded
from grading.rules.reexports import LONGEST, foreign_names, is_foreign, is_module

# Builtins that show a module or ask about it, and give nothing of it away.
LOOKING = frozenset("bool callable help dir print type id repr str display hasattr getattr vars isinstance".split())
# Methods that are given what an object is compared with, or asked about: of the student's own, they may keep a module.
RECEIVING = frozenset(
    "__eq__ __ne__ __lt__ __le__ __gt__ __ge__ __contains__ __instancecheck__ __torch_function__ __torch_dispatch__ "
    "__array_ufunc__ __array_function__".split()
)
MAX_STEPS = 8  # from one second name to the next, as in `a = torch` and `b = a`


def as_values(
    trees: list[ast.Module], parents: Mapping[ast.AST, ast.AST], packages: Collection[str], setup: ast.Module
) -> set[ast.AST]:
    """The uses of a module, such as `torch` or `nn.functional`, as a value that goes where it cannot be followed, and
    the uses of what a module took from elsewhere."""
    paths, second = _paths([setup, *trees], packages)
    own = reads_of_own(trees, frozenset(paths) - second)
    named = {value for tree in trees for value in _named(tree)} | {value for _, value in own_calls.given(trees)}
    nodes = [node for tree in trees for node in walk(tree)]
    looking = LOOKING - own_calls.meanings(nodes) - ({"isinstance"} if any(map(_is_receiving, nodes)) else set())
    found = set()
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and not node.level:
            taken = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {node} if any(is_foreign(path, packages) for path in taken) else set()
        if isinstance(node, ast.Call) or _is_read(node):
            known = set() if _first_name(node) in own else _path(node, paths)
            handed_on = node not in named and not _is_plain(node, parents, looking)
            if any(is_foreign(path, packages) or is_module(path, packages) and handed_on for path in known):
                found.add(node)
    return found


def _named(tree: ast.Module) -> set[ast.expr]:
    """The values in a piece of code that get a second name, and are not attributes of a class."""
    bodies = [node.body for node in walk(tree) if isinstance(node, ast.ClassDef)]
    of_classes = ast.Module([one for body in bodies for one in body if not isinstance(one, ast.FunctionDef)], [])
    return {value for _, value in second_names([tree])} - {value for _, value in second_names([of_classes])}


def _paths(trees: list[ast.Module], packages: Collection[str]) -> tuple[dict[str, set[str]], set[str]]:
    """The names of modules and of what is taken from them, with their full paths; those that are second names."""
    paths, second = {name: {name} for name in packages}, set()
    for name, path in names_imported(node for tree in trees for node in walk(tree)):
        paths.setdefault(name, set()).add(path)
    given = [*second_names(trees), *own_calls.given(trees)]
    for _ in range(MAX_STEPS):
        for name, value in given:
            for path in [path for path in _path(value, paths) if is_module(path, packages)]:
                paths.setdefault(name, set()).add(path)
                second.add(name)
    return paths, second


def _path(node: ast.AST, paths: Mapping[str, set[str]]) -> set[str]:
    """The full paths that a chain such as nn.functional can have; none where its first name is not a module's.

    Of a chain longer than any module's path its beginning is looked at, but not the whole of it.
    """
    match node:
        case ast.Name(id=name):
            return paths.get(name, set())
        case ast.Attribute(value=value, attr=name):
            return _longer(_path(value, paths), name)
        case ast.Call(func=ast.Name(id="getattr"), args=[value, text, *_]) if name := folded(text):
            return _longer(_path(value, paths), name)
        case ast.Subscript() | ast.Call():
            return paths.get(asked_for(node) or "", set())
    return set()


def _longer(before: set[str], name: str) -> set[str]:
    return {f"{path}.{name}" for path in before if len(path) + len(name) < LONGEST}


def _is_read(node: ast.AST) -> bool:
    return isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Load)


def _first_name(node: ast.AST) -> ast.AST:
    while isinstance(node, ast.Attribute) or isinstance(node, ast.Call) and node.args:
        node = node.value if isinstance(node, ast.Attribute) else node.args[0]
    return node


def _is_receiving(node: ast.AST) -> bool:
    """Whether code names a method, in whatever way, that is given what an object is compared with."""
    match node:
        case ast.FunctionDef(name=name) | ast.Name(id=name) | ast.Attribute(attr=name) | ast.Constant(value=str(name)):
            return name in RECEIVING
        case ast.keyword(arg=name):
            return name in RECEIVING
    return False


def _is_plain(node: ast.AST, parents: Mapping[ast.AST, ast.AST], looking: Collection[str]) -> bool:
    """Whether a module's use can be followed, or gives nothing away; `looking` are functions that only look at it."""
    match parents.get(node):
        case ast.Attribute() | ast.Expr() | ast.FormattedValue():
            return True
        case ast.Subscript(value=whole):
            return whole is node  # as a key, it is given to what is asked
        case ast.Compare(ops=ops):
            return "isinstance" in looking or all(isinstance(one, ast.Is | ast.IsNot) for one in ops)
        case ast.Assign(targets=[ast.Name()]) as assignment:
            return not isinstance(parents.get(assignment), ast.ClassDef)  # where it is an attribute
        case ast.Call(func=called) if called is node:
            return True  # no module can be called: a function of its name, such as torch.autograd.gradcheck
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return name in looking and node in arguments
        case ast.Call(func=ast.Attribute(attr="__getattribute__" | "__getattr__")):
            return True  # which is looked at by the names that are read
    return _is_asked(node, parents)


def _is_asked(node: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> bool:
    """Whether a module is only asked whether it is there, as in `if getattr(torch.backends, "mps", None):`, also along
    with others, as in `if torch and np:`."""
    match parents.get(node):
        case ast.If() | ast.While() | ast.UnaryOp():
            return True
        case ast.IfExp(test=asked) | ast.Assert(test=asked):
            return asked is node
        case ast.BoolOp(op=op, values=[*asked, _]) as several:
            return isinstance(op, ast.And) and node in asked or _is_asked(several, parents)
    return False


def starred(trees: list[ast.Module], names: frozenset[str], packages: Collection[str]) -> Iterator[ast.Name]:
    """Where some names are read that a star import can have brought, or others that it brings from outside of these
    packages, such as `reduce`: the student sets them nowhere after it."""
    stars = {node for tree in trees for node in walk(tree) if _is_star(node)}
    if not stars:
        return
    names = names.union(*(foreign_names(module, packages) for module in {node.module or "" for node in stars}))
    places = [(n, m) for n, tree in enumerate(trees) for m, one in enumerate(tree.body) if stars & {*ast.walk(one)}]
    cell, statement = places[-1]
    after = [ast.Module(trees[cell].body[statement + 1 :], []), *trees[cell + 1 :]]
    own = local_reads(trees, names) | reads_of_set(after, names)
    for tree in trees:
        for node in walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names and node not in own:
                yield node


def _is_star(node: ast.AST) -> bool:
    return isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names)
