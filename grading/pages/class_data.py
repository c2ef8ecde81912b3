"""What a class did, as data: marks by part, what each item earned, the usual mistakes, and what was not graded.

The class report is drawn from it. Read from the gradebook and from the reports that the judge left in autograded/.
"""

import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from grading.core import command_line, errors, names, part_report
from grading.core.course import Course, Part
from grading.gradebook import course_folder, results

WRITTEN = "written answer"
NOT_MARKED = "our grader failed. Grade again."
NOT_ENTERED = "the gradebook knows nothing of this part. Grade again."
NOT_THERE = "no notebook of this part was submitted; 0 points."
NOT_KEPT = "the graded notebook is not in autograded/. Grade again to see what the tests found."
NO_REPORT = "the graded notebook holds no report of the tests. Grade again to see what they found."
NEVER_GRADED = "submitted, but not graded yet."


@dataclass(frozen=True)
class Item:
    """What a part gives points for: an item of its tests, or its written answer, which is marked `by_hand`."""

    part: int
    what: str
    points: float
    by_hand: bool = False


@dataclass(frozen=True)
class Mistake:
    """A usual mistake in a part, by its key; `said` is what its makers read."""

    part: int
    key: str
    said: str = field(compare=False, default="")


@dataclass(frozen=True)
class Student:
    """One student: marks by part (None: not marked), what items earned, mistakes, broken rules; by part what was not
    graded and why; the parts whose written answer nobody has read."""

    name: str
    marks: dict[int, float | None]
    won: dict[Item, float] = field(default_factory=dict)
    mistakes: tuple[Mistake, ...] = ()
    breaches: dict[int, str] = field(default_factory=dict)
    ungraded: dict[int, str] = field(default_factory=dict)
    unread: tuple[int, ...] = ()

    @property
    def total(self) -> float:
        """The marks so far; a part that is not marked counts for nothing yet."""
        return sum(mark for mark in self.marks.values() if mark is not None)

    @property
    def complete(self) -> bool:
        """Whether every part is marked, so that the total can be compared."""
        return all(mark is not None for mark in self.marks.values())


@dataclass(frozen=True)
class ClassResults:
    """All students, by name; those who submitted and are not in the gradebook at all."""

    course: Course
    students: tuple[Student, ...]
    never_graded: tuple[str, ...] = ()

    @cached_property
    def ranked(self) -> list[Student]:
        """The students by their totals, the highest first; equal ones by name."""
        return sorted(self.students, key=lambda s: (-s.total, s.name))

    @cached_property
    def items(self) -> list[Item]:
        """Every item that anybody was marked on, in the order of the parts; in a part as its tests list them."""
        found = dict.fromkeys(item for student in self.students for item in student.won)
        return sorted(found, key=lambda item: (item.part, item.by_hand))

    @cached_property
    def won(self) -> np.ndarray:
        """What each student (row) earned for each item (column); NaN where it was not looked at."""
        rows = [[student.won.get(item, np.nan) for item in self.items] for student in self.students]
        return np.array(rows, dtype=float).reshape(len(self.students), len(self.items))

    def makers(self) -> dict[Mistake, list[str]]:
        """Who made each mistake, the most usual first; one student counts once."""
        out: dict[Mistake, list[str]] = {}
        for student in self.students:
            for mistake in dict.fromkeys(student.mistakes):
                out.setdefault(mistake, []).append(student.name)
        return dict(sorted(out.items(), key=lambda pair: (-len(pair[1]), pair[0].part, pair[0].key)))

    def breakers(self) -> dict[int, list[tuple[str, str]]]:
        """Who broke a rule of which part, and what they read about it."""
        parts = sorted({part for student in self.students for part in student.breaches})
        return {p: [(s.name, s.breaches[p]) for s in self.students if p in s.breaches] for p in parts}

    def not_graded(self) -> list[tuple[str, list[tuple[str, list[int]]]]]:
        """Why something was not graded, most frequent first, and of each reason the students and their parts."""
        out: dict[str, dict[str, list[int]]] = {}
        for student in self.students:
            for part, why in sorted(student.ungraded.items()):
                out.setdefault(why, {}).setdefault(student.name, []).append(part)
        for name in self.never_graded:
            why = names.trouble(name) or NEVER_GRADED
            out.setdefault(why, {})[names.short(name)] = [part.number for part in self.course.parts]
        count = {why: sum(map(len, who.values())) for why, who in out.items()}
        return [(why, list(out[why].items())) for why in sorted(out, key=lambda why: (-count[why], why))]


def read(root: Path) -> ClassResults:
    """What the class in the course folder `root` did so far.

    Errors  CourseError if there is no gradebook, or nothing is graded.
    """
    path = course_folder.gradebook_file(root)
    if path is not None and not path.exists():
        raise errors.CourseError(f"there is no {names.path(path)}. Grade first: {command_line.spelled('grade', root)}.")
    course = course_folder.course(root)
    with course_folder.gradebook(root) as book:
        found = results.of_class(book, course)
    students = tuple(_student(name, course.name, parts, root) for name, parts in found.items())
    if not students:
        where = f" in {names.path(path)}" if path is not None else ""
        raise errors.CourseError(f"nothing is graded{where}. Grade first: {command_line.spelled('grade', root)}.")
    submitted = {folder.parent.name for folder in (root / "submitted").glob(f"*/{course.name}")}
    never = sorted(name for name in submitted - {s.name for s in students} if not name.startswith("."))
    return ClassResults(course, students, tuple(never))


def _student(name: str, assignment: str, found: list[results.Result], root: Path) -> Student:
    marks, won, mistakes, breaches, ungraded, unread = {}, {}, [], {}, {}, []
    for result in found:
        part, number = result.part, result.part.number
        marks[number] = result.mark
        if result.unmarked:
            ungraded[number] = NOT_MARKED if result.entered else NOT_ENTERED
            continue
        if result.unread:
            unread.append(number)
        report, why = _report(root, assignment, name, part)
        if report is None or report.fault:
            ungraded[number] = why or report.fault
            continue
        if report.breach:
            breaches[number] = report.breach
        for item in report.items:
            won[Item(number, item.what, float(item.points))] = 0.0 if report.breach else float(item.won)
            if item.mistake:
                mistakes.append(Mistake(number, item.mistake, item.found))
        if part.by_hand and not result.unread:
            won[Item(number, WRITTEN, float(part.by_hand), by_hand=True)] = result.by_hand
    return Student(name, marks, won, tuple(mistakes), breaches, ungraded, tuple(unread))


def _report(root: Path, assignment: str, student: str, part: Part) -> tuple[part_report.Report | None, str]:
    """What the tests of a part found, or why that is not known."""
    path = root / "autograded" / student / assignment / f"{part.stem}.ipynb"
    if not path.exists():
        submitted = root / "submitted" / student / assignment
        return None, NOT_THERE if _is_missing(submitted, path.name) else NOT_KEPT
    report = results.report_in(path, part)
    return report, "" if report else NO_REPORT


def _is_missing(submitted: Path, name: str) -> bool:
    """Whether a submission is there without a file of this name; False where nobody can tell."""
    try:
        return name not in os.listdir(submitted)
    except OSError:
        return False
