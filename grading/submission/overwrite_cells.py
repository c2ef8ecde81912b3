"""nbgrader's step that puts in the released cells, hidden tests included, with one question for all of a notebook.

Plugged in by configuration: `OverwriteCells` in place of nbgrader's, which asks the gradebook for one cell at a time.
"""

from nbformat import NotebookNode
from nbgrader.api import BaseCell, Gradebook, MissingEntry, Notebook, SourceCell
from nbgrader.preprocessors import NbGraderPreprocessor
from nbgrader.preprocessors import OverwriteCells as Nbgraders


class OverwriteCells(Nbgraders):
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
    """The released cells of a notebook, with the questions about them that nbgrader asks a gradebook."""

    def __init__(self, released: Notebook) -> None:
        self._source = {cell.name: cell for cell in released.source_cells}
        self._graded = {cell.name: cell for cell in [*released.grade_cells, *released.task_cells]}

    def find_source_cell(self, name: str, *_: str) -> SourceCell:
        """A cell's released text. Errors  MissingEntry if none has the name."""
        return _found(self._source, name)

    def find_graded_cell(self, name: str, *_: str) -> BaseCell:
        """A cell with points. Errors  MissingEntry if none has the name."""
        return _found(self._graded, name)


def _found(cells: dict[str, BaseCell | SourceCell], name: str) -> BaseCell | SourceCell:
    if name not in cells:
        raise MissingEntry(f"No such cell: {name}")
    return cells[name]
