"""The checks of part 9's hidden test on the factors of a stacked matrix: their shapes and their product."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from attention import factors, mistakes, oracles
from attention.oracles import Array
from grading.bridge import probe
from grading.marking import rubric
from grading.marking.rubric import Verdict

Tried = tuple[Verdict, mistakes.Case]


def tried(W: Array, H: int) -> Tried:
    """The verdict on the shapes of the factors that a student gives of W, and the case of their product.

    Shapes  W (G * d, D), H * d = D; the factors (D, G * d) and (G * d, D), the product (D, D).
    """
    rows, D = W.shape
    stacked = oracles.stacked(W, D // rows)  # (D, D): copy after copy, as part 6 has it
    got = probe.call("factor_gqa", W, H)
    where = f"with G = {rows * H // D}, d = {D // H} and H = {H}{factors.sized(W)}"
    if not isinstance(got, (tuple, list)) or len(got) != 2:
        text = got.text if isinstance(got, probe.Reason) else factors.not_two(got, "W_UM and W_DKV")
        # Code that stops at dependent rows alone may have inverted something: there the hint is to the point.
        stops = isinstance(got, probe.Reason) and got.why is probe.Why.RAISED and np.linalg.matrix_rank(W) < rows
        inverted = stops and not isinstance(probe.call("factor_gqa", np.eye(rows, D), H), probe.Reason)
        verdict = Verdict(False, text, no_value=not inverted)
        if rubric.close(got, stacked, kind=rubric.ANY).right:
            verdict = mistakes.wrong("product-returned")
        return verdict, mistakes.Case(where, probe.Reason(probe.Why.MISSING, text), stacked, (W, H))
    each = zip(("W_UM", "W_DKV"), got, ((D, rows), (rows, D)), strict=True)
    shapes = rubric.all_of(*[factors.shaped(*one) for one in each])
    if not shapes.right:
        key, what = mistakes.searched(lambda: _shown(got, W, stacked)) or (None, "")
        verdict = mistakes.wrong(key, what) if key else mistakes.placed(where, shapes)
        return verdict, mistakes.Case(where, None, stacked, (W, H))
    product = factors.product(*got)  # (D, D)
    if product is None:  # a list with more than numbers in it, of the right shape
        return shapes, mistakes.Case(where, got, stacked, (W, H))
    if not stacked.any() and np.abs(product).max() <= factors.SMALL:  # nothing to measure a miss by
        product = stacked
    return shapes, mistakes.Case(where, product, stacked, (W, H))


def _shown(got: Sequence[object], W: Array, stacked: Array) -> tuple[str | None, str]:
    """The usual mistake that two factors show whose shapes are wrong, and in which of them; numbers tell where a factor
    is transposed.
    """
    key = mistakes.shown_by_shapes([rubric.shape(factor, rubric.ANY) for factor in got], W)
    up, down = (rubric.array(factor, rubric.ANY) for factor in got)
    if key is None or up is None or down is None:
        return key, ""

    def gives(left: Array, right: Array) -> bool:
        return rubric.close(factors.product(left, right), stacked, kind=rubric.ANY).right

    if key == "order-swapped" and gives(up.T, down.T):
        return "matrix-transposed", "W_UM, W_DKV"
    beside = np.concatenate([np.eye(len(W))] * (len(stacked) // len(W)), axis=1)  # (rows, D)
    if key == "stacked-side-by-side" and gives(up.T, down) and not np.array_equal(up, beside):
        return "matrix-transposed", "W_UM"
    return key, ""


def products(ordinary: Sequence[Tried], special: Sequence[Tried] = ()) -> Verdict:
    """The verdict on the products of matrices of full rank: that on the shapes, where these are wrong."""
    return factors.beyond(_products([*ordinary, *special]), _products(ordinary).right)


def products_of_deficient(every: Sequence[Tried], ordinary: Sequence[Tried]) -> Verdict:
    """As `products`, of matrices whose rows depend on one another. The item's hint asks what can be 0 in these alone,
    so it is left out where the products of `ordinary` matrices are wrong, too.
    """
    verdict = _products(every)
    return verdict if verdict.right or _products(ordinary).right else replace(verdict, no_value=True)


def _products(every: Sequence[Tried]) -> Verdict:
    shapes, cases = zip(*every, strict=True)
    shaped = rubric.all_of(*shapes)
    if not shaped.right:
        return shaped
    verdict = mistakes.judged(cases, mistakes.FACTORED, kind=rubric.ANY)
    return mistakes.nearly(verdict, [case for case in cases if not factors.sized(case.data[0])])
