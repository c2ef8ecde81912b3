"""The checks of part 13's hidden test on the four matrices; those on the student's own run are in `part13_run`."""

import functools
import json
import math
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from attention import mistakes, oracles
from attention.factors import not_so_many
from attention.oracles import Array
from grading.bridge import probe
from grading.marking import rubric
from grading.marking.rubric import Verdict

WEIGHTS = ("W_DKV", "W_UK", "W_UV", "W_Q", "W_O")
HATS = ("W_K_MLA_hat", "W_V_MLA_hat", "W_Q_MLA_hat", "W_O_MLA_hat")
FULL = (1024, 32, 50)  # D, H and r, the part's own sizes

# Float32 rounds every score by about 1e-3, where scores are in the thousands. An output feels that only where a head's
# two best keys are so close that its softmax is undecided: such a row is off by 1e-4 of its size, and by less than
# 1.5e-3 even if six standard deviations of rounding meet in it; 3 to 6 in 100 rows are like this. So the square of a
# relative error is a mean over rows of bounded terms, (3e-5)**2 in expectation, of which each adds at most 3e-9 at 800
# rows. By Bernstein's inequality it passes BOUND**2, which is 80 times BOUND**2 / 80, with a probability below 1e-30.
# Without the factor sqrt(r/(D/H)) the error is about 2e-3; in TF32 it is 0.035 on an H200, in bfloat16 about 0.1.
BOUND = 5e-4


def weight_shapes(D: int, H: int, r: int) -> dict[str, tuple[int, int]]:
    """The shapes of the five weights, by name."""
    return dict(zip(WEIGHTS, ((r, D), (D, r), (D, r), (D, D), (D, D)), strict=True))


def weights(rng: np.random.Generator, D: int, H: int, r: int, conditioned: bool = True) -> list[Array]:
    """W_DKV, W_UK, W_UV, W_Q, W_O at random; conditioned so that unit inputs give scores and outputs of order 1."""
    shapes, gains = weight_shapes(D, H, r).values(), (1.0, 1.5, 1.0, 1.5, 1.0)
    scales = [g / math.sqrt(s[1]) if conditioned else 1.0 for s, g in zip(shapes, gains, strict=True)]
    return [rng.standard_normal(shape) * scale for shape, scale in zip(shapes, scales, strict=True)]


def vanilla(W: list[Array], x: Array, y: Array, H: int, attend: Callable) -> Array:
    """The vanilla model's output. First y W_DKV^T, then times W_UK^T and W_UV^T: the same, for a tenth of the work."""
    W_DKV, W_UK, W_UV, W_Q, W_O = W
    return attend({"W_Q": W_Q, "W_K": W_UK, "W_V": W_UV, "W_O": W_O}, x, y @ W_DKV.T, H, H)


def relative(got: Array, want: Array) -> float:
    """The root of the mean squared difference over that of the mean square of want; infinite if it is not a number."""
    want = want.astype(np.float64)
    with np.errstate(all="ignore"):
        error = np.sqrt(np.mean((got - want) ** 2) / np.mean(want**2))
    return float(error) if np.isfinite(error) else math.inf


def shaped(got: object, D: int, H: int, r: int) -> Verdict:
    """Whether got is four tensors of real numbers in the shapes asked for."""
    if isinstance(got, probe.Reason):
        return mistakes.unanswered(got)
    if not isinstance(got, (tuple, list)) or len(got) != 4:
        return rubric.fact(False, not_so_many(got, "four tensors"))
    shapes = ((r, D), (r, D), (H * r, D), (D, H * r))
    found = [rubric.shape(one) for one in got]
    if Counter(found) == Counter(shapes) and found[:2] != [(r, D)] * 2:  # Q and O exchanged may be both transposed
        where = f"with D = {D}, H = {H} and r = {r}"
        return rubric.fact(False, f"{where}, the four matrices have the right shapes, but stand in another order.")
    return rubric.all_of(*(_shaped(*one, (D, H, r)) for one in zip(HATS, got, shapes, strict=True)))


def _shaped(name: str, value: object, shape: tuple[int, int], sizes: tuple[int, int, int]) -> Verdict:
    D, H, r = sizes
    verdict = rubric.same_shape(value, shape)
    if verdict.right and value.array.dtype.kind == "c":
        verdict = rubric.fact(False, "the numbers are complex.")

    def usual() -> str | None:
        if rubric.same_shape(value, shape[::-1]).right:
            return "matrix-transposed"
        return "copies-returned" if name in HATS[:2] and rubric.same_shape(value, (H * r, D)).right else None

    verdict = mistakes.placed(f"with D = {D}, H = {H} and r = {r}, in `{name}`", verdict)
    return mistakes.diagnosed(verdict, usual, f"`{name}`")


