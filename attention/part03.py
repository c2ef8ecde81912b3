"""The cases of part 3's hidden test: the logits of one query and several keys."""

from attention import mistakes, oracles
from grading.bridge import probe


def tried(L_2: int, D_qk: int, seed: int) -> mistakes.Case:
    """What the student's function gives for one query and L_2 keys, and what it should give; both (L_2,)."""
    q, K = oracles.one_query(L_2=L_2, D_qk=D_qk, seed=seed)
    K[1::2] *= -1  # every other key is turned round, so that logits of both signs occur
    got = probe.call("attention_logits", probe.tensor(q), probe.tensor(K), D_qk)
    return mistakes.Case(f"with D_qk = {D_qk} and L_2 = {L_2}", got, oracles.attention_logits(q, K), (q, K))
