"""Part 9's checks by themselves: factors of two copies of W, (2, 4), that are right and that are not."""

import numpy as np
import pytest
from hidden_tests import answered

from attention import factors, part09
from grading.marking.rubric import Verdict

W, ZEROS = np.array([[1.0, 2.0, 0.0, 1.0], [0.0, 1.0, 3.0, 1.0]]), np.zeros((2, 4))  # G = 1, d = 2, H = 2
COPIES = "np.concatenate([np.eye(2)] * 2)"


def tried(returned: str, W: np.ndarray = W) -> part09.Tried:
    with answered(9, f"def factor_gqa(W, H):\n    return {returned}"):
        return part09.tried(W, 2)


@pytest.mark.parametrize("returned", [f"{COPIES}, W", f"2 * {COPIES}, W / 2", f"[{COPIES}.tolist(), W]"])
def test_any_factors_of_the_stacked_matrix_are_right(returned: str):
    shapes, case = tried(returned)
    assert shapes.right and (case.got == np.concatenate([W, W])).all()
    assert part09.products([(shapes, case)]).right


@pytest.mark.parametrize(
    ("returned", "mistake", "text"),
    [
        ("W", "", "expected two matrices, W_UM and W_DKV, got a NumPy array."),
        ("None", "", "expected two matrices, W_UM and W_DKV, got None (is a `return` missing?)."),
        ("(W, W, W)", "", "expected two matrices, W_UM and W_DKV, got a tuple of 3."),
        ("[W] * 99", "", "expected two matrices, W_UM and W_DKV, got a list of more."),
        ("np.concatenate([W, W])", "product-returned", ""),
        ("np.eye(4), np.concatenate([W, W])", "full-width", ""),
        (f"W, {COPIES}", "order-swapped", ""),
        (f"{COPIES}.T, W.T", "matrix-transposed", "W_UM, W_DKV: "),
        (f"{COPIES}.T, W", "stacked-side-by-side", ""),
        (f"2 * {COPIES}.T, W / 2", "matrix-transposed", "W_UM: "),
        ("np.ones((2, 4)), W", "stacked-side-by-side", ""),
        ("np.ones((3, 2)), W", "", "with G = 1, d = 2 and H = 2, W_UM: expected shape (4, 2), got (3, 2)"),
        (f"{COPIES}, W[:, :3]", "", "with G = 1, d = 2 and H = 2, W_DKV: expected shape (2, 4), got (2, 3)"),
        ("1 / 0", "", "your code stopped with a ZeroDivisionError"),
    ],
)
def test_what_is_no_pair_of_these_shapes_is_told(returned: str, mistake: str, text: str):
    shapes, case = tried(returned)
    assert not shapes.right and shapes.mistake == mistake and text in shapes.found
    assert part09.products([(shapes, case)]) == shapes


@pytest.mark.parametrize(("W", "hint"), [(W, False), (ZEROS, True), (W[[0, 0]], True)])
def test_code_that_stops_gets_a_hint_where_dependent_rows_may_have_stopped_it(W: np.ndarray, hint: bool):
    shapes, case = tried("np.linalg.inv(W @ W.T), W", W) if hint else tried("1 / 0", W)
    assert shapes.no_value != hint and part09.products([(shapes, case)]).no_value != hint


def test_code_that_stops_at_any_matrix_gets_no_hint_about_dependent_rows():
    assert tried("np.linalg.inv(W @ W.T) @ V", ZEROS)[0].no_value


def test_an_answer_that_is_not_there_gets_no_hint_about_dependent_rows():
    with answered(9, "pass"):
        shapes, case = part09.tried(ZEROS, 2)
    assert (
        shapes.no_value and part09.products([(shapes, case)]).no_value and "`factor_gqa` is not there" in shapes.found
    )


def test_factors_of_right_shapes_and_another_product_are_wrong():
    found = tried(f"{COPIES}, 2 * W")
    assert found[0].right and not part09.products([found]).right
    assert not part09.products([tried(f"{COPIES}, W"), found]).right


@pytest.mark.parametrize(
    ("size", "text"), [(1.0, ""), (1e-18, ", and entries of about 3e-18"), (1e9, ", and entries of about 3e+09")]
)
def test_entries_of_another_size_are_told(size: float, text: str):
    found = part09.products([tried(f"{COPIES}, np.where(W > 1e-12, np.minimum(W, 1.0), 0)", size * W)]).found
    assert found.startswith(f"with G = 1, d = 2 and H = 2{text}, the numbers are off by up to")


def test_zeros_are_factored_up_to_rounding_and_no_further():
    assert part09.products([tried("np.full((4, 2), 1e-6), np.full((2, 4), 1e-4)", ZEROS)]).right
    assert not part09.products([tried("np.full((4, 2), 1e-4), np.full((2, 4), 1e-4)", ZEROS)]).right


def verdicts(returned: str) -> tuple[Verdict, Verdict]:
    """The two items': on W and a matrix with an entry of 0 first, and on a matrix whose rows are equal."""
    ordinary, special, deficient = (tried(returned, V) for V in (W, W[::-1], W[[0, 0]]))
    return part09.products([ordinary], [special]), part09.products_of_deficient([deficient], [ordinary])


def test_numbers_that_are_in_their_places_and_not_exact_are_told_so():
    for verdict in verdicts(f"{COPIES}, 1.001 * W"):
        assert not verdict.right and verdict.mistake == "not-exact"
    for verdict in verdicts(f"{COPIES}, W * (1.001 if (W[0] != W[1]).any() and W[0, 0] else 2)"):
        assert not verdict.right and not verdict.mistake


def test_numbers_that_are_exact_but_where_entries_are_small_are_not_said_to_be_not_exact():
    cut_off = f"{COPIES}, np.where(abs(W) > 1e-12, W, 0)"
    verdict = part09.products([tried(cut_off)], [tried(cut_off, 1e-18 * W)])
    assert not verdict.right and not verdict.mistake and "entries of about 3e-18" in verdict.found


def test_a_construction_that_fails_at_special_matrices_alone_is_asked_what_it_takes_for_granted():
    product, deficient = verdicts(f"{COPIES} * np.sign(W[0, 0]), W")
    assert product.found.endswith(factors.BEYOND) and product.no_value
    assert deficient.right
    for found in verdicts(f"2 * {COPIES}, W"):
        assert not found.right and factors.BEYOND not in found.found


def test_a_product_that_is_wrong_anyway_gets_no_hint_about_dependent_rows():
    wrong, inverted = verdicts(f"2 * {COPIES}, W")[1], verdicts(f"{COPIES}, W * (W[0] != W[1]).any()")[1]
    assert not wrong.right and wrong.no_value
    assert not inverted.right and not inverted.no_value
