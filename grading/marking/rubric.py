"""Marks: verdicts on what a student's code gave, and the sheet that adds them up, item by item.

A test cell makes one `Sheet`, lists its items, and ends with `sheet.total()`: a Python float from 0 to the cell's
points, the only form that nbgrader reads as partial credit. An outcome is right or wrong; anything that goes wrong
here is raised, and then the part counts as not marked, never as zero.
"""

import contextlib
import math
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum

import numpy as np

from grading.bridge.probe import Reason, Tensor, unanswered
from grading.core import messages
from grading.core.part_report import Line, Report
from grading.marking import shapes


class Kind(Enum):
    """What an array must be: a torch tensor, a NumPy array, or anything that NumPy turns into one."""

    TENSOR = "a torch tensor"
    ARRAY = "a NumPy array"
    ANY = "an array of numbers"


TENSOR, ARRAY, ANY = Kind
KINDS = {TENSOR: Tensor, ARRAY: np.ndarray, ANY: Tensor | np.ndarray | np.generic | bool | int | float | list | tuple}
NUMBERS = "biufc"  # the kinds of dtype that are numbers
MAX_NUMBERS = 2**22  # of an array: 32 MiB in float64


@dataclass(frozen=True)
class Verdict:
    """Whether an item is right; if not, what was found, in words for the student, and the mistake, if it is known.

    `no_value`: there was nothing to judge, so the item's hint would point at something else.
    """

    right: bool
    found: str = ""
    no_value: bool = False
    mistake: str = ""


def array(got: object, kind: Kind = TENSOR) -> np.ndarray | None:
    """What a student's code gave as a NumPy array of numbers, float64 or complex; None if it is no `kind`.

    Only numbers and arrays of numbers make one, at most MAX_NUMBERS: a text in a list would make all entries as long.
    """
    if not isinstance(got, KINDS[kind]):
        return None
    try:
        out = np.asarray(_plain(got, [MAX_NUMBERS]))
    except (ValueError, TypeError, OverflowError):
        return None
    if out.dtype.kind not in NUMBERS:
        return None
    return out if out.dtype.kind == "c" else out.astype(np.float64)


def shape(got: object, kind: Kind = TENSOR) -> tuple[int, ...] | None:
    """The shape of what `array` makes, found without making it where there is an array already; None for no `kind`."""
    if not isinstance(got, KINDS[kind]):
        return None
    made = got.array if isinstance(got, Tensor) else got if isinstance(got, np.ndarray) else array(got, kind)
    return None if made is None or made.dtype.kind not in NUMBERS else made.shape


def same_shape(got: object, want: np.ndarray | tuple[int, ...], kind: Kind = TENSOR) -> Verdict:
    """Right if got is of the kind and has exactly the shape wanted."""
    wanted = want if isinstance(want, tuple) else np.shape(want)
    if isinstance(got, Reason):
        return Verdict(False, got.text, no_value=True)
    found = shape(got, kind)
    if found is None:
        return Verdict(False, messages.wrong_kind(got, kind.value), no_value=True)
    return Verdict(found == wanted, messages.shapes(shapes.shown(found), wanted))


def close(got: object, want: np.ndarray, rtol: float = 1e-5, kind: Kind = TENSOR) -> Verdict:
    """Right if got has the shape of want and misses it nowhere by more than rtol times want's largest magnitude.

    No broadcasting; NaN and infinity are never right, also where they are expected. 1e-5 is what float32 arithmetic
    keeps of a few hundred terms.
    """
    want = _expected(want)
    verdict = same_shape(got, want, kind)
    if not verdict.right:
        return verdict
    values = array(got, kind)
    if not (np.isfinite(values).all() and np.isfinite(want).all()):
        return Verdict(False, messages.NOT_FINITE)
    if want.size == 0:
        return Verdict(True)
    with np.errstate(over="ignore"):
        scale, miss = float(np.abs(want).max()), float(np.abs(values - want).max())
    return Verdict(miss <= rtol * scale, messages.missed(miss, scale))


def proportional(got: object, want: np.ndarray, rtol: float = 1e-5, kind: Kind = TENSOR) -> Verdict:
    """Right if got is a finite, positive factor times want; the opposite sign is wrong, and named.

    Errors  ValueError if want has no number but 0: then the test is at fault.
    """
    want = _expected(want)
    if not want.any():
        raise ValueError("proportional: every number expected is 0")
    verdict = same_shape(got, want, kind)
    if not verdict.right:
        return verdict
    values = array(got, kind)
    if not np.isfinite(values).all():
        return Verdict(False, messages.NOT_FINITE)
    with np.errstate(over="ignore", invalid="ignore"):
        factor = float((values.real * want).sum() / (want * want).sum())
    if not math.isfinite(factor) or factor == 0.0 or not close(got, factor * want, rtol, kind).right:
        return Verdict(False, messages.NOT_PROPORTIONAL)
    return Verdict(factor > 0, messages.NEGATIVE_FACTOR)


