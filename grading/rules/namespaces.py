"""The notebook's names as a value: where `globals()` is taken for more than a look at one name, as in `g = globals()`.

What is then read from it cannot be followed, so anything in the cells may be a module.
"""

import ast
import functools
from collections.abc import Callable, Collection, Mapping, Sequence

from grading.rules import own_calls
from grading.rules.modules import LOOKING
from grading.rules.nodes import call_of, names_imported, walk
from grading.rules.own_names import reads_of_own, set_anywhere
from grading.rules.texts import KEPT, Texts

NAMESPACES = frozenset({"globals", "locals", "vars"})
NAMING = LOOKING | frozenset("list set sorted tuple len exec eval".split())  # these give the names alone, or none
ASKING = frozenset("get pop setdefault __getitem__".split())
WITHOUT_VALUES = frozenset("keys update".split())

_Variables = dict[str, list[ast.Name]]  # by name, where it stands


class AnyName(dict[str, str]):
    """The names of modules where any other name, and code without one, may be a module, too."""

    def __contains__(self, name: object) -> bool:
        return True

    def __missing__(self, name: str | None) -> str:
        return ""


def escape(
    trees: Sequence[ast.Module], parents: Mapping[ast.AST, ast.AST], texts: Texts, modules: Collection[str]
) -> bool:
    """Whether the cells get hold of values in ways in which nobody can tell whose they are; `modules` are names of
    modules."""
    nodes = [node for tree in trees for node in walk(tree)]
    names = [n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    read = [n for n in names if n.id in NAMESPACES or KEPT.fullmatch(n.id)]
    if not read:
        return False
    own, given = reads_of_own(trees, frozenset(n.id for n in read)), set_anywhere(trees)
    imported = {name for name, path in names_imported(nodes) if path.split(".")[0] not in texts.packages}
    kept = any(name.id not in given | NAMESPACES and name not in own or name.id[-1].isdigit() for name in read)
    spaces = [name for name in read if name.id in NAMESPACES and name not in own]
    variables = functools.cache(functools.partial(_variables, modules=modules))  # each function is read once
    spaces = [name for name in spaces if not _sets_attributes(name, parents, variables)]
    return kept or not all(_is_plain(name, parents, texts, (NAMING - texts.own) | imported) for name in spaces)


def _sets_attributes(
    name: ast.Name, parents: Mapping[ast.AST, ast.AST], variables: Callable[[ast.AST], _Variables | None]
) -> bool:
    """Whether this keeps a function's own variables, none of them a module, as `vars(self).update(locals())` does: it
    is `self.H = H` for each of them."""
    call, function = parents.get(name), parents.get(name)
    while isinstance(function, ast.expr | ast.keyword | ast.Expr | ast.Assign | ast.AugAssign | ast.With):
        function = None if isinstance(function, ast.Lambda) else parents.get(function)
    of_a_class = isinstance(function, ast.FunctionDef) and isinstance(parents.get(function), ast.ClassDef)
    if name.id != "locals" or not of_a_class or not isinstance(call, ast.Call) or call.args:
        return False
    inside = variables(function)
    return inside is not None and _goes_to_attributes(call, inside, parents)


def _variables(function: ast.AST, modules: Collection[str]) -> _Variables | None:
    """Where each name stands in a function; None where a variable of the function's own may be a module."""
    inside = [*ast.walk(function)]
    if not {*own_calls.names_bound(inside), *own_calls.imported(inside)}.isdisjoint(modules):
        return None
    found: _Variables = {}
    for node in inside:
        if isinstance(node, ast.Name):
            found.setdefault(node.id, []).append(node)
    return found


def _goes_to_attributes(mapping: ast.expr, inside: _Variables, parents: Mapping[ast.AST, ast.AST]) -> bool:
    """Whether a mapping becomes an object's attributes and nothing else, perhaps copied or kept in a variable of the
    function before, from which keys such as "self" are taken out."""
    left = [mapping]
    while left:  # no recursion: a mapping may be kept under one name after another, as often as there are lines
        outer = parents.get(left[-1])
        match parents.get(outer) if isinstance(outer, ast.keyword) and outer.arg is None else outer:
            case (
                ast.Call(
                    func=ast.Attribute(
                        value=ast.Call(func=ast.Name(id="vars"), args=[_]) | ast.Attribute(attr="__dict__"),
                        attr="update",
                    )
                )
                | ast.AugAssign(target=ast.Attribute(attr="__dict__"), op=ast.BitOr())
            ):
                further = []
            case ast.Attribute(attr="copy") if copied := call_of(outer, parents):
                further = [copied]
            case ast.Call(func=ast.Name(id="dict"), args=[_], keywords=[]) | ast.Dict(keys=[None]):
                further = [outer]
            case ast.Assign(targets=[ast.Name(id=kept)]):
                read = [node for node in inside[kept] if isinstance(node.ctx, ast.Load)]
                if len(inside[kept]) != len(read) + 1:
                    return False
                further = [node for node in read if not _is_taken_from(node, parents)]
            case _:
                return False
        left[-1:] = further
    return True


def _is_taken_from(mapping: ast.Name, parents: Mapping[ast.AST, ast.AST]) -> bool:
    """Whether a key is taken out of a mapping here."""
    match outer := parents.get(mapping):
        case ast.Subscript(ctx=ast.Del()):
            return True
        case ast.Attribute(attr="pop"):
            return isinstance(parents.get(call_of(outer, parents)), ast.Expr)
    return False


def _is_plain(name: ast.Name, parents: Mapping[ast.AST, ast.AST], texts: Texts, functions: Collection[str]) -> bool:
    """Whether this gives names alone, or the value of one that can be told; `functions` may be given all of them."""
    if (call := call_of(name, parents)) is None:
        return False
    if call.args:  # vars(model) has no names of the notebook's
        return True
    outer = parents.get(call)
    match outer:
        case ast.Expr() | ast.Compare() | ast.For() | ast.comprehension() | ast.FormattedValue():
            return True
        case ast.Subscript(slice=key, ctx=ast.Load()):
            return texts.of(key) is not None
        case ast.Subscript():
            return True
        case ast.Attribute(attr=attr):
            asked = call_of(outer, parents)
            known = asked is not None and texts.of([*asked.args, None][0]) is not None
            return asked is not None and attr in WITHOUT_VALUES or attr in ASKING and known
        case ast.Call(func=ast.Name(id=of)):
            return of in functions
        case ast.keyword(arg=arg):
            return arg in NAMESPACES
    return False
