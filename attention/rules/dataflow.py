"""Where the values of a function come from: which statements computed a tensor, allocated its memory, wrote into it.

Read from the syntax tree alone. What is rearranged stays what it is; what arithmetic gives has a statement behind it.
"""

import ast
import functools
import operator
from dataclasses import replace

from attention.rules.flow import HERE, Flow, Function, Names, Place, boxed, called, function_of, is_box, listed, merged
from grading.rules import closure

SCALAR_CALLS = frozenset("sqrt float int len abs pow max min round tensor as_tensor size numel dim item isqrt".split())
# Rearranging an input is free: these compute nothing.
VIEWS = frozenset(
    "view reshape unflatten flatten transpose permute t T mT H swapaxes swapdims movedim moveaxis unsqueeze squeeze "
    "expand expand_as contiguous clone detach split chunk unbind tensor_split narrow select to double float type cpu "
    "cuda repeat tile stack cat concat concatenate vstack hstack requires_grad_ view_as reshape_as data ravel "
    "broadcast_to type_as index_select rearrange hsplit vsplit dsplit adjoint as_strided unfold diagonal block_diag "
    "diag_embed take_along_dim gather".split()
)
# Of these, what copies: writing into the copy leaves the first one as it is.
COPIES = frozenset("repeat tile stack cat concat concatenate vstack hstack index_select block_diag diag_embed".split())
# The tensor that these are given lends its type or its shape alone.
LENT = frozenset("to type_as view_as reshape_as expand_as".split())
# Neither numbers nor shape change: also after a product these are free.
SAME = frozenset("contiguous clone detach to double float type cpu cuda requires_grad_ Parameter".split())
SIZES = frozenset({"shape", "device", "dtype", "ndim"})
# These give memory that waits for its numbers.
ALLOCATIONS = frozenset("empty zeros ones full empty_strided empty_permuted".split())
ALLOCATIONS |= {f"{name}_like" for name in ALLOCATIONS} | {f"new_{name}" for name in ALLOCATIONS}


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
    whole, value = value, _before_copies(value, names)
    flow = _single(value, at, names).at(at)
    return flow if value is whole or not flow.memory else replace(flow, memory=frozenset())


def _single(value: ast.expr, at: Place, names: Names) -> Flow:
    """The flow of an assigned value other than a tuple, a list or a mapping."""
    flow, root = flow_of(value, names), names.get(root_of(value) or "", Flow())
    if _allocates(value):
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
        case ast.Dict(keys=keys, values=pieces):
            flows = [assigned(piece, at, names) for piece in pieces]
            return boxed(merged([key and getattr(key, "value", place) for place, key in enumerate(keys)], flows))
        case ast.Call(func=ast.Name(id="dict" | "list"), args=[], keywords=keywords):
            return boxed(merged([word.arg for word in keywords], [assigned(w.value, at, names) for w in keywords]))
        case ast.Call(func=ast.Name(id="dict"), args=[ast.Call(func=ast.Name(id="zip"), args=[keys, inner])]):
            return _zipped(keys, assigned(inner, at, names))
        case ast.Call(func=ast.Name(id="dict"), args=[ast.Tuple(elts=pairs) | ast.List(elts=pairs)]):
            if all(isinstance(pair, ast.Tuple | ast.List) and len(pair.elts) == 2 for pair in pairs):
                keys, values = ast.List([pair.elts[0] for pair in pairs]), [pair.elts[1] for pair in pairs]
                return _zipped(keys, listed([assigned(one, at, names) for one in values]))
        case ast.Call(func=ast.Name(id="tuple" | "list"), args=[inner], keywords=[]):
            return assigned(inner, at, names)
        case ast.Name(id=name) if is_box(name, names):
            return names[name]
        case ast.Call(func=ast.Attribute(value=inner, attr="values"), args=[]) if _is_list(inner, names):
            return assigned(inner, at, names)
        case ast.Call(func=ast.Name(id="reversed"), args=[inner]) if _is_list(inner, names):
            return _of_list(assigned(inner, at, names), slice(None, None, -1))
        case ast.Subscript(value=inner, slice=ast.Slice() as cut) if _is_list(inner, names):
            return _of_list(assigned(inner, at, names), slice_of(cut))
        case ast.BinOp(left=left, op=ast.Add(), right=right) if _is_list(left, names) or _is_list(right, names):
            both = [assigned(side, at, names) for side in (left, right)]
            return listed(both[0].parts + both[1].parts) if None not in [side.keys for side in both] else None
        case (
            ast.BinOp(left=inner, op=ast.Mult(), right=ast.Constant(value=int(times)))
            | ast.BinOp(left=ast.Constant(value=int(times)), op=ast.Mult(), right=inner)
        ) if times < 100 and _is_list(inner, names):
            return listed(assigned(inner, at, names).parts * times)
    return None


