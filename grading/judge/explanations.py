"""Why items were lost, where the test alone can't tell: a cell failed, or a name isn't there."""

from nbformat import NotebookNode

from grading.core.course import Part
from grading.core.part_report import Report
from grading.judge import stopped_cells
from grading.rules import broken_cells, undefined_names


def added(report: Report, part: Part, notebook: NotebookNode) -> Report:
    """The report with these explanations, the marks as they are; the notebook has been run.

    Errors  as `student_code.editable`.
    """
    report = undefined_names.explained(broken_cells.explained(report, part), part)
    return stopped_cells.explained(report, part, notebook)
