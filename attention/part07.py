"""The checks of part 7's hidden test on the student's MyGQA.

Sizes are D_1, D_2, D_qk, D_v, H and G, in the order in which a MyGQA takes them; lengths are B, L_1 and L_2.
"""

import itertools
import math
from typing import NamedTuple

import numpy as np

from attention import mistakes, oracles, structure
from attention.oracles import Array, tokens
from attention.questions import part07 as questions
from attention.structure import Found, Problem, Sizes, weight_shapes
from grading.bridge import probe
from grading.marking import rubric
from grading.marking.rubric import Verdict

NAMES = ("D_1", "D_2", "D_qk", "D_v", "H", "G")
MODEL = structure.Model("MyGQA", NAMES)
OTHERS = (12, 8, 6, 9, 14, 7)  # the sizes of a model that is made later and must change nothing
Cases = dict[Sizes, Sizes]  # by sizes the lengths of the tokens
IN_FLOAT32 = ", in float32"
# Of the call in which copies of weights are looked for: its values are looked at, too, so that no model can tell it.
# H / G = 32 copies are too many, and B * L_2 is less: a weight repeated for every token does not count, nor are a few
# that steps of a computation hold at once, such as one in another order in memory. There are several samples, and as
# many positions as elsewhere, so that copies for such tokens alone are seen, too.
WATCHED, LENGTHS = (4, 5, 3, 2, 64, 2), (2, 3, 7)
COUNTED = (5, 20, 6, 7, 12, 2)  # of a model whose memory is counted, likewise
SPECIAL = {  # what is special about the first models, and about a way of calling, in words
    0: ", in the first call of a model whose weights the test has set",
    1: IN_FLOAT32,
    "again": ", in a second call with the same two tensors",
    "itself": ", with one and the same tensor as x and y",
    "zeros": ", where the last tokens of x and y are all zeros and two others are alike",
    "large": ", with scores from -50 to 50",
    "evaluated": ", in evaluation mode and without gradients",
    "changed": ", once the test has changed the weights",
}


class Call(NamedTuple):
    """A call of one of the prepared models, by its place; `how` as `questions.part07.outputs` has it."""

    which: int
    x: Array
    y: Array
    how: str = ""


def has_shapes(cases: Cases) -> Verdict:
    """Whether the output of every model, as it was made, has the shape of x; of the last one in float32, too."""
    *_, last = cases
    verdicts = []
    for n, (sizes, dtype) in enumerate([*((sizes, np.float64) for sizes in cases), (last, np.float32)]):
        x, y = (one.astype(dtype) for one in tokens(sizes, cases[sizes], 760 + n))
        output = questions.fresh(sizes, probe.tensor(x), probe.tensor(y))
        where = named(*sizes[4:], x, y) + (IN_FLOAT32 if dtype == np.float32 else "")
        verdicts.append(mistakes.placed(where, rubric.same_shape(output, x), output))
    return rubric.all_of(*verdicts)


def has_projections(cases: Cases) -> Verdict:
    """Whether the four projections are of the right kind and shape, in models of all these sizes."""
    found = structure.projections(MODEL, list(cases), OTHERS, seed=790)
    if isinstance(found, probe.Reason):
        return mistakes.unanswered(found)
    every = zip(found, cases, strict=True)
    return projections_right(*max(every, key=lambda pair: structure.faults(pair[0], weight_shapes(*pair[1]))))


