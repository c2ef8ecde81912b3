"""A report of a NameError names what the student's own text lacks in that line, and says nothing that isn't there."""

import pytest
from hand_written import notebook

from grading.core import messages
from grading.core.course import Part
from grading.core.part_report import Line, Report
from grading.rules import undefined_names

FUNCTION = "def f(q, K):\n    scale = 2\n    return [k @ q / {} for k in K]"


def explained(line: int, *cells: str, error: str = "NameError", hint: str = "") -> str:
    """What is added to the sentence about an error in a line, in a notebook of these cells."""
    stopped = messages.raised(error, line)
    items = (Line(1, 1, "won"), Line(1, 0, "lost", f"in f, {stopped}{hint}"))
    with notebook("part01", *cells):
        report = undefined_names.explained(Report(1, 2.0, 1.0, items), Part(1, "One", "f", ("f",), 2))
    assert report.items[0] == items[0] and (report.marks, report.points) == (1.0, 2.0)
    return report.items[1].found.removeprefix(f"in f, {stopped}").removesuffix(hint).strip()


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ((FUNCTION.format("sqrt(q)"),), "No cell defines `sqrt`."),
        ((FUNCTION.format("(b + a + b)"),), "No cell defines `b` or `a`."),
        ((FUNCTION.format("(a + b)"), "a = 1"), "No cell defines `b`."),
        ((FUNCTION.format("b"), "def g(b):\n    return b"), "No cell defines `b`."),
        ((FUNCTION.format("h(q)"), "def h(q):\n    # here\n    return a"), "No cell defines `a`."),
        ((FUNCTION.format("a"), "1 / 0\na = 1"), "Did the cell that defines `a` run without an error?"),
        ((FUNCTION.format("np.e"),), ""),  # which the setup cell brings
        ((FUNCTION.format("F"), "import torch.nn.functional as F"), ""),
        ((FUNCTION.format("sqrt(q)"), "from torch import *"), ""),  # nobody knows what that brings
        ((FUNCTION.format("scale"), "x = 1\n\ny = a"), ""),  # another cell's line, which no function of the answer has
        ((FUNCTION.format("(a"),), ""),
    ],
)
def test_the_names_are_those_of_the_line_that_nothing_defines(cells: tuple[str, ...], told: str):
    assert explained(3, *cells) == told


def test_a_hint_stays_behind_it():
    assert explained(3, FUNCTION.format("a"), hint=" And?") == "No cell defines `a`."


def test_of_other_errors_and_lines_nothing_is_added():
    assert explained(3, FUNCTION.format("a"), error="UnboundLocalError") == ""
    assert explained(2, FUNCTION.format("a")) == ""
