"""The usual mistakes of this course: tables of what each gives, and what the student reads about it.

`grading.marking.diagnosis` finds them; a hidden test reaches both through this module.
"""

import itertools
from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import numpy as np

from attention.course import COURSE
from attention.mistakes import attention, in_symbols, matrices, pairs, reduced
from attention.mistakes.sentences import MISTAKES
from grading.bridge.probe import Reason
from grading.marking import expressions
from grading.marking.diagnosis import (  # noqa: F401  (for hidden tests)
    Case,
    Diagnosis,
    Usual,
    differs,
    placed,
    searched,
    shown,
)
from grading.marking.rubric import ANY, Verdict, all_of, array, close

OF_PROJECTIONS = (
    "bias-left-in",
    "not-a-module",
    "overwritten-by-another-model",
    "layers-shared",
    "layers-unknown-to-the-model",
    "layers-made-in-a-call",
)
AGAIN = "other-in-each-call"
NOT_EXACT, NEARLY = "not-exact", 0.01  # and what the numbers miss at most then, of the largest one
# What is seen at once and needs no numbers: by part.
FACTS: dict[int, tuple[str, ...]] = {
    5: (*OF_PROJECTIONS, AGAIN),
    6: ("copies-add-rank", "copies-lose-rank", "rank-only-bounded"),
    7: (*OF_PROJECTIONS, AGAIN, "heads-not-shared", "copies-kept", "copies-made-in-a-call"),
    9: ("product-returned", "matrix-transposed", NOT_EXACT, *matrices.SHAPES),
    10: ("full-width", "cut-to-the-rank", NOT_EXACT),
    11: ("factors-exchanged", "more-than-one-latent", "rows-equal", "product-of-zeros"),
    12: ("matrix-transposed", NOT_EXACT),
    13: ("matrix-transposed", "copies-returned"),
}
DIAGNOSIS = Diagnosis(MISTAKES)
judged, named, wrong, diagnosed = DIAGNOSIS.judged, DIAGNOSIS.named, DIAGNOSIS.wrong, DIAGNOSIS.diagnosed


def unanswered(reason: Reason) -> Verdict:
    """The verdict where a student's code gave no value: why, and no hint, which would point at something else."""
    return Verdict(False, reason.text, no_value=True)


def shown_by_shapes(shapes: list[tuple[int, ...]], W: np.ndarray) -> str | None:
    """The usual mistake that the shapes of two factors of W show, of W_UM and W_DKV in this order; None for none."""

    def find() -> str | None:
        rank = int(np.linalg.matrix_rank(W))
        return next((key for key, usual in matrices.SHAPES.items() if list(usual(*W.shape, rank)) == shapes), None)

    return searched(find)


def shape(part: int, name: str, want: tuple[str, ...]) -> Verdict:
    """Right if the student's variable of that name is the shape wanted; a usual mistake in it is named."""
    got = expressions.fetch(name)
    return DIAGNOSIS.of_several(
        partial(expressions.is_shape, got, symbols=COURSE.symbols), want, in_symbols.SHAPES[part][name]
    )


def shapes(part: int, **wanted: tuple[str, ...]) -> Verdict:
    """As `shape`, of several variables: what is found says which are wrong in which way; of those that are not there it
    names the first.
    """
    alike: dict[Verdict, list[str]] = {}
    for name, want in wanted.items():
        verdict = shape(part, name, want)
        if not verdict.no_value or not any(other.no_value for other in alike):
            alike.setdefault(verdict, []).append(f"`{name}`")
    return together(
        [
            verdict
            if verdict.right or verdict.no_value
            else replace(verdict, found=f"{', '.join(of)}: {verdict.found}")
            for verdict, of in alike.items()
        ]
    )


def judged_with_pairs(cases: list[Case], usual: Usual, twice: Usual) -> Verdict:
    """As `judged`; where no single mistake explains wrong numbers, two at once are looked for."""
    verdict = judged(cases, usual)
    return verdict if verdict.right or verdict.mistake else named(verdict, cases, twice)


