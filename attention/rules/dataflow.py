"""Where the values of a function come from: which statements computed a tensor, allocated its memory, wrote into it.

Read from the syntax tree alone. What is rearranged stays what it is; what arithmetic gives has a statement behind it.
"""

import ast
import functools
import operator
from dataclasses import replace

from attention.rules.flow import (
    HERE,
    Called,
    Flow,
    Function,
    Names,
    Place,
    boxed,
    called,
    function_of,
    is_box,
    listed,
    merged,
)
from attention.rules.forms import (
    COPIES,
    LENT,
    SAME,
    SCALAR_CALLS,
    allocates,
    is_size,
    key_of,
    place_in,
    rearranges,
    root_of,
    slice_of,
)
from grading.rules import closure

KEEPS = frozenset({"ParameterDict", "ParameterList"})  # of nn: what they are given, as a dict and a list do


def assigned(value: ast.expr, at: Place, names: Names) -> Flow:
    """The flow of an assigned value: its statement counts if it computes, or if it rearranges something computed."""
    if (call := called(value, names)) is not None:
        return call.flow.at(at)
    if isinstance(value, ast.NamedExpr):
        return assigned(value.value, at, names)
    if (box := _box(value, at, names)) is not None:
        return box
    match value:
        case ast.Call(keywords=[*_, ast.keyword(arg="out", value=owner)]) if root_of(owner) in names:
            return names[root_of(owner)]
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name.endswith("_") and name not in SAME:
            if root_of(owner) in names:
                return names[root_of(owner)]
    copied, value = _before_copies(value, names)
    flow = _single(value, at, names).at(at)
    return replace(flow, memory=frozenset()) if copied and flow.memory else flow


def _single(value: ast.expr, at: Place, names: Names) -> Flow:
    """The flow of an assigned value other than a tuple, a list or a mapping."""
    flow, root = flow_of(value, names), names.get(root_of(value) or "", Flow())
    if allocates(value):
        return Flow(blank=frozenset({at}))
    computes = _computes(value, names)
    if root.blank and not computes and not is_size(value):
        flow = replace(flow, blank=root.blank, filled=root.filled)
    if not flow.tensor or isinstance(value, ast.Name) or _entry(value, names) is not None:
        return flow
    flow = computed(flow, at) if computes or flow.lines else flow
    return replace(flow, memory=frozenset({value}) if computes or _copies(value) else root.memory)


def _copies(value: ast.expr) -> bool:
    """Whether what rearranges tensors gives new memory."""
    return any(getattr(node, "attr", "") in COPIES for node in ast.walk(value))


def _box(value: ast.expr, at: Place, names: Names) -> Flow | None:
    """The flow of a tuple, a list or a mapping that an expression makes, such as (A,) * 2 + (B, C); else None."""
    match value:
        case ast.Tuple(elts=pieces) | ast.List(elts=pieces):
            parts = []
            for piece in pieces:
                inner = assigned(piece.value if isinstance(piece, ast.Starred) else piece, at, names)
                parts += inner.parts or [inner] if isinstance(piece, ast.Starred) else [inner]
            return listed(parts)
        case ast.Dict(keys=keys, values=pieces) if not any(flow_of(key, names).tensor for key in keys if key):
            flows = [assigned(piece, at, names) for piece in pieces]
            return boxed(merged([key and getattr(key, "value", place) for place, key in enumerate(keys)], flows))
        case ast.Call(func=ast.Name(id="dict" | "list"), args=[], keywords=keywords):
            return boxed(merged([word.arg for word in keywords], [assigned(w.value, at, names) for w in keywords]))
        case ast.Call(func=ast.Name(id="dict"), args=[ast.Call(func=ast.Name(id="zip"), args=[keys, inner])]):
            return _zipped(keys, assigned(inner, at, names), names)
        case ast.Call(func=ast.Name(id="dict"), args=[ast.Tuple(elts=pairs) | ast.List(elts=pairs)]):
            if all(isinstance(pair, ast.Tuple | ast.List) and len(pair.elts) == 2 for pair in pairs):
                keys, values = ast.List([pair.elts[0] for pair in pairs]), [pair.elts[1] for pair in pairs]
                return _zipped(keys, listed([assigned(one, at, names) for one in values]), names)
        case ast.Name(id=name) if is_box(name, names):
            return names[name]
        case ast.BinOp(left=left, op=ast.Add(), right=right) if _is_list(left, names) or _is_list(right, names):
            both = [assigned(side, at, names) for side in (left, right)]
            return listed(both[0].parts + both[1].parts) if None not in [side.keys for side in both] else None
        case ast.BinOp(left=left, op=ast.BitOr(), right=right) if _is_list(left, names) and _is_list(right, names):
            both = [assigned(side, at, names) for side in (left, right)]
            return boxed(both[0].entries | both[1].entries) if None not in [side.keys for side in both] else None
        case (
            ast.BinOp(left=inner, op=ast.Mult(), right=ast.Constant(value=int(times)))
            | ast.BinOp(left=ast.Constant(value=int(times)), op=ast.Mult(), right=inner)
        ) if times < 100 and _is_list(inner, names):
            return listed(assigned(inner, at, names).parts * times)
    return _of_box(value, at, names)