def projections_right(found: Found, sizes: Sizes) -> Verdict:
    """Whether what was found of one model's projections is what its sizes ask for; each kind of mistake is named."""
    H, G = sizes[4:]
    asked, by_mistake, others = weight_shapes(*sizes), {}, []
    wrong = structure.differing(found, asked)
    of_all = {name: (asked[name][0] // G * H, asked[name][1]) for name in ("W_K", "W_V") if H > G}
    alone = all(isinstance(found.projections[name], Problem) for name in wrong if name not in of_all)
    for name in wrong:
        one = found.projections[name]
        if alone and one == of_all.get(name):
            by_mistake.setdefault("heads-not-shared", []).append(name)
        elif one in structure.USUAL:
            by_mistake.setdefault(structure.USUAL[one], []).append(name)
        else:
            said = structure.SAID[one] if isinstance(one, Problem) else f"is of shape {one}"
            others.append(f"{name} {said}")
    verdicts = [mistakes.wrong(key, ", ".join(those)) for key, those in by_mistake.items()]
    if others:
        given = ", ".join(f"{n} = {size}" for n, size in zip(NAMES, sizes, strict=True))
        verdicts.append(rubric.fact(False, f"for {given}, {', '.join(others)}."))
    return structure.together(found, verdicts)


def keeps_no_copies() -> Verdict:
    """Whether a model keeps no copies of a weight, for one key/value head as read by several query heads.

    H/G copies of W_K or W_V are H * D_qk * D_2 or H * D_v * D_2 numbers, H - G for H where W itself is one of them.
    Nothing else that a model may keep grows as such a product. So count for two values of each of the three, and take
    the differences in all three: whatever depends on less than the three of them vanishes, however large it is.
    Bytes are counted, as several numbers may be packed into one; a number right to 1e-5 takes two at least.
    """
    ranges = ((7, 20), (4, 12), (3, 6))  # of D_2, H and the width of a key; a value has one number more
    cases = [(5, D_2, width, width + 1, H, 2) for D_2, H, width in itertools.product(*ranges)]
    kept = questions.bytes_kept(cases)
    if isinstance(kept, probe.Reason):
        return mistakes.unanswered(kept)
    if not isinstance(kept, list) or len(kept) != len(cases) or not all(type(number) is int for number in kept):
        return rubric.fact(False, "what it keeps in memory cannot be counted.")
    signs = [(-1) ** (3 - sum(corner)) for corner in itertools.product((0, 1), repeat=3)]
    grown = sum(sign * number for sign, number in zip(signs, kept, strict=True))
    one_set = math.prod(high - low for low, high in ranges)
    return rubric.fact(True, "") if abs(grown) < one_set else mistakes.wrong("copies-kept")


def makes_no_copies() -> Verdict:
    """Whether a call makes no copies of a weight in memory."""
    given = {name: probe.tensor(weight) for name, weight in watched_weights().items()}
    name = questions.copied(WATCHED, given, *map(probe.tensor, tokens(WATCHED, LENGTHS, 750)))
    if isinstance(name, probe.Reason):
        return mistakes.unanswered(name)
    known = isinstance(name, str) and name in ("W_K", "W_V")
    return mistakes.wrong("copies-made-in-a-call", name) if known else rubric.fact(True, "")


def watched_weights() -> dict[str, Array]:
    """Weights of which the numbers in W_K and W_V are spread evenly, 2 % apart, in any order."""
    rng, weights = oracles.draw(751), oracles.mha_weights(*WATCHED, seed=752)
    spread = {name: 1.02 ** rng.permutation(weights[name].size).reshape(weights[name].shape) for name in ("W_K", "W_V")}
    return weights | spread


def has_values(cases: Cases) -> Verdict:
    """Whether all outputs are right with weights of ours, and the last model's weights what they were before."""
    models, asked = _asked(cases)

    def sent(which: int, array: Array) -> probe.Tensor:
        return probe.tensor(array.astype(np.float32 if which == 1 else np.float64))

    got = questions.prepare(
        [(one, {name: sent(m, weight) for name, weight in weights.items()}) for m, (one, weights) in enumerate(models)]
    )
    if isinstance(got, str) and got in structure.PROJECTIONS:
        text = f"{got} takes no weight of the right shape, so there are no values to compare."
        got = probe.Reason(probe.Why.MISSING, text)
    if not isinstance(got, probe.Reason):
        got = questions.outputs([(m, sent(m, x), sent(m, y), how) for m, x, y, how in asked], structure.CHANGES)
    if isinstance(got, probe.Reason):
        return mistakes.unanswered(got)
    if not isinstance(got, list) or len(got) != len(asked):
        return rubric.fact(False, "it gives no tensors.")
    compared = []
    for output, (m, x, y, how) in zip(got, asked, strict=True):
        (*_, H, G), weights = models[m]
        data = (structure.changed(weights) if how == "changed" else weights, x, y, H, G)
        where = named(H, G, x, y) + SPECIAL.get(m, SPECIAL.get(how, ""))
        compared.append(mistakes.Case(where, output, oracles.gqa(*data), data))
    verdict = mistakes.judged_with_pairs(compared, mistakes.GQA, mistakes.GQA_TWICE)
    again = next(call for call in asked if call.how == "again")
    alike = [n for n, call in enumerate(asked) if call.x is again.x and call.how in ("", "again")]
    verdict = mistakes.repeated(verdict, [[compared[n] for n in alike]])
    return structure.unchanged(models[-1][1], structure.weights_now()) if verdict.right else verdict


def _asked(cases: Cases) -> tuple[list[tuple[Sizes, dict[str, Array]]], list[Call]]:
    """The models whose values are looked at, by sizes and weights, and how each of them is called.

    All models exist side by side; each is called on tokens of its sizes, the last again and again, with others. Two
    more, of the last one's sizes, are first called when their weights are set, the second of them in float32. Two
    others are such as those in which copies are looked for.
    """
    *_, (sizes, lengths) = cases.items()
    every = [sizes, sizes, WATCHED, COUNTED, *cases]
    models = [(one, oracles.mha_weights(*one, seed=700 + n)) for n, one in enumerate(every)]
    models[2] = WATCHED, watched_weights()
    asked = [Call(n, *tokens(*case, 720 + n)) for n, case in enumerate(cases.items(), start=4)]
    n, x, y, _ = asked[-1]
    alike = [(m, *lengths) for m, (one, lengths) in enumerate(cases.items(), start=4) if one[0] == one[1]]
    asked += [Call(n, *tokens(sizes, (1, 3, 4), 740)), Call(n, *tokens(sizes, (3, 2, 5), 741), "strided")]
    # Other tokens of the first size, the first again, twice: what a model keeps of a call serves it badly in the next.
    asked += [Call(n, *tokens(sizes, lengths, 742)), Call(n, x, y), Call(n, x, y, "again")]
    asked += [Call(m, *[tokens(models[m][0], (B, L_1, 1), 744)[0]] * 2, "itself") for m, B, L_1, _ in alike]
    asked += [Call(n, x, y, "evaluated"), Call(n, x, y), Call(n, x, y, "changed")]
    asked += [Call(n, *oracles.zeros_and_equal_ones(x, y), "zeros")]
    m, x, y, _ = max(asked, key=lambda call: call.y.shape[1])
    asked += [Call(m, large(models[m], *pair), pair[1], "large") for pair in ((x, y), oracles.of_one_sign(x, y))]
    asked += [Call(0, *tokens(sizes, lengths, 743)), Call(1, *tokens(sizes, lengths, 745))]
    asked += [Call(2, *tokens(WATCHED, LENGTHS, 750), how) for how in ("", "evaluated")]
    asked += [Call(3, *tokens(COUNTED, LENGTHS, 753))]
    return models, asked


def large(model: tuple[Sizes, dict], x: Array, y: Array) -> Array:
    """x times a number with which scores reach 50; a model is its sizes and its weights."""
    (*_, H, G), weights = model
    return oracles.with_large_scores(weights, x, y, H, G)


def named(H: int, G: int, x: Array, y: Array) -> str:
    """A case in words; x (B, L_1, D_1), y (B, L_2, D_2)."""
    (B, L_1, _), L_2 = x.shape, y.shape[1]
    return f"with H = {H}, G = {G}, B = {B}, L_1 = {L_1} and L_2 = {L_2}"
