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
    GradeCell,
    MissingEntry,
    Notebook,
    SourceCell,
    SubmittedAssignment,
    SubmittedNotebook,
    TaskCell,
)
from nbgrader.preprocessors import NbGraderPreprocessor
from sqlalchemy import Row, Select, bindparam, func, select

Held = TypeVar("Held")
_graded, _tasks = GradeCell.__table__, TaskCell.__table__
# A cell with points for its text or its outputs has two rows in the gradebook, of which one has the points.
RELEASED = (
    select(SourceCell.name, SourceCell.cell_type, SourceCell.locked, SourceCell.source, SourceCell.checksum)
    .add_columns(func.max(func.coalesce(_graded.c.max_score, _tasks.c.max_score)).label("max_score"))
    .join(Notebook, Notebook.id == SourceCell.notebook_id)
    .join(Assignment, Assignment.id == Notebook.assignment_id)
    .outerjoin(BaseCell, (BaseCell.notebook_id == SourceCell.notebook_id) & (BaseCell.name == SourceCell.name))
    .outerjoin(_graded, _graded.c.id == BaseCell.id)
    .outerjoin(_tasks, _tasks.c.id == BaseCell.id)
    .where(Notebook.name == bindparam("notebook"), Assignment.name == bindparam("assignment"))
    .group_by(SourceCell.id)
)


def of_student(what: Select) -> Select:
    """The query for something of one student's notebooks; what it selects from is joined with SubmittedNotebook."""
    return (
        what.join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
        .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
        .join(Notebook, Notebook.id == SubmittedNotebook.notebook_id)
        .where(SubmittedAssignment.student_id == bindparam("student"), Assignment.name == bindparam("assignment"))
    )


def _submitted(what: Select) -> Select:
    """The same for one notebook."""
    return of_student(what).where(Notebook.name == bindparam("notebook"))


GRADES, COMMENTS = (
    _submitted(
        select(BaseCell.name, kind)
        .join(kind, kind.cell_id == BaseCell.id)
        .join(SubmittedNotebook, SubmittedNotebook.id == kind.notebook_id)
    )
    for kind in (Grade, Comment)
)
LATE = _submitted(select(SubmittedNotebook.late_submission_penalty, SubmittedAssignment.timestamp, Assignment.duedate))


class OverwriteCells(preprocessors.OverwriteCells):
    """nbgrader's OverwriteCells for a clean copy, in which no cell is missing."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """Puts in the cells of one notebook.

        Errors  nbgrader's MissingEntry if the gradebook does not know the notebook.
        """
        what = resources["nbgrader"]
        self.notebook_id, self.assignment_id = what["notebook"], what["assignment"]
        with Gradebook(what["db_url"]) as book:
            self.gradebook = Cells(book, self.notebook_id, self.assignment_id)
        return NbGraderPreprocessor.preprocess(self, nb, resources)


class Cells:
    """The released cells of a notebook; answers what nbgrader asks a gradebook about them."""

    def __init__(self, book: Gradebook, notebook: str, assignment: str) -> None:
        self._cells = {
            cell.name: cell for cell in book.db.execute(RELEASED, {"notebook": notebook, "assignment": assignment})
        }
        self._graded = {name: cell for name, cell in self._cells.items() if cell.max_score is not None}
        if not self._cells:
            book.find_notebook(notebook, assignment)

    def find_source_cell(self, name: str, *_: str) -> Row:
        """A cell as released. Errors  MissingEntry if none has the name."""
        return _found(self._cells, name)

    def find_graded_cell(self, name: str, *_: str) -> Row:
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
            self.gradebook = Submitted(book, self.notebook_id, self.assignment_id, self.student_id)
            nb, resources = NbGraderPreprocessor.preprocess(self, nb, resources)
            book.db.commit()
        return nb, resources


class Submitted:
    """What a gradebook holds of a submitted notebook; answers what SaveAutoGrades asks about it."""

    def __init__(self, book: Gradebook, notebook: str, assignment: str, student: str) -> None:
        self.db, asked = self, {"notebook": notebook, "assignment": assignment, "student": student}
        self._grades, self._comments = (dict(book.db.execute(what, asked).all()) for what in (GRADES, COMMENTS))
        if not self._grades and not self._comments:
            book.find_submission_notebook(notebook, assignment, student)

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
            asked = {name: what[name] for name in ("notebook", "assignment", "student")}
            found = book.db.execute(LATE, asked).one_or_none()
        if found is not None:
            penalty, time, due = found
            if penalty is None and (time is None or due is None or time <= due):
                return nb, resources
        return super().preprocess(nb, resources)


def _found(cells: dict[str, Held], name: str) -> Held:
    if name not in cells:
        raise MissingEntry(f"No such cell: {name}")
    return cells[name]
