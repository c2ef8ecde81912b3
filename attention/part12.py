"""The checks of part 12's hidden test: the reduced form's two identities, at random matrices and tokens.

A factor may stand in Q_hat_h, in K_hat or be shared by them, so scores and outputs are compared, never the matrices.
"""

from collections.abc import Iterable

import numpy as np

from attention import mistakes
from attention.oracles import Array
from attention.questions import part12 as questions
from grading.bridge import probe
from grading.marking import rubric
from grading.marking.rubric import Verdict

Tried = tuple[Verdict, mistakes.Case | None]
Shape = tuple[int, int]


def settle(D: int, H: int, r: int) -> None:
    """Makes a test's calls use float32 where the formulas work in float32 alone; must come before all others."""
    d = D // H
    W_DKV, W_UK, W_Q, W_O = (probe.tensor(np.ones(shape)) for shape in ((r, D), (H, d, r), (H, d, D), (H, D, d)))
    probe.settled(lambda: questions.keys_and_queries(W_DKV, W_UK, W_Q, r, D, H))
    probe.settled(lambda: questions.values_and_outputs(W_DKV, W_O, W_UK, H))


def scores_agree(rng: np.random.Generator, D: int, H: int, r: int, dtype: type = np.float64) -> Tried:
    """Identity (1) in every head, for 4 times 5 random tokens. K_hat and Q_hat_h are called, the other two are not.

    Shapes  K_hat (r, D), Q_hat_h (r, D); the scores (H, 4, 5).
    """
    d = D // H
    W_DKV, W_UK, W_Q = rng.normal(size=(r, D)), rng.normal(size=(H, d, r)), rng.normal(size=(H, d, D))
    x, y = rng.normal(size=(4, D)), rng.normal(size=(5, D))
    got = questions.keys_and_queries(*[probe.tensor(W.astype(dtype)) for W in (W_DKV, W_UK, W_Q)], r, D, H)
    verdict = shaped(("K_hat", "Q_hat_h"), got, H, ((r, D), (r, D)))
    if not verdict.right:
        return (mistakes.placed("in float32", verdict, got) if dtype == np.float32 else verdict), None
    want = np.stack([(x @ W_Q[h].T) @ (y @ (W_UK[h] @ W_DKV).T).T for h in range(H)]) / np.sqrt(d)  # (H, 4, 5)
    with np.errstate(all="ignore"):  # infinities of an answer are found out by comparison
        k_hat = y @ rubric.array(got[0]).T  # (5, r)
        scores = np.stack([(x @ rubric.array(block).T) @ k_hat.T for block in got[1]]) / np.sqrt(r)  # (H, 4, 5)
    return agree(scores, want, (W_DKV, W_UK, W_Q, x, y), "every score", D, H, r)


def outputs_agree(rng: np.random.Generator, D: int, H: int, r: int, dtype: type = np.float64) -> Tried:
    """Identity (2) at 4 positions l_1 that read from 5 positions l_2, with weights alpha of our own in every head.

    Shapes  V_hat (r, D), O_hat_h (D, r); the output (4, D).
    """
    d = D // H
    W_DKV, W_UV, W_O = rng.normal(size=(r, D)), rng.normal(size=(H, d, r)), rng.normal(size=(H, D, d))
    y, alpha = rng.normal(size=(5, D)), rng.dirichlet(np.ones(5), size=(H, 4))  # alpha (H, 4, 5)
    got = questions.values_and_outputs(*[probe.tensor(W.astype(dtype)) for W in (W_DKV, W_O, W_UV)], H)
    verdict = shaped(("V_hat", "O_hat_h"), got, H, ((r, D), (D, r)))
    if not verdict.right:
        return (mistakes.placed("in float32", verdict, got) if dtype == np.float32 else verdict), None
    want = sum(alpha[h] @ (y @ (W_UV[h] @ W_DKV).T) @ W_O[h].T for h in range(H))  # (4, D)
    with np.errstate(all="ignore"):  # as above
        v_hat = y @ rubric.array(got[0]).T  # (5, r)
        output = sum(alpha[h] @ v_hat @ rubric.array(block).T for h, block in enumerate(got[1]))  # (4, D)
    return agree(output, want, (W_DKV, W_O, W_UV, y, alpha), "the output", D, H, r)


def identity(tried: Iterable[Tried], usual: dict) -> Verdict:
    """Right if the identity holds at all sizes; else the usual mistake in all, or what the smallest one shows."""
    verdicts, cases = zip(*tried, strict=True)
    verdict = mistakes.named(rubric.all_of(*verdicts), [one for one in cases if one], usual, kind=rubric.ANY)
    return mistakes.nearly(verdict, cases) if None not in cases else verdict


def shaped(names: tuple[str, str], got: object, H: int, shapes: tuple[Shape, Shape]) -> Verdict:
    """Whether got is one matrix for all heads and a list of H, of the two shapes; names are those of the functions."""
    match got:
        case (common, list(blocks)) if len(blocks) == H:
            labels = [names[0]] + [names[1]] * H
            wanted = [shapes[0]] + [shapes[1]] * H
            return rubric.all_of(*[one_shaped(*one) for one in zip(labels, [common, *blocks], wanted, strict=True)])
    if isinstance(got, probe.Reason):
        return mistakes.unanswered(got)
    return rubric.fact(False, "nothing that can be compared came back.")


def one_shaped(name: str, got: object, shape: Shape) -> Verdict:
    """Whether one matrix has its shape; named if it is transposed."""
    if rubric.same_shape(got, shape[::-1]).right and shape != shape[::-1]:
        return mistakes.wrong("matrix-transposed", f"`{name}`")
    return mistakes.placed(f"in `{name}`", rubric.same_shape(got, shape))


def agree(got: Array, want: Array, data: tuple, what: str, D: int, H: int, r: int) -> Tried:
    """Whether two arrays of one shape agree, and the case of that; a verdict tells the factor where there is one.

    `what`: in words, what is compared. `data`: what the tables of usual mistakes are given.
    """
    where = f"with D = {D}, H = {H} and r = {r}"
    verdict = mistakes.placed(where, rubric.close(got, want, rtol=1e-5, kind=rubric.ANY))
    either = [rubric.proportional(sign * got, want, rtol=1e-5, kind=rubric.ANY).right for sign in (1, -1)]
    if not verdict.right and any(either):
        factor = (got * want).sum() / (want * want).sum()
        verdict = rubric.fact(False, f"{where} {what} is {factor:.4g} times the vanilla one.")
    return verdict, mistakes.Case(where, got, want, data)
