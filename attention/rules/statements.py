"""How many statements of a function compute each of its outputs.

Views of the inputs, scalars and helper functions are free; arithmetic on tensors is a computing statement, and so is
a view of something computed. An output whose memory one statement allocates and another fills has taken both.
"""

import ast
from collections.abc import Collection, Iterator

from attention.rules.dataflow import (
    SAME,
    Flow,
    Names,
    Place,
    assigned,
    boxed,
    computed,
    flow_of,
    is_box,
    is_size,
    root_of,
)
from grading.rules.student_code import Code, defined, editable

LIBRARIES = frozenset({"torch", "nn", "np", "F"})
LOOKING = frozenset("print display repr isinstance len type id".split())  # these write into no argument
COMPOUND = (ast.If, ast.With, ast.Try, ast.For, ast.While, ast.FunctionDef, ast.ClassDef)


def second_statement(answer_id: str, function: str, sizes: Collection[str | int]) -> tuple[Code, int, int] | None:
    """The cell, the line and the output's position of a second statement that computes an output of the function.

    `sizes` are the arguments that are plain numbers, no tensors, by name or by position from 0.
    None if each output has at most one, or if there is no such function to look at.
    """
    found = [(c, n) for c, n in defined(editable(answer_id)).get(function, []) if isinstance(n, ast.FunctionDef)]
    if not found:
        return None
    code, node = found[-1]
    for position, flow in enumerate(_outputs(node, sizes)):
        if len(flow.statements) > 1:
            return code, max(flow.statements)[0], position
    return None


def _outputs(function: ast.FunctionDef, sizes: Collection[str | int]) -> list[Flow]:
    """The flow of each output of the last return statement."""
    arguments = function.args.posonlyargs + function.args.args
    names = {a.arg: Flow(tensor=a.arg not in sizes and at not in sizes) for at, a in enumerate(arguments)}
    inner = {node.name: node for node in ast.walk(function) if isinstance(node, ast.FunctionDef) and node != function}
    out: list[Flow] = []
    for statement in _in_order(function.body):
        at = (statement.lineno, statement.col_offset)
        if not isinstance(statement, COMPOUND):
            for named in [node for node in ast.walk(statement) if isinstance(node, ast.NamedExpr)]:
                _assign(named.target, named.value, at, names)
            for owner, value in _written(statement, inner, names):
                _fill(owner, computed(flow_of(value, names), at), at, names)
        match statement:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    _assign(target, value, at, names)
            case ast.AnnAssign(target=target, value=value) if value is not None:
                _assign(target, value, at, names)
            case ast.AugAssign(target=target, value=value):
                _fill(target, computed(flow_of(target, names) | flow_of(value, names), at), at, names)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[value])):
                _put(name, None, assigned(value, at, names), names)
            case ast.Return(value=value) if value is not None:
                flow = assigned(value, at, names)
                out = list(flow.parts) or [flow]
    return out


def _in_order(body: list[ast.stmt]) -> list[ast.stmt]:
    out = []
    for statement in body:
        out.append(statement)
        for name in ("body", "orelse", "finalbody"):
            if not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                out += _in_order(getattr(statement, name, []))
    return out


def _written(
    statement: ast.stmt, inner: dict[str, ast.FunctionDef], names: Names
) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What calls in a statement write into, and the call: A.mul_(2), out=A, or a helper that is given memory."""
    for call in [node for node in ast.walk(statement) if isinstance(node, ast.Call)]:
        for owner in [keyword.value for keyword in call.keywords if keyword.arg == "out"]:
            yield from ((one, call) for one in (owner.elts if isinstance(owner, ast.Tuple) else [owner]))
        match call.func:
            case ast.Attribute(value=owner, attr=name) if _writes(name):
                of_class = root_of(owner) in LIBRARIES and call.args  # torch.Tensor.copy_(A, B)
                yield (call.args[0] if of_class else owner), call
            case ast.Name(id=name) if name in LOOKING:
                continue
        if isinstance(statement, ast.Expr) and statement.value is call:
            given = [*call.args, *(keyword.value for keyword in call.keywords)]
            if isinstance(call.func, ast.Name) and call.func.id in inner:
                given += [node for node in ast.walk(inner[call.func.id]) if isinstance(node, ast.Name)]
            for one in given:
                if not is_size(one) and names.get(root_of(one) or "", Flow()).blank:
                    yield one, call


def _writes(method: str) -> bool:
    """Whether a method writes into its tensor, as its name tells."""
    return method == "__setitem__" or (method.endswith("_") and not method.endswith("__") and method not in SAME)


def _assign(target: ast.expr, value: ast.expr, at: Place, names: Names) -> None:
    flow = assigned(value, at, names)
    if not isinstance(target, (ast.Tuple, ast.List)):
        return _store(target, flow, at, names)
    parts = flow.parts if len(flow.parts) == len(target.elts) else [flow] * len(target.elts)
    for one, part in zip(target.elts, parts, strict=True):
        _store(one, part, at, names)
    return None


def _store(target: ast.expr, flow: Flow, at: Place, names: Names) -> None:
    match target:
        case ast.Name(id=name) | ast.Starred(value=ast.Name(id=name)):
            names[name] = flow
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=key)) if is_box(name, names):
            _put(name, key, flow, names)
        case _:
            _fill(target, flow, at, names)


def _put(name: str, key: object, flow: Flow, names: Names) -> None:
    """Sets an entry of a list or mapping; the key None appends to a list."""
    if is_box(name, names):
        entries = dict(zip(names[name].keys, names[name].parts, strict=True))
        entries[len(entries) if key is None else key] = flow
        names[name] = boxed(entries)


def _fill(owner: ast.expr, flow: Flow, at: Place, names: Names) -> None:
    """Takes down that a statement writes into a tensor, or into a view of it."""
    match owner:
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=key)) if is_box(name, names):
            return _put(name, key, flow_of(owner, names) | flow, names)
    root = root_of(owner)
    if root is None:
        return None
    old = names.get(root, Flow())
    if not old.blank:
        names[root] = old | flow
        return None
    new = Flow(old.tensor or flow.tensor, old.lines | flow.lines, old.blank, old.filled | {at})
    for name in [name for name, other in names.items() if other.blank & old.blank]:
        names[name] = new  # all names of the same memory
    return None
