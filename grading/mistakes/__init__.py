"""Usual mistakes: a wrong answer whose numbers are those of one is told which.

A hidden test lists its cases, the smallest first, and the table of mistakes that its part knows. Mistakes are computed
only where an answer is wrong. One is named if all that the answer gave is equal to what the mistake gives, and that
is clearly not what was asked; so no right answer is told that it made one.

The verdict comes first. Looking for a mistake can only add words to a wrong one: every search runs inside `searched`,
and one that raises costs its words, never the marks.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import NoneType
from typing import TypeVar

import numpy as np

from grading import budget, limits, messages, rubric, symbols
from grading.mistakes import attention, in_symbols, matrices, reduced
from grading.reasons import Reason, Why
from grading.rubric import TENSOR, Kind, Verdict

T = TypeVar("T")
Usual = Mapping[str, Callable[..., np.ndarray | None]]
CLEARLY = 1e-3  # what a mistake must differ by from what is right, of its largest number, in one case at least
WHEREVER = (Why.MISSING, Why.NOT_CALLABLE, Why.DIED)  # reasons that have nothing to do with a case
# What is seen at once and needs no numbers: by part.
FACTS: dict[int, tuple[str, ...]] = {
    5: ("bias-left-in", "not-a-module", "overwritten-by-another-model", "layers-shared", "layers-made-in-a-call"),
    6: ("copies-add-rank", "copies-lose-rank", "rank-only-bounded"),
    7: (
        "bias-left-in",
        "not-a-module",
        "overwritten-by-another-model",
        "layers-shared",
        "layers-made-in-a-call",
        "heads-not-shared",
        "copies-kept",
        "copies-made-in-a-call",
    ),
    9: ("product-returned", *matrices.SHAPES),
    10: ("full-width", "cut-to-the-rank"),
    11: ("factors-exchanged", "more-than-one-latent", "rows-equal", "product-of-zeros"),
    12: ("matrix-transposed",),
    13: ("matrix-transposed", "copies-returned"),
}
_log = logging.getLogger(__name__)
_log.addHandler(logging.NullHandler())  # text on a cell's stderr would cost marks under stock nbgrader


@dataclass(frozen=True)
class Case:
    """One call of a student's code: where it was, in words; what came back; what should have; on which data."""

    where: str
    got: object
    want: np.ndarray
    data: tuple = ()


def judged(cases: Iterable[Case], usual: Usual, rtol: float = 1e-5, kind: Kind = TENSOR) -> Verdict:
    """Right if every case is; else the mistake that all of them show, or the first wrong case and by how much."""
    cases = list(cases)
    verdicts = [placed(case.where, rubric.close(case.got, case.want, rtol, kind), case.got) for case in cases]
    return named(rubric.all_of(*verdicts), cases, usual, rtol, kind)


def named(verdict: Verdict, cases: Iterable[Case], usual: Usual, rtol: float = 1e-5, kind: Kind = TENSOR) -> Verdict:
    """The verdict; a wrong one names the usual mistake that the cases show, if it is one."""
    return diagnosed(verdict, lambda: shown(cases, usual, rtol, kind))


def told(key: str, where: str = "") -> Verdict:
    """Wrong, by a usual mistake; `where` is what it is in, where several things are judged at once."""
    return diagnosed(Verdict(False, where), lambda: key, where)


def diagnosed(verdict: Verdict, find: Callable[[], str | None], where: str = "") -> Verdict:
    """The verdict; a wrong one in the words of the usual mistake whose key `find` gives, if it gives one."""
    if verdict.right:
        return verdict

    def worded() -> Verdict:
        key = find()
        if not key:
            return verdict
        text = messages.mistake(key)
        return Verdict(False, f"{where}: {text}" if where else text, mistake=key)

    return searched(worded) or verdict


def searched(find: Callable[[], T]) -> T | None:
    """What a search for a mistake gives; None if it raises or takes too long, which the log tells: the mark is found
    without it."""
    try:
        with budget.aside(limits.SEARCH_LIMIT_S):
            return find()
    except (Exception, budget.TooMuch):  # noqa: BLE001  (whatever a table of mistakes does, it does after the mark)
        _log.exception("A search for usual mistakes failed. The marks stand.")
        return None


def shown(cases: Iterable[Case], usual: Usual, rtol: float = 1e-5, kind: Kind = TENSOR) -> str | None:
    """The usual mistake that all cases with a value show, at least one of them clearly; None if there is none."""
    valued = [case for case in cases if not isinstance(case.got, (Reason, NoneType))]
    valued.sort(key=lambda case: rubric.close(case.got, case.want, rtol, kind).right)  # wrong ones tell soonest
    for key, wrong in usual.items():
        clearly = False
        for case in valued:
            numbers = wrong(*case.data)
            if numbers is None or not _close(case.got, numbers, rtol, kind):
                break
            clearly = clearly or differs(numbers, case.want)
        else:
            if clearly:
                return key
    return None


def differs(numbers: np.ndarray, want: np.ndarray) -> bool:
    """Whether what a mistake gives is clearly not what is right."""
    if np.shape(numbers) != np.shape(want):
        return True
    scale = max(np.abs(want).max(initial=0.0), np.abs(numbers).max(initial=0.0))
    return bool(np.abs(numbers - want).max(initial=0.0) > CLEARLY * scale)


def placed(where: str, verdict: Verdict, got: object = None) -> Verdict:
    """The verdict with the case that shows it before what was found, unless it would be so in any case."""
    if verdict.right or not where or (isinstance(got, Reason) and got.why in WHEREVER):
        return verdict
    return replace(verdict, found=f"{where}, {verdict.found}")


def shown_by_shapes(shapes: list[tuple[int, ...]], W: np.ndarray) -> str | None:
    """The usual mistake that the shapes of two factors of W show, of W_UM and W_DKV in this order; None for none."""

    def find() -> str | None:
        rank = int(np.linalg.matrix_rank(W))
        return next((key for key, usual in matrices.SHAPES.items() if list(usual(*W.shape, rank)) == shapes), None)

    return searched(find)


def shape(part: int, name: str, want: tuple[str, ...]) -> Verdict:
    """Right if the student's variable of that name is the shape wanted; a usual mistake in it is named."""
    got = symbols.fetch(name)
    return _in_symbols(partial(symbols.is_shape, got), want, in_symbols.SHAPES[part][name])


def expression(part: int, name: str, want: str, where: dict[str, str] | None = None) -> Verdict:
    """Right if the student's variable of that name has the value wanted; a usual mistake in it is named."""
    got = symbols.fetch(name)
    return _in_symbols(partial(symbols.is_expression, got, where=where), want, in_symbols.EXPRESSIONS[part][name])


def known(part: int) -> dict[str, object]:
    """The usual mistakes of a part: by key, what computes them, or what they are in symbols; None for a fact."""
    tables = TABLES.get(part, ())
    in_names = {**in_symbols.SHAPES, **in_symbols.EXPRESSIONS}.get(part, {})
    found: dict[str, object] = dict.fromkeys(FACTS.get(part, ()))
    for table in (*tables, *in_names.values()):
        found.update(table)
    return found


def _close(got: object, numbers: np.ndarray, rtol: float, kind: Kind) -> bool:
    return bool(np.isfinite(numbers).all()) and rubric.close(got, numbers, rtol, kind).right


def _in_symbols(is_it: Callable[[object], Verdict], want: object, wrong: Mapping[str, object]) -> Verdict:
    return diagnosed(is_it(want), lambda: next((key for key, other in wrong.items() if is_it(other).right), None))


LOGITS, MHA, GQA = attention.LOGITS, attention.MHA, attention.GQA
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
