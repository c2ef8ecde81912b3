"""Part 10's checks by themselves: factors of W, (1, 2), and what is printed of them."""

import numpy as np
import pytest

from attention import part10
from attention.factors import BEYOND, NO_MATRICES, TOO_LARGE
from grading.bridge import probe

W = np.array([[3.0, 4.0]])
DOWN, UP = W, np.ones((2, 1))  # their product is two copies of W
REASON = probe.Reason(probe.Why.RAISED, "it stopped.")


def test_the_stacked_matrix_is_square():
    assert part10.stack(W).tolist() == [[3.0, 4.0], [3.0, 4.0]]


@pytest.mark.parametrize("got", [None, (DOWN,), (DOWN, UP, UP), (DOWN, "a"), (DOWN, np.ones(2)), REASON])
def test_only_two_matrices_are_factors(got: object):
    assert part10.factors(got) is None
    assert part10.factors([UP, DOWN.tolist()]) is not None


@pytest.mark.parametrize(
    ("got", "text"),
    [
        ((UP, DOWN), "W_DKV_MLA: expected shape (1, 2), got (2, 1)"),
        ((DOWN.tolist(), UP), "a list"),
        (DOWN, "expected two matrices, W_DKV_MLA and W_UM_MLA, got a NumPy array."),
        ((DOWN,), "expected two matrices, W_DKV_MLA and W_UM_MLA, got a tuple of 1."),
        (REASON, "it stopped."),
    ],
)
def test_down_comes_first_both_are_numpy_s_and_else_it_is_told(got: object, text: str):
    assert part10.shapes(W, (DOWN, UP)).right
    verdict = part10.shapes(W, got)
    assert not verdict.right and text in verdict.found


def test_factors_of_full_width_are_a_usual_mistake():
    assert part10.shapes(W, (part10.stack(W), np.eye(2))).mistake == "full-width"


@pytest.mark.parametrize(
    ("W", "got", "text"),
    [
        (W, (DOWN, 2 * UP), "with r = 1 and D = 2, the numbers are off by up to"),
        (1e-18 * W, (0 * W, UP), "with r = 1 and D = 2, and entries of about 4e-18, the numbers are off by up to"),
        (W, (DOWN, np.ones((2, 3))), "`W_UM_MLA @ W_DKV_MLA` cannot be formed"),
        (W, DOWN, "`W_UM_MLA @ W_DKV_MLA` cannot be formed"),
        (W, (DOWN[0], UP[:, 0]), NO_MATRICES),
        (W, (np.ones((1, 10**4)), np.ones((10**4, 1))), TOO_LARGE),
        (W, REASON, "it stopped."),
        (0 * W, (DOWN, UP), "a matrix of zeros is not rebuilt."),
    ],
)
def test_a_product_that_is_not_the_stacked_matrix_is_told(W: np.ndarray, got: object, text: str):
    verdict = part10.rebuilds(W, got)
    assert not verdict.right and text in verdict.found


def test_code_that_stops_gets_a_hint_where_dependent_rows_may_have_stopped_it():
    assert part10.rebuilds(W, REASON).no_value and not part10.rebuilds(0 * W, REASON).no_value


def test_what_nothing_ran_to_print_gets_no_hint_and_what_printed_nothing_does():
    stopped, silent = [(W, REASON, "")], [(W, (DOWN, UP), "")]
    for judge in (part10.shapes_printed, part10.error_printed):
        assert judge(stopped, part10.trouble(stopped)).no_value and not judge(silent, part10.trouble(silent)).no_value


def test_any_factors_of_it_rebuild_the_stacked_matrix_also_of_zeros():
    assert part10.rebuilds(W, (DOWN / 2, 2 * UP)).right
    assert part10.rebuilds(0 * W, (1e-6 * DOWN, 1e-6 * UP)).right


def test_a_wrong_verdict_is_told_the_usual_mistake_that_all_products_show():
    wrong, right = part10.rebuilds(W, (DOWN, 2 * UP)), part10.rebuilds(W, (DOWN, UP))
    assert part10.in_usual_ways(right, [(W, (DOWN, UP))]).right
    assert part10.in_usual_ways(wrong, [(W, REASON)]) == wrong
    wide = np.array([[3.0, 0.0, 1.0, 2.0], [0.0, 5.0, 1.0, 1.0]])
    repeated = (wide, np.repeat(np.eye(2), 2, axis=0))  # row after row twice, in place of copy after copy
    assert part10.in_usual_ways(wrong, [(wide, repeated)]).mistake == "rows-repeated"


def test_a_product_that_is_not_exact_or_fails_at_special_matrices_alone_is_told_so():
    right, special = (W, (DOWN, UP)), 2 * W
    assert part10.rebuild([right], [(special, (2 * DOWN, UP))], [right]).right
    assert part10.rebuild([(W, (1.001 * DOWN, UP))], [], []).mistake == "not-exact"
    failed = part10.rebuild([right], [(special, (DOWN, UP))], [right])
    assert failed.found.endswith(BEYOND) and failed.no_value and not failed.mistake
    wrong = part10.rebuild([(W, (3 * DOWN, UP))], [(special, (DOWN, UP))], [])
    assert not wrong.right and not wrong.mistake and not wrong.no_value