def _of_box(value: ast.expr, at: Place, names: Names) -> Flow | None:
    """The flow of a tuple, a list or a mapping that is made of others, such as list(zip(*pairs))[1:], or of an entry of
    such a one; else None."""
    match value:
        case ast.Call(func=ast.Name(id="tuple" | "list"), args=[inner], keywords=[]):
            return assigned(inner, at, names)
        case ast.Call(func=ast.Attribute(attr=name), args=[]) if name in KEEPS:
            return boxed({})
        case (
            ast.Call(func=ast.Name(id="dict"), args=[inner], keywords=[])
            | ast.Call(func=ast.Attribute(value=inner, attr="values" | "copy"), args=[])
        ) if _is_list(inner, names):
            return assigned(inner, at, names)
        case ast.Call(func=ast.Attribute(attr=name), args=[inner]) if name in KEEPS and _is_list(inner, names):
            return assigned(inner, at, names)
        case ast.Call(func=ast.Attribute(value=inner, attr="items"), args=[]) if _is_list(inner, names):
            return listed([listed([Flow(), part]) for part in assigned(inner, at, names).parts])
        case ast.Call(func=ast.Name(id="zip"), args=rows, keywords=[]):
            return _columns(rows, at, names)
        case ast.Call(func=ast.Name(id="next"), args=[ast.Call() as inner]) if _is_list(inner, names):
            return next(iter(assigned(inner, at, names).parts), None)
        case ast.Call(func=ast.Name(id="reversed"), args=[inner]) if _is_list(inner, names):
            return _cut(assigned(inner, at, names), slice(None, None, -1))
        case ast.Subscript(value=inner, slice=ast.Slice() as cut) if _is_list(inner, names):
            return _cut(assigned(inner, at, names), slice_of(cut))
        case ast.Subscript(value=inner, slice=place) if not isinstance(inner, ast.Name):
            whole = _box(inner, at, names)
            return whole.entries.get(place_in(whole, place)) if whole else None
    return None


def _columns(rows: list[ast.expr], at: Place, names: Names) -> Flow | None:
    """The columns of rows that are lists, which zip gives; None if any of them is none."""
    flows: list[Flow] = []
    for row in rows:
        whole = assigned(row.value if isinstance(row, ast.Starred) else row, at, names)
        flows += (whole.parts if whole.keys is not None else [whole]) if isinstance(row, ast.Starred) else [whole]
    lists = [flow.parts for flow in flows if flow.keys is not None]
    if not lists or any(flow.tensor and flow.keys is None for flow in flows):
        return None
    length = min(map(len, lists))
    rows = [flow.parts if flow.keys is not None else [Flow()] * length for flow in flows]  # of names or numbers
    return listed([listed(column) for column in zip(*rows, strict=False)])


def _zipped(keys: ast.expr, values: Flow, names: Names) -> Flow | None:
    """A mapping from keys to the values of a list; keys that aren't written down stand for themselves."""
    if values.keys is None or flow_of(keys, names).tensor:
        return None
    match keys:
        case ast.Constant(value=str(text)):
            found = [*text]
        case ast.Tuple(elts=pieces) | ast.List(elts=pieces) if all(isinstance(one, ast.Constant) for one in pieces):
            found = [one.value for one in pieces]
        case _:
            found = [(keys, place) for place in range(len(values.parts))]
    return boxed(dict(zip(found, values.parts, strict=False)))


def _cut(whole: Flow, cut: slice | None) -> Flow | None:
    """Some of a list, if it is known which."""
    return listed(whole.parts[cut]) if whole.keys is not None and cut is not None else None


