"""Part 6's visible check and figure: what they say of right answers, and of one with a single thing wrong in it."""

import numpy as np
import pytest
import torch
from course_figures import checked, drawn, names

from dev import handed_in

PASSED = "Part 6: the visible checks pass."
ANSWERS = sorted((handed_in.ANSWERS / "part06").glob("03-*.py"))


def answered(A, B, relation="=="):
    """Names with a stack_and_pick that returns what A and B make of H, G and d."""
    return {"stack_and_pick": lambda H, G, d: (A(H, G, d), B(H, G, d)), "rank_relation": relation}


def stack(H, G, d):
    return np.tile(np.eye(G * d), (H // G, 1))


def pick(H, G, d):
    return np.eye(G * d, H * d)


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda path: path.stem)
def test_right_answers_of_all_kinds_pass_and_have_a_picture(answer, capsys):
    found = {"np": np, "torch": torch, "nn": torch.nn}
    source = answer.read_text(encoding="utf-8").replace("stack_and_pick(4, 2)", "")  # a demonstration that raises
    exec(compile(source, answer.name, "exec"), found)
    capsys.readouterr()
    lines = checked(6, found, capsys)
    assert lines[-1] == PASSED and sum(line.startswith("  ✓ ") for line in lines) == 6
    lines, shown = drawn(6, found, capsys)
    assert lines[-2:] == [
        "Row 0, 1, …, 11 of your A W is the row of W:     0 1 2 0 1 2 0 1 2 0 1 2",
        "Row 0, 1, 2 of your B W_tilde is the row of W:   0 1 2",
    ]
    assert len(shown) == 1 and shown[0].startswith("Above, twelve query heads")


@pytest.mark.parametrize(
    ("found", "text"),
    [
        ({}, "gives two matrices: there is none yet. Write it in the answer cell, then run that cell"),
        ({"stack_and_pick": lambda H, G, d: None}, "expected the two matrices A and B, got None. Does"),
        ({"stack_and_pick": lambda H, G, d: (1, 2, 3)}, "expected the two matrices A and B, got a tuple of 3"),
        (answered(pick, stack), "the first, A, has shape (H*d, G*d) = (18, 6): got shape (6, 18)"),
        (answered(stack, stack), "the second, B, has shape (G*d, H*d) = (6, 18): got shape (18, 6)"),
        (answered(lambda *_: "A", pick), "expected numbers, got a str"),
        (answered(lambda *s: 2 * stack(*s), pick), "got A @ W = [[2.0, 4.0, 6.0], [8.0, 10.0, 12.0]]"),
        (answered(stack, lambda *s: 0 * pick(*s)), "got B @ W = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]"),
        (answered(stack, pick, "equal"), "got 'equal'"),
        (answered(stack, pick, True), "got True"),
    ],
)
def test_a_single_thing_that_is_wrong_gets_its_line(found, text, capsys):
    lines = checked(6, found, capsys)
    failed = next(line for line in lines if line.startswith("  ✗ "))
    assert text in failed and lines[-1].startswith(f"ChecksFailed: {failed.removeprefix('  ✗ ')}")


def test_of_a_single_matrix_the_rows_are_not_taken_for_A_and_B(capsys):
    lines = checked(6, {"stack_and_pick": stack, "rank_relation": "=="}, capsys)
    assert lines[0].endswith("expected the two matrices A and B, got a NumPy array")
    assert [line[2] for line in lines[:-1]] == ["✗", "·", "·", "✗", "✗", "✓"]


@pytest.mark.parametrize("relation", ["<", " ==\n", ">"])
def test_the_check_gives_no_relation_away(relation, capsys):
    assert checked(6, answered(stack, pick, relation), capsys)[-1] == PASSED


def test_an_answer_that_is_not_written_is_no_mistake(capsys):
    found = names(6, "identity = np.eye(G * d)", "raise NotImplementedError()")
    assert checked(6, found, capsys)[-1] == "NotImplementedError: stack_and_pick is not written yet."
    assert drawn(6, found, capsys) == (["No picture yet: stack_and_pick is not written yet."], [])


def test_the_figure_shows_rows_in_the_wrong_place_and_rows_that_are_no_row_of_W(capsys):
    found = answered(lambda H, G, d: np.repeat(np.eye(G * d), H // G, axis=0), lambda *s: 2 * pick(*s))
    lines, shown = drawn(6, found, capsys)
    assert lines[1].endswith(" 0 0 0 0 1 1 1 1 2 2 2 2") and lines[2].endswith(" ? ? ?") and len(shown) == 1


@pytest.mark.parametrize(
    ("found", "text"),
    [
        ({}, "there is no stack_and_pick."),
        (answered(pick, stack), "stack_and_pick: expected shapes (12, 3) and (3, 12), got (3, 12) and (12, 3)"),
        ({"stack_and_pick": lambda H, G, d: None}, "stack_and_pick: expected the two matrices A and B, got None."),
        ({"stack_and_pick": lambda: None}, "raised TypeError: "),
    ],
    ids="missing exchanged nothing signature".split(),
)
def test_without_an_answer_to_draw_the_figure_is_a_sentence(found, text, capsys):
    lines, shown = drawn(6, found, capsys)
    assert len(lines) == 1 and text in lines[0] and shown == []
