"""Usual mistakes: where a wrong answer's numbers are those of one, it is named.

A hidden test lists its cases, the smallest first, and the table of mistakes that its part knows. Mistakes are computed
only where an answer is wrong. One is named if all that the answer gave is equal to what the mistake gives, and that
is clearly not what was asked; so no right answer is said to have made one.

The verdict comes first. Looking for a mistake can only add words to a wrong one: every search runs inside `searched`,
and one that raises costs its words, never the marks.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import NoneType
from typing import TypeVar

import numpy as np

from grading.bridge.reasons import Reason, Why
from grading.core import limits
from grading.marking import budget, rubric
from grading.marking.rubric import TENSOR, Kind, Verdict

T = TypeVar("T")
Usual = Mapping[str, Callable[..., np.ndarray | None]]
CLEARLY = 1e-3  # what a mistake must differ by from what is right, of its largest number, in one case at least
BOTH = "+"  # between two mistakes, in the key of what they give together; the first is the one that is counted
WHEREVER = (Why.MISSING, Why.NOT_CALLABLE, Why.UNWRITTEN, Why.DIED)  # reasons that have nothing to do with a case
_log = logging.getLogger(__name__)
_log.addHandler(logging.NullHandler())  # text on a cell's stderr would cost marks under stock nbgrader


@dataclass(frozen=True)
class Case:
    """One call of a student's code: where it was, in words; what came back and what should have; and on which data."""

    where: str
    got: object
    want: np.ndarray
    data: tuple = ()


@dataclass(frozen=True)
class Diagnosis:
    """What a course says of the usual mistakes that it knows: a sentence for each, by the mistake's key."""

    words: Mapping[str, str]

    def judged(self, cases: Iterable[Case], usual: Usual, rtol: float = 1e-5, kind: Kind = TENSOR) -> Verdict:
        """Right if every case is; else the mistake that all of them show, or the first wrong case and by how much."""
        cases = list(cases)
        verdicts = [placed(case.where, rubric.close(case.got, case.want, rtol, kind), case.got) for case in cases]
        return self.named(rubric.all_of(*verdicts), cases, usual, rtol, kind)

    def named(
        self, verdict: Verdict, cases: Iterable[Case], usual: Usual, rtol: float = 1e-5, kind: Kind = TENSOR
    ) -> Verdict:
        """The verdict; a wrong one names the usual mistake that the cases show, if it is one."""
        return self.diagnosed(verdict, lambda: shown(cases, usual, rtol, kind))

    def wrong(self, key: str, where: str = "") -> Verdict:
        """Wrong, by a usual mistake; `where` is what it is in, where several things are judged at once."""
        return self.diagnosed(Verdict(False, where), lambda: key, where)

    def diagnosed(self, verdict: Verdict, find: Callable[[], str | None], where: str = "") -> Verdict:
        """The verdict; a wrong one in the words of the usual mistake whose key `find` gives, if it gives one."""
        if verdict.right:
            return verdict

        def worded() -> Verdict:
            key = find()
            if not key:
                return verdict
            text = " Also: ".join(self.words[one] for one in key.split(BOTH))
            return Verdict(False, f"{where}: {text}" if where else text, mistake=key.partition(BOTH)[0])

        return searched(worded) or verdict

    def of_several(self, is_it: Callable[[object], Verdict], want: object, wrong: Mapping[str, object]) -> Verdict:
        """Whether it is what is wanted; if not, the usual mistake that it is, of those that are distinguished alike."""
        return self.diagnosed(
            is_it(want), lambda: next((key for key, other in wrong.items() if is_it(other).right), None)
        )


def searched(find: Callable[[], T]) -> T | None:
    """What a search for a mistake gives; None if it raises or takes too long, which the log tells: the mark is found
    without it."""
    try:
        with budget.aside(limits.SEARCH_LIMIT_S):
            return find()
    except (Exception, budget.TooMuch):  # noqa: BLE001  (whatever a table of mistakes does, it does after the mark)
        _log.exception("A search for usual mistakes failed. The marks stand.")
        return None


@np.errstate(all="ignore")  # an answer's numbers may be as large as there are any
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
    anywhere = isinstance(got, Reason) and got.why in WHEREVER
    if verdict.right or not where or anywhere:
        return verdict
    return replace(verdict, found=f"{where}, {verdict.found}")


def _close(got: object, numbers: np.ndarray, rtol: float, kind: Kind) -> bool:
    return bool(np.isfinite(numbers).all()) and rubric.close(got, numbers, rtol, kind).right