def equal(tried: list[tuple], rng: np.random.Generator) -> Verdict:
    """Whether the reduced model equals the vanilla one on well-conditioned weights in float64.

    `tried` lists what came back, the five weights, D, H and r. What is wrong is named by a usual mistake that all
    sizes show, or else by the first ones. Scores are of order 1: matrices computed in float32 miss by less than 2e-6 of
    the largest number, a wrong factor by 1 % or more, so that luck decides nothing at the bound of 1e-5.
    """
    verdicts, cases, wrong = [], [], []
    for got, W, D, H, r in tried:
        where = f"with D = {D}, H = {H} and r = {r}"
        verdict, case = shaped(got, D, H, r), mistakes.Case(where, None, np.zeros(0), ())
        x, y = rng.standard_normal((2, 4, D)), rng.standard_normal((2, 5, D))
        if verdict.right:
            case = mistakes.Case(where, _reduced(got, x, y, H), vanilla(W, x, y, H, oracles.gqa), (W, x, y, H))
            verdict = mistakes.placed(where, rubric.close(case.got, case.want, rtol=1e-5, kind=rubric.ANY))
            wrong += [] if verdict.right else [(where, got, W, H)]
        verdicts.append(verdict)
        cases.append(case)
    verdict = mistakes.named(rubric.all_of(*verdicts), cases, mistakes.REDUCED, kind=rubric.ANY)
    if verdict.right or verdict.mistake or not wrong or wrong[0][0] != cases[0].where:
        return verdict
    text = mistakes.searched(lambda: _factor(*wrong[0]))
    return rubric.fact(False, text) if text else verdict


def _factor(where: str, got: tuple, W: list[Array], H: int) -> str | None:
    """By how much every score is off, if all are by the same factor."""
    (W_DKV, W_UK, _, W_Q, _), (K_hat, _, Q_hat, _) = W, [rubric.array(matrix) for matrix in got]
    (r, D), d = W_DKV.shape, len(W_Q) // H
    scores = np.einsum("hda,hdr->har", W_Q.reshape(H, d, D), W_UK.reshape(H, d, r)) @ W_DKV / math.sqrt(d)
    theirs = np.einsum("hra,rb->hab", Q_hat.reshape(H, r, D), K_hat) / math.sqrt(r)
    factor = float((theirs * scores).sum() / (scores * scores).sum())
    same = abs(factor - 1) > 1e-4 and rubric.close(theirs, factor * scores, rtol=1e-5, kind=rubric.ANY).right
    return f"{where} every score is {factor:.4g} times the vanilla one." if same else None


def equal_at_full_size(at_full_size: Callable, rng: np.random.Generator) -> Verdict:
    """The reduced model with a student's float32 matrices against the vanilla one, both in float64, on 4 samples.

    Only the matrices are rounded here, so right ones stay below BOUND by more than a run in float32 does.
    """
    case, H = _full_case(json.dumps(rng.bit_generator.state)), FULL[1]
    got = at_full_size(*[probe.tensor(w) for w in case.W], H)
    verdict = shaped(got, *FULL)
    if not verdict.right:
        return verdict
    error = relative(_reduced(got, case.x, case.y, H), case.want)
    return rubric.fact(error < BOUND, f"the relative error is {error:.1e}.")


class FullCase(NamedTuple):
    """The weights in float32, x, y, and the vanilla model's output."""

    W: list[Array]
    x: Array
    y: Array
    want: Array


@functools.lru_cache(1)  # a quarter of a second, for the same numbers with each answer
def _full_case(state: str) -> FullCase:
    """What a generator in this state draws at full size."""
    rng = np.random.default_rng()
    rng.bit_generator.state = json.loads(state)
    W = [w.astype(np.float32) for w in weights(rng, *FULL, conditioned=False)]
    x, y = rng.standard_normal((4, 100, FULL[0])), rng.standard_normal((4, 300, FULL[0]))
    case = FullCase(W, x, y, vanilla([w.astype(np.float64) for w in W], x, y, FULL[1], oracles.gqa_fast))
    for array in (*W, *case[1:]):
        array.flags.writeable = False
    return case


def _reduced(got: tuple, x: Array, y: Array, H: int) -> Array:
    """The output of an MHA built from a student's four matrices; repeated H times, K and V are those of G = 1."""
    return mistakes.attended([matrix.array for matrix in got], x, y, H)
