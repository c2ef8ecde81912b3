"""The checks of part 5's hidden test on the student's MyMHA.

What is marked, and what is not. Each item looks at what it names and at nothing else. A missing attribute costs only
its own point if forward does without it. A bias costs the projections; the test does not set it, so it acts as the
model made it: one that changes the output costs the values too, one of zeros, or of the keys alone (it adds the same to
all logits of a query), does not. A projection that is missing or of another shape costs the values, which cannot be
computed then, but not the output's shape, if the model runs as it is. Both are judged in every case: a forward that
fails with a single sample or a single key, or in float32 alone, loses both. A class that is not an nn.Module costs the
projections, and the rest if it can't be called; layers whose weights are not among its parameters cost the projections.
Sizes that a later model overwrites cost the attributes and, where forward uses them, the values; layers that are made
in each call, or that two names or two models share, cost the projections and the values. A model whose second call, or
whose weights, are not what they were after the first costs the values, and so does one that changes weights in its
first call, or its tokens: it is called again with the same two tensors, with other numbers in them, with one tensor for
both, and with other weights.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from attention import mistakes, oracles, structure
from attention.oracles import Array
from attention.questions import part05 as questions
from attention.structure import Found, Problem, Sizes, weight_shapes
from grading.bridge import probe
from grading.marking import rubric
from grading.marking.rubric import Verdict

MODEL = structure.Model("MyMHA", ("D_1", "D_2", "D_qk", "D_v", "H"))
OTHERS = (9, 6, 5, 10, 3)  # the sizes of a model that is made later and must change nothing
CALLS = {  # of a case, in words: which pair of tokens, or what is done with those of the call before
    "": 0,
    ", in a second call with the same two tensors": "again",
    ", in a third call with other tokens": 1,
    ", in a fourth call with the first tokens": 0,
    ", in evaluation mode and without gradients": "evaluated",
    ", once the test has changed the weights": "changed",
    ", in the first call of a model whose weights the test has set": 0,
}
AGAIN = ", in a second call of one model, after one with other B, L_1 and L_2"


class Tried(NamedTuple):
    """One case: the verdict on the output's shape, the cases of its values, and whether the weights stayed as set."""

    shape: Verdict
    values: list[mistakes.Case]
    weights: Verdict


def projections_made(cases: list[Sizes]) -> Verdict:
    """Are the four projections of the right kind and shape, in models of all these sizes?"""
    found = structure.projections(MODEL, cases, OTHERS, seed=590)
    if isinstance(found, probe.Reason):
        return mistakes.unanswered(found)
    every = [(one, weight_shapes(*sizes)) for one, sizes in zip(found, cases, strict=True)]
    return projections_right(*max(every, key=lambda pair: structure.faults(*pair)))


def projections_right(found: Found, asked: dict[str, Sizes]) -> Verdict:
    """Whether what was found of one model's projections is what was asked for; all that share a problem are named."""
    verdicts, wrong = [], structure.differing(found, asked)
    for problem in Problem:
        those = ", ".join(name for name in wrong if found.projections[name] is problem)
        if those and problem in structure.USUAL:
            verdicts.append(mistakes.wrong(structure.USUAL[problem], those))
        elif those:
            verdicts.append(rubric.fact(False, f"what {structure.SAID[problem]}: {those}."))
    if shapes := [name for name in wrong if not isinstance(found.projections[name], Problem)]:
        verdicts.append(rubric.fact(False, f"the weight has the wrong shape: {', '.join(shapes)}."))
    return structure.together(found, verdicts)


def tried(where: str, sizes: Sizes, B: int, L_1: int, L_2: int, seed: int, how: str = "") -> Tried:
    """What a model of these sizes gives, as it was made and then with weights of ours, for several pairs x, y.

    They are one pair twice, another one, the first again, once more in evaluation mode, and with other weights; then
    another model gets it, in its first call. `how` says what is special: "transposed" in memory, "float32" as in a
    student's notebook, or special tokens, as `pairs_of_tokens` has them.

    Shapes  x (B, L_1, D_1), y (B, L_2, D_2), outputs (B, L_1, D_1); `sizes` are D_1, D_2, D_qk, D_v and H.
    """
    D_1, D_2, D_qk, D_v, H = sizes
    dtype = np.float32 if how == "float32" else np.float64
    weights = oracles.mha_weights(D_1, D_2, D_qk, D_v, H, seed=seed + 1)
    pairs = pairs_of_tokens(weights, (B, L_1, L_2), H, seed, how)
    sent = [tuple(probe.tensor(tokens.astype(dtype)) for tokens in pair) for pair in pairs]
    made = questions.as_made(sizes, *sent[0], how)
    if isinstance(made, probe.Reason) and made.why is probe.Why.RAISED:
        where += AGAIN if questions.runs_once(sizes, *sent[0], how) is True else ""
    shape = mistakes.placed(where, rubric.same_shape(made, (B, L_1, D_1)), made)
    given = {name: probe.tensor(weight.astype(dtype)) for name, weight in weights.items()}
    asked = [sent[n] if isinstance(n, int) else n for n in CALLS.values()]
    got, left = questions.outputs(sizes, OTHERS, given, asked, how, structure.CHANGES), None
    match got:
        case (list(outputs), dict(now)) if len(outputs) == len(CALLS):
            got, left = outputs, now
        case str(name) if name in weights:
            text = f"the weight of {name} is missing or has another shape, so it could not be set."
            got = probe.Reason(probe.Why.MISSING, text)
    each = [got] * len(CALLS) if left is None else got
    values = []
    for (call, n), one in zip(CALLS.items(), each, strict=True):
        given = structure.changed(weights) if n == "changed" else weights
        data = (given, *pairs[n if isinstance(n, int) else 0], H)
        values.append(mistakes.Case(where + call, one, oracles.mha(*data), data))  # (B, L_1, D_1)
    return Tried(shape, values, structure.unchanged(weights, left))


def pairs_of_tokens(weights: dict, lengths: Sizes, H: int, seed: int, how: str) -> list[tuple[Array, Array]]:
    """Two pairs of random x (B, L_1, D_1) and y (B, L_2, D_2); `how` says what is special.

    "itself": one array as x and y; "zeros": a last token of x and of y that is all zeros, and two equal tokens of y;
    "large": scores from -50 to 50, in the second pair of one sign for each query.
    """
    random, (B, L_1, L_2) = oracles.draw(seed), lengths
    widths = (weights["W_Q"].shape[1], weights["W_K"].shape[1])
    pairs = [
        (random.standard_normal((B, L_1, widths[0])), random.standard_normal((B, L_2, widths[1]))) for _ in range(2)
    ]
    if how == "itself":
        return [(x, x) for x, _ in pairs]
    if how == "large":
        pairs[1] = oracles.of_one_sign(*pairs[1])
        return [(oracles.with_large_scores(weights, x, y, H, H), y) for x, y in pairs]
    return [oracles.zeros_and_equal_ones(x, y) for x, y in pairs] if how == "zeros" else pairs


def values_right(cases: Iterable[Tried]) -> Verdict:
    """Are all outputs right, and the weights what they were before the calls?"""
    cases = list(cases)
    values = [value for case in cases for value in case.values]
    verdict = mistakes.judged_with_pairs(values, mistakes.MHA, mistakes.MHA_TWICE)
    # The fourth call has the tokens anew: a model that changes them in place gives the same again.
    verdict = mistakes.repeated(verdict, [[case.values[n] for n in (0, 1, 3)] for case in cases])
    return rubric.all_of(verdict, *[case.weights for case in cases])
