"""What feedback shows of a graded notebook: everything but the hidden tests."""

import re

from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from grading import messages

_HIDDEN = re.compile(r"\n*[^\n]*BEGIN HIDDEN TESTS.*", re.DOTALL)


class HideTests(NbGraderPreprocessor):
    """Cuts the hidden tests out of the graded notebook that becomes a feedback page; their report stays."""

    def preprocess_cell(self, cell: NotebookNode, resources: dict, cell_index: int) -> tuple[NotebookNode, dict]:
        """Cuts a cell's hidden tests, if it has any."""
        if "BEGIN HIDDEN TESTS" in cell.source:
            cell.source = f"{without_hidden_tests(cell.source)}\n{messages.HIDDEN_TESTS}"
        return cell, resources


def without_hidden_tests(source: str) -> str:
    """A cell's source up to where its hidden tests begin."""
    return _HIDDEN.sub("", source)
