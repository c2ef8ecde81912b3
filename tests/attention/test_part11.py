"""Part 11's checks by themselves: factors that a student chose, and what their product shows."""

import numpy as np
import pytest

from attention import factors, part11
from grading.bridge.probe import Reason, Tensor, Why

UP, DOWN = np.array([[3.0], [4.0]]), np.array([[1.0, 2.0]])  # W_UM and W_DKV
MISSING = Reason(Why.MISSING, "`W_UM_MLA` is not there.")
PRODUCT = np.array([[3.0, 6.0], [4.0, 8.0]])


@pytest.mark.parametrize(
    ("W_UM", "W_DKV", "mistake", "text"),
    [
        (DOWN, UP, "factors-exchanged", ""),
        (np.eye(2), PRODUCT, "more-than-one-latent", ""),
        (UP, [1.0, 2.0], "", "W_DKV_MLA: expected shape (1, 2), got (2,)"),
        (UP, None, "", "expected an array of numbers, got None"),
    ],
)
def test_factors_of_other_shapes_are_told(W_UM: object, W_DKV: object, mistake: str, text: str):
    assert part11.shapes(UP.tolist(), DOWN).right
    verdict = part11.shapes(W_UM, W_DKV)
    assert not verdict.right and verdict.mistake == mistake and text in verdict.found


@pytest.mark.parametrize(
    ("product", "W_UM", "W_DKV", "text"),
    [
        (2 * PRODUCT, UP, DOWN, "off by up to"),
        (PRODUCT, UP, np.ones((2, 2)), factors.NOT_FORMED),
        (11.0, UP[:, 0], DOWN[0], factors.NO_MATRICES),
        (PRODUCT, np.ones((10**3, 1)), np.ones((1, 10**3)), factors.TOO_LARGE),
        (PRODUCT, None, DOWN, factors.NOT_FORMED),
        (PRODUCT, MISSING, DOWN, "`W_UM_MLA` is not there."),
    ],
)
def test_a_product_that_is_not_that_of_the_factors_is_told(product: object, W_UM: object, W_DKV: object, text: str):
    verdict = part11.is_product(product, W_UM, W_DKV)
    assert not verdict.right and text in verdict.found


def test_the_factors_product_is_right_whatever_their_shapes():
    assert part11.is_product(PRODUCT, UP, DOWN).right
    assert part11.is_product(np.ones((3, 3)), np.ones((3, 1)), np.ones((1, 3))).right
    assert part11.is_product(DOWN @ UP, UP, DOWN).mistake  # multiplied in the other order


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
def test_a_product_of_whole_numbers_that_wraps_around_in_their_own_dtype_is_theirs(dtype: str):
    W_UM, W_DKV = np.array([[90], [120]], dtype), np.array([[100, 110]], dtype)
    tensors = [Tensor(one, dtype) for one in (W_UM @ W_DKV, W_UM, W_DKV)]
    exact = W_UM.astype(float) @ W_DKV.astype(float)
    assert part11.is_product(W_UM @ W_DKV, W_UM, W_DKV).right and part11.is_product(*tensors).right
    assert part11.is_product(exact, W_UM, W_DKV).right
    assert not part11.is_product(W_UM @ W_DKV + 1, W_UM, W_DKV).right
    wraps = not np.array_equal(W_UM @ W_DKV, exact)
    assert part11.is_product(W_UM @ W_DKV, W_UM.astype(int), W_DKV).right is not wraps


def test_a_product_of_factors_that_were_rounded_like_it_is_theirs():
    W_UM, W_DKV = np.array([[1.99], [1.5078]]), np.array([[1.0038, 1.2539]])
    rounded = np.array([[1.9921875], [1.5078125]]) @ np.array([[1.0, 1.25]])  # each to 8 bits
    assert np.abs(rounded / (W_UM @ W_DKV) - 1).max() > 2**-9
    for factor in (1.0, 1 + 2**-9, 1 - 2**-9):
        assert part11.is_product(Tensor(rounded * factor, "bfloat16"), W_UM, W_DKV).right
        assert not part11.is_product(rounded * factor, W_UM, W_DKV).right
    assert not part11.is_product(Tensor(rounded * 0.99, "bfloat16"), W_UM, W_DKV).right


@pytest.mark.filterwarnings("error")
def test_factors_that_cannot_be_rounded_make_no_trouble():
    for one in (np.inf, np.nan, 1.797e308, 1j):
        assert not part11.is_product(Tensor(PRODUCT, "bfloat16"), np.full((2, 1), one), DOWN).right


@pytest.mark.parametrize(
    ("product", "mistake"),
    [(np.ones((2, 2)), "rows-equal"), (np.zeros((2, 2)), "product-of-zeros"), (np.full((2, 2), np.nan), "")],
)
def test_rows_that_do_not_differ_are_told(product: np.ndarray, mistake: str):
    verdict = part11.rows_differ(product, UP, DOWN, shaped=False)
    assert not verdict.right and verdict.mistake == mistake


def test_rows_differ_by_more_than_rounding():
    rows = np.array([[1.0, 1.0], [1.0, 1.0 + 1e-12]])
    assert not part11.rows_differ(rows, UP, DOWN, shaped=False).right
    assert part11.rows_differ(rows + [[0.0], [1e-6]], UP, DOWN, shaped=False).right


def test_a_product_that_is_not_theirs_shows_nothing_where_the_factors_have_their_shapes():
    assert part11.rows_differ(PRODUCT, UP, DOWN, shaped=True).right
    assert not part11.rows_differ(PRODUCT, np.ones((2, 1)), DOWN, shaped=True).right
    assert part11.rows_differ(PRODUCT, np.ones((2, 1)), DOWN, shaped=False).right


def test_a_product_that_is_not_finite_is_not_said_to_have_equal_rows():
    assert "NaN" in part11.rows_differ(np.full((2, 2), np.nan), UP, DOWN, shaped=False).found
