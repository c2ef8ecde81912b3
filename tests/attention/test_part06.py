"""Part 6's checks by themselves: the relation, and what A and B make of matrices of H = 4, G = 2 and d = 1."""

import numpy as np
import pytest
from hidden_tests import answered

from attention import mistakes, part06
from grading.bridge import probe
from grading.marking import rubric

SIZES = (4, 2, 1)
A = [[1, 0], [0, 1], [1, 0], [0, 1]]
FIRST, LAST, MEAN = [[1, 0, 0, 0], [0, 1, 0, 0]], [[0, 0, 1, 0], [0, 0, 0, 1]], [[0.5, 0, 0.5, 0], [0, 0.5, 0, 0.5]]


@pytest.mark.parametrize("said", ["==", " ==\n"])
def test_equal_ranks_are_right(said: str):
    assert part06.equal(said).right


@pytest.mark.parametrize(
    ("said", "mistake", "text"),
    [
        (">", "copies-add-rank", ""),
        (" < ", "copies-lose-rank", ""),
        ("=", "", 'one of the strings "<", "<=", "==", ">=" and ">", got another one.'),
        (None, "", "got something else."),
        (probe.Reason(probe.Why.MISSING, "`rank_relation` is not there."), "", "is not there"),
        (5, "", "got something else."),
        (probe.Reason(probe.Why.NOT_DATA, "an array"), "", "got something else."),
    ],
)
def test_another_relation_is_wrong_and_told_why(said: object, mistake: str, text: str):
    verdict = part06.equal(said)
    assert not verdict.right and verdict.mistake == mistake and text in verdict.found


@pytest.mark.parametrize(("returned", "pair"), [("1, 2", (1, 2)), ("[1, 2]", (1, 2))])
def test_a_pair_is_A_and_B(returned: str, pair: tuple):
    with answered(6, f"def stack_and_pick(H, G, d):\n    return {returned}"):
        assert part06.matrices(*SIZES) == pair


@pytest.mark.parametrize(
    ("returned", "got"),
    [("1", "an int"), ("np.eye(2)", "a NumPy array"), ("(1, 2, 3)", "a tuple of 3"), ("None", "None (is a `return`")],
)
def test_of_what_is_no_pair_both_items_say_what_came_instead(returned: str, got: str):
    with answered(6, f"def stack_and_pick(H, G, d):\n    return {returned}"):
        A, B = part06.matrices(*SIZES)
    assert A is B and A.text.startswith(f"expected two matrices, A and B, got {got}")


def test_an_answer_that_raises_is_told_as_such():
    with answered(6, "pass"):
        A, B = part06.matrices(*SIZES)
    assert A is B and "`stack_and_pick` is not there" in A.text


@pytest.mark.parametrize(("single", "which"), [("np.zeros((4, 2))", 0), ("np.zeros((2, 4))", 1)])
def test_a_single_matrix_is_the_one_that_has_its_shape_and_the_other_is_said_to_be_missing(single: str, which: int):
    with answered(6, f"def stack_and_pick(H, G, d):\n    return {single}"):
        pair = part06.matrices(*SIZES)
    assert isinstance(pair[which], np.ndarray) and pair[1 - which] is part06.ONE
    _, case = part06.picks(part06.ONE, *SIZES)
    verdict = mistakes.named(part06.picks(part06.ONE, *SIZES)[0], [case], mistakes.PICKS, kind=rubric.ANY)
    assert part06.ONE.text in verdict.found and not verdict.mistake


def test_the_one_A_that_stacks_copy_after_copy_is_right_and_neighbouring_copies_are_told():
    verdict = mistakes.judged([part06.stacks(A, *SIZES)], mistakes.STACKS, kind=rubric.ANY)
    assert verdict.right
    neighbours = np.repeat(np.eye(2), 2, axis=0)
    verdict = mistakes.judged([part06.stacks(neighbours, *SIZES)], mistakes.STACKS, kind=rubric.ANY)
    assert not verdict.right and verdict.mistake


@pytest.mark.parametrize("B", [FIRST, LAST, MEAN], ids=["first copy", "last copy", "mean"])
def test_every_B_that_gets_the_matrix_back_is_right(B: list):
    verdict, case = part06.picks(B, *SIZES)
    assert verdict.right and (case.got == np.eye(2)).all()


@pytest.mark.parametrize(
    ("B", "text"),
    [
        (np.ones((2, 4)), "off by up to"),
        (np.eye(2), "expected shape (2, 4), got (2, 2)"),
        (np.full((2, 4), np.inf), "infinite or not numbers"),
        ("B", "got a str"),
    ],
)
def test_a_B_that_does_not_is_wrong_and_told_for_which_sizes(B: object, text: str):
    verdict, _ = part06.picks(B, *SIZES)
    assert not verdict.right and verdict.found.startswith("with H = 4, G = 2 and d = 1, ") and text in verdict.found
