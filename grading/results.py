"""What became of a student's parts: marks out of the gradebook, and what the tests found out of graded notebooks."""

from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.api import (
    Assignment,
    BaseCell,
    Grade,
    Gradebook,
    MissingEntry,
    Notebook,
    SubmittedAssignment,
    SubmittedNotebook,
)

from grading import course, reports


@dataclass(frozen=True)
class Result:
    """One part: points won by the tests and by hand, None where they are not known yet; what is deducted for lateness.

    `entered` is False where the gradebook knows nothing of the part, `here` where there is no graded notebook of it.
    """

    part: course.Part
    automatic: float | None = None
    by_hand: float | None = None
    late: float = 0.0
    entered: bool = False
    here: bool = False
    report: reports.Report | None = None

    @property
    def won(self) -> float:
        """The points so far; what is not marked yet counts for nothing."""
        return max(0.0, (self.automatic or 0.0) + (self.by_hand or 0.0) - self.late)

    @property
    def unread(self) -> bool:
        """Whether a written answer waits for its reader."""
        return self.entered and self.part.by_hand > 0 and self.by_hand is None

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


def read(book: Gradebook, student: str, graded: Path) -> list[Result]:
    """All 14 parts of a student, from the gradebook and from the graded notebooks in the folder `graded`."""
    try:
        submission = book.find_submission(course.ASSIGNMENT, student)
    except MissingEntry:
        return [Result(part) for part in course.PARTS.values()]
    by_name = {notebook.name: notebook for notebook in submission.notebooks}
    return [_result(part, by_name.get(part.stem), graded / f"{part.stem}.ipynb") for part in course.PARTS.values()]


def of_class(book: Gradebook) -> dict[str, list[Result]]:
    """All 14 parts of each student who handed something in, in one question to the gradebook and without reports."""
    found = (
        book.db.query(SubmittedAssignment.student_id, Notebook.name, BaseCell.name, SubmittedNotebook, Grade)
        .select_from(Grade)
        .join(SubmittedNotebook, Grade.notebook_id == SubmittedNotebook.id)
        .join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(Notebook, SubmittedNotebook.notebook_id == Notebook.id)
        .join(BaseCell, Grade.cell_id == BaseCell.id)
        .join(Assignment, SubmittedAssignment.assignment_id == Assignment.id)
        .filter(Assignment.name == course.ASSIGNMENT)
    )
    grades: dict[str, dict[str, Grade]] = {}
    late: dict[tuple[str, str], float] = {}
    for student, notebook, cell, entry, grade in found:
        grades.setdefault(student, {})[cell] = grade
        late[student, notebook] = float(entry.late_submission_penalty or 0.0)
    return {
        student: [
            _marked(part, grades[student], late.get((student, part.stem)), False, None)
            for part in course.PARTS.values()
        ]
        for student in sorted(grades)
    }


def report_of(notebook: NotebookNode) -> reports.Report | None:
    """What the hidden test of a graded notebook found; None if there is no such report in it."""
    return next((reports.read(cell) for cell in notebook.cells if course.is_test(cell)), None)


def _result(part: course.Part, entry: object, path: Path) -> Result:
    here = path.exists()
    report = report_of(nbformat.read(path, as_version=4)) if here else None
    grades = {} if entry is None else {grade.cell.name: grade for grade in entry.grades}
    late = None if entry is None else float(entry.late_submission_penalty or 0.0)
    return _marked(part, grades, late, here, report)


def _marked(
    part: course.Part, grades: dict[str, Grade], late: float | None, here: bool, report: reports.Report | None
) -> Result:
    """A part with its marks; `late` is None where the gradebook knows nothing of it."""
    test, reasoning = grades.get(f"{part.stem}-test"), grades.get(f"{part.stem}-reasoning")
    return Result(
        part,
        automatic=None if test is None or test.auto_score is test.manual_score is None else float(test.score),
        by_hand=None if reasoning is None or reasoning.needs_manual_grade else float(reasoning.score),
        late=late or 0.0,
        entered=late is not None,
        here=here,
        report=report,
    )