def test_shapes_are_printed_at_the_ends_too_where_there_is_a_value():
    printed, end = [(W, (DOWN, UP), "(2, 1) (1, 2)")], np.ones((3, 3))
    assert part10.shapes_printed(printed, None, [(end, (end, np.eye(3)), "(3, 3) and (3, 3)")]).right
    assert not part10.shapes_printed(printed, None, [(end, (end, np.eye(3)), "")]).right
    assert part10.shapes_printed(printed, None, [(end, REASON, "")]).right


@pytest.mark.parametrize(
    ("tried", "why"),
    [
        ([(W, (DOWN, UP), "a text")], None),
        ([(W, (DOWN, UP), " \n"), (W, (DOWN, UP), "")], "nothing was printed."),
        ([(W, (DOWN, UP), ""), (W, REASON, "")], "it stopped."),
    ],
)
def test_where_no_value_or_no_text_came_it_is_told(tried: list, why: str | None):
    assert part10.trouble(tried) == why
    if why:
        assert part10.shapes_printed(tried, why).found == why == part10.error_printed(tried, why).found


def test_the_asked_shapes_are_printed_or_those_that_were_returned():
    assert part10.shapes_printed([(W, None, "(1, 2) (2, 1)"), (W, (np.ones((1, 3)), UP), "(1, 3), (2, 1)")], None).right
    verdict = part10.shapes_printed([(W, None, "(1, 2) (2, 1)"), (W, (DOWN, UP), "(1, 3), (2, 1)")], None)
    assert not verdict.right and verdict.found == "the two shapes are not in what the function printed."


def test_the_printed_error_is_that_of_the_returned_factors_and_no_other():
    off = (DOWN, 2 * UP)  # the product misses by 3, 4, 3, 4: a mean square of 12.5, a sum of 50
    assert part10.prints_error(W, off, "error: 12.5") and part10.prints_error(W, (DOWN, UP), "0.0")
    assert part10.error_printed([(W, off, "12.50")], None).right
    assert not part10.prints_error(W, off, "50.0") and not part10.prints_error(W, off, "0.0")
    assert part10.error_printed([(W, off, "50.0")], None).mistake == "sum-for-mean"
    assert "between the stack of copies and the product" in part10.error_printed([(W, off, "7.0")], None).found
    assert not part10.error_printed([(W, off, "12.5"), (W, off, "13.5")], None).right


def test_the_error_of_factors_in_the_other_order_is_right_where_the_order_is_lost_already():
    assert part10.prints_error(W, (2 * UP, DOWN), "12.5")
    assert part10.errors(W, (2 * UP, DOWN)) != part10.errors(W, (DOWN, 2 * UP))


def test_an_error_that_is_rounding_alone_may_differ_by_the_slack_and_more_may_not():
    for factor, slack in ((1 + 1e-9, part10.SLACK), (1 + 1e-3, part10.EXACT)):
        ((low, high),) = part10.errors(W, (DOWN, factor * UP))
        assert high / low == pytest.approx(slack**2)


def test_without_factors_zero_or_rounding_is_right():
    assert part10.prints_error(W, None, "0.0") and part10.prints_error(W, None, "3.2e-31")
    assert not part10.prints_error(W, None, "1.0")


def test_zero_is_no_error_where_only_this_call_gives_no_factors():
    large = 1e18 * W
    tried = [(W, (DOWN, UP), "0.0"), (large, None, "0.0")]
    assert not part10.error_printed(tried, None).right
    assert not part10.error_printed(tried[1:], None, [(W, (DOWN, UP))]).right
    assert part10.error_printed(tried[1:], None, [(W, None)]).right
    assert part10.error_printed([tried[0], (large, None, "3.1e3")], None).right  # as where an assertion fails


def test_what_is_printed_whatever_the_matrix_is_no_answer_for_any():
    V = np.ones((2, 4))
    asked = [(W, None, "(1, 2) (2, 1)"), (V, None, "(2, 4) (4, 2)")]
    assert part10.shapes_printed(asked, None).right
    assert not part10.shapes_printed([(one, got, "(1, 2) (2, 1) (2, 4) (4, 2)") for one, got, _ in asked], None).right
    half, double = (DOWN, 2 * UP), (DOWN, 3 * UP)  # errors of 12.5 and 50
    assert part10.error_printed([(W, half, "12.5 of 3"), (W, double, "50.0 of 3")], None).right
    assert not part10.error_printed([(W, half, "12.5 50.0"), (W, double, "12.5 50.0")], None).right
    assert part10.error_printed([(W, (DOWN, UP), "0.0"), (W, (DOWN, UP), "0.0")], None).right
