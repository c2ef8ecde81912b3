"""What becomes of a test cell's outcome in the gradebook: marks, or not marked yet because we failed, never 0 for that.

Plugged in by configuration: `SaveMarks` in place of nbgrader's SaveAutoGrades, `put_back_unmarked` after each student.
In a course that was written for nbgrader alone SaveAutoGrades stays, and `ZeroForMissing` comes after it.
"""

from pathlib import Path

from nbformat import NotebookNode
from nbgrader.api import BaseCell, Grade, Gradebook, Notebook, SubmittedNotebook
from nbgrader.preprocessors import NbGraderPreprocessor
from nbgrader.utils import rmtree
from sqlalchemy import select

from grading.core import cells, find_course
from grading.gradebook.preprocessors import SaveAutoGrades, of_student
from grading.submission import in_memory

NO_SCORE = of_student(
    select(Notebook.name, BaseCell.name)
    .select_from(Grade)
    .join(BaseCell, BaseCell.id == Grade.cell_id)
    .join(SubmittedNotebook, SubmittedNotebook.id == Grade.notebook_id)
    .where(Grade.auto_score.is_(None))
)
NOT_MARKED = "NotMarked"  # the name of the one error that a test cell holds which is not marked


class SaveMarks(SaveAutoGrades):
    """nbgrader's SaveAutoGrades, for which a test cell that is not marked is ungraded, not 0.

    Other code cells run in the student's kernel, so that their outputs say nothing of marks.
    """

    def _add_score(self, cell: NotebookNode, resources: dict) -> None:
        if cell.cell_type != "code" or (cells.is_test(cell) and not _failed(cell)):
            super()._add_score(cell, resources)
            return
        grade = self.gradebook.find_grade(
            cell.metadata.nbgrader["grade_id"], self.notebook_id, self.assignment_id, self.student_id
        )
        grade.auto_score, grade.needs_manual_grade = (None, True) if cells.is_test(cell) else (0.0, False)


class ZeroForMissing(NbGraderPreprocessor):
    """Notes 0 points for a test that the student deleted: nbgrader counts none, but notes nothing, as if unmarked."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """Looks for the tests of a notebook in it."""
        what = resources["nbgrader"]
        here = set(map(cells.name_of, nb.cells))
        part = next(p for p in find_course.of(self.config, what["assignment"]).parts if p.stem == what["notebook"])
        with Gradebook(what["db_url"]) as book:
            for name in set(part.tests) - here:
                book.find_grade(name, what["notebook"], what["assignment"], what["student"]).auto_score = 0.0
            book.db.commit()
        return nb, resources


def unmarked(gradebook: Gradebook, assignment: str, student: str) -> list[str]:
    """The parts of a student's submission that wait for a mark because we failed, by notebook name."""
    found = gradebook.db.execute(NO_SCORE, {"assignment": assignment, "student": student})
    return sorted(notebook for notebook, cell in found if cells.role(cell) == "test")


def put_back_unmarked(assignment: str, student: str, notebooks: list[str]) -> None:
    """Removes the graded folder of a student with an unmarked part, so that the next run grades them again.

    nbgrader calls it after each student; the marks of the other parts stay in the gradebook until then.
    """
    for submitted in {Path(path).parent for path in notebooks}:
        graded = submitted.parents[2] / "autograded" / submitted.parent.name / assignment
        found = (cell for path in graded.glob("*.ipynb") for cell in in_memory.parsed(path)["cells"])
        if any(_failed(cell) for cell in found if cells.is_test(cell)):
            rmtree(graded)


def _failed(test: dict) -> bool:
    """Whether a test cell has no marks because of us."""
    return any(output.get("ename") == NOT_MARKED for output in test["outputs"])
