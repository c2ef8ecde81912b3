"""The Execute step of a course that was written for nbgrader alone: cells and tests together, in one walled kernel.

nbgrader's own SaveAutoGrades decides what a test's outputs are worth, as it does without us. So a mark is the one that
nbgrader gives, and only as good as the kernel that it comes from, which is the student's.
"""

from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader.utils import determine_grade, is_grade

from grading.core import messages
from grading.judge.execution import Judge

UNREADABLE, NO_MARK = "Unreadable", "NoMark"


class PlainJudge(Judge):
    """Runs every code cell of a notebook, tests too, in the order in which the student left them."""

    def preprocess_cell(self, cell: NotebookNode, resources: dict, index: int) -> tuple[NotebookNode, dict]:
        """Runs one cell in the kernel."""
        if cell.cell_type != "code" or not cell.source.strip():
            return cell, resources
        cell, resources = self.run_cell(cell, resources, index)
        if is_grade(cell):
            self.see_to_a_mark(cell)
        return cell, resources

    def see_to_a_mark(self, cell: NotebookNode) -> None:
        """Gives a test an error, and so 0 points, where nbgrader would end at its outputs and mark nothing."""
        try:
            determine_grade(cell)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            text = messages.no_mark_in_outputs(error)
            self.log.warning("%s: %s", cell.metadata.nbgrader["grade_id"], text)
            cell.outputs.insert(0, new_output("error", ename=NO_MARK, evalue=text, traceback=[text]))

    def leave_out(self, cell: NotebookNode) -> None:
        """A test of a notebook that could not be read has failed, which nbgrader sees by an error."""
        if cell.cell_type == "code":
            cell.outputs = [new_output("error", ename=UNREADABLE, evalue=self.unreadable, traceback=[self.unreadable])]
