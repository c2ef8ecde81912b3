"""What parts 5 and 7 ask of a model besides its output: the sizes it keeps, and the weights of its four projections.

Such questions are answered in the student's kernel, so an answer is only believed as far as it holds numbers that the
judge has chosen: sizes are read in a different call from the one that names them, and weights are written in one call
and read in others, after all that may have changed them. SECURITY.md says what remains a claim.
"""

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np

from attention import mistakes, oracles
from attention.questions import models
from grading.bridge import probe
from grading.bridge.reasons import Reason
from grading.marking import rubric
from grading.marking.rubric import Verdict

Sizes = tuple[int, ...]
PROJECTIONS = ("W_Q", "W_K", "W_V", "W_O")
MOST_NUMBERS = 10_000  # of a weight that is written; the largest that is asked for has 336


class Problem(Enum):
    """What can be wrong with a projection, the gravest first."""

    MISSING = "missing"
    NOT_LINEAR = "not linear"
    BIAS = "bias"
    SHARED = "shared"
    NOT_KEPT = "not kept"
    OF_ALL = "of all models"
    MADE = "made in a call"


USUAL = {  # the usual mistake that a problem shows
    Problem.BIAS: "bias-left-in",
    Problem.SHARED: "layers-shared",
    Problem.OF_ALL: "overwritten-by-another-model",
    Problem.MADE: "layers-made-in-a-call",
}
# By what weights are multiplied for one call, in which queries, keys, values or outputs that a model kept are wrong.
CHANGES = {"W_Q": -1.0, "W_K": 0.5, "W_V": 0.5}
REPORTED = {Problem.NOT_LINEAR.value, Problem.BIAS.value, Problem.MADE.value}  # as `questions.models` names them
SAID = {  # of the others
    Problem.MISSING: "is missing",
    Problem.NOT_LINEAR: "is not an nn.Linear",
    Problem.NOT_KEPT: "no longer holds the weight that was written to it",
}


@dataclass(frozen=True)
class Found:
    """What was found of one model: whether it is an nn.Module, of each projection its shape or what is wrong, and which
    of them have a weight that is in none of the model's parameters.
    """

    is_module: bool
    projections: dict[str, Sizes | Problem]
    unknown: tuple[str, ...] = ()


class Model(NamedTuple):
    """What a part asks of its model: the class's name and its attributes."""

    name: str
    attributes: tuple[str, ...]


def settle(model: Model, sizes: Sizes) -> None:
    """Makes a test's calls use float32 where the model runs in float32 but not in float64; must come before any
    other.
    """
    probe.settled(lambda: models.runs(model.name, sizes))


def weight_shapes(D_1: int, D_2: int, D_qk: int, D_v: int, H: int, G: int | None = None) -> dict[str, Sizes]:
    """The shapes of a model's weights, as parts 2 and 4 have them; G heads have the keys and values, or all H."""
    kv = H if G is None else G
    return {"W_Q": (H * D_qk, D_1), "W_K": (kv * D_qk, D_2), "W_V": (kv * D_v, D_2), "W_O": (D_1, H * D_v)}


def sizes_kept(model: Model, cases: list[Sizes], others: Sizes) -> Verdict:
    """Right if each model keeps its sizes while a later one of others exists."""
    found = models.make(model.name, cases, others)
    found = found if isinstance(found, Reason) else models.sizes(model.attributes)
    if isinstance(found, Reason):
        return mistakes.unanswered(found)
    for sizes, kept in zip(cases, _dicts(found, len(cases)), strict=True):
        kept = {name: size for name, size in kept.items() if type(size) is float}
        asked, later = (dict(zip(model.attributes, map(float, one), strict=True)) for one in (sizes, others))
        wrong = [name for name in asked if kept.get(name) != asked[name]]
        if wrong and all(kept.get(name) == later[name] for name in wrong):
            return mistakes.wrong("overwritten-by-another-model", ", ".join(wrong))
        if wrong:
            return rubric.fact(False, f"missing, or not the size that was given: {', '.join(wrong)}.")
    return rubric.fact(True, "")


