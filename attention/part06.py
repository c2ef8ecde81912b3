"""The checks of part 6's hidden test: the relation of the ranks, and the matrices A and B. Sizes are H, G and d."""

import numpy as np

from attention import mistakes, oracles
from attention.factors import not_two
from grading.bridge import probe
from grading.marking import rubric
from grading.marking.rubric import Verdict

RELATIONS = {  # what may be chosen but is wrong, and the usual mistake that it shows
    ">": "copies-add-rank",
    "<": "copies-lose-rank",
    ">=": "rank-only-bounded",
    "<=": "rank-only-bounded",
}
EXPECTED = 'expected one of the strings "<", "<=", "==", ">=" and ">"'
ONE = probe.Reason(probe.Why.MISSING, "expected two matrices, A and B, got one.")


def equal(claimed: object) -> Verdict:
    """Whether the relation that a student chose is that of equal ranks."""
    if isinstance(claimed, probe.Reason) and claimed.why is not probe.Why.NOT_DATA:
        return Verdict(False, claimed.text, no_value=True)
    if isinstance(claimed, str) and claimed.strip() in RELATIONS:
        return mistakes.wrong(RELATIONS[claimed.strip()])
    if isinstance(claimed, str):
        return rubric.fact(claimed.strip() == "==", f"{EXPECTED}, got another one.")
    return rubric.fact(False, f"{EXPECTED}, got something else.")


def matrices(H: int, G: int, d: int) -> tuple[object, object]:
    """What the answer returns as A and as B; where it is a single matrix, it is the one that it has the shape of."""
    got = probe.call("stack_and_pick", H, G, d)
    if isinstance(got, (tuple, list)) and len(got) == 2:
        return tuple(got)
    single = rubric.array(got, rubric.ANY)
    shapes = ((H * d, G * d), (G * d, H * d))
    if isinstance(got, probe.Reason):
        return got, got
    if single is None or single.shape not in shapes:
        return (probe.Reason(probe.Why.MISSING, not_two(got, "A and B")),) * 2
    return tuple(got if single.shape == shape else ONE for shape in shapes)


def stacks(A: object, H: int, G: int, d: int) -> mistakes.Case:
    """Whether A stacks, as a case: A W is W_tilde for every W, the identity included, so there is one such A.

    Shapes  A (H * d, G * d), as what is wanted.
    """
    where = f"with H = {H}, G = {G} and d = {d}"
    return mistakes.Case(where, A, oracles.stacked(np.eye(G * d), H // G), (H, G, d))


def picks(B: object, H: int, G: int, d: int) -> tuple[Verdict, mistakes.Case]:
    """Whether B picks: B W_tilde is W for every W if it is so for the identity; there are many such B.

    Shapes  B (G * d, H * d); what is compared, B times the stacked identity, (G * d, G * d).
    """
    where, numbers = f"with H = {H}, G = {G} and d = {d}", rubric.array(B, rubric.ANY)
    got = B if numbers is None else mistakes.picked(numbers, H, G, d)
    verdict = rubric.same_shape(B, (G * d, H * d), kind=rubric.ANY)
    if verdict.right:
        verdict = rubric.close(got, np.eye(G * d), kind=rubric.ANY)
    return mistakes.placed(where, verdict, B), mistakes.Case(where, got, np.eye(G * d), (H, G, d))
