"""Shapes and numbers are found in whatever a function printed, and nothing else is taken for them."""

import time

import busy
import pytest

from attention.printed import has_number, has_shapes, words_removed


@pytest.mark.parametrize(
    ("text", "left"),
    [("W_2 is (4, 24)", "(4, 24)"), ("float64 24 x 4", "24 , 4"), ("W.shape[0] = 4", ". = 4"), ("4×24", "4 , 24")],
)
def test_names_are_taken_out_and_a_cross_between_numbers_is_a_comma(text: str, left: str):
    assert words_removed(text).split() == left.split()


@pytest.mark.parametrize(
    "text", ["(4, 24) (24, 4)", "24 x 4, then 4 x 24", "torch.Size([24, 4])\n[4, 24]", "W_1: 4×24; W_2: 24×4, 0.25"]
)
def test_both_shapes_are_found_in_any_order_and_layout(text: str):
    assert has_shapes(text, [((4, 24), (24, 4))])


@pytest.mark.parametrize(
    "text", ["", "(4, 24)", "4, 24, 4", "4.0, 24.0 and 24.0, 4.0", "(4, 25) (24, 4)", "W4, W24, W4", "(4, 24) 24.4"]
)
def test_one_shape_or_numbers_that_two_share_are_not_both(text: str):
    assert not has_shapes(text, [((4, 24), (24, 4))])


@pytest.mark.parametrize(
    "text",
    [
        "(4, 24) (24, 24) (4, 24)",
        "W (4, 24), copies (24, 24), W_DKV_MLA (4, 24)",
        "torch.Size([4, 24]) torch.Size([24, 24]) torch.Size([4, 24])",
        "[ 4 24] [24 24] [ 4 24]",
        "4x24, 24x24, 4x24",
        "(4, 24)\n(24, 24)\n4 × 24",
    ],
)
def test_the_end_of_a_shape_and_the_beginning_of_the_next_are_no_shape(text: str):
    assert not has_shapes(text, [((4, 24), (24, 4))])


@pytest.mark.parametrize(
    "text",
    [
        "(24, 4, 4, 24)",
        "24, 4; 4, 24",
        "r=(4) D=(24), D=(24) r=(4)",
        "|24|4|, |4|24|",
        "dim 0 = 24, dim 1 = 4\nDimension 0: 4, Dimension 1: 24",
    ],
)
def test_shapes_may_share_their_brackets_or_have_one_for_each_size(text: str):
    assert has_shapes(text, [((4, 24), (24, 4))])


@pytest.mark.parametrize(
    "text",
    [
        "U: dim 1: 24, dim 2: 4; M: dim 1: 4, dim 2: 24",
        "U.size(0)=24, U.size(1)=4, M.size(0)=4, M.size(-1)=24",
        "np.size(U, 0)=24 np.size(U, 1)=4 np.shape(M)[0]=4 np.shape(M)[-1]=24",
        "1st axis 24, 2nd axis 4; 1st axis 4, 2nd axis 24",
        "第1维 24，第2维 4，第1维 4，第2维 24",
    ],
)
def test_the_number_of_a_dimension_is_none_of_a_shape_s(text: str):
    assert has_shapes(text, [((24, 4), (4, 24))])


def test_both_shapes_are_of_one_pair():
    assert has_shapes("(1, 2) (3, 4)", [((9, 9), (8, 8)), ((3, 4), (1, 2))])
    assert not has_shapes("(1, 2) (3, 4)", [((1, 2), (8, 8)), ((9, 9), (3, 4))])


@pytest.mark.parametrize(
    "text", ["0.251", "error: 0.25", "2.51e-1", ".251", "0.3", "mse=0.2511 (float64)", "[0.251]", "is0.251"]
)
def test_a_number_is_right_as_far_as_its_digits_go(text: str):
    assert has_number(text, [(0.251, 0.2511)])


@pytest.mark.parametrize("text", ["", "0.24", "0.26", "25.1", "[0.251, 0.251]", "inf", "1e999", "1e-400"])
def test_another_number_or_a_list_of_them_is_not_it(text: str):
    assert not has_number(text, [(0.251, 0.2511)])


@pytest.mark.parametrize("text", ["-0.251", "mse = -0.251", "mse: -2.51e-1", "(-.251)", "−0.251", "error -0.251, 7"])
def test_a_number_below_zero_is_not_the_one_above_it(text: str):
    assert not has_number(text, [(0.251, 0.2511)])


@pytest.mark.parametrize(
    "text", ["mse - 0.251", "mse-0.251", "-> 0.251", "1-0.251", "- 0.251", "-1, 0.251", "--- 0.251 ---"]
)
def test_a_dash_before_a_number_is_no_minus(text: str):
    assert has_number(text, [(0.251, 0.2511)])


