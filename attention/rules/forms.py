"""What an expression is by its form alone: a size, a view of a tensor, new memory, a key, a slice."""

import ast

from attention.rules.flow import Flow, Names, is_box

SCALAR_CALLS = frozenset("sqrt float int len abs pow max min round tensor as_tensor size numel dim item isqrt".split())
# Rearranging an input is free: these compute nothing.
VIEWS = frozenset(
    "view reshape unflatten flatten transpose permute t T mT H swapaxes swapdims movedim moveaxis unsqueeze squeeze "
    "expand expand_as contiguous clone detach split chunk unbind tensor_split narrow select to double float type cpu "
    "cuda repeat tile stack cat concat concatenate vstack hstack requires_grad_ view_as reshape_as data ravel "
    "half bfloat16 asarray resolve_conj resolve_neg "
    "broadcast_to type_as index_select rearrange hsplit vsplit dsplit adjoint as_strided unfold diagonal block_diag "
    "diag_embed take_along_dim gather numpy from_numpy from_dlpack frombuffer array astype "
    "flip fliplr flipud roll rot90 repeat_interleave column_stack row_stack dstack".split()
)
# Of these, what copies: writing into the copy leaves the first one as it is.
COPIES = frozenset(
    "repeat tile stack cat concat concatenate vstack hstack index_select block_diag diag_embed array astype "
    "flip fliplr flipud roll rot90 repeat_interleave column_stack row_stack dstack".split()
)
# The tensor that these are given lends its type or its shape alone.
LENT = frozenset("to type_as view_as reshape_as expand_as".split())
# Neither shape nor numbers change, but for what a type of fewer digits rounds off: also after a product these are free.
SAME = frozenset(
    "contiguous clone detach to double float half bfloat16 type cpu cuda requires_grad_ Parameter as_tensor asarray "
    "tensor resolve_conj resolve_neg numpy from_numpy from_dlpack frombuffer array astype".split()
)
LIBRARIES = frozenset("torch np numpy".split())
SIZES = frozenset({"shape", "device", "dtype", "ndim"})
# These give memory that waits for its numbers.
ALLOCATIONS = frozenset("empty zeros ones full empty_strided empty_permuted".split())
ALLOCATIONS |= {f"{name}_like" for name in ALLOCATIONS} | {f"new_{name}" for name in ALLOCATIONS}


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


def rearranges(call: ast.Call, name: str) -> bool:
    """Whether a call of this name only rearranges a tensor, as `torch.einsum("ihd->hid", W)` does."""
    match call.args:
        case [ast.Constant(value=str(equation)), _] if name == "einsum":
            before, arrow, after = equation.replace(" ", "").partition("->")
            return bool(arrow) and len({*before}) == len(before) and sorted(before) == sorted(after)
    return name in VIEWS


def root_of(node: ast.expr) -> str | None:
    """The name of the tensor that an expression is, or is a view of: Q of Q[0], Q.data, Q.view(2, 3)."""
    while True:
        match node:
            case ast.Name(id=name):
                return name
            case ast.Subscript(value=inner) | ast.Starred(value=inner) | ast.NamedExpr(target=inner):
                node = inner
            case ast.Call(func=ast.Attribute(value=ast.Name(id=of), attr=name), args=[inner, *_]) if (
                of in LIBRARIES and name in VIEWS
            ):
                node = inner
            case ast.Call(func=ast.Attribute(attr="einsum") | ast.Name(id="einsum"), args=[_, inner]) if rearranges(
                node, "einsum"
            ):
                node = inner
            case ast.Call(func=ast.Attribute(value=inner, attr=name)) if name in VIEWS:
                node = inner
            case ast.Attribute(value=inner):
                node = inner
            case _:
                return None


def allocates(value: ast.expr) -> bool:
    """Whether an expression is new memory, or a view of it."""
    while isinstance(value, ast.Call):
        name = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
        if name in ALLOCATIONS:
            return True
        if name not in VIEWS or not isinstance(value.func, ast.Attribute):
            return False
        value = value.func.value
    return False


def key_of(place: ast.expr, name: str, names: Names) -> object:
    """The key of an entry of a list or a mapping under a name; None if it isn't written down, or for anything else."""
    return place_in(names[name], place) if is_box(name, names) else None


def place_in(whole: Flow, place: ast.expr) -> object:
    """The key of an entry that is written down, in a list also from its end; None for anything else."""
    match place:
        case ast.Constant(value=key):
            return key
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(back))):
            return len(whole.parts) - back
    return None


def slice_of(cut: ast.Slice) -> slice | None:
    """A slice whose ends are written down; None for any other."""
    try:
        ends = [end if end is None else ast.literal_eval(end) for end in (cut.lower, cut.upper, cut.step)]
    except (ValueError, TypeError):  # no constants, or a set of lists
        return None
    return slice(*ends) if all(end is None or type(end) is int for end in ends) and ends[2] != 0 else None