def fact(condition: bool, found: str) -> Verdict:
    """Right if the condition holds; `found` is what the student reads if it does not.

    Errors  TypeError for a condition that is neither True nor False.
    """
    if not isinstance(condition, (bool, np.bool_)):
        raise TypeError(f"fact: a condition is True or False, not {type(condition).__name__}")
    return Verdict(bool(condition), found)


def all_of(*verdicts: Verdict) -> Verdict:
    """Right if all are; else the first that is not.

    Errors  ValueError without any.
    """
    if not verdicts:
        raise ValueError("all_of: no verdicts")
    return next((v for v in verdicts if not v.right), verdicts[0])


class Sheet:
    """The items of one part's hidden test; `total` prints the report and gives the marks.

    Where a method raises, the test is at fault, and nothing is marked.
    """

    def __init__(self, part: int, points: int, task: str = "", hints: Mapping[str, str] | None = None) -> None:
        """A part's number, its points, what it asks for, and by item a sentence for whoever loses it."""
        self.part, self.points, self.task, self.hints = part, points, task, hints or {}
        self.breach, self.items, self.unanswered = None, [], unanswered()[0]

    def require(self, breach: object) -> None:
        """Takes the outcome of a rule: None, or the first breach, which costs all points of this sheet.

        Errors  TypeError for anything else.
        """
        if breach is not None and not isinstance(getattr(breach, "text", None), str):
            raise TypeError(f"require: {type(breach).__name__} is not a breach")
        self.breach, self.unanswered = self.breach or breach, unanswered()[0]

    def item(self, points: float, what: str, verdict: Verdict) -> None:
        """Adds an item, all of whose points are won or lost.

        One that rests on questions that nothing answered is lost for that, whatever the missing replies look like.
        Errors  TypeError for what is not a verdict, ValueError for points that are not above 0.
        """
        if not isinstance(verdict, Verdict):
            raise TypeError(f"item {what!r}: {type(verdict).__name__} is not a verdict")
        if not points > 0:
            raise ValueError(f"item {what!r}: {points} is not a number of points")
        before, (self.unanswered, ended) = self.unanswered, unanswered()
        if verdict.right:
            self.items.append(Line(points, points, what))
        elif self.unanswered > before:
            self.items.append(Line(points, 0, what, messages.lost(ended)))
        else:
            hint = "" if verdict.no_value or verdict.mistake else self.hints.get(what, "")
            found = messages.lost(verdict.found, hint)
            self.items.append(Line(points, 0, what, found, verdict.mistake))

    def total(self) -> float:
        """Prints what each item found and returns the marks, a float from 0 to the points.

        Errors  ValueError if the items do not add up to the points.
        """
        if not math.isclose(found := sum(item.points for item in self.items), self.points):
            said = f"part {self.part}: expected items of {self.points:g} points in all, as the course has it"
            raise ValueError(f"{said}, got {found:g}. Change the items, or the part in the course.")
        marks, breach, items = min(float(sum(i.won for i in self.items)), float(self.points)), "", self.items
        if self.breach:
            marks, breach, items = 0.0, self.breach.text, [Line(i.points, 0, i.what) for i in items]
        report = Report(self.part, self.points, marks, tuple(items), breach, task=self.task)
        _reports.get([]).append(report)
        print(report.text())
        return marks


_reports: ContextVar[list[Report]] = ContextVar("reports")


@contextlib.contextmanager
def collected() -> Iterator[list[Report]]:
    """The reports of the sheets that are added up within the block, in their order."""
    before = _reports.set([])
    try:
        yield _reports.get()
    finally:
        _reports.reset(before)


def _expected(want: object) -> np.ndarray:
    numbers = array(want, ANY)
    if numbers is None:
        raise TypeError(f"what is expected is not an array of numbers but {type(want).__name__}")
    return numbers


def _plain(got: object, room: list[int]) -> object:
    """Arrays in place of tensors, in lists and tuples too; TypeError for what is not a number, and for too many."""
    if isinstance(got, (list, tuple)):
        return [_plain(piece, room) for piece in got]
    plain = got.array if isinstance(got, Tensor) else got
    room[0] -= plain.size if isinstance(plain, np.ndarray) else 1
    if not isinstance(plain, bool | int | float | np.ndarray | np.generic) or room[0] < 0:
        raise TypeError("no number, or too many")
    return plain