def _zipped(keys: ast.expr, values: Flow) -> Flow | None:
    """A mapping from keys that are written down to the values of a list."""
    match keys:
        case ast.Constant(value=str(text)):
            found = [*text]
        case ast.Tuple(elts=pieces) | ast.List(elts=pieces) if all(isinstance(one, ast.Constant) for one in pieces):
            found = [one.value for one in pieces]
        case _:
            return None
    return boxed(dict(zip(found, values.parts, strict=False))) if values.keys is not None else None


def _of_list(whole: Flow, cut: slice | None) -> Flow | None:
    """Some of a list, if it is known which."""
    return listed(whole.parts[cut]) if whole.keys is not None and cut is not None else None


def slice_of(cut: ast.Slice) -> slice | None:
    """A slice whose ends are written down; None for any other."""
    try:
        ends = [end if end is None else ast.literal_eval(end) for end in (cut.lower, cut.upper, cut.step)]
    except ValueError:
        return None
    return slice(*ends) if all(end is None or type(end) is int for end in ends) and ends[2] != 0 else None


def _is_list(value: ast.expr, names: Names) -> bool:
    """Whether an expression makes a tuple, a list or a mapping, or is one of the function's own."""
    match value:
        case ast.Tuple() | ast.List() | ast.Dict() | ast.Call(func=ast.Name(id="tuple" | "list" | "dict")):
            return True
        case ast.Name(id=name):
            return is_box(name, names)
        case ast.BinOp(left=left, op=ast.Add() | ast.Mult(), right=right):
            return _is_list(left, names) or _is_list(right, names)
        case ast.Subscript(value=inner, slice=ast.Slice()):
            return _is_list(inner, names)
    return False


def _before_copies(value: ast.expr, names: Names) -> ast.expr:
    """What an expression copies or converts: A of A.clone(), torch.clone(A) and Tensor.double(A).to("cpu")."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in SAME:
        owner, given = value.func.value, [*value.args, *(keyword.value for keyword in value.keywords)]
        of_library = given and closure.root(owner) not in {None, *names}
        value = given[0] if of_library else owner
    return value


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
    return None


def key_of(place: ast.expr, name: str, names: Names) -> object:
    """The key of an entry that is written down, in a list also from its end; None for anything else."""
    match place:
        case ast.Constant(value=key) if is_box(name, names):
            return key
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(back))) if is_box(name, names):
            return len(names[name].parts) - back
    return None


def is_size(value: ast.expr) -> bool:
    """Whether an expression is a size or the like of a tensor."""
    match value:
        case ast.Attribute(attr=name) if name in SIZES:
            return True
        case ast.Call(
            func=ast.Attribute(attr="size" | "numel" | "dim" | "item" | "shape") | ast.Name(id="len" | "int" | "float")
        ):
            return True
    return False


def root_of(node: ast.expr) -> str | None:
    """The name of the tensor that an expression is, or is a view of: Q of Q[0], Q.data, Q.view(2, 3)."""
    while True:
        match node:
            case ast.Name(id=name):
                return name
            case ast.Subscript(value=inner) | ast.Starred(value=inner) | ast.NamedExpr(target=inner):
                node = inner
            case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr=name), args=[inner, *_]) if name in VIEWS:
                node = inner
            case ast.Call(func=ast.Attribute(value=inner, attr=name)) if name in VIEWS:
                node = inner
            case ast.Attribute(value=inner):
                node = inner
            case _:
                return None


def _allocates(value: ast.expr) -> bool:
    """Whether an expression is new memory, or a view of it."""
    while isinstance(value, ast.Call):
        name = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
        if name in ALLOCATIONS:
            return True
        if name not in VIEWS or not isinstance(value.func, ast.Attribute):
            return False
        value = value.func.value
    return False


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
                if name not in VIEWS and name not in SCALAR_CALLS and flow_of(node, names).tensor:
                    return True
    return False