def _is_list(value: ast.expr, names: Names) -> bool:
    """Whether an expression makes a tuple, a list or a mapping, or is one of the function's own."""
    match value:
        case ast.Tuple() | ast.List() | ast.Dict() | ast.Call(func=ast.Name(id="tuple" | "list" | "dict")):
            return True
        case ast.Name(id=name):
            return is_box(name, names)
        case ast.BinOp(left=left, op=ast.Add() | ast.Mult() | ast.BitOr(), right=right):
            return _is_list(left, names) or _is_list(right, names)
        case ast.Subscript(value=inner, slice=ast.Slice()):
            return _is_list(inner, names)
        case ast.Subscript():
            entry = _entry(value, names)
            return entry is not None and entry.keys is not None
        case ast.Call(func=ast.Name(id="zip" | "next" | "reversed"), args=[_, *_]):
            return True
        case ast.Call(func=ast.Attribute(value=inner, attr="values" | "items" | "copy"), args=[]):
            return _is_list(inner, names)
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in KEEPS
    return False


def _before_copies(value: ast.expr, names: Names) -> tuple[bool, ast.expr]:
    """Whether an expression copies a tensor, and what it copies or converts: A of A.clone(), torch.clone(A), A.data and
    Tensor.double(A).to("cpu")."""
    copied = False
    while True:
        while isinstance(value, ast.Attribute) and value.attr == "data":
            value = value.value
        if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in SAME):
            return copied, value
        owner, given = value.func.value, [*value.args, *(keyword.value for keyword in value.keywords)]
        of_library = given and closure.root(owner) not in {None, *names}
        copied = copied or value.func.attr in {"clone", "tensor", "array", "astype"}
        value = given[0] if of_library else owner


def computed(flow: Flow, at: Place) -> Flow:
    """The flow after a statement that computes with it; of a scalar it is the same."""
    return replace(flow, lines=flow.lines | {at}) if flow.tensor else flow


def flow_of(value: ast.expr, names: Names) -> Flow:
    """What goes into an expression; of a function, what it finds that statements computed before."""
    if (entry := _entry(value, names)) is not None:
        return entry
    match value:
        case ast.Name(id=name):
            return names.get(name, Flow())
        case ast.Lambda():
            return function_of(value, names)
    if is_size(value):
        return Flow()
    if (call := called(value, names)) is not None:
        return call.flow
    out, pieces = Flow(), [*ast.iter_child_nodes(value)]
    match value:
        case ast.Call(func=ast.Attribute(attr=name)) if name.startswith("new_"):  # whose tensor lends its type alone
            pieces = [*value.args, *value.keywords]
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in LENT:
            pieces = [owner] if closure.root(owner) in {None, *names} else pieces
    for inner in pieces:
        if isinstance(inner, (ast.expr, ast.keyword)):
            flow = flow_of(inner.value if isinstance(inner, ast.keyword) else inner, names)
            out |= flow if flow.function is None else _found_by(flow.function)
    return out


def _found_by(function: Function) -> Flow:
    """What a function that is handed on, as to torch.vmap, finds of what statements computed before."""
    found = [function.scope[name] for name in function.reads if name in function.scope]
    return functools.reduce(operator.or_, [flow for flow in found if flow.statements], Flow())


def _entry(node: ast.expr, names: Names) -> Flow | None:
    """An entry of a list or mapping of one's own, such as out['W_Q'] or out.get('W_Q'); None for anything else."""
    match node:
        case (
            ast.Subscript(value=ast.Name(id=name), slice=place)
            | ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="get"), args=[place])
        ) if (key := key_of(place, name, names)) is not None:
            return names[name].entries.get(key)
        case ast.Subscript(value=ast.Subscript() as inner, slice=place) if (whole := _entry(inner, names)) is not None:
            return whole.entries.get(place_in(whole, place))
        case ast.Attribute(value=ast.Name(id=name), attr=key) if is_box(name, names):
            return names[name].entries.get(key)  # of a ParameterDict
    return None


def _computes(value: ast.expr, names: Names) -> bool:
    """Whether an expression does more than rearrange tensors and compute scalars."""
    for node in ast.walk(value):
        match node:
            case ast.BinOp() | ast.UnaryOp():
                if flow_of(node, names).tensor:
                    return True
            case ast.Call() if (call := called(node, names)) is not None:
                if HERE in call.flow.lines:
                    return True
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
                if not rearranges(node, name) and name not in SCALAR_CALLS and flow_of(node, names).tensor:
                    return True
            case ast.Call(func=func) if flow_of(node, names).tensor:  # (f if fast else g)(A, B)
                mapped = _mapped(func, node, names)
                if mapped is None or HERE in mapped.flow.lines:
                    return True
    return False


def _mapped(maker: ast.expr, call: ast.Call, names: Names) -> Called | None:
    """What torch.vmap(f)(A, B) does, read as f(A, B); None if it can't be told, or for any other call."""
    match maker:
        case ast.Call(args=[inner, *_]) if (function := flow_of(inner, names).function) is not None:
            return names.read(function, ast.Call(inner, call.args, call.keywords), names)
    return None
