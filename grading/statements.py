"""How many statements of a function compute each of its outputs.

Views of the inputs, scalars and helper functions are free; arithmetic on tensors is a computing statement, and so is
a view of something computed.
"""

import ast
from dataclasses import dataclass, field

from grading.cells import Code, defined, editable

SCALAR_CALLS = frozenset("sqrt float int len abs pow max min round tensor as_tensor size numel dim item isqrt".split())
# Rearranging an input is free: these compute nothing.
VIEWS = frozenset(
    "view reshape unflatten flatten transpose permute t T mT H swapaxes swapdims movedim moveaxis unsqueeze squeeze "
    "expand expand_as contiguous clone detach split chunk unbind tensor_split narrow select to double float type cpu "
    "cuda repeat tile stack cat concat concatenate vstack hstack requires_grad_ view_as reshape_as data ravel "
    "broadcast_to type_as index_select rearrange".split()
)
# Neither numbers nor shape change: also after a product these are free.
SAME = frozenset("contiguous clone detach to double float type cpu cuda requires_grad_".split())
SIZES = frozenset({"shape", "device", "dtype", "ndim"})
Place = tuple[int, int]  # the line and column where a statement begins


@dataclass(frozen=True)
class Flow:
    """Where a value comes from: a tensor or a scalar, the lines of the statements that computed it; a tuple's parts."""

    tensor: bool = False
    lines: frozenset[Place] = field(default_factory=frozenset)
    parts: tuple["Flow", ...] = ()

    def __or__(self, other: "Flow") -> "Flow":
        return Flow(self.tensor or other.tensor, self.lines | other.lines)


def second_statement(answer_id: str, function: str) -> tuple[Code, int, int] | None:
    """The cell, the line and the output's position of a second statement that computes an output of the function.

    None if each output has at most one, or if there is no such function to look at.
    """
    found = [(c, n) for c, n in defined(editable(answer_id)).get(function, []) if isinstance(n, ast.FunctionDef)]
    if not found:
        return None
    code, node = found[-1]
    for position, flow in enumerate(_outputs(node)):
        if len(flow.lines) > 1:
            return code, max(flow.lines)[0], position
    return None


def _outputs(function: ast.FunctionDef) -> list[Flow]:
    """The flow of each output of the last return statement."""
    arguments = function.args.posonlyargs + function.args.args
    names = {a.arg: Flow(tensor=a.arg not in {"H", "r", "D"}) for a in arguments}
    if len(arguments) >= 6:
        names[arguments[5].arg] = Flow()
    out: list[Flow] = []
    for statement in _in_order(function.body):
        at = (statement.lineno, statement.col_offset)
        if not isinstance(statement, (ast.If, ast.With, ast.Try, ast.For, ast.While, ast.FunctionDef, ast.ClassDef)):
            for named in [node for node in ast.walk(statement) if isinstance(node, ast.NamedExpr)]:
                _assign(named.target, named.value, at, names)
        match statement:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    _assign(target, value, at, names)
            case ast.AnnAssign(target=target, value=value) if value is not None:
                _assign(target, value, at, names)
            case ast.AugAssign(target=target, value=value):
                flow = _flow(target, names) | _flow(value, names)
                _store(target, _computed(flow, at), names)
            case ast.Expr(value=ast.Call(keywords=[*_, ast.keyword(arg="out", value=owner)]) as call):
                _store(owner, _computed(_flow(call, names), at), names)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr=name)) as call) if (
                name.endswith("_") and name not in SAME
            ):
                flow = _flow(call, names)
                _store(owner, _computed(flow, at), names)
            case ast.Return(value=value) if value is not None:
                flow = _statement_flow(value, at, names)
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


def _assign(target: ast.expr, value: ast.expr, at: Place, names: dict[str, Flow]) -> None:
    pair = (ast.Tuple, ast.List)
    if isinstance(target, pair) and isinstance(value, pair) and len(target.elts) == len(value.elts):
        flows = [_statement_flow(v, at, names) for v in value.elts]
        for one, flow in zip(target.elts, flows, strict=True):
            _store(one, flow, names)
        return
    flow = _statement_flow(value, at, names)
    targets = target.elts if isinstance(target, pair) else [target]
    flows = flow.parts if isinstance(target, pair) and len(flow.parts) == len(targets) else [flow] * len(targets)
    for one, part in zip(targets, flows, strict=True):
        _store(one, part, names)


def _store(target: ast.expr, flow: Flow, names: dict[str, Flow]) -> None:
    part = False
    if _key(target):
        names[_key(target)] = flow
    while isinstance(target, (ast.Subscript, ast.Starred, ast.Attribute)):
        part, target = True, target.value
    if isinstance(target, ast.Name):
        names[target.id] = (names.get(target.id, Flow()) | flow) if part else flow


def _statement_flow(value: ast.expr, at: Place, names: dict[str, Flow]) -> Flow:
    """The flow of an assigned value: its statement counts if it computes, or if it rearranges something computed."""
    if isinstance(value, (ast.Tuple, ast.List)):
        parts = tuple(_statement_flow(part, at, names) for part in value.elts)
        return Flow(any(p.tensor for p in parts), frozenset().union(*[p.lines for p in parts]), parts)
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in SAME:
        value = value.func.value
    flow = _flow(value, names)
    if not flow.tensor or isinstance(value, ast.Name) or _key(value) in names:
        return flow
    return _computed(flow, at) if _computes(value, names) or flow.lines else flow


def _computed(flow: Flow, at: Place) -> Flow:
    return Flow(flow.tensor, flow.lines | {at}) if flow.tensor else flow


def _key(node: ast.expr) -> str:
    """What an entry of a mapping of one's own is called here, such as out['W_Q']; "" for anything else."""
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(key))):
            return f"{name}[{key!r}]"
    return ""


def _flow(value: ast.expr, names: dict[str, Flow]) -> Flow:
    if _key(value) in names:
        return names[_key(value)]
    match value:
        case ast.Name(id=name):
            return names.get(name, Flow())
        case ast.Attribute(attr=name) if name in SIZES:
            return Flow()
        case ast.Call(func=ast.Attribute(attr="size" | "numel" | "dim" | "item")):
            return Flow()
        case ast.Call(func=ast.Name(id="len" | "int" | "float")):
            return Flow()
        case ast.Lambda():
            return Flow()
    out = Flow()
    for inner in ast.iter_child_nodes(value):
        if isinstance(inner, (ast.expr, ast.keyword)):
            out |= _flow(inner.value if isinstance(inner, ast.keyword) else inner, names)
    return out


def _computes(value: ast.expr, names: dict[str, Flow]) -> bool:
    """Whether an expression does more than rearrange tensors and compute scalars."""
    for node in ast.walk(value):
        match node:
            case ast.BinOp() | ast.UnaryOp():
                if _flow(node, names).tensor:
                    return True
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
                if name not in VIEWS and name not in SCALAR_CALLS and _flow(node, names).tensor:
                    return True
    return False
