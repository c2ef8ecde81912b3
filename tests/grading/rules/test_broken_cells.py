"""A cell that Python refuses: where and in which words is what a kernel would say, and only lost items tell of it."""

import pytest
from IPython.core.interactiveshell import InteractiveShell

from grading.core.course import Part
from grading.core.part_report import Line, Report
from grading.rules import broken_cells, parsing, student_code

REFUSED = {
    "a bracket too few": "def f(x):\n    return (x + 1\n",
    "a colon too few": "y = 1\ndef f(x)\n    return x\n",
    "no body": "def f(x):\nf(1)",
    "an indentation too much": "x = 1\n  y = 2",
    "an indentation that fits none": "def f(x):\n        y = x\n    return y",
    "a return that slipped out": "def f(x):\n    y = x\nreturn y",
    "a return in a class": "class A:\n    return 1",
    "a text without an end": 'f = """\nx\ny',
    "no comma": "x = [1\n2]",
    "below empty lines": "\n\n\nf() = 3",
    "a tab among spaces": "if True:\n    x = 1\n\ty = 2",
    "in a cell that is indented": "    x = 1\n    f(\n",
    "with a magic": "%matplotlib inline\nx = (",
    "a sign that is no sign": "x = 1 – 2",
}
INCOMPLETE = "incomplete input"  # what a kernel, and not Python, says of whatever might go on
RUNS = {
    "nothing": "",
    "a function": "def f():\n    return 1",
    "a return in a class's function": "g = lambda: 1\nclass A:\n    def f(self):\n        return 1",
    "an await": "import asyncio\nawait asyncio.sleep(0)",
    "a magic": "%precision 3\nx = 1",
    "a text that exec refuses": "try:\n    exec('(')\nexcept SyntaxError:\n    pass",
    "a timed cell": "%%time\nx = 1",
}
HOSTILE = [
    "(" * 100_000,
    "f(" * 3000 + ")" * 3000,
    "-" * 200_000 + "1",
    "'''" * 60_000,
    "x?\n" * 9999,
    "%%time\n" * 9999,
]


@pytest.fixture(scope="module")
def shell() -> InteractiveShell:
    return InteractiveShell()


@pytest.mark.parametrize("kind", REFUSED)
def test_the_line_and_the_words_are_those_of_the_kernel(kind: str, shell: InteractiveShell):
    source = REFUSED[kind]
    result = shell.run_cell(source)
    error = result.error_before_exec or result.error_in_exec
    assert isinstance(error, SyntaxError)
    left_out = source[: len(source) - len(source.lstrip())].count("\n")  # IPython counts from the first line with text
    line, words = parsing.refused(source)
    assert line == error.lineno + left_out and error.msg in (words, INCOMPLETE)


def test_a_line_that_python_s_own_words_name_is_the_cell_s_too():
    line, words = parsing.refused("\n\n\ndef f():\nx = 1")
    assert (line, words.rpartition(" ")[2]) == (5, "4")


@pytest.mark.parametrize("kind", RUNS)
def test_a_cell_that_runs_is_not_refused(kind: str, shell: InteractiveShell):
    assert shell.run_cell(RUNS[kind]).success
    assert parsing.refused(RUNS[kind]) is None


@pytest.mark.parametrize("magic", ["%%time", "%%capture out"])
def test_below_a_magic_that_runs_code_here_the_line_is_the_cell_s(magic: str):
    assert parsing.refused(f"\n{magic}\n\nx = 1\ny = (") == (5, "'(' was never closed")


@pytest.mark.parametrize("source", ["%%bash\nif (", "%%unknown\nx = (", "%%time\n%%time\nx = ("])
def test_what_another_program_runs_or_nobody_can_tell_is_not_refused(source: str):
    assert parsing.refused(source) is None


@pytest.mark.parametrize("source", HOSTILE, ids=lambda source: source[:6].strip())
def test_of_hostile_text_something_or_nothing_is_said_and_no_error_raised(source: str):
    found = parsing.refused(source)
    assert found is None or 0 < found[0] <= source.count("\n") + 1


def explained(*codes: str, breach: str = "") -> list[str]:
    """What the items of a report say, of a notebook with an answer and cells of the student's own."""
    metas = [{"nbgrader": {"grade_id": "part01-answer", "solution": True, "grade": False}}, *[{}] * (len(codes) - 1)]
    cells = [{"cell_type": "code", "source": c, "metadata": m} for c, m in zip(codes, metas, strict=True)]
    items = (Line(1, 1, "won", "x"), Line(1, 0, "lost", "`f` is not there."), Line(1, 0, "known", "a mistake.", "key"))
    report = Report(1, 3.0, 1.0, items, breach)
    with student_code.of({"cells": cells}):
        found = broken_cells.explained(report, Part(1, "One", "f", ("f",), 3))
    earned = [[(item.points, item.won, item.what, item.mistake) for item in each.items] for each in (found, report)]
    assert earned[0] == earned[1] and (found.marks, found.points, found.breach) == (1.0, 3.0, breach)
    return [item.found for item in found.items]


def test_a_lost_item_says_which_cell_could_not_be_run():
    told = "the answer cell could not be run. Python says about line 2: '(' was never closed."
    assert explained("x = 1\nf = (") == ["x", told, "a mistake."]
    own = "cell 2 could not be run. Python says about line 1: '(' was never closed."
    assert explained("raise NotImplementedError", "f = (") == ["x", own, "a mistake."]
    assert explained("raise NotImplementedError", "f = (", "f = [")[1] == own
    assert explained("f = [", "f = (")[1].startswith("the answer cell")


@pytest.mark.parametrize(
    "codes",
    [
        ("g = 1",),  # a name that is misspelt
        ("f = (", "def f():\n    return 1"),  # the answer is in a cell of its own
        ("def f():\n    return 1", "f = ("),
        ("g = 1", "scratch = ("),  # which has nothing to do with f
    ],
)
def test_a_cell_that_is_not_the_reason_is_not_blamed(codes: tuple[str, ...]):
    assert explained(*codes) == ["x", "`f` is not there.", "a mistake."]


def test_where_a_rule_is_broken_nothing_else_is_said():
    assert explained("f = (", breach="Line 1: import scipy.")[1] == "`f` is not there."
