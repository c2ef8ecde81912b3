"""The checks of part 10's hidden test on GQA_2_MLA: what it returns, and what it prints of that.

W is a matrix (r, D), of which D / r copies are stacked; `got` is what the function gave for it, and `text` what it
printed. Items are judged each by itself: returned in the other order, the factors lose the order and the product, and
still print a right error.
"""

from collections.abc import Callable, Collection
from dataclasses import replace

import numpy as np

from attention import mistakes, oracles, printed
from attention.factors import NOT_FORMED, SMALL, beyond, no_product, not_two, product, shaped, sized
from attention.oracles import Array
from grading.bridge import probe
from grading.marking import rubric
from grading.marking.rubric import Verdict

Returned = list[tuple[Array, object]]  # W, and what came back
Printed = list[tuple[Array, object, str]]  # the same, and what was printed
NAMES = "W_DKV_MLA and W_UM_MLA"
NOTHING = "nothing was printed."
# What another order of operations may multiply a mean squared error by: one that is nothing but rounding, or any other.
# A mean over the wrong count is off by D or D / r, which of the large matrices are more than SLACK.
SLACK, EXACT = 20.0, 1.001


def stack(W: Array) -> Array:
    """D / r copies of W, (r, D), one below the other: (D, D)."""
    return oracles.stacked(W, W.shape[1] // W.shape[0])


def factors(got: object) -> list[Array] | None:
    """The two returned matrices as arrays of numbers, or None; which of them is which is not looked at."""
    if not isinstance(got, (tuple, list)) or len(got) != 2:
        return None
    pair = [rubric.array(factor, rubric.ANY) for factor in got]
    return pair if all(factor is not None and factor.ndim == 2 for factor in pair) else None


def shapes(W: Array, got: object) -> Verdict:
    """Whether W_DKV_MLA (r, D) and W_UM_MLA (D, r), both numpy, are returned in this order."""
    if not isinstance(got, (tuple, list)) or len(got) != 2:
        return mistakes.unanswered(got) if isinstance(got, probe.Reason) else rubric.fact(False, not_two(got, NAMES))
    r, D = W.shape
    right = rubric.all_of(
        shaped("W_DKV_MLA", got[0], (r, D), kind=rubric.ARRAY),
        shaped("W_UM_MLA", got[1], (D, r), kind=rubric.ARRAY),
    )

    def usual() -> str | None:
        pair = factors(got)
        if not pair or (pair[0].shape, pair[1].shape) == ((r, D), (D, r)):
            return None  # right shapes, of another kind
        key = mistakes.shown_by_shapes([pair[1].shape, pair[0].shape], W)
        return key if key in ("full-width", "cut-to-the-rank") else None

    return mistakes.diagnosed(right, usual)


def rebuilds(W: Array, got: object) -> Verdict:
    """Whether the second matrix, (D, r), times the first, (r, D), is the stacked one, (D, D)."""
    if isinstance(got, probe.Reason):  # code that stops at dependent rows may have inverted something: a hint helps
        inverted = got.why is probe.Why.RAISED and np.linalg.matrix_rank(W) < len(W)
        return Verdict(False, got.text, no_value=not inverted)
    if not isinstance(got, (tuple, list)) or len(got) != 2:
        return rubric.fact(False, NOT_FORMED)
    built = product(got[1], got[0])  # (D, D)
    if built is None:
        return no_product(got[1], got[0])
    if not W.any():  # nothing to measure a miss by
        zeros = built.shape == stack(W).shape and bool(np.abs(built).max() <= SMALL)
        return rubric.fact(zeros, "a matrix of zeros is not rebuilt.")
    where = f"with r = {W.shape[0]} and D = {W.shape[1]}{sized(W)}"
    return mistakes.placed(where, rubric.close(built, stack(W), rtol=1e-5, kind=rubric.ANY))


def rebuild(ordinary: Returned, special: Returned, full: Returned) -> Verdict:
    """Whether all products are the stacked matrices; those of `full` rank show usual mistakes."""
    verdict = in_usual_ways(rubric.all_of(*(rebuilds(*one) for one in ordinary + special)), full)
    pairs = [(W, factors(got)) for W, got in ordinary + special if W.any() and not sized(W)]
    cases = [mistakes.Case("", product(*pair[::-1]) if pair else None, stack(W)) for W, pair in pairs]
    return beyond(mistakes.nearly(verdict, cases), all(rebuilds(*one).right for one in ordinary))


def in_usual_ways(verdict: Verdict, returned: Returned) -> Verdict:
    """The verdict, or the usual mistake that the matrices of full rank show, multiplied in either order."""
    pairs = [(W, factors(got)) for W, got in returned]
    if not all(pair for _, pair in pairs):
        return verdict
    other = (mistakes.Case("", product(*pair), np.zeros((len(W), len(W))), (W,)) for W, pair in pairs)  # (r, r)
    these = (mistakes.Case("", product(*pair[::-1]), stack(W), (W,)) for W, pair in pairs)  # (D, D)
    verdict = mistakes.named(verdict, other, mistakes.SWAPPED, kind=rubric.ANY)
    return mistakes.named(verdict, these, mistakes.REBUILT, kind=rubric.ANY)


def trouble(tried: Printed) -> str | None:
    """Why nothing that was printed can be judged: there was no value, or no text; None if there is some."""
    reason = next((got.text for _, got, _ in tried if isinstance(got, probe.Reason)), None)
    return NOTHING if reason is None and not any(text.strip() for _, _, text in tried) else reason


def shapes_printed(tried: Printed, otherwise: str | None, ends: Printed = ()) -> Verdict:
    """Whether both shapes are in every text, and in none that is about a matrix of another shape.

    `otherwise` is what the student reads if there is another reason. Of `ends`, where r = 1 or r = D, those count that
    give two matrices: a call that fails there has lost the product, and nothing else. For r = D one shape will do.
    """
    ends = [(W, got, text * (1 + (W.shape[0] == W.shape[1]))) for W, got, text in ends if factors(got)]
    tried = [*tried, *ends]
    always = any(prints_shapes(W, None, text) for W, *_ in tried for V, _, text in tried if V.shape != W.shape)
    found = not always and all(prints_shapes(*one) for one in tried)
    return _verdict(found, "the two shapes are not in what the function printed.", otherwise)


def _verdict(right: bool, text: str, otherwise: str | None) -> Verdict:
    """On what was printed; without a value `trouble` says more than the item's hint, which is left out."""
    return replace(rubric.fact(right, otherwise or text), no_value=otherwise not in (None, NOTHING))


def error_printed(tried: Printed, otherwise: str | None, returned: Returned = ()) -> Verdict:
    """Whether the error is in every text, or the usual other error that is; `otherwise` as in shapes_printed.

    A number that all texts have, and that is wrong in one of them, is computed nowhere and counts nowhere. If any call
    gives factors, `returned` included, then 0 is not right in a call that gives none: nothing shows that it is.
    """
    gives = any(factors(got) for _, got in [*returned, *((W, got) for W, got, _ in tried)])
    known = [errors(W, got, gives) for W, got, _ in tried]
    common = set.intersection(*[printed.numbers(text) for *_, text in tried]) if len(tried) > 1 else set()
    fixed = {one for one in common if not all(printed.has_number(one, ranges) for ranges in known)}
    text = (
        "no number in what the function printed is the mean squared error between the stack of copies and the product."
    )
    verdict = _verdict(all(prints_error(*one, fixed, gives) for one in tried), text, otherwise)
    usual = (key for key, size in mistakes.ERRORS.items() if all(prints_usual(*one, size) for one in tried))
    return mistakes.diagnosed(verdict, lambda: next(usual, None))


def prints_shapes(W: Array, got: object, text: str) -> bool:
    """Whether (D, r) and (r, D), or the shapes that were returned instead, stand in the text."""
    pair = factors(got)
    asked = [(W.shape, W.shape[::-1])]
    return printed.has_shapes(text, asked + ([(pair[0].shape, pair[1].shape)] if pair else []))


def prints_error(W: Array, got: object, text: str, but: Collection[str] = (), gives: bool = False) -> bool:
    """Whether the text has a number, none in `but`, that is the factors' mean squared error, to its last digit."""
    return printed.has_number(text, errors(W, got, gives), but=but)


def prints_usual(W: Array, got: object, text: str, error: Callable[[Array, Array], float]) -> bool:
    """Whether the text has a number that is another error of the factors, a function of the product and the matrix."""
    pair = factors(got)
    built = product(pair[1], pair[0]) if pair else None  # (D, D)
    if built is None or built.shape != stack(W).shape:
        return False
    number = float(error(built, stack(W)))  # 1.1: rounding differs a little with the order of operations
    return printed.has_number(text, [(number / 1.1, number * 1.1)], zero=False)


def errors(W: Array, got: object, gives: bool = False) -> list[printed.Range]:
    """The mean squared error of the returned factors: from, to; multiplied in several ways, as rounding differs.

    Where there are no factors, it is at the level of rounding, or 0 in an answer that never `gives` any.
    """
    want, pair = stack(W), factors(got)  # (D, D)
    if pair is None:
        scale = np.abs(W).max() ** 2
        return [(0.0, 0.0)] * (not gives) + [(1e-36 * scale, 1e-28 * scale)]
    ways = [(pair[1], pair[0])]
    if not shapes(W, got).right:  # lost there already: other order or transposed will do
        ways += [(pair[0], pair[1]), (pair[1].T, pair[0].T), (pair[0].T, pair[1].T)]
        ways += [(pair[1].T, pair[0]), (pair[1], pair[0].T)]
    found = []
    for left, right in ways:
        built = product(left, right)
        if built is not None and built.shape == want.shape and np.isfinite(built).all():
            again = [built, (right.T.copy() @ left.T.copy()).T, np.einsum("ij,jk->ik", left, right)]  # (D, D) each
            mses = [float(np.mean(np.abs(want - one) ** 2)) for one in again]
            rounding = max(mses) <= (1e-5 * np.abs(W).max()) ** 2
            slack = SLACK if rounding else EXACT  # rounding depends on the order of operations; more does not
            found.append((min(mses) / slack, max(mses) * slack))
    return found
