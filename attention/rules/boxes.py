"""Tuples, lists and mappings of a function's own, as its statements change them: put in, replace, take out."""

import ast
import copy

from attention.rules.dataflow import assigned
from attention.rules.flow import Flow, Names, Place, boxed, is_box, listed, merged
from attention.rules.forms import place_in


def put_in(statement: ast.stmt, at: Place, names: Names) -> bool:
    """Whether a statement puts something into a list or a mapping of the function's own, which is then recorded."""
    match statement:
        case ast.AugAssign(target=ast.Name(id=name), value=value):
            method, given, named = {ast.Add: "extend", ast.BitOr: "update"}.get(type(statement.op)), [value], []
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method), args=given, keywords=named)
        ):
            pass
        case ast.Expr(value=ast.Call(func=ast.Name(id="setattr"), args=[ast.Name(id=name), key, value])):
            method, given, named = "update", [ast.Dict([key], [value])], []  # of a ParameterDict
        case _:
            return False
    if not is_box(name, names):
        return False
    entries = merged([word.arg for word in named], [assigned(word.value, at, names) for word in named])
    whole = assigned(given[-1], at, names) if given else boxed(entries)
    if method == "append":
        put(name, None, whole, names)
    elif method == "insert" and given:
        parts, place = [*names[name].parts], getattr(given[0], "value", None)
        parts.insert(place if isinstance(place, int) else len(parts), whole)
        names.replace(names[name], listed(parts))
    elif method == "setdefault" and given:
        if (key := getattr(given[0], "value", None)) not in names[name].keys:
            put(name, key, whole, names)
    elif method in {"extend", "update"} and whole.keys is not None:
        for key, part in [*whole.entries.items(), *(entries.items() if given else ())]:
            put(name, None if method == "extend" else key, part, names)
    else:
        return False
    return True


def put(name: str, key: object, flow: Flow, names: Names) -> None:
    """Sets an entry of a list or mapping; the key None appends to a list. One with too many parts is none any more."""
    if is_box(name, names):
        entries = names[name].entries
        entries[len(entries) if key is None else key] = flow
        names.replace(names[name], boxed(entries))


def spliced(old: Flow, cut: slice | None, flow: Flow) -> Flow:
    """A list whose slice is set to another one; if it can't be told which or to what, one of unknown parts."""
    parts = [*old.parts]
    if cut is None or flow.keys is None or cut.step not in (None, 1) and len(parts[cut]) != len(flow.parts):
        return old | flow
    parts[cut] = flow.parts
    return listed(parts)


def without_pops(statement: ast.stmt, names: Names) -> ast.stmt:
    """The statement, with variables of their own for what it takes out of lists and mappings that are known."""
    if any(isinstance(node, ast.Attribute) and node.attr == "pop" for node in ast.walk(statement)):
        return _Taken(names).visit(copy.deepcopy(statement))
    return statement


class _Taken(ast.NodeTransformer):
    """Writes what is taken out of a list or a mapping, as in `hats.pop()`, as a variable of its own."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def visit_Call(self, node: ast.Call) -> ast.expr:
        node = self.generic_visit(node)  # in the order in which Python computes them
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="pop"), args=places, keywords=[]) if is_box(
                name, self.names
            ):
                whole = self.names[name]
                key = place_in(whole, places[0] if places else ast.UnaryOp(ast.USub(), ast.Constant(1)))
                if key in whole.entries:
                    taken = f"{name}.pop {node.lineno} {node.col_offset}"
                    self.names[taken] = whole.entries[key]
                    self._leave(whole, key)
                    return ast.copy_location(ast.Name(taken, ast.Load()), node)
        return node

    def _leave(self, whole: Flow, key: object) -> None:
        """Leaves the list or mapping without this entry."""
        entries = {one: flow for one, flow in whole.entries.items() if one != key}
        is_list = [*whole.entries] == [*range(len(whole.parts))]
        self.names.replace(whole, boxed(dict(enumerate(entries.values())) if is_list else entries))
