"""Where the values of a function come from: which statements computed a tensor, allocated its memory, wrote into it.

Read from the syntax tree alone. What is rearranged stays what it is; what arithmetic gives has a statement behind it.
"""

import ast
from dataclasses import dataclass, replace

from grading.rules import closure

SCALAR_CALLS = frozenset("sqrt float int len abs pow max min round tensor as_tensor size numel dim item isqrt".split())
# Rearranging an input is free: these compute nothing.
VIEWS = frozenset(
    "view reshape unflatten flatten transpose permute t T mT H swapaxes swapdims movedim moveaxis unsqueeze squeeze "
    "expand expand_as contiguous clone detach split chunk unbind tensor_split narrow select to double float type cpu "
    "cuda repeat tile stack cat concat concatenate vstack hstack requires_grad_ view_as reshape_as data ravel "
    "broadcast_to type_as index_select rearrange hsplit vsplit dsplit adjoint as_strided unfold diagonal".split()
)
# Neither numbers nor shape change: also after a product these are free.
SAME = frozenset("contiguous clone detach to double float type cpu cuda requires_grad_".split())
SIZES = frozenset({"shape", "device", "dtype", "ndim"})
# These give memory that waits for its numbers.
ALLOCATIONS = frozenset("empty zeros ones full empty_strided empty_permuted".split())
ALLOCATIONS |= {f"{name}_like" for name in ALLOCATIONS} | {f"new_{name}" for name in ALLOCATIONS}
MAX_PARTS = 64  # of a tuple, a list or a mapping that are told apart: `a = [*a, *a]` would double them again and again
Place = tuple[int, int]  # the line and column where a statement begins
NOWHERE: frozenset[Place] = frozenset()


@dataclass(frozen=True)
class Flow:
    """Where a value comes from: a tensor or a scalar, and the statements behind it.

    `lines` computed it. `blank` allocated its memory, where that was one of ALLOCATIONS, and `filled` wrote into it.
    `parts` are those of a tuple, a list or a mapping; `keys` tell which, None for what is none of these.
    """

    tensor: bool = False
    lines: frozenset[Place] = NOWHERE
    blank: frozenset[Place] = NOWHERE
    filled: frozenset[Place] = NOWHERE
    parts: tuple["Flow", ...] = ()
    keys: tuple[object, ...] | None = None

    def __or__(self, other: "Flow") -> "Flow":
        return Flow(self.tensor or other.tensor, self.lines | other.lines)

    @property
    def entries(self) -> dict[object, "Flow"]:
        """The parts by their keys; empty for any other value than a tuple, a list or a mapping."""
        return dict(zip(self.keys or (), self.parts, strict=True))

    @property
    def statements(self) -> frozenset[Place]:
        """All statements that it took, as an output."""
        return self.lines | (self.blank | self.filled if self.filled else NOWHERE)


Names = dict[str, Flow]


def is_box(name: str, names: Names) -> bool:
    """Whether a name stands for a tuple, a list or a mapping of the function's own."""
    return names.get(name, Flow()).keys is not None


def boxed(entries: dict[object, Flow]) -> Flow:
    """The flow of a tuple, a list or a mapping."""
    parts = tuple(entries.values())
    whole = Flow(any(part.tensor for part in parts), NOWHERE.union(*[part.lines for part in parts]))
    return replace(whole, parts=parts, keys=tuple(entries)) if len(parts) <= MAX_PARTS else whole


def assigned(value: ast.expr, at: Place, names: Names) -> Flow:
    """The flow of an assigned value: its statement counts if it computes, or if it rearranges something computed."""
    match value:
        case ast.Tuple(elts=pieces) | ast.List(elts=pieces):
            parts = []
            for piece in pieces:
                inner = assigned(piece.value if isinstance(piece, ast.Starred) else piece, at, names)
                parts += inner.parts or [inner] if isinstance(piece, ast.Starred) else [inner]
            return boxed(dict(enumerate(parts)))
        case ast.Call(func=ast.Name(id="tuple" | "list"), args=[ast.Tuple() | ast.List() as inner], keywords=[]):
            return assigned(inner, at, names)
        case ast.Dict(keys=keys, values=pieces):
            flows = [assigned(piece, at, names) for piece in pieces]
            return boxed(merged([key and getattr(key, "value", place) for place, key in enumerate(keys)], flows))
        case ast.BinOp(left=left, op=ast.Add(), right=right) if _is_list(left, names) and _is_list(right, names):
            return boxed(dict(enumerate(assigned(left, at, names).parts + assigned(right, at, names).parts)))
        case ast.BinOp(left=ast.List() as left, op=ast.Mult(), right=ast.Constant(value=int(times))) if times < 100:
            return boxed(dict(enumerate(assigned(left, at, names).parts * times)))
        case ast.Call(func=ast.Name(id="dict" | "list"), args=[], keywords=keywords):
            return boxed(merged([word.arg for word in keywords], [assigned(w.value, at, names) for w in keywords]))
        case ast.Call(keywords=[*_, ast.keyword(arg="out", value=owner)]) if root_of(owner) in names:
            return names[root_of(owner)]
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name.endswith("_") and name not in SAME:
            if root_of(owner) in names:
                return names[root_of(owner)]
    if (whole := _whole(value, names)) is not None:
        return whole
    value = _before_copies(value, names)
    flow, root = flow_of(value, names), names.get(root_of(value) or "", Flow())
    if _allocates(value):
        return Flow(blank=frozenset({at}))
    if root.blank and not _computes(value, names) and not is_size(value):
        flow = replace(flow, blank=root.blank, filled=root.filled)
    if not flow.tensor or isinstance(value, ast.Name) or _entry(value, names) is not None:
        return flow
    return computed(flow, at) if _computes(value, names) or flow.lines else flow


def merged(keys: list[object], flows: list[Flow]) -> dict[object, Flow]:
    """The entries of a mapping that is written down; where a key is None, `**other` puts in all of another's."""
    entries: dict[object, Flow] = {}
    for key, flow in zip(keys, flows, strict=True):
        whole = key is None and flow.keys is not None
        entries |= flow.entries if whole else {key: flow}
    return entries


def _is_list(value: ast.expr, names: Names) -> bool:
    """Whether an expression is a tuple or a list of the function's own."""
    return isinstance(value, ast.Tuple | ast.List) or isinstance(value, ast.Name) and is_box(value.id, names)


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
    """What goes into an expression."""
    if (entry := _entry(value, names)) is not None:
        return entry
    match value:
        case ast.Name(id=name):
            return names.get(name, Flow())
        case ast.Lambda():
            return Flow()
    if is_size(value):
        return Flow()
    out, pieces = Flow(), [*ast.iter_child_nodes(value)]
    match value:
        case ast.Call(func=ast.Attribute(attr=name)) if name.startswith("new_"):  # whose tensor lends its type alone
            pieces = [*value.args, *value.keywords]
    for inner in pieces:
        if isinstance(inner, (ast.expr, ast.keyword)):
            out |= flow_of(inner.value if isinstance(inner, ast.keyword) else inner, names)
    return out


def _whole(value: ast.expr, names: Names) -> Flow | None:
    """A list or mapping of one's own with all that is in it: hats, tuple(hats), list(out.values()); else None."""
    match value:
        case ast.Call(func=ast.Name(id="tuple" | "list"), args=[inner]):
            value = inner
    match value:
        case ast.Name(id=name) | ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="values")):
            return names[name] if is_box(name, names) else None
    return None


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
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
                if name not in VIEWS and name not in SCALAR_CALLS and flow_of(node, names).tensor:
                    return True
    return False
