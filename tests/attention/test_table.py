"""The table of visible checks: a line per check, and an error of one line that Jupyter shows without a traceback."""

import course_module  # noqa: F401  (finds attention_course)
import numpy as np
import pytest
import torch
from attention_course.part03 import check_part03
from attention_course.table import ChecksFailed, Table, Unwritten, expect, kind, numbers
from IPython.core.interactiveshell import InteractiveShell

RIGHT = "def attention_logits(q, K, D_qk):\n    return K @ q / D_qk**0.5"


def shown(answer: str, capsys: pytest.CaptureFixture) -> str:
    """What a cell with an answer and part 3's check prints, errors included."""
    shell = InteractiveShell()
    shell.run_cell(f"import torch\n{answer}")
    capsys.readouterr()
    shell.run_cell("from attention_course.part03 import check_part03\n\ncheck_part03(globals())")
    printed = capsys.readouterr()
    return printed.out + printed.err


def test_a_right_answer_gets_a_tick_per_line_and_the_sentence_that_all_parts_have(capsys: pytest.CaptureFixture):
    *lines, last = shown(RIGHT, capsys).splitlines()
    assert len(lines) == 4 and all(line.startswith("  ✓ ") for line in lines)
    assert last == "Part 3: the visible checks pass."


def test_a_failed_check_names_what_it_expected_and_ends_in_one_line_without_a_traceback(capsys: pytest.CaptureFixture):
    lines = shown(RIGHT.replace("K @", "-K @"), capsys).splitlines()
    assert lines[2].startswith("  ✓") and lines[3].startswith("  ✗ signs: ")
    assert lines[3].endswith("expected a positive logit, got -3.536")
    assert lines[4:] == ["ChecksFailed: " + lines[3].removeprefix("  ✗ ")]


def test_an_error_in_the_answer_is_a_line_with_its_place(capsys: pytest.CaptureFixture):
    lines = shown(RIGHT.replace("return K", "return nothing * K"), capsys).splitlines()
    assert "`return nothing * K @ q / D_qk**0.5`, raised NameError: name 'nothing' is not defined" in lines[0]
    assert [line[:4] for line in lines] == ["  ✗ ", "  · ", "  · ", "  · ", "Chec"]


def test_an_answer_that_is_not_written_yet_is_no_mistake(capsys: pytest.CaptureFixture):
    lines = shown("def attention_logits(q, K, D_qk):\n    raise NotImplementedError", capsys).splitlines()
    assert lines == [
        "  · 3 keys give 3 logits: attention_logits is not written yet",
        "  · 3 more checks wait for it",
        "NotImplementedError: attention_logits is not written yet.",
    ]


def test_all_functions_that_are_not_written_yet_are_named_and_the_others_are_checked(capsys: pytest.CaptureFixture):
    def one():
        raise NotImplementedError

    def two():
        raise NotImplementedError

    table = Table(9)
    for function in (one, one, two, int, one):
        with table.line("a line"):
            function()
    with pytest.raises(Unwritten, match=r"^one and two are not written yet\.$"):
        table.end()
    assert capsys.readouterr().out.splitlines() == [
        "  · a line: one is not written yet",
        "  · a line: two is not written yet",
        "  ✓ a line",
        "  · 2 more checks wait for them",
    ]


def test_the_error_counts_the_other_lines_that_failed(capsys: pytest.CaptureFixture):
    table = Table(9)
    for name in ("one", "two", "three"):
        with table.line(name):
            expect(name == "two", f"expected two, got {name}")
    with pytest.raises(ChecksFailed) as error:
        table.end()
    assert str(error.value) == "one: expected two, got one (1 more failed)"
    assert capsys.readouterr().out == "  ✗ one: expected two, got one\n  ✓ two\n  ✗ three: expected two, got three\n"


def test_an_error_that_is_not_the_student_s_wording_is_kept_to_one_line(capsys: pytest.CaptureFixture):
    table = Table(9)
    with table.line("a product"):
        raise ValueError("first line\nsecond line")
    assert capsys.readouterr().out.endswith("raised ValueError: first line\n")


def test_numbers_takes_tensors_arrays_and_nested_lists_and_nothing_else():
    import numpy as np
    import torch

    for value in (torch.ones(2, 2), np.ones((2, 2)), [[1, 1.0], [1, 1]], [torch.ones(2), torch.ones(2)]):
        assert numbers(value).shape == (2, 2) and numbers(value).sum() == 4
    for value in (None, "text", {}, [object()]):
        with pytest.raises(Exception, match="got"):
            numbers(value)


def test_a_failed_check_is_an_assertion_and_an_unwritten_one_no_failure():
    assert issubclass(ChecksFailed, AssertionError) and issubclass(Unwritten, NotImplementedError)
    with pytest.raises(Unwritten):
        check_part03({"attention_logits": lambda *_: (_ for _ in ()).throw(NotImplementedError)})


@pytest.mark.parametrize(
    ("value", "said"),
    [(np.ones(2), "a NumPy array"), (torch.ones(2), "a torch tensor"), (None, "None"), (3, "an int"), ("x", "a str")],
)
def test_a_kind_is_said_with_its_article(value: object, said: str):
    assert kind(value) == said
