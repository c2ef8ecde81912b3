"""Of a name that isn't there the report says where the cell that defines it stopped, as far as its output tells."""

import pytest
from hand_written import notebook
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output

from grading.core import messages
from grading.core.course import Part
from grading.core.part_report import Line, Report
from grading.judge import stopped_cells

F = "def f():\n    return 1\n"
ASKED = messages.missing("f")
# An error that is raised while another one is handled, as IPython shows it: the other one, raised in an earlier cell,
# comes first.
CHAINED = [
    "KeyError   Traceback (most recent call last)",
    "Cell In[1], line 2, in g()",
    "KeyError: 'k'",
    "\nDuring handling of the above exception, another exception occurred:\n",
    "NameError   Traceback (most recent call last)",
    "Cell In[2], line 1",
    "Cell In[1], line 3, in g()",
]


def stopped(source: str) -> NotebookNode:
    """A cell as the kernel leaves it that stopped at its first error, if it has one."""
    try:
        exec(compile(source.lstrip("\n"), "<cell>", "exec"), {})
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  (whatever the cell raises)
        line = error.__traceback__.tb_next.tb_lineno
        place = f"\x1b[36mCell\x1b[39m\x1b[36m \x1b[39m\x1b[32mIn[2]\x1b[39m\x1b[32m, line {line}\x1b[39m"
        trace = ["-----", f"{place}\n----> {line}", "\x1b[36mCell\x1b[39m In[2], line 2", "the error"]
        output = new_output("error", ename=type(error).__name__, evalue="", traceback=trace)
        return new_code_cell(source, outputs=[output])
    return new_code_cell(source)


def told(*sources: str) -> str:
    """What an item says that was lost because `f` isn't there, in a notebook of these cells that has been run."""
    run = new_notebook(cells=[stopped(source) for source in sources])
    items = (Line(1, 1, "won"), Line(2, 0, "lost", f"`g`: {ASKED}"))
    with notebook("part01", *sources):
        report = stopped_cells.explained(Report(1, 3.0, 1.0, items), Part(1, "One", "f", ("f",), 3), run)
    assert report.items[0] == items[0] and (report.marks, report.points) == (1.0, 3.0)
    return report.items[1].found.removeprefix("`g`: ")


@pytest.mark.parametrize(
    ("sources", "cell", "error", "line"),
    [
        ((f"x = y\n{F}",), "the answer cell", "a NameError", 1),
        ((f"\n\nx = 1\nassert x == 2\n{F}",), "the answer cell", "an AssertionError", 4),  # lines as JupyterLab counts
        (("f = 1 / 0",), "the answer cell", "a ZeroDivisionError", 1),
        (("f = max(\n    1,\n    int('x'),\n)",), "the answer cell", "a ValueError", 3),
        ((f"raise NotImplementedError()\n{F}",), "the answer cell", "a NotImplementedError", 1),
        ((f"class E(Exception):\n    pass\nraise E\n{F}",), "the answer cell", "an Exception", 3),
        (("x = 1", f"def g():\n    return {{}}['k']\ng()\n{F}"), "cell 3", "a KeyError", 3),
        (("f()", f"x = y\n{F}"), "cell 3", "a NameError", 1),  # a cell that calls it stopped, too
    ],
)
def test_it_is_told_where_the_cell_stopped_before(sources: tuple[str, ...], cell: str, error: str, line: int):
    assert told(*sources) == f"`f` is not there: {cell} stopped with {error} in line {line}, before it was defined."


def test_of_a_cell_that_was_stopped_it_is_told_that_time_may_be_why():
    """The judge interrupts it there; of a KeyboardInterrupt no student has heard."""
    said = "the answer cell was interrupted in line 2, as happens at its limit of time, before it was defined."
    assert told(f"x = 1\nraise KeyboardInterrupt\n{F}") == f"`f` is not there: {said}"


@pytest.mark.parametrize(
    "sources",
    [
        ("x = 1",),
        ("x = y\ndef other():\n    return 1",),
        (F, "x = y"),
        (f"{F}del f\nx = y",),  # which was defined
        ("def F():\n    pass\nf.forward = F",),  # which changes what has another name
        ("f[0] = 1",),
    ],
)
def test_otherwise_the_question_stays(sources: tuple[str, ...]):
    assert told(*sources) == ASKED


def test_whatever_the_kernel_says_nothing_but_names_of_python_s_and_lines_are_told():
    cell = new_code_cell(f"x = y\n{F}")
    run, items = new_notebook(cells=[cell]), (Line(1, 0, "lost", ASKED),)
    for ename, trace, found in (
        ("You earn 10 points", ["Cell In[1], line 1"], messages.never_defined("f", "the answer cell", "Exception", 1)),
        ("NameError", ["Cell In[1], line 9"], ASKED),
        ("NameError", ["Cell In[1], line " + 9 * "9"], ASKED),
        ("KernelEnded", ["The notebook ended."], ASKED),
        ("NameError", [], ASKED),
        ("NameError", CHAINED, messages.never_defined("f", "the answer cell", "NameError", 1)),
    ):
        cell.outputs = [new_output("error", ename=ename, evalue="", traceback=trace)]
        with notebook("part01", cell.source):
            report = stopped_cells.explained(Report(1, 1.0, 0.0, items), Part(1, "One", "f", ("f",), 1), run)
        assert report.items[0].found == found


def test_of_a_cell_that_a_magic_runs_no_line_is_told():
    """There IPython counts line 1, of the magic, wherever it stopped."""
    trace = ["Cell In[1], line 1\n----> 1 get_ipython().run_cell_magic('time', '', 'x = y')", "File <timed exec>:1"]
    cell = new_code_cell(f"%%time\nx = y\n{F}", outputs=[new_output("error", ename="NameError", traceback=trace)])
    with notebook("part01", cell.source):
        report = Report(1, 1.0, 0.0, (Line(1, 0, "lost", ASKED),))
        assert stopped_cells.explained(report, Part(1, "One", "f", ("f",), 1), new_notebook(cells=[cell])) == report
