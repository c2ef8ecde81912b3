"""The checks of part 11's hidden test on an MLA that a student chose: its factors, and the rows of their product."""

import numpy as np

from attention import factors, mistakes
from grading.bridge.probe import Reason, Tensor
from grading.core import messages
from grading.marking import rubric
from grading.marking.rubric import Verdict

USUAL = {  # by the shapes that the factors have, W_DKV_MLA's first
    ((2, 1), (1, 2)): "factors-exchanged",
    ((2, 2), (2, 2)): "more-than-one-latent",
}
# The bits to which these dtypes round a number, which changes it by 2**-bits at most; all others keep 1e-5.
BITS = {"bfloat16": 8, "float16": 11}


def shapes(W_UM: object, W_DKV: object) -> Verdict:
    """Whether W_UM is (2, 1) and W_DKV is (1, 2)."""
    right = rubric.all_of(
        factors.shaped("W_DKV_MLA", W_DKV, (1, 2)),
        factors.shaped("W_UM_MLA", W_UM, (2, 1)),
    )
    return mistakes.diagnosed(
        right, lambda: USUAL.get(tuple(rubric.shape(factor, rubric.ANY) for factor in (W_DKV, W_UM)))
    )


def is_product(product: object, W_UM: object, W_DKV: object) -> Verdict:
    """Whether product is W_UM @ W_DKV, whatever the shapes are: those have an item of their own.

    The task leaves the dtype open, and with r = 1 each entry is one product, rounded once to the coarsest of the three.
    Whole numbers of a small dtype are not rounded but wrap around, as 100 + 100 does in int8: a product that is not the
    factors' may be what `@` gives for them in their own dtype.
    """
    theirs = factors.product(W_UM, W_DKV)
    missing = next((one for one in (product, W_DKV, W_UM) if isinstance(one, Reason)), None)
    if missing:
        return mistakes.unanswered(missing)
    if theirs is None:
        return factors.no_product(W_UM, W_DKV)
    given = tuple(rubric.array(factor, rubric.ANY) for factor in (W_UM, W_DKV))
    bits = [BITS[dtype] for dtype in map(_dtype, (product, W_UM, W_DKV)) if dtype in BITS]
    rtol = 2.0 ** -min(bits) if bits else 1e-5
    others = [_in_own_dtype(W_UM, W_DKV)]
    if _dtype(product) in BITS and not any(map(np.iscomplexobj, given)):  # autocast rounds the factors, too
        others.append(factors.product(*(_rounded(factor, BITS[_dtype(product)]) for factor in given)))
    for other in others:
        if other is not None and rubric.close(product, other, rtol, kind=rubric.ANY).right:
            theirs = other
    case = mistakes.Case("", product, theirs, given)
    return mistakes.judged([case], mistakes.PRODUCT, rtol, rubric.ANY)


def _in_own_dtype(W_UM: object, W_DKV: object) -> np.ndarray | None:
    """W_UM @ W_DKV, two matrices that fit, in the dtype of whole numbers that both have; None if they have none."""
    left, right = (one.array if isinstance(one, Tensor) else one for one in (W_UM, W_DKV))
    if not all(isinstance(one, np.ndarray) and one.dtype.kind in "iu" for one in (left, right)):
        return None
    return left @ right


def _rounded(matrix: np.ndarray, bits: int) -> np.ndarray:
    """A matrix, each of its numbers rounded to so many bits."""
    fractions, exponents = np.frexp(matrix)
    with np.errstate(over="ignore"):  # the largest numbers of an answer become infinite, which is found out later
        return np.ldexp(np.round(fractions * 2.0**bits), exponents - bits)


def _dtype(matrix: object) -> str:
    """The name of the dtype in which a matrix was computed; "" for what has none."""
    return matrix.dtype if isinstance(matrix, Tensor) else matrix.dtype.name if isinstance(matrix, np.ndarray) else ""


def rows_differ(product: object, W_UM: object, W_DKV: object, shaped: bool) -> Verdict:
    """Whether the rows of product differ, and those of the factors' own product too, if the factors are `shaped` right.

    A product that is not theirs shows nothing.
    """
    verdict = _rows_differ(product)
    if not shaped:
        return verdict
    return rubric.all_of(verdict, _rows_differ(factors.product(W_UM, W_DKV)))


def _rows_differ(matrix: object) -> Verdict:
    """Whether a matrix is (2, 2), finite, and its rows differ by more than rounding does."""
    shape = rubric.same_shape(matrix, (2, 2), kind=rubric.ANY)
    if not shape.right:
        return shape
    rows = rubric.array(matrix, rubric.ANY)
    if not np.isfinite(rows).all():
        return rubric.fact(False, messages.NOT_FINITE)
    if np.abs(rows[0] - rows[1]).max() > 1e-9 * np.abs(rows).max():
        return rubric.fact(True, "")
    return mistakes.wrong("rows-equal" if rows.any() else "product-of-zeros")
