"""The nodes of a cell's syntax tree, found once: the rules go through each tree a dozen times; and what they name."""

import ast
from collections.abc import Iterable


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
