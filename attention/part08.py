"""The check of part 8's hidden test: which key/value head each query head reads."""

from enum import Enum

import numpy as np

from attention import mistakes
from attention.questions import part08 as questions
from grading.bridge import probe
from grading.marking import rubric
from grading.marking.rubric import Verdict


class Odd(Enum):
    """What an answer can give in place of a number, as `questions.part08` names it."""

    TEXT = "text"
    NOTHING = "nothing"
    LIST = "list"
    LETTERS = "letters"
    NO_NUMBER = "no number"


SAID = {
    Odd.TEXT: "a text",
    Odd.NOTHING: "None (is a `return` missing?)",
    Odd.LIST: "a list or a tuple",
    Odd.LETTERS: "an expression in letters",
    Odd.NO_NUMBER: "something else",
}


def reads_the_right_heads(sizes: list[tuple[int, int]], others: list[tuple[int, int]] = ()) -> Verdict:
    """Whether kv_head is right for every query head of models with these H and G, and for `others`, pairs of h and G; a
    usual mistake in it is named."""
    pairs = [*((h, G) for H, G in sizes for h in range(H)), *others]
    want = [next(g for g in range(G) if (h - g) % G == 0) for h, G in pairs]
    got = questions.heads(pairs)
    if isinstance(got, probe.Reason):
        return mistakes.unanswered(got)
    if not isinstance(got, list) or len(got) != len(want):
        return rubric.fact(False, "it gives no numbers.")
    odd = [head for head in got if type(head) is not float]
    if odd:
        kind = next((kind for kind in Odd if isinstance(odd[0], str) and odd[0] == kind.value), Odd.NO_NUMBER)
        return Verdict(False, f"expected a number, got {SAID[kind]}.", no_value=True)
    # Rounding is no mistake.
    wrong = [pair for pair, head, right in zip(pairs, got, want, strict=True) if not abs(head - right) <= 1e-5]
    such = "such as h = {} and G = {}".format(*wrong[0]) if wrong else ""
    verdict = rubric.fact(not wrong, f"it is wrong for {len(wrong)} of {len(want)} pairs of h and G, {such}.")
    case = mistakes.Case("", np.array(got), np.array(want), tuple(np.array(pairs).T))
    return mistakes.named(verdict, [case], mistakes.HEADS, kind=rubric.ANY)
