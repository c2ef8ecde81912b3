"""Part 3's visible check and figure: what they say of logits and draw of them; the slider and its picture."""

import contextlib

import course_module
import numpy as np
import pytest
import torch
from attention_course import part03_slider
from pictures import apart, kept, seen


def right(q, K, D_qk):
    return K @ q / D_qk**0.5


def lines(answer, capsys: pytest.CaptureFixture) -> list[str]:
    capsys.readouterr()
    with contextlib.suppress(AssertionError, NotImplementedError):
        course_module.of(3).check_part03({"attention_logits": answer})
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    "answer",
    [
        right,
        lambda q, K, D_qk: (K @ q).numpy() / np.sqrt(D_qk),
        lambda q, K, D_qk: [float(k @ q) for k in K],  # not scaled: wrong, and of the right form
        lambda q, K, D_qk: [k @ q for k in K],
        lambda q, K, D_qk: torch.einsum("d,ld->l", q, K) / torch.sqrt(torch.tensor(D_qk)),
    ],
    ids=["tensor", "array", "list of floats", "list of tensors", "einsum"],
)
def test_logits_pass_in_every_kind(answer, capsys):
    found = lines(answer, capsys)
    assert len(found) == 5 and found[-1] == "Part 3: the visible checks pass."


@pytest.mark.parametrize(
    ("answer", "place", "text"),
    [
        (lambda q, K, D_qk: K @ q[:, None], 0, "expected shape (3,), got (3, 1)"),
        (lambda q, K, D_qk: (K @ q).squeeze(), 1, "expected shape (1,), got ()"),
        (lambda q, K, D_qk: None, 0, "got None. Does the function end with a return?"),
        (lambda q, K, D_qk: torch.softmax(K @ q, 0), 2, "expected zeros, got [0.333, 0.333, 0.333]"),
        (lambda q, K, D_qk: -right(q, K, D_qk), 3, "same direction: expected a positive logit, got -3.536"),
        (lambda q, K, D_qk: right(q, K, D_qk).abs(), 3, "opposite direction: expected a negative logit, got 3.536"),
        (lambda q, K, D_qk: K @ q + K.sum(1), 3, "perpendicular: expected 0, got 1.000"),
    ],
)
def test_another_form_or_sign_gets_its_line(answer, place: int, text: str, capsys):
    line = lines(answer, capsys)[place]
    assert line.startswith("  ✗ ") and text in line


def spreads(printed: str) -> list[tuple[float, float]]:
    """The spread and the largest weight of each histogram, in the order in which they were printed."""
    words = [line.replace(",", "").split() for line in printed.splitlines()]
    return [(float(line[line.index("spread") + 1]), float(line[-1])) for line in words]


def test_the_figure_shows_that_a_right_factor_keeps_the_spread_and_the_weights(monkeypatch, capsys):
    with seen(course_module.of(3), monkeypatch) as shown:
        course_module.of(3).draw_part03({"attention_logits": right})
    found = spreads(capsys.readouterr().out)
    assert [spread for spread, _ in found[0::2]] == pytest.approx([2, 8, 32], rel=0.02)
    assert [spread for spread, _ in found[1::2]] == [1.0, 1.0, 1.0]
    assert all(weight < 0.4 for _, weight in found[1::2]) and found[4][1] > 0.95
    (alt,) = shown
    assert "D_qk = 1024, without your factor: spread 32.0" in alt


def test_a_small_spread_is_not_printed_as_0(monkeypatch, capsys):
    with seen(course_module.of(3), monkeypatch):
        course_module.of(3).draw_part03({"attention_logits": lambda q, K, D_qk: K @ q / D_qk})
    assert [spread for spread, _ in spreads(capsys.readouterr().out)[1::2]] == [0.5, 0.1, 0.03]


