"""The cases of part 3's hidden test: the logits of one query and several keys."""

from attention import mistakes, oracles
from grading.bridge import probe
from grading.marking import rubric
from grading.marking.rubric import Verdict


def tried(L_2: int, D_qk: int, seed: int) -> mistakes.Case:
    """What the student's function gives for one query and L_2 keys, and what it should give; both (L_2,)."""
    q, K = oracles.one_query(L_2=L_2, D_qk=D_qk, seed=seed)
    K[1::2] *= -1  # every other key is turned round, so that logits of both signs occur
    got = probe.call("attention_logits", probe.tensor(q), probe.tensor(K), D_qk)
    return mistakes.Case(f"with D_qk = {D_qk} and L_2 = {L_2}", got, oracles.attention_logits(q, K), (q, K))


def wide(seed: int) -> mistakes.Case:
    """As `tried`, for what a model may have: many numbers, large ones, a key of zeros, and two keys that are equal."""
    q, K = oracles.one_query(L_2=20, D_qk=200, seed=seed)
    K *= 30.0 * oracles.draw(seed + 1).choice([-1.0, 1.0], (20, 1))
    K[3], K[5] = 0.0, K[4]
    got = probe.call("attention_logits", probe.tensor(q), probe.tensor(K), 200)
    where = "with D_qk = 200, L_2 = 20, large numbers, a key of zeros and two equal keys"
    return mistakes.Case(where, got, oracles.attention_logits(q, K), (q, K))


def by_one_factor(first: mistakes.Case, second: mistakes.Case, kind: rubric.Kind = rubric.ANY) -> Verdict:
    """Whether logits of one query and of another, of the same sizes, are off by the same factor: it may depend on the
    sizes, and on nothing else.

    What is not a multiple of the expected logits at all is not judged here.
    """
    factors = []
    for case in (first, second):
        if not rubric.proportional(case.got, case.want, kind=kind).right:
            return rubric.fact(True, "")
        got = rubric.array(case.got, kind).real
        factors.append(float((got * case.want).sum() / (case.want * case.want).sum()))
    one, other = factors
    text = f"the factor depends on the query or the keys: {one:.3g} for some, {other:.3g} for others."
    return rubric.fact(abs(one - other) <= 1e-4 * abs(one), text)
