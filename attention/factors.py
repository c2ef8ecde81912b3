"""Products of factors that a student chose: parts 9 to 11.

Two thin matrices of some kilobytes have a product of any size: (n, 1) times (1, n) has n * n entries. So nothing but
`product` multiplies matrices of which a student chose both.
"""

from dataclasses import replace

import numpy as np

from grading.bridge.reasons import Reason
from grading.core import messages
from grading.marking import rubric
from grading.marking.rubric import Kind, Verdict

MAX_PRODUCT = 10**5  # entries; the largest product that is asked for has 96 times 96
FEW = 10  # of more pieces their number is not said
SMALL = 1e-9  # what a factorisation of zeros may miss them by: of the other matrices' entries, which are of order 1
NOT_FORMED = "`W_UM_MLA @ W_DKV_MLA` cannot be formed from the two factors."
NO_MATRICES = "the factors are not matrices, with two axes each, so their product is none either."
BEYOND = (
    "Random matrices of ordinary size come out right. What does your construction take for granted:"
    " does it invert, divide by, pick out or cut off something?"
)
TOO_LARGE = "the product of the two factors would be far larger than the task asks for, so it was not formed."


def product(left: object, right: object) -> np.ndarray | None:
    """left @ right; None if these are not two matrices of numbers that fit, or if it had more than MAX_PRODUCT entries.

    The inner size is bounded by what a reply may hold, so that this takes milliseconds.
    """
    if not fit(left, right) or not small(left, right):
        return None
    factors = [rubric.array(factor, rubric.ANY) for factor in (left, right)]
    if any(factor is None for factor in factors):
        return None
    with np.errstate(all="ignore"):  # infinities of an answer are found out by comparison
        return factors[0] @ factors[1]


def no_product(left: object, right: object) -> Verdict:
    """The verdict on a product that `product` has not formed: why."""
    shapes = [rubric.shape(factor, rubric.ANY) for factor in (left, right)]
    if None not in shapes and [*map(len, shapes)] != [2, 2]:
        return Verdict(False, NO_MATRICES, no_value=True)
    return Verdict(False, TOO_LARGE if fit(left, right) else NOT_FORMED)


def beyond(verdict: Verdict, ordinary: bool) -> Verdict:
    """The verdict; a wrong one that names no mistake asks what `ordinary` matrices have and others lack, if these are
    right. Then the item's hint, which would ask for what they show, is left out.
    """
    if verdict.right or verdict.mistake or verdict.no_value or not ordinary:
        return verdict
    return replace(verdict, found=f"{verdict.found} {BEYOND}", no_value=True)


def sized(W: np.ndarray) -> str:
    """In words, how large the entries of a matrix are where that is special: what works for 1 may cut off 1e-18."""
    largest = float(np.abs(W).max())
    return f", and entries of about {largest:.0e}" if largest and not 1e-3 < largest < 1e3 else ""


def not_two(got: object, names: str) -> str:
    """What a student reads who returned something else than two matrices of these names."""
    return not_so_many(got, f"two matrices, {names}")


def not_so_many(got: object, asked: str) -> str:
    """What a student reads who returned something else than the pieces asked for, in words."""
    if not isinstance(got, (tuple, list)):
        return messages.wrong_kind(got, asked)
    return f"expected {asked}, got a {type(got).__name__} of {len(got) if len(got) < FEW else 'more'}."


def shaped(name: str, got: object, shape: tuple[int, int], kind: Kind = rubric.ANY) -> Verdict:
    """Whether one of the factors has its shape; if not, the verdict says which of them."""
    verdict = rubric.same_shape(got, shape, kind)
    named = verdict.right or isinstance(got, Reason)  # which names what is not there
    return verdict if named else replace(verdict, found=f"{name}: {verdict.found}")


def fit(left: object, right: object) -> bool:
    """Whether these are two matrices of numbers, the first as wide as the second is high."""
    shapes = [rubric.shape(factor, rubric.ANY) for factor in (left, right)]
    return None not in shapes and [*map(len, shapes)] == [2, 2] and shapes[0][1] == shapes[1][0]


def small(left: object, right: object) -> bool:
    """Whether the product of two matrices that fit has at most MAX_PRODUCT entries."""
    return rubric.shape(left, rubric.ANY)[0] * rubric.shape(right, rubric.ANY)[1] <= MAX_PRODUCT
