"""Cells as rules read them where a piece is written otherwise: copies, since nobody may change a cell's own tree."""

import ast
import copy
from collections.abc import Sequence


def rewritten(trees: Sequence[ast.Module], transformer: ast.NodeTransformer) -> list[ast.Module]:
    """Copies of the cells as a transformer writes them; the cells themselves where one is too deep to be copied."""
    try:
        return [transformer.visit(ast.Module(copy.deepcopy(tree.body), [])) for tree in trees]
    except RecursionError:
        return [*trees]


def at_place(value: ast.expr, place: ast.expr) -> ast.expr:
    """A copy of an expression that stands at another one's place."""
    value = copy.deepcopy(value)
    for node in ast.walk(value):
        ast.copy_location(node, place)
    return value
