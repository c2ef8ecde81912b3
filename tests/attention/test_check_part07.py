"""Part 7's visible check and figure: what they say of right answers, and of one with a single thing wrong in it."""

import contextlib

import pytest
import torch
from course_figures import checked, drawn, names

from dev import handed_in

PASSED = "Part 7: the visible checks pass."
ANSWERS = sorted((handed_in.ANSWERS / "part07").glob("10-*.py"))
VALUES = "self.W_V = nn.Linear(D_2, G * D_v, bias=False)"


@pytest.mark.parametrize("answer", ANSWERS[::5], ids=lambda path: path.stem)
def test_right_answers_of_several_kinds_pass(answer, capsys):
    found = {"torch": torch, "nn": torch.nn, **names(7)}
    with contextlib.suppress(RuntimeError):  # with which one of them ends, to show what its class refuses
        exec(compile(answer.read_text(encoding="utf-8"), answer.name, "exec"), found)
    capsys.readouterr()
    *lines, last = checked(7, found, capsys)
    table = [line for line in lines if line.startswith("  ")]  # an answer may print, too
    assert last == PASSED and len(table) == 10 and all(line.startswith("  ✓ ") for line in table)


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("self.G = D_1", "self.g = D_1", "there is no G. Does __init__ set self.G?"),
        (VALUES, "pass", "there is no W_V. Does __init__ set self.W_V?"),
        (VALUES, VALUES.replace("D_2", "D_1"), "W_V: expected a layer for tokens of 9 numbers, got one for 10"),
        (VALUES, "self.W_V = nn.Linear(D_2, G * D_v)", "W_V has a bias."),
        (VALUES, f"{VALUES} if D_v != D_qk else self.W_K", "W_V and W_K are the same layer"),
        (
            "return self.W_O(o)",
            "return self.W_O(o).detach().numpy()",
            "expected one tensor, got a NumPy array",
        ),
        ("return self.W_O(o)", "return self.W_O(o).transpose(1, 2)", "give (3, 7, 10): got shape (3, 10, 7)"),
        ("return self.W_O(o)", "self.W_O(o)", "give (3, 7, 10): got None. Does forward end with a return?"),
        ("dim=3", "dim=4", "that value. Over which axis do your weights add up to 1, and do cutting and joining keep"),
        ("return self.W_O(o)", "return 1 + self.W_O(o)", "so is the output: expected zeros, got numbers up to 1"),
    ],
)
def test_a_single_thing_that_is_wrong_gets_its_line(old, new, text, capsys):
    lines = checked(7, names(7, old, new), capsys)
    failed = [line for line in lines if line.startswith("  ✗ ")]
    assert text in failed[0] and lines[-1].startswith(f"ChecksFailed: {failed[0].removeprefix('  ✗ ')}")


def test_a_class_that_is_missing_or_not_written_is_no_traceback(capsys):
    assert "there is no MyGQA yet" in checked(7, {}, capsys)[0]
    found = names(7, "B, L_1, L_2 = x", "raise NotImplementedError()\n        B, L_1, L_2 = x")
    assert checked(7, found, capsys)[-1] == "NotImplementedError: MyGQA.forward is not written yet."
    assert drawn(7, found, capsys, H=6, G=2) == (["No picture yet: MyGQA.forward is not written yet."], [])


def test_the_figure_shows_which_head_the_answer_reads(capsys):
    lines, shown = drawn(7, names(7), capsys, H=6, G=2)
    heads = ((0, "[0, 2, 4]"), (1, "[1, 3, 5]"))
    assert lines == [
        f"The {what} of key/value head {g} are read by the query heads {readers}."
        for what in ("keys", "values")
        for g, readers in heads
    ]
    assert len(shown) == 1 and "each of the 2 key/value heads" in shown[0]


def test_the_figure_shows_what_lazy_layers_read(capsys):
    lazy = names(7, VALUES, VALUES.replace("Linear(D_2, ", "LazyLinear("))
    assert drawn(7, lazy, capsys, H=6, G=2) == drawn(7, names(7), capsys, H=6, G=2)


def test_the_figure_shows_a_mistake_of_the_answer(capsys):
    stacked = ("o.reshape(B, L_1, self.H * self.D_v)", "o.transpose(2, 3).reshape(B, L_1, self.H * self.D_v)")
    lines, shown = drawn(7, names(7, *stacked), capsys, H=6, G=2)
    assert "[0, 2, 4]" not in "".join(lines) and len(shown) == 1


@pytest.mark.parametrize(
    ("found", "text"),
    [
        ({}, "No picture yet: there is no MyGQA."),
        (names(7, VALUES, "pass"), "No picture yet: MyGQA raised AttributeError: "),
        (
            names(7, "return self.W_O(o)", "return o[0]"),
            "No picture yet: MyGQA: expected an output of shape (2, 1, 6), got (1, 6)",
        ),
        (
            names(7, VALUES, VALUES.replace("G * D_v", "H * D_v")),
            "No picture yet: MyGQA: W_V has a weight of shape (6, 3). Does the task say so?",
        ),
    ],
    ids="missing layer shape weight".split(),
)
def test_without_an_answer_to_draw_the_figure_is_a_sentence(found, text, capsys):
    lines, shown = drawn(7, found, capsys, H=6, G=2)
    assert len(lines) == 1 and lines[0].startswith(text) and shown == []


def test_numbers_that_are_none_are_drawn_too(capsys):
    _, shown = drawn(7, names(7, "return self.W_O(o)", "return self.W_O(o) * float('nan')"), capsys, H=6, G=2)
    assert len(shown) == 1
