"""The checks of part 9's hidden test on the factors of a stacked matrix: their shapes and their product."""

from collections.abc import Iterable

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
        key = mistakes.shown_by_shapes([rubric.shape(factor, rubric.ANY) for factor in got], W)
        verdict = mistakes.wrong(key) if key else mistakes.placed(where, shapes)
        return verdict, mistakes.Case(where, None, stacked, (W, H))
    product = factors.product(*got)  # (D, D)
    if product is None:  # a list with more than numbers in it, of the right shape
        return shapes, mistakes.Case(where, got, stacked, (W, H))
    if not stacked.any() and np.abs(product).max() <= factors.SMALL:  # nothing to measure a miss by
        product = stacked
    return shapes, mistakes.Case(where, product, stacked, (W, H))


def products(every: Iterable[Tried]) -> Verdict:
    """The verdict on all products: that on the shapes, where these are wrong."""
    shapes, cases = zip(*every, strict=True)
    shaped = rubric.all_of(*shapes)
    return mistakes.judged(cases, mistakes.FACTORED, kind=rubric.ANY) if shaped.right else shaped
