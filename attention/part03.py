"""The cases of part 3's hidden test: the logits of one query and several keys."""

from dataclasses import replace

import numpy as np

from attention import mistakes, oracles
from attention.questions import single
from grading.bridge import probe
from grading.marking import rubric
from grading.marking.rubric import Verdict


def tried(L_2: int, D_qk: int, seed: int, dtype: type = np.float64) -> mistakes.Case:
    """What the student's function gives for one query and L_2 keys, and what it should give; both (L_2,)."""
    q, K = oracles.one_query(L_2=L_2, D_qk=D_qk, seed=seed)
    K[1::2] *= -1  # every other key is turned round, so that logits of both signs occur
    got = single.value("attention_logits", (q, K), D_qk, dtype=dtype)
    where = f"with D_qk = {D_qk} and L_2 = {L_2}" + (", in float32" if dtype == np.float32 else "")
    return mistakes.Case(where, got, oracles.attention_logits(q, K), (q, K))


def as_vector(case: mistakes.Case) -> mistakes.Case:
    """A case of one key, with its only number in a vector: the shape has an item of its own."""
    number = rubric.array(case.got, rubric.ANY)
    return case if number is None or number.size != 1 else replace(case, got=number.reshape(1))


def wide(seed: int) -> mistakes.Case:
    """As `tried`, for what a model may have: many numbers, large ones, zeros in the query, a key of zeros, and two keys
    that are equal."""
    q, K = oracles.one_query(L_2=20, D_qk=200, seed=seed)
    K *= 30.0 * oracles.draw(seed + 1).choice([-1.0, 1.0], (20, 1))
    K[3], K[5], q[::9] = 0.0, K[4], 0.0
    got = probe.call("attention_logits", probe.tensor(q), probe.tensor(K), 200)
    where = "with D_qk = 200, L_2 = 20, large numbers, zeros in q, a key of zeros and two equal keys"
    return mistakes.Case(where, got, oracles.attention_logits(q, K), (q, K))


def by_one_factor(first: mistakes.Case, second: mistakes.Case) -> Verdict:
    """Whether logits of one query and of another, of the same sizes, are off by the same factor: it may depend on the
    sizes, and on nothing else.

    What is not a multiple of the expected logits at all is not judged here.
    """
    factors = []
    for case in (first, second):
        if not rubric.proportional(case.got, case.want, kind=rubric.ANY).right:
            return rubric.fact(True, "")
        got = rubric.array(case.got, rubric.ANY).real
        factors.append(float((got * case.want).sum() / (case.want * case.want).sum()))
    one, other = factors
    text = f"the factor depends on the query or the keys: {one:.3g} for some, {other:.3g} for others."
    return rubric.fact(abs(one - other) <= 1e-4 * abs(one), text)