def test_the_check_without_the_function_says_so(capsys):
    with pytest.raises(AssertionError, match="there is no `attention_logits` yet"):
        course_module.of(3).check_part03({"attention_logit": right})
    assert [line[:4] for line in capsys.readouterr().out.splitlines()] == ["  ✗ ", "  · ", "  · ", "  · "]


def test_the_figure_shows_a_forgotten_factor(monkeypatch, capsys):
    with seen(course_module.of(3), monkeypatch):
        course_module.of(3).draw_part03({"attention_logits": lambda q, K, D_qk: (K @ q).tolist()})
    found = spreads(capsys.readouterr().out)
    assert found[0::2] == found[1::2]


@pytest.mark.parametrize(
    "answer",
    [
        None,
        5,
        lambda q, K, D_qk: None,
        lambda q, K, D_qk: 1 / 0,
        lambda q, K, D_qk: K,
        lambda q, K, D_qk: torch.zeros(len(K)),
        lambda q, K, D_qk: torch.full((len(K),), float("nan")),
        lambda q, K, D_qk: (_ for _ in ()).throw(NotImplementedError),
    ],
    ids="missing number None error matrix zeros nan unwritten".split(),
)
def test_the_figure_of_an_answer_without_logits_says_so(answer, monkeypatch, capsys):
    with seen(course_module.of(3), monkeypatch) as shown:
        course_module.of(3).draw_part03({"attention_logits": answer})
    assert capsys.readouterr().out.splitlines() == [
        "D_qk =    4: no logits to draw yet",
        "D_qk =   64: no logits to draw yet",
        "D_qk = 1024: no logits to draw yet",
    ]
    assert len(shown) == 1


PRINTED = """\
logits 2, 1, 0, -1, all times a factor
factor  0.1: weights 0.29  0.26  0.24  0.21
factor    1: weights 0.64  0.24  0.09  0.03
factor   10: weights 1.00  0.00  0.00  0.00
"""


def test_where_nobody_can_move_a_slider_there_are_three_still_pictures(monkeypatch, capsys):
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    with seen(part03_slider, monkeypatch) as shown:
        part03_slider.softmax_handle()
    assert capsys.readouterr().out == PRINTED
    (alt,) = shown
    assert "factor 10: 1.00, 0.00, 0.00, 0.00." in alt


def test_in_jupyterlab_a_slider_redraws_the_bars_and_the_same_is_printed(monkeypatch, capsys):
    import IPython.display
    import ipywidgets
    from matplotlib import pyplot as plt

    displayed: list[object] = []
    monkeypatch.setenv("JPY_SESSION_NAME", "part03.ipynb")
    monkeypatch.setattr(IPython.display, "display", displayed.append)
    part03_slider.softmax_handle()
    assert capsys.readouterr().out == PRINTED
    (box,) = displayed
    slider, picture = box.children
    assert isinstance(slider, ipywidgets.FloatLogSlider)
    before = picture.value
    assert 'alt="Bars: softmax weights of the logits 2, 1, 0, -1. factor 1: 0.64, 0.24, 0.09, 0.03."' in before
    slider.value = 10.0
    assert "factor 10: 1.00, 0.00, 0.00, 0.00." in picture.value != before
    assert plt.get_fignums() == []


def test_the_weights_of_the_slider_are_those_worked_out_by_hand():
    assert part03_slider.softmax(1.0) == pytest.approx(
        torch.softmax(torch.tensor(part03_slider.LOGITS), 0).tolist(), abs=1e-6
    )
    assert [round(weight, 2) for weight in part03_slider.softmax(1.0)] == [0.64, 0.24, 0.09, 0.03]


@pytest.mark.parametrize("logits", [None, lambda q, K, D_qk: K @ q, lambda q, K, D_qk: K @ q * D_qk**0.5])
def test_no_label_reaches_into_the_panel_next_to_it(logits, monkeypatch, capsys):
    with kept(course_module.of(3), monkeypatch) as shown:
        course_module.of(3).draw_part03({"attention_logits": logits})
        ((figure, _),) = shown
        assert apart(figure)
