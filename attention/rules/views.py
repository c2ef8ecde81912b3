"""The tensor that an expression is, or is a view of, by its form alone."""

import ast

LIBRARIES = frozenset("torch np numpy".split())
# These compute nothing: they rearrange a tensor.
VIEWS = frozenset(
    "view reshape unflatten flatten transpose permute t T mT H swapaxes swapdims movedim moveaxis unsqueeze squeeze "
    "expand expand_as contiguous clone detach split chunk unbind tensor_split narrow select to double float type cpu "
    "cuda repeat tile stack cat concat concatenate vstack hstack requires_grad_ view_as reshape_as data ravel "
    "half bfloat16 asarray resolve_conj resolve_neg "
    "broadcast_to type_as index_select rearrange hsplit vsplit dsplit adjoint as_strided unfold diagonal block_diag "
    "diag_embed take_along_dim gather numpy from_numpy from_dlpack frombuffer array astype "
    "flip fliplr flipud roll rot90 repeat_interleave column_stack row_stack dstack".split()
)


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
            case ast.Call(
                func=ast.Attribute(attr="einsum") | ast.Name(id="einsum"),
                args=[ast.Constant(value=str(equation)), inner],
            ) if _only_turns(equation):
                node = inner
            case ast.Call(func=ast.Attribute(value=inner, attr=name)) if name in VIEWS:
                node = inner
            case ast.Attribute(value=inner):
                node = inner
            case _:
                return None


def _only_turns(equation: str) -> bool:
    """Whether an equation only rearranges a tensor, as that of `torch.einsum("ihd->hid", W)`."""
    before, arrow, after = equation.replace(" ", "").partition("->")
    return bool(arrow) and len({*before}) == len(before) and sorted(before) == sorted(after)
