"""Part 5's visible check and figure: what they say of right answers, and of one with a single thing wrong in it."""

import functools
import re

import pytest
import torch
from course_figures import checked, drawn, names

from dev import handed_in

PASSED = "Part 5: the visible checks pass."
RIGHT = (handed_in.ANSWERS / "part05").glob("10-*.py")
# One ends in an error on purpose, and magics are IPython's, not Python's.
PLAIN = [path for path in RIGHT if not path.stem.endswith("-raises") and "%" not in path.read_text(encoding="utf-8")]
ANSWERS = sorted(PLAIN)


@pytest.mark.parametrize("answer", ANSWERS[::6], ids=lambda path: path.stem)
def test_right_answers_of_several_kinds_pass(answer, capsys, monkeypatch):
    # Traced like any other, but no program of its own is made, for which a machine needs a compiler and 10 s.
    monkeypatch.setattr(torch, "compile", functools.partial(torch.compile, backend="eager"))
    found = {"torch": torch, "nn": torch.nn, **names(5)}
    exec(compile(answer.read_text(encoding="utf-8"), answer.name, "exec"), found)
    capsys.readouterr()
    *lines, last = checked(5, found, capsys)
    signs = [line[2] for line in lines if re.match(r"  [✓✗·] ", line)]  # an answer may print more
    assert last == PASSED and signs == ["✓"] * 9


KEYS = "self.W_K = nn.Linear(D_2, H * D_qk, bias=False)"


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("(nn.Module)", "(dict)", "expected a subclass of nn.Module: class MyMHA(nn.Module)"),
        ("self.D_v = D_v", "self.D_v = D_qk", "even when another model is built later: expected D_v = 3, got 4"),
        ("self.D_v = D_v", "type(self).D_v = D_v", "expected D_v = 3, got 4"),
        ("self.H = H", "self.heads = H", "there is no H. Does __init__ set self.H?"),
        (KEYS, "pass", "there is no W_K. Does __init__ set self.W_K?"),
        (KEYS, "self.W_K = nn.Identity()", "W_K: expected an nn.Linear, got an Identity"),
        (KEYS, "self.W_K = nn.Linear(D_2, H * D_qk)", "W_K has a bias. Which argument of nn.Linear leaves it out?"),
        (KEYS, KEYS.replace("D_2", "D_1"), "W_K: expected a layer for tokens of 12 numbers, got one for 10"),
        (
            "self.W_V = nn.Linear(D_2, H * D_v, bias=False)",
            "self.W_V = self.W_K if D_v == D_qk else nn.Linear(D_2, H * D_v, bias=False)",
            "even where all shapes agree: W_V and W_K are the same layer",
        ),
        ("return self.W_O(o)", "return self.W_O(o), alpha", "a batch: x (5, 6, 10) and y (5, 7, 12) give (5, 6, 10): "),
        ("return self.W_O(o)", "return self.W_O(o).squeeze()", "give (1, 6, 10): got shape (6, 10)"),
        (
            "dim=-1",
            "dim=-2",
            "that value. Over which axis do your weights add up to 1, and do cutting and joining keep",
        ),
    ],
)
def test_a_single_thing_that_is_wrong_gets_its_line(old, new, text, capsys):
    lines = checked(5, names(5, old, new), capsys)
    failed = [line for line in lines if line.startswith("  ✗ ")]
    assert text in failed[0] and PASSED not in lines
    assert lines[-1].startswith(f"ChecksFailed: {failed[0].removeprefix('  ✗ ')}")


def test_a_class_that_is_missing_or_not_written_is_no_traceback(capsys):
    lines = checked(5, {}, capsys)
    assert "there is no MyMHA yet" in lines[0] and all(line.startswith("  · ") for line in lines[1:-1])
    *made, first, waiting, error = checked(5, names(5, "B, L_1, _ = x.shape", "raise NotImplementedError()"), capsys)
    assert first.endswith("give (5, 6, 10): MyMHA.forward is not written yet")
    assert len(made) == 4 and waiting == "  · 4 more checks wait for it"
    assert error == "NotImplementedError: MyMHA.forward is not written yet."


