"""Attributes of an object that a function makes to keep its outputs in: each is a variable under another name."""

import ast
import copy
from collections.abc import Collection


class _PlainNames(ast.NodeTransformer):
    """Writes an attribute of some objects as a name of its own, as in `hats.Q = …`."""

    def __init__(self, objects: Collection[str]) -> None:
        self.objects = objects

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name in self.objects:
                return ast.copy_location(ast.Name(f"{name}.{attr}", node.ctx), node)
        return self.generic_visit(node)


def with_plain_names(function: ast.FunctionDef) -> ast.FunctionDef:
    """The function, with plain names for the attributes of objects that it makes of nothing and uses for these alone.

    Nobody else has such an object: none is called upon, given away, or read in a function within.
    """
    nodes = [*ast.walk(function)]
    within = [n for n in nodes if isinstance(n, ast.FunctionDef | ast.Lambda | ast.ClassDef) and n is not function]
    made = [one for one in within if not isinstance(one, ast.ClassDef) or not _is_empty(one)]
    own = {n.arg for n in nodes if isinstance(n, ast.arg)} | {getattr(one, "name", "") for one in made}
    own |= {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    usual = set()  # the places of a name where it stands for such an object
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name() as made], value=ast.Call() as value):
                if not any(getattr(inner, "id", "") in own for inner in ast.walk(value)):
                    usual.add(made)
            case ast.Attribute(value=ast.Name() as made, attr=attr) if "__" not in attr:
                usual.add(made)
    usual -= {inner for one in within for inner in ast.walk(one)}
    usual -= {node.func.value for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)}
    others = {n.id for n in nodes if isinstance(n, ast.Name) and n not in usual}
    attributes = [n for n in nodes if isinstance(n, ast.Attribute) and n.value in usual]
    stored = {(n.value.id, n.attr) for n in attributes if isinstance(n.ctx, ast.Store)}
    others |= {n.value.id for n in attributes if (n.value.id, n.attr) not in stored}
    return _PlainNames(own - others).visit(copy.deepcopy(function))


def _is_empty(made: ast.ClassDef) -> bool:
    """Whether a class says nothing at all, as in `class Hats: pass`."""
    nothing = (ast.Pass, ast.Expr)
    return not (made.bases or made.keywords or made.decorator_list) and all(isinstance(n, nothing) for n in made.body)
