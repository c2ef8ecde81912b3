"""Attributes of an object that a function makes to keep tensors in: each is a variable under another name."""

import ast
import copy
from collections.abc import Collection, Iterable, Iterator, Mapping

from attention.rules.forms import VIEWS
from attention.rules.plainly import plainly

ANY = "*"  # stands for all attributes
SETTING = frozenset("setattr delattr vars __dict__ __setattr__ __delattr__".split())


class _PlainNames(ast.NodeTransformer):
    """Writes an attribute of some objects as a name of its own, as in `hats.Q = …`, and `vars(hats)` as a mapping of
    their attributes, which are given in order."""

    def __init__(self, objects: Mapping[str, list[str]]) -> None:
        self.objects = objects

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name in self.objects:
                return ast.copy_location(ast.Name(f"{name}.{attr}", node.ctx), node)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        match node:
            case ast.Call(func=ast.Attribute(value=whole, attr="values")) if (name := _all_of(whole)) in self.objects:
                attributes = self.objects[name]
                values = [ast.Name(f"{name}.{attr}", ast.Load()) for attr in attributes]
                return ast.copy_location(ast.Tuple(values, ast.Load()), node)
        return self.generic_visit(node)


def _all_of(node: ast.expr) -> str | None:
    """The name of an object of which `vars(name)` or `name.__dict__` gives all attributes."""
    match node:
        case ast.Call(func=ast.Name(id="vars"), args=[ast.Name(id=name)]):
            return name
        case ast.Attribute(value=ast.Name(id=name), attr="__dict__"):
            return name
    return None


def with_plain_names(function: ast.FunctionDef, made: Collection[str] = ()) -> ast.FunctionDef:
    """The function, with plain statements, and plain names for the attributes of objects that it makes of nothing and
    uses for these alone.

    Nobody else has such an object: none is called upon, given away, or read in a function within. `made` are the names
    that the cells define: with `vars` among them, `vars(hats)` may be anything.
    """
    function = plainly(function)
    nodes = [*ast.walk(function)]
    within = [n for n in nodes if isinstance(n, ast.FunctionDef | ast.Lambda | ast.ClassDef) and n is not function]
    filled = [one for one in within if not isinstance(one, ast.ClassDef) or not _is_empty(one)]
    own = {n.arg for n in nodes if isinstance(n, ast.arg)} | {getattr(one, "name", "") for one in filled}
    own |= {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}

    def is_read(whole: ast.expr) -> bool:
        usual = isinstance(whole, ast.Attribute) or "vars" not in {*own, *made}
        return usual and _all_of(whole) is not None

    usual = set()  # the places of a name where it stands for such an object
    taken = set()  # where all its attributes are read
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name() as name], value=ast.Call() as value):
                if not any(getattr(inner, "id", "") in own for inner in ast.walk(value)):
                    usual.add(name)
            case ast.Attribute(value=ast.Name() as name, attr=attr) if "__" not in attr:
                usual.add(name)
            case ast.Call(func=ast.Attribute(value=whole, attr="values"), args=[]) if is_read(whole):
                taken.add(whole)
                usual |= {inner for inner in ast.walk(whole) if isinstance(inner, ast.Name) and inner.id != "vars"}
    usual -= {inner for one in within for inner in ast.walk(one)}
    usual -= {node.func.value for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)}
    others = {n.id for n in nodes if isinstance(n, ast.Name) and n not in usual}
    attributes = [n for n in nodes if isinstance(n, ast.Attribute) and n.value in usual and n not in taken]
    attributes.sort(key=lambda n: (n.lineno, n.col_offset))
    stored = dict.fromkeys((n.value.id, n.attr) for n in attributes if isinstance(n.ctx, ast.Store))
    others |= {n.value.id for n in attributes if (n.value.id, n.attr) not in stored}
    plain = {name: [attr for of, attr in stored if of == name] for name in own - others}
    return _PlainNames(plain).visit(function)


def with_own_names(function: ast.FunctionDef, owner: str) -> tuple[ast.FunctionDef, dict[str, str]] | None:
    """An `__init__` with plain names for the attributes of its object `owner`, and these names by attribute; None if it
    does anything else with the object than set them and read what it has set."""
    plain = _PlainNames({owner: []}).visit(copy.deepcopy(function))
    names = [node for node in ast.walk(plain) if isinstance(node, ast.Name)]
    stored = {n.id for n in names if isinstance(n.ctx, ast.Store) and n.id.startswith(f"{owner}.")}
    if any(n.id == owner or n.id.startswith(f"{owner}.") and n.id not in stored for n in names):
        return None
    return plain, {name.removeprefix(f"{owner}."): name for name in sorted(stored)}


def changed_later(made: Iterable[ast.AST]) -> set[str]:
    """The attributes that the code of functions and classes sets or writes into, but for what an `__init__` does."""
    return {name for one in made for node in _outside_of_init(one) for name in _changed(node)}


def _outside_of_init(top: ast.AST) -> list[ast.AST]:
    nodes = [top]
    for node in nodes:  # which grows
        nodes += [
            inner
            for inner in ast.iter_child_nodes(node)
            if not (isinstance(node, ast.ClassDef) and getattr(inner, "name", "") == "__init__")
        ]
    return nodes


def _changed(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in SETTING:
            yield ANY
        case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()):
            yield name
        case (
            ast.Subscript(value=owner, ctx=ast.Store() | ast.Del())
            | ast.AugAssign(target=owner)
            | ast.Expr(value=ast.Call(func=ast.Attribute(value=owner)))
        ):
            yield _attribute(owner)
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name.endswith("_"):
            yield _attribute(owner)
        case ast.keyword(arg="out", value=owner):
            yield _attribute(owner)


def _attribute(node: ast.AST) -> str:
    """The attribute that an expression is, or is a view of: Q of hats.Q[0] and of hats.Q.data."""
    while True:
        match node:
            case ast.Attribute(value=inner, attr=name) if name in VIEWS:
                node = inner
            case ast.Attribute(attr=name):
                return name
            case ast.Subscript(value=inner) | ast.Call(func=inner):
                node = inner
            case _:
                return ""


def _is_empty(made: ast.ClassDef) -> bool:
    """Whether a class says nothing at all, as in `class Hats: pass`."""
    nothing = (ast.Pass, ast.Expr)
    return not (made.bases or made.keywords or made.decorator_list) and all(isinstance(n, nothing) for n in made.body)
