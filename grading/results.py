"""What became of one student's parts: marks out of the gradebook, and what the tests found out of the graded notebooks."""

from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry

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


def report_of(notebook: NotebookNode) -> reports.Report | None:
    """What the hidden test of a graded notebook found; None if there is no such report in it."""
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id", "").endswith("-test"):
            return reports.read(cell)
    return None


def _result(part: course.Part, entry: object, path: Path) -> Result:
    here = path.exists()
    report = report_of(nbformat.read(path, as_version=4)) if here else None
    if entry is None:
        return Result(part, here=here, report=report)
    grades = {grade.cell.name: grade for grade in entry.grades}
    test, reasoning = grades.get(f"{part.stem}-test"), grades.get(f"{part.stem}-reasoning")
    return Result(
        part,
        automatic=None if test is None or test.auto_score is test.manual_score is None else float(test.score),
        by_hand=None if reasoning is None or reasoning.needs_manual_grade else float(reasoning.score),
        late=float(entry.late_submission_penalty or 0.0),
        entered=True,
        here=here,
        report=report,
    )
