"""What became of a student's parts: marks out of the gradebook, and what the tests found out of graded notebooks."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import nbformat
from nbgrader.api import (
    Assignment,
    BaseCell,
    Grade,
    Gradebook,
    Notebook,
    SubmittedAssignment,
    SubmittedNotebook,
)
from sqlalchemy import Row

from grading.core import cells, part_report
from grading.core.course import Course, Part
from grading.submission import in_memory


@dataclass(frozen=True)
class Result:
    """One part of a student's submission; `won` is its mark, the one that every table, page and file shows.

    automatic   points from the tests; None where the tests have not marked the part
    by_hand     points for the written answer; None where nobody has read it
    score       all points in the gradebook, extra credit too
    late        points deducted for lateness
    unread      whether a written answer waits for its grader, be it once more after a second submission
    entered     whether the gradebook knows the part; `here` whether there is a graded notebook of it
    answered    whether that holds a written answer which isn't the release's text
    """

    part: Part
    automatic: float | None = None
    by_hand: float | None = None
    score: float = 0.0
    late: float = 0.0
    unread: bool = False
    entered: bool = False
    here: bool = False
    answered: bool = False
    report: part_report.Report | None = None

    @property
    def mark(self) -> float | None:
        """The part's points so far, less what is deducted for lateness, never below 0; None if it is not marked."""
        return None if self.unmarked else max(0.0, self.score - self.late)

    @property
    def won(self) -> float:
        """The mark; 0 if there is none yet."""
        return self.mark or 0.0

    @property
    def unmarked(self) -> bool:
        """Whether the tests have given no marks, because they failed themselves or never ran."""
        return self.automatic is None

    @property
    def whole(self) -> bool:
        """Whether everything of the part is marked."""
        return not (self.unmarked or self.unread)

    @property
    def lost(self) -> float:
        """The points that the tests did not give."""
        return 0.0 if self.automatic is None else max(0.0, self.part.automatic - self.automatic)


def read(book: Gradebook, course: Course, student: str, graded: Path) -> list[Result]:
    """All parts of a student, from the gradebook and from the graded notebooks in the folder `graded`."""
    found = of_class(book, course, student).get(student) or _results(course, {})
    return [with_report(result, graded) for result in found]


def of_class(book: Gradebook, course: Course, only: str | None = None) -> dict[str, list[Result]]:
    """All parts of each student who submitted anything, or of one, by student id, without reports.

    In two queries: nbgrader's objects take a minute for a large class.
    """
    submitted = book.db.query(SubmittedAssignment.student_id).join(SubmittedAssignment.assignment)
    grades = (
        book.db.query(
            SubmittedAssignment.student_id,
            Notebook.name.label("notebook"),
            BaseCell.name.label("cell"),
            SubmittedNotebook.late_submission_penalty,
            Grade.auto_score,
            Grade.manual_score,
            Grade.score,
            Grade.needs_manual_grade,
        )
        .select_from(Grade)
        .join(Grade.cell)
        .join(SubmittedNotebook, Grade.notebook)
        .join(Notebook, SubmittedNotebook.notebook)
        .join(SubmittedAssignment, SubmittedNotebook.assignment)
        .join(Assignment, SubmittedAssignment.assignment)
    )
    of_ours = [Assignment.name == course.name]
    of_ours += [] if only is None else [SubmittedAssignment.student_id == only]
    students = [student for (student,) in submitted.filter(*of_ours).order_by(SubmittedAssignment.student_id)]
    rows: dict[str, dict[str, list[Row]]] = {student: {} for student in students}
    for row in grades.filter(*of_ours):
        rows[row.student_id].setdefault(row.notebook, []).append(row)
    return {student: _results(course, by_notebook) for student, by_notebook in rows.items()}


def total(found: Iterable[Result]) -> float:
    """The points of several parts together; a part that the tests have not marked adds nothing."""
    return sum(result.won for result in found)


def report_in(path: Path, part: Part) -> part_report.Report | None:
    """What the hidden test of a part found, out of the graded notebook in a file; None if there is no such report."""
    return _found_in(path, part)[0]


def is_answered(path: Path, part: Part) -> bool:
    """Whether the graded notebook in a file holds a part's written answer, and not the release's text."""
    return _found_in(path, part)[1]


def with_report(result: Result, graded: Path) -> Result:
    """The result with what the graded notebook in a folder adds, if it is there."""
    path = graded / f"{result.part.stem}.ipynb"
    if not path.exists():
        return result
    report, answered = _found_in(path, result.part)
    return replace(result, here=True, report=report, answered=answered)


def _found_in(path: Path, part: Part) -> tuple[part_report.Report | None, bool]:
    """The report in the graded notebook in a file, and whether that holds a written answer."""
    answered = False
    try:
        notebook = in_memory.parsed(path)
        answered = any(cells.is_written(notebook, name) for name in part.written)
        found = (cell for cell in notebook["cells"] if cells.name_of(cell) in part.tests)
        return part_report.read(nbformat.from_dict(next(found))), answered
    except (OSError, ValueError, KeyError, TypeError, AttributeError, StopIteration, RecursionError):
        return None, answered


def _results(course: Course, rows: dict[str, list[Row]]) -> list[Result]:
    """All parts; `rows` are the grades of one student by notebook."""
    return [_result(part, rows.get(part.stem, [])) for part in course.parts]


def _result(part: Part, grades: list[Row]) -> Result:
    """One part, from the grades of its cells; without any the gradebook does not know the part."""
    tests = [grade for grade in grades if grade.cell in part.tests]
    written = [grade for grade in grades if grade.cell in part.written]
    tested = bool(grades) and len(tests) == len(part.tests) and all(map(_has_score, tests))
    read = bool(written) and not any(map(_is_open, written))
    return Result(
        part,
        automatic=_together(tests) if tested else None,
        by_hand=_together(written) if read else None,
        score=_together(grades),
        late=max((float(grade.late_submission_penalty or 0.0) for grade in grades), default=0.0),
        unread=bool(grades) and (len(written) < len(part.written) or any(g.needs_manual_grade for g in written)),
        entered=bool(grades),
    )


def _together(grades: list[Row]) -> float:
    return sum((float(grade.score) for grade in grades), 0.0)


def _is_open(grade: Row) -> bool:
    """Whether a grader has yet to give the first points."""
    return grade.needs_manual_grade and not _has_score(grade)


def _has_score(grade: Row) -> bool:
    """Whether tests or a grader have given points, be it 0; nbgrader's `score` is 0 either way."""
    return not (grade.auto_score is None and grade.manual_score is None)
