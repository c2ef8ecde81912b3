"""Modules that classes and their objects keep, as in `self.F = nn.functional`: rules may read `nn.functional` for
`self.F`, as long as nothing else gets an attribute of this name, and all attributes are read in plain sight.
"""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from grading.rules import own_calls
from grading.rules.nodes import first_name, walk
from grading.rules.rewriting import at_place, rewritten

MOST_KEPT = 20  # attributes that are followed; where there are more, none is
# By these, attributes can be read and set under a name in a text. Of names such as __dict__, all but the usual ones do.
BY_TEXT = frozenset("getattr setattr delattr".split())
USUAL = frozenset("__init__ __call__ __name__ __class__ __doc__ __version__ __repr__ __len__ __file__".split())


class _Store(NamedTuple):
    """A statement that sets an attribute: its target, its value, and the names of what has the attribute then."""

    target: ast.Name | ast.Attribute
    value: ast.expr
    owners: frozenset[str]
    body: ast.ClassDef | None


def read_through(trees: Sequence[ast.Module], setup: Callable[[], ast.Module]) -> list[ast.Module]:
    """The cells, in which an attribute that is a module is written as that module.

    What counts as a module is any name that is only ever imported, by the cells or by the part's setup cell, which
    `setup` reads, and what lives inside it.
    """
    stores: dict[str, list[_Store]] = {}
    for attr, store in (pair for tree in trees for pair in _written(tree)):
        stores.setdefault(attr, []).append(store)
    nodes = [node for tree in trees for node in walk(tree)] if stores else []
    if not stores or own_calls.reads_in_other_ways(nodes) or _by_text(nodes, stores):
        return [*trees]
    modules = {*own_calls.imported([*walk(setup()), *nodes])}.difference(own_calls.names_bound(nodes))
    stores = {attr: made for attr, made in stores.items() if all(first_name(one.value) in modules for one in made)}
    if len(stores) > MOST_KEPT:
        return [*trees]
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr in stores and first_name(node) not in modules:
            made = stores[node.attr]
            read = isinstance(node.ctx, ast.Load) and getattr(node.value, "id", "") in made[0].owners
            if not read and not any(node is one.target for one in made):
                del stores[node.attr]
    stores = {attr: made for attr, made in stores.items() if _is_one(made) and not _is_bound_otherwise(attr, made)}
    return rewritten(trees, _Reader(stores)) if stores else [*trees]


def _written(tree: ast.Module) -> Iterator[tuple[str, _Store]]:
    """The attributes that statements set to a name or what it has, in a class or outside."""
    for node in walk(tree):
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=owner), attr=attr) as target], value=value):
                if isinstance(value, ast.Name | ast.Attribute):
                    yield attr, _Store(target, value, frozenset({owner}), None)
            case ast.ClassDef(name=owner, body=body):
                for one in body:
                    match one:
                        case ast.Assign(targets=[ast.Name(id=attr) as target], value=ast.Name() | ast.Attribute()):
                            yield attr, _Store(target, one.value, frozenset({owner, "self", "cls"}), node)


def _by_text(nodes: Sequence[ast.AST], stores: Mapping[str, list[_Store]]) -> bool:
    """Whether the attributes may be read or set by a text, by Python's own attributes, or by a pattern."""
    plain = set()
    for node in nodes:
        match node:
            case ast.Call(func=func, args=[_, ast.Constant(value=str(name)), *_]):
                if name not in stores and not name.startswith("__"):
                    plain.add(func)
    return any(
        isinstance(node, ast.Name)
        and node.id in BY_TEXT
        and node not in plain
        or isinstance(node, ast.Attribute)
        and node.attr.startswith("__")
        and node.attr not in USUAL
        or isinstance(node, ast.MatchClass)
        and bool(node.patterns or node.kwd_attrs)
        for node in nodes
    )


def _is_one(made: list[_Store]) -> bool:
    """Whether all statements that set an attribute set the same."""
    return len({(ast.dump(one.value), one.owners) for one in made}) == 1


def _is_bound_otherwise(attr: str, made: list[_Store]) -> bool:
    """Whether a class that has the attribute uses its name for anything else."""
    for one in made:
        known = {one.target, *ast.walk(one.value)}
        for node in ast.walk(one.body) if one.body else ():
            if node not in known and attr in (getattr(node, "id", ""), getattr(node, "name", "")):
                return True
    return False


class _Reader(ast.NodeTransformer):
    """Writes the modules for the attributes that are known, and one by one where they were set."""

    def __init__(self, stores: Mapping[str, list[_Store]]) -> None:
        self.stores = stores

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        found = [self._without(one, ast.Name, "id") for one in node.body]
        node.body = [piece for pieces in found for piece in pieces]
        return self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        return [self.generic_visit(one) for one in self._without(node, ast.Attribute, "attr")]

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        made = self.stores.get(node.attr)
        if made and isinstance(node.ctx, ast.Load) and getattr(node.value, "id", "") in made[0].owners:
            return at_place(made[0].value, node)
        return self.generic_visit(node)

    def _without(self, node: ast.stmt, kind: type, name: str) -> list[ast.stmt]:
        """A statement that sets such an attribute, setting None, and its module next to it; any other as it is."""
        match node:
            case ast.Assign(targets=[kind() as target]) if self._is_kept(getattr(target, name), kind):
                seen = ast.copy_location(ast.Expr(node.value), node)
                node.value = at_place(ast.Constant(None), node.value)
                return [node, seen]
        return [node]

    def _is_kept(self, attr: str, kind: type) -> bool:
        """Whether statements with such a target set an attribute that is known."""
        return attr in self.stores and isinstance(self.stores[attr][0].target, kind)
