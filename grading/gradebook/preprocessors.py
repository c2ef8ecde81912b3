"""nbgrader's preprocessors that ask the gradebook for one thing after another, here with one query for a notebook.

`OverwriteCells` and `AssignLatePenalties` are plugged in by configuration: the one puts in the released cells, hidden
tests included, the other takes points off what was late. `judge.save_marks` builds on `SaveAutoGrades`.
"""

from typing import TypeVar

from nbformat import NotebookNode
from nbgrader import preprocessors
from nbgrader.api import (
    Assignment,
    BaseCell,
    Comment,
    Grade,
    Gradebook,
    MissingEntry,
    Notebook,
    SourceCell,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.preprocessors import NbGraderPreprocessor

Held = TypeVar("Held")


class OverwriteCells(preprocessors.OverwriteCells):
    """nbgrader's OverwriteCells for a clean copy, in which no cell is missing."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """Puts in the cells of one notebook.

        Errors  nbgrader's MissingEntry if the gradebook does not know the notebook.
        """
        what = resources["nbgrader"]
        self.notebook_id, self.assignment_id = what["notebook"], what["assignment"]
        with Gradebook(what["db_url"]) as book:
            self.gradebook = Cells(book.find_notebook(self.notebook_id, self.assignment_id))
            return NbGraderPreprocessor.preprocess(self, nb, resources)


class Cells:
    """The released cells of a notebook; answers what nbgrader asks a gradebook about them."""

    def __init__(self, released: Notebook) -> None:
        self._source = {cell.name: cell for cell in released.source_cells}
        self._graded = {cell.name: cell for cell in [*released.grade_cells, *released.task_cells]}

    def find_source_cell(self, name: str, *_: str) -> SourceCell:
        """A cell's released text. Errors  MissingEntry if none has the name."""
        return _found(self._source, name)

    def find_graded_cell(self, name: str, *_: str) -> BaseCell:
        """A cell with points. Errors  MissingEntry if none has the name."""
        return _found(self._graded, name)


class SaveAutoGrades(preprocessors.SaveAutoGrades):
    """nbgrader's SaveAutoGrades, but it saves all of a notebook at once or, if anything fails, nothing."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """Saves the scores of one notebook.

        Errors  nbgrader's MissingEntry if the gradebook knows no such submission, or not one of its cells.
        """
        what = resources["nbgrader"]
        self.notebook_id, self.assignment_id, self.student_id = what["notebook"], what["assignment"], what["student"]
        with Gradebook(what["db_url"]) as book:
            submitted = book.find_submission_notebook(self.notebook_id, self.assignment_id, self.student_id)
            self.gradebook = Submitted(book, submitted)
            nb, resources = NbGraderPreprocessor.preprocess(self, nb, resources)
            book.db.commit()
        return nb, resources


class Submitted:
    """What a gradebook holds of a submitted notebook; answers what SaveAutoGrades asks about it."""

    def __init__(self, book: Gradebook, submitted: SubmittedNotebook) -> None:
        self.db = self
        self._grades, self._comments = (
            dict(
                book.db.query(BaseCell.name, kind)
                .join(kind, kind.cell_id == BaseCell.id)
                .filter(kind.notebook_id == submitted.id)
                .all()
            )
            for kind in (Grade, Comment)
        )

    def commit(self) -> None:
        """Saves nothing: `SaveAutoGrades` does, after the last cell."""

    def find_grade(self, name: str, *_: str) -> Grade:
        """A cell's grade. Errors  MissingEntry if none has the name."""
        return _found(self._grades, name)

    def find_comment(self, name: str, *_: str) -> Comment:
        """A cell's comment. Errors  MissingEntry if none has the name."""
        return _found(self._comments, name)


class AssignLatePenalties(preprocessors.AssignLatePenalties):
    """nbgrader's AssignLatePenalties, but nothing is looked up for a submission in time that has no penalty."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """Notes the penalty of one notebook.

        Errors  nbgrader's MissingEntry if the gradebook knows no such submission.
        """
        what = resources["nbgrader"]
        with Gradebook(what["db_url"]) as book:
            found = (
                book.db.query(
                    SubmittedNotebook.late_submission_penalty, SubmittedAssignment.timestamp, Assignment.duedate
                )
                .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
                .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
                .join(Notebook, Notebook.id == SubmittedNotebook.notebook_id)
                .filter(SubmittedAssignment.student_id == what["student"])
                .filter(Assignment.name == what["assignment"], Notebook.name == what["notebook"])
                .one_or_none()
            )
        if found is not None:
            penalty, time, due = found
            if penalty is None and (time is None or due is None or time <= due):
                return nb, resources
        return super().preprocess(nb, resources)


def _found(cells: dict[str, Held], name: str) -> Held:
    if name not in cells:
        raise MissingEntry(f"No such cell: {name}")
    return cells[name]