def test_what_pytorch_says_is_not_implemented_is_no_answer_that_is_not_written(capsys):
    found = names(5, "def forward(self", "def foward(self")
    assert 'missing the required "forward" function' in checked(5, found, capsys)[-1]
    assert "raised NotImplementedError: Module [MyMHA] is missing" in drawn(5, found, capsys)[0][0]


def numbers(lines: list[str]) -> torch.Tensor:
    """The two maps in what the figure printed."""
    rows = [line.split() for line in lines if re.fullmatch(r"[\d.\s]+", line)]
    return torch.tensor([[float(number) for number in row] for row in rows]).reshape(2, 6, 7)


def test_the_figure_shows_what_the_two_heads_of_the_answer_read(capsys):
    lines, shown = drawn(5, names(5), capsys)
    maps = numbers(lines)
    assert len(shown) == 1 and "attention weights" in shown[0]
    assert (maps.sum(2) - 1).abs().max() < 0.04  # of seven numbers with two decimals
    assert maps[0].argmax(1)[[0, 3, 4, 5]].tolist() == [0, 2, 6, 5]  # I: je, eat: mange, red: rouges, apples: pommes
    assert maps[1].argmax(1)[[0, -1]].tolist() == [0, 6]  # the first reads the first, the last the last


def test_the_figure_shows_what_lazy_layers_do(capsys):
    layer = "self.W_K = nn.Linear(D_2, H * D_qk, bias=False)"
    lazy = names(5, layer, "self.W_K = nn.LazyLinear(H * D_qk, bias=False)")
    assert drawn(5, lazy, capsys) == drawn(5, names(5), capsys)


def test_the_figure_shows_a_mistake_of_the_answer(capsys):
    lines, _ = drawn(5, names(5, "torch.softmax(logits, dim=-1)", "torch.softmax(logits, dim=-2)"), capsys)
    assert (numbers(lines).sum(2) - 1).abs().max() > 0.1


@pytest.mark.parametrize(("old", "new"), [("dim=-1", "dim=-2"), ("return self.W_O(o)", "return float('nan') * x")])
def test_rows_that_do_not_add_up_to_1_are_not_said_to(old, new, capsys):
    said = "Not every row adds up to 1."
    lines, _ = drawn(5, names(5), capsys)
    assert said not in lines
    lines, shown = drawn(5, names(5, old, new), capsys)
    assert lines[-1] == said and len(shown) == 1


@pytest.mark.parametrize(
    ("found", "text"),
    [
        ({}, "No picture yet: there is no MyMHA. Write it in the answer cell, then run that cell."),
        (
            names(5, "B, L_1, _ = x.shape", "raise NotImplementedError()"),
            "No picture yet: MyMHA.forward is not written yet.",
        ),
        (
            names(5, "return self.W_O(o)", "return o[0, 0]"),
            "No picture yet: MyMHA: expected an output of shape (1, 6, 14), got (14,)",
        ),
        (
            names(5, "return self.W_O(o)", "return None"),
            "No picture yet: MyMHA: got None. Does forward end with a return?",
        ),
        (
            names(5, "return self.W_O(o)", "return self.W_O(o), logits"),
            "No picture yet: MyMHA: expected one tensor, got a tuple",
        ),
        (
            names(5, "self.W_V = nn.Linear(D_2, H * D_v, bias=False)", "self.W_V = nn.Linear(D_2, D_v, bias=False)"),
            "No picture yet: MyMHA: W_V has a weight of shape (7, 14). Does the task say so?",
        ),
        ({"MyMHA": 5}, "No picture yet: MyMHA raised TypeError: 'int' object is not callable."),
    ],
    ids="missing unwritten shape nothing several weight number".split(),
)
def test_without_an_answer_to_draw_the_figure_is_a_sentence(found, text, capsys):
    lines, shown = drawn(5, found, capsys)
    assert len(lines) == 1 and lines[0].startswith(text) and shown == []


def test_a_sentence_about_an_error_ends_with_one_full_stop(capsys):
    lines, _ = drawn(5, names(5, "return self.W_O(o)", "raise ValueError('Use reshape instead.')"), capsys)
    assert lines == ["No picture yet: MyMHA raised ValueError: Use reshape instead."]
