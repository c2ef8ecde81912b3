"""The nodes of a cell's syntax tree, found once: the rules go through each tree a dozen times; what they name, and in
which calls they stand.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping


def walk(tree: ast.AST) -> Iterable[ast.AST]:
    """Every node of a piece of code, in the order of `ast.walk`; a cell's own tree may not be changed from now on."""
    if not isinstance(tree, ast.Module):  # a piece of one, whose nodes would be held once more
        return ast.walk(tree)
    try:
        return tree.every_node
    except AttributeError:
        tree.every_node = tuple(ast.walk(tree))
        return tree.every_node


def first_name(value: ast.expr) -> str | None:
    """The name that a chain such as nn.functional begins with; None for any other expression."""
    while isinstance(value, ast.Attribute):
        value = value.value
    return value.id if isinstance(value, ast.Name) else None


def names_imported(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    """The names that import statements among some nodes give, each with the path of what it stands for."""
    for node in nodes:
        match node:
            case ast.Import(names=names):
                for alias in names:  # `import torch.nn` gives the name torch, to all of torch
                    path = alias.name if alias.asname else alias.name.split(".")[0]
                    yield alias.asname or path, path
            case ast.ImportFrom(module=module, names=names, level=level):
                before = "." * level + (module or "")
                yield from ((alias.asname or alias.name, f"{before}.{alias.name}") for alias in names)


def mapping(value: ast.AST | None) -> ast.Dict | None:
    """A mapping that is written down, `dict(Q=3)` as {"Q": 3}; None for anything else. `dict` must be Python's own."""
    match value:
        case ast.Dict():
            return value
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=words) if all(word.arg for word in words):
            return ast.Dict([ast.Constant(word.arg) for word in words], [word.value for word in words])
    return None


def call_of(node: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> ast.Call | None:
    """The call of a piece of code, as that of `f` in `f(x)`; None where it is used in any other way."""
    call = parents.get(node)
    return call if isinstance(call, ast.Call) and call.func is node else None


def top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run as the cell runs, also those inside if, with, try, match and loops."""
    for node in body:
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for field in ("body", "orelse", "finalbody"):
                yield from top_level(getattr(node, field, []))
            for branch in [*getattr(node, "handlers", []), *getattr(node, "cases", [])]:
                yield from top_level(branch.body)