def projections(model: Model, cases: list[Sizes], others: Sizes, seed: int) -> list[Found] | Reason:
    """What is found of each model.

    Random numbers are written to the weights. They must be there when all are written, when those of a later model are,
    and after a call, unless the layer is still the same: what a call does to a weight is seen in the outputs.
    """
    found = models.make(model.name, cases, others)
    found = found if isinstance(found, Reason) else models.describe(PROJECTIONS, cases, others)
    if isinstance(found, Reason):
        return found
    found = [_described(one) for one in _dicts(found, len(cases))]
    random = oracles.draw(seed)  # whole numbers, which any dtype keeps
    written = [
        {n: random.integers(-8, 9, s).astype(float) for n, s in one.projections.items() if isinstance(s, tuple)}
        for one in found
    ]
    models.write([{name: probe.tensor(weight) for name, weight in weights.items()} for weights in written])
    for problem, do in (
        (Problem.SHARED, lambda: None),
        (Problem.OF_ALL, lambda: models.fill_later(PROJECTIONS)),
        (Problem.MADE, lambda: models.call(cases)),
    ):
        do()
        back = models.read(PROJECTIONS)
        for position, weights in enumerate(written):
            match back:
                case list() if len(back) == len(cases):
                    pair = back[position]
                case _:
                    pair = None
            now, same = pair if isinstance(pair, tuple) and [*map(type, pair)] == [dict, dict] else ({}, {})
            for name, weight in weights.items():
                stays = problem is Problem.MADE and same.get(name) is True
                there = stays or rubric.close(now.get(name), weight).right
                if not there and isinstance(found[position].projections[name], tuple):
                    of_another = any(rubric.close(now.get(name), w[name]).right for w in written if name in w)
                    shared = any(rubric.close(now.get(name), other).right for other in weights.values())
                    kind = Problem.NOT_KEPT if problem is Problem.SHARED and not shared else problem
                    found[position].projections[name] = Problem.OF_ALL if of_another else kind
    return found


def _dicts(found: object, count: int) -> list[dict]:
    """As many mappings as there are models; empty ones for whatever else came back."""
    pieces = found if isinstance(found, list) and len(found) == count else [None] * count
    return [piece if isinstance(piece, dict) else {} for piece in pieces]


def _described(one: dict) -> Found:
    found: dict[str, Sizes | Problem] = {}
    for name in PROJECTIONS:
        match one.get(name):
            case (int(), int()) as shape if all(0 < int(size) <= MOST_NUMBERS for size in shape):
                rows, columns = map(int, shape)  # True is an int too
                found[name] = (rows, columns) if rows * columns <= MOST_NUMBERS else Problem.NOT_LINEAR
            case str(problem) if problem in REPORTED:
                found[name] = Problem(problem)
            case _:
                found[name] = Problem.MISSING
    is_module, named = one.get("model") is True, one.get("unknown")
    unknown = {name for name in named if isinstance(name, str)} if is_module and isinstance(named, list) else set()
    return Found(is_module, found, tuple(name for name in PROJECTIONS if name in unknown))


def differing(found: Found, asked: dict[str, Sizes]) -> list[str]:
    """The projections of one model that are not as they were asked for."""
    return [name for name in asked if found.projections[name] != asked[name]]


def faults(found: Found, asked: dict[str, Sizes]) -> int:
    """How many things are wrong with the projections of one model."""
    return len(differing(found, asked)) + len(found.unknown)


def together(found: Found, verdicts: list[Verdict]) -> Verdict:
    """One verdict on the projections of a model, from all that is wrong with them; right if nothing is."""
    if not found.is_module:
        verdicts = [*verdicts, mistakes.wrong("not-a-module")]
    alone = [name for name in found.unknown if isinstance(found.projections[name], tuple)]  # more is wrong with others
    if alone:
        verdicts = [*verdicts, mistakes.wrong("layers-unknown-to-the-model", ", ".join(alone))]
    return mistakes.together(verdicts or [rubric.fact(True, "")])


def changed(weights: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The weights of a call in which they are changed; shapes as given."""
    return {name: weight * CHANGES.get(name, 1.0) for name, weight in weights.items()}


def weights_now() -> object:
    """What comes back of the weights of the last model that a part prepared.

    To be asked before other models are made: these take its place in the kernel.
    """
    return models.weights_now(PROJECTIONS)


def unchanged(weights: dict[str, np.ndarray], now: object) -> Verdict:
    """Right if calls left in a model what was written there; what can't be read costs nothing.

    Shapes  weights: by name, what was written; `now` what came back of the same.
    """
    now = now if isinstance(now, dict) else {}
    read = {name: weight for name, weight in weights.items() if isinstance(now.get(name), probe.Tensor)}
    changed = [name for name, weight in read.items() if not rubric.close(now[name], weight).right]
    return rubric.fact(not changed, f"a call changes the weight of {', '.join(changed)}.")
