"""Part 12's checks by themselves: both identities for the right formulas, and for ones with a single thing wrong."""

import numpy as np
import pytest
from hidden_tests import answered

from attention import mistakes, part12
from grading.bridge import probe

SIZES = (12, 3, 5)  # D, H and r: heads of width 4
RIGHT = """
def K_hat(W_DKV):
    return W_DKV

def V_hat(W_DKV):
    return W_DKV

def Q_hat_h(W_UK_h, W_Q_h, r, D, H):
    return (r * H / D) ** 0.5 * W_UK_h.T @ W_Q_h

def O_hat_h(W_O_h, W_UV_h):
    return W_O_h @ W_UV_h
"""


def tried(answer: str, check: str) -> part12.Tried:
    with answered(12, answer):
        return getattr(part12, check)(np.random.default_rng(1), *SIZES)


@pytest.mark.parametrize("check", ["scores_agree", "outputs_agree"])
@pytest.mark.parametrize(
    "answer",
    [
        RIGHT,
        RIGHT.replace("return W_DKV", "return 2 * W_DKV")
        .replace("** 0.5 *", "** 0.5 / 2 *")
        .replace("W_O_h @", "W_O_h / 2 @"),
    ],
    ids=["as in the text", "a factor moved"],
)
def test_both_identities_hold_for_right_formulas_wherever_their_factor_stands(answer: str, check: str):
    verdict, case = tried(answer, check)
    assert verdict.right and np.allclose(case.got, case.want)


def test_scores_of_every_head_and_the_sum_over_heads_are_compared():
    assert tried(RIGHT, "scores_agree")[1].want.shape == (3, 4, 5)
    assert tried(RIGHT, "outputs_agree")[1].want.shape == (4, 12)


@pytest.mark.parametrize(
    ("old", "new", "check", "text"),
    [
        ("(r * H / D) ** 0.5", "3", "scores_agree", "every score is 2.683 times the vanilla one."),
        ("return W_O_h", "return -W_O_h", "outputs_agree", "the output is -1 times the vanilla one."),
        ("@ W_Q_h", "@ W_Q_h.flip(0)", "scores_agree", "off by up to"),
        ("@ W_UV_h", "@ W_UV_h ** 3", "outputs_agree", "off by up to"),
    ],
)
def test_an_identity_that_fails_is_told_with_the_factor_where_there_is_one(old: str, new: str, check: str, text: str):
    assert old in RIGHT
    verdict, _ = tried(RIGHT.replace(old, new), check)
    assert not verdict.right and verdict.found.startswith("with D = 12, H = 3 and r = 5") and text in verdict.found


@pytest.mark.parametrize("check", ["scores_agree", "outputs_agree"])
def test_a_transposed_matrix_is_named_and_nothing_is_compared(check: str):
    verdict, case = tried(RIGHT.replace("return W_DKV", "return W_DKV.T"), check)
    assert verdict.mistake == "matrix-transposed" and case is None


def test_formulas_that_raise_are_told_by_their_error():
    verdict, case = tried(RIGHT.replace("return W_DKV", "raise KeyError"), "outputs_agree")
    assert "KeyError" in verdict.found and case is None


def test_one_matrix_and_a_list_of_H_of_their_shapes_are_what_is_asked_for():
    one, names, shapes = probe.tensor(np.ones((5, 12))), ("K_hat", "Q_hat_h"), ((5, 12), (5, 12))
    assert part12.shaped(names, (one, [one] * 3), 3, shapes).right
    for other in ((one, [one] * 2), (one, one), [one], None):
        assert part12.shaped(names, other, 3, shapes).found == "nothing that can be compared came back."
    verdict = part12.shaped(names, (one, [one, probe.tensor(np.ones((5, 5))), one]), 3, shapes)
    assert verdict.found == "in `Q_hat_h`, expected shape (5, 12), got (5, 5)."


def test_an_identity_needs_all_sizes_and_names_a_mistake_that_all_of_them_show():
    right, wrong = tried(RIGHT, "scores_agree"), tried(RIGHT.replace("(r * H / D) ** 0.5", "1"), "scores_agree")
    assert part12.identity([right, right], mistakes.SCORES).right
    assert not part12.identity([right, wrong], mistakes.SCORES).right
    assert part12.identity([wrong, wrong], mistakes.SCORES).mistake == "factor-forgotten"


@pytest.mark.parametrize("check", ["scores_agree", "outputs_agree"])
def test_what_works_in_float64_alone_is_told_so(check: str):
    answer = (
        RIGHT
        + "\n\ndef K_hat(W_DKV):\n    return torch.eye(len(W_DKV), dtype=torch.float64) @ W_DKV\n\n\nV_hat = K_hat\n"
    )
    for dtype, right in ((np.float64, True), (np.float32, False)):
        with answered(12, answer):
            verdict, _ = getattr(part12, check)(np.random.default_rng(1), 6, 2, 4, dtype)
        assert verdict.right == right and (right or verdict.found.startswith("in float32, ")), verdict.found
