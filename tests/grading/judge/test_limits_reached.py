"""What is noted of a notebook that has run: errors of the course's own cells, where no student's code ran before."""

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from grading.judge import limits_reached

MISSING = new_output("error", ename="ModuleNotFoundError", evalue="No module named 'ours'", traceback=[])
TOLD = (
    "week1: the course's own cell setup fails before any answer runs, ModuleNotFoundError: No module named 'ours'. "
    "Fix the cell, or install what it needs into the Python that grades."
)
OURS, ANSWER = {"grade_id": "setup", "locked": True}, {"grade_id": "answer", "solution": True}


def ran(meta: dict, *outputs: NotebookNode) -> NotebookNode:
    """A cell that has run; without metadata it is one of the student's own."""
    return new_code_cell("import ours", metadata={"nbgrader": meta} if meta else {}, outputs=list(outputs))


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ([ran(OURS, MISSING), ran(ANSWER, MISSING)], [TOLD]),
        ([new_markdown_cell("Yours"), ran(OURS), ran(OURS | {"grade": True}, MISSING)], [TOLD]),
        ([ran(ANSWER), ran(OURS, MISSING)], []),
        ([new_code_cell(metadata={"nbgrader": ANSWER}), ran(OURS | {"grade": True}, MISSING)], []),
        ([ran({}), ran(OURS, MISSING)], []),
        ([ran(OURS, new_output("stream", text="fine")), ran(ANSWER, MISSING)], []),
    ],
    ids=[
        "set-up",
        "a later one",
        "after an answer",
        "after an emptied one",
        "after a cell of one's own",
        "the student's",
    ],
)
def test_an_error_of_the_course_s_own_cell_is_told_if_no_student_s_code_ran_before(found: list, told: list[str]):
    with limits_reached.collected() as reached:
        limits_reached.note("week1", new_notebook(cells=found), None, None)
    assert (reached.failures, reached.lines) == (told, [])