def test_commas_may_set_off_thousands():
    assert has_number("12,345.6", [(12345.6, 12345.6)]) and not has_number("12,34", [(1234.0, 1234.0)])


def test_so_may_underscores_as_python_writes_them():
    assert has_number(f"{1234567.8:_}", [(1234567.8, 1234567.8)])
    assert has_number("mse_2: 12_345.6", [(12345.6, 12345.6)])
    assert not has_number("12_345.6", [(345.6, 345.6)]) and not has_number("12_34.5", [(1234.5, 1234.5)])


@pytest.mark.parametrize(
    "text",
    ["1.23 · 10^-31", "1.23 x 10**-31", "1.23×10⁻³¹", "mse = 1.23*10^{-31}", "1.23 * 10^(-31)", "1,23e-31"]
    + ["1.23e−31", "$1.23 \\times 10^{-31}$", "1.23\\cdot10^{-31}", "1.23 · 10^−31", "误差1.23e-31"],
)
def test_a_power_of_ten_may_be_spelled_out_and_a_comma_may_be_a_point(text: str):
    assert has_number(text, [(1.232e-31, 1.233e-31)], zero=False)
    assert not has_number(text, [(1.25e-31, 1.26e-31)], zero=False)


@pytest.mark.parametrize("text", ["1 234.5", "1\u202f234,5", "1\xa0234,5", "1'234.5", "1.234,5", "均方误差1234.5"])
def test_thousands_may_be_set_off_in_the_ways_of_other_languages(text: str):
    assert has_number(text, [(1234.45, 1234.55)])
    assert not has_number(text, [(2.2, 2.3)]) and not has_number(text, [(12.3, 12.4)])


@pytest.mark.parametrize("text", ["24 100 0.5", "4, 100.5", "1 2345.5", "2.100.300,5,7", "r = 1 234"])
def test_numbers_side_by_side_are_not_one(text: str):
    assert has_number("24 100.5", [(100.4, 100.6)])
    assert not has_number(text, [(24100.4, 24100.6), (4100.4, 4100.6), (12345.4, 12345.6), (2100300.4, 2100300.6)])


def test_shapes_with_a_ten_in_them_are_no_power():
    assert has_shapes("4 x 10, 10 x 4", [((4, 10), (10, 4))])


@pytest.mark.parametrize("text", [f"{0.2512:%}", f"{0.2512:.1%}", "25 %", "mse: 2.5e1\xa0%"])
def test_a_percentage_is_read_as_one(text: str):
    assert has_number(text, [(0.251, 0.2512)])
    assert not has_number(text, [(25.1, 25.12)]) and not has_number(text, [(0.261, 0.262)])


def test_an_exponent_stands_for_what_is_near_it_alone():
    assert has_number("1e9", [(1.2e9, 1.2e9)]) and not has_number("1e9", [(1e8, 1e8)])
    assert has_number("0e9", [(0.0, 0.0)]) and not has_number("0e9", [(1e8, 1e8)])


def test_zero_is_all_that_is_small_where_it_may_stand():
    tiny = [(1e-30, 1e-30)]
    assert has_number("0.0", tiny) and not has_number("0.0", tiny, zero=False)
    assert has_number("1e-30", tiny, zero=False)


def test_a_text_of_so_many_numbers_that_one_fits_anything_states_none():
    every = [f"{digit}e{power}" for digit in range(1, 10) for power in range(-40, 40)]
    assert not has_number(" ".join(every), [(0.251, 0.2511)])
    assert has_number(" ".join(every[:20]) + " 0.251", [(0.251, 0.2511)])


@pytest.mark.parametrize(
    "text", ["[0. 0. 0.]", "[[0. 0.]\n [0. 0.]]", "[0., 0.]", "[[0. 0. ... 0. 0.]\n ...\n [0. 0. 0.]]"]
)
def test_zeros_in_an_array_are_not_their_mean(text: str):
    assert not has_number(text, [(0.0, 0.0)]) and has_number(f"{text}: 0.0", [(0.0, 0.0)])


def test_numbers_inside_arrays_and_repeated_ones_are_not_too_many():
    rows = "\n".join(f"[0.{n} 1.{n} -2.{n}]" for n in range(100))
    assert has_number(f"[{rows}]\nshape (24, 4)\n" + "step 1 of 24\n" * 100 + "mse 0.251", [(0.251, 0.2511)])


def test_a_long_text_of_digits_is_read_once():
    started, digits = time.process_time(), "1" * 20_000
    assert not has_number(digits, [(0.5, 0.5)]) and not has_shapes(digits, [((1,), (1,))])
    # Some ms; read again from each digit, it takes more than 3 s.
    assert busy.within(time.process_time() - started, 1.0)