def repeated(verdict: Verdict, groups: Iterable[list[Case]]) -> Verdict:
    """The verdict; a wrong one that names no mistake says so if calls with the same tokens, those of a group, all gave
    clearly different numbers, none of them right: where some are right, or agree, their case tells more.
    """

    def find() -> str | None:
        found = [[array(case.got) for case in group] + [group[0].want] for group in groups]
        shaped = [each for each in found if {np.shape(one) for one in each} == {each[-1].shape}]
        finite = [each for each in shaped if np.isfinite(each).all()]
        return AGAIN if any(all(differs(*two) for two in itertools.combinations(each, 2)) for each in finite) else None

    return verdict if verdict.mistake else diagnosed(verdict, find)


def nearly(verdict: Verdict, cases: Iterable[Case]) -> Verdict:
    """The verdict; a wrong one that names no mistake says so if the numbers of all cases, of which one at least is
    wrong, are in their places, and only not exact.
    """

    def find() -> str | None:
        every = list(cases)
        near = all(close(case.got, case.want, NEARLY, ANY).right for case in every)
        return NOT_EXACT if near and not all(close(case.got, case.want, kind=ANY).right for case in every) else None

    return verdict if verdict.mistake else diagnosed(verdict, find)


def together(verdicts: list[Verdict]) -> Verdict:
    """Right if all are; else one verdict with what each wrong one found. The first mistake that is known is counted."""
    wrong = [verdict for verdict in verdicts if not verdict.right]
    if len(wrong) < 2:
        return all_of(*verdicts)
    mistake = next((verdict.mistake for verdict in wrong if verdict.mistake), "")
    found = " Also: ".join(dict.fromkeys(verdict.found for verdict in wrong))
    return Verdict(False, found, all(verdict.no_value for verdict in wrong), mistake)


def expression(part: int, name: str, want: str, where: dict[str, str] | None = None) -> Verdict:
    """Right if the student's variable of that name has the value wanted; a usual mistake in it is named."""
    got = expressions.fetch(name)
    return DIAGNOSIS.of_several(
        partial(expressions.is_expression, got, symbols=COURSE.symbols, where=where),
        want,
        in_symbols.EXPRESSIONS[part][name],
    )


def known(part: int) -> dict[str, object]:
    """The usual mistakes of a part: by key, what computes them, or what they are in symbols; None for a fact."""
    tables = TABLES.get(part, ())
    in_names = {**in_symbols.SHAPES, **in_symbols.EXPRESSIONS}.get(part, {})
    found: dict[str, object] = dict.fromkeys(FACTS.get(part, ()))
    for table in (*tables, *in_names.values()):
        found.update(table)
    return found


LOGITS, MHA, GQA = attention.LOGITS, attention.MHA, attention.GQA
MHA_TWICE, GQA_TWICE = pairs.MHA, pairs.GQA  # two mistakes at once
PROJECTED, STACKS, PICKS, HEADS = matrices.PROJECTED, matrices.STACKS, matrices.PICKS, matrices.HEADS
FACTORED, REBUILT, SWAPPED = matrices.FACTORED, matrices.REBUILT, matrices.SWAPPED
ERRORS, PRODUCT = matrices.ERRORS, matrices.PRODUCT
SCORES, OUTPUTS, REDUCED = reduced.SCORES, reduced.OUTPUTS, reduced.REDUCED
RUN_ERRORS, RUN_COPIES = reduced.RUN_ERRORS, reduced.RUN_COPIES
attended, picked = reduced.attended, matrices.picked
TABLES: dict[int, tuple[Usual, ...]] = {
    2: (PROJECTED,),
    3: (LOGITS,),
    5: (MHA,),
    6: (STACKS, PICKS),
    7: (GQA,),
    8: (HEADS,),
    9: (FACTORED,),
    10: (REBUILT, SWAPPED, ERRORS),
    11: (PRODUCT,),
    12: (SCORES, OUTPUTS),
    13: (REDUCED, RUN_ERRORS, RUN_COPIES),
}
