"""How the course's figures are drawn: labels stand where matplotlib's texts do, scales say what axes show."""

import io
import sys

import course_module
import matplotlib.pyplot as plt
import numpy as np
import pytest
from course_module import of
from matplotlib import mathtext
from matplotlib.text import Text
from pictures import kept

figure, labels = course_module.named("figure"), course_module.named("labels")
HAVE = {"figsize": (2, 1), "left": 0, "right": 0, "bottom": 0, "top": 0}


def empty() -> tuple:
    """A figure of 200 x 100 pixels, and axes that fill it from 0 to 1 and show nothing."""
    drawn, axes = figure.subplots(**HAVE)
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.axis("off")
    return drawn, axes


def seen(drawn) -> np.ndarray:
    """The pixels of a figure's PNG file, as Pillow and matplotlib read it, from 0 to 1."""
    return plt.imread(io.BytesIO(figure.png(drawn)), format="png")


def edges(drawn) -> np.ndarray:
    """First and last row, first and last column, in which anything is seen."""
    dark = seen(drawn)[:, :, :3].min(axis=2) < 0.5
    return np.array([np.flatnonzero(dark.any(axis=axis))[[0, -1]] for axis in (1, 0)]).ravel()


@pytest.mark.parametrize("text", ["H", "gjp", "0.02", "two\nlines"])
@pytest.mark.parametrize("above", ["top", "center", "baseline", "bottom"])
@pytest.mark.parametrize("side", ["left", "center", "right"])
def test_a_label_stands_where_a_text_of_matplotlib_does(text: str, above: str, side: str):
    look = {"ha": side, "va": above, "fontsize": 9}
    (ours, axes), (theirs, others) = empty(), empty()
    labels.write(axes, 0.503, 0.507, text, **look)
    others.text(0.503, 0.507, text, **look)
    apart = np.abs(edges(ours) - edges(theirs))
    assert apart[:2].max() <= 1 and apart[2:].max() <= 2, apart  # pixels: ours are whole, theirs are not


@pytest.mark.parametrize("above", ["top", "center", "bottom"])
@pytest.mark.parametrize("side", ["left", "center", "right"])
def test_a_label_turned_to_the_left_stands_where_a_text_of_matplotlib_does(above: str, side: str):
    look = {"ha": side, "va": above, "fontsize": 9, "rotation": 90}
    (ours, axes), (theirs, others) = empty(), empty()
    labels.write(axes, 0.503, 0.507, "gjHp", **look)
    others.text(0.503, 0.507, "gjHp", **look)
    assert np.abs(edges(ours) - edges(theirs)).max() <= 2  # pixels


FORMULAS = ["$x$", "$W^Q$", "$o_0$", "$x^{out}$", "$D_{qk}$ = 4", "head $h$", r"$\Sigma\,\alpha$", r"$A\,W$"]


@pytest.mark.parametrize("text", [*FORMULAS, "$W^{UK}_h$", "$W_h^{UK}$", r"$\hat Q_h$", r"$B\,\widetilde{W}$"])
def test_a_formula_is_drawn_as_large_as_matplotlib_draws_it_and_not_by_matplotlib(text: str, monkeypatch):
    (ours, axes), (theirs, others) = empty(), empty()
    others.text(0.5, 0.5, text, fontsize=13, ha="center", va="center")
    expected = edges(theirs)
    monkeypatch.setattr(mathtext.MathTextParser, "parse", None)
    labels.write(axes, 0.5, 0.5, text, fontsize=13, ha="center", va="center")
    assert np.abs(edges(ours) - expected).max() <= 4  # pixels


def test_an_index_and_an_exponent_of_one_letter_do_not_touch():
    drawn, axes = empty()
    labels.write(axes, 0.2, 0.5, "$W^{Q}_h$", fontsize=20)
    columns = seen(drawn)[:, 64:, :3].min(axis=2) < 0.6  # right of the W
    rows = np.flatnonzero(columns.any(axis=1))
    assert (np.diff(rows) > 1).sum() == 1  # a gap between the two


@pytest.mark.parametrize("text", ["$\\frac{1}{2}$", "$x^{a1}$", "${x$", "$\\hat $"])
def test_a_formula_that_has_more_than_letters_with_an_index_is_left_to_matplotlib(text: str):
    assert labels.letters(text, 10, "normal", 100) is None


def test_a_label_is_drawn_in_the_font_that_is_set_at_that_moment():
    def image(family: str) -> np.ndarray:
        with plt.rc_context({"font.family": family}):
            return labels.letters("query heads $W^Q_h$", 10, "normal", 100).letters

    first, other, again = image("sans-serif"), image("serif"), image("sans-serif")
    assert first.tobytes() == again.tobytes() != other.tobytes()


def test_any_other_turned_text_is_drawn_by_matplotlib():
    (ours, axes), (theirs, others) = empty(), empty()
    labels.write(axes, 0.5, 0.5, "x", rotation=45)
    others.text(0.5, 0.5, "x", rotation=45)
    assert (seen(ours) == seen(theirs)).all()


def test_a_label_has_its_colour_and_hides_what_is_behind_only_if_told_to():
    white = []
    for behind, margin in ((None, 0), ("white", 0), ("white", 3.6)):
        drawn, axes = empty()
        axes.axvline(0.5, color="blue", linewidth=60)
        labels.write(axes, 0.5, 0.5, "HHH", color="red", ha="center", va="center", behind=behind, margin=margin)
        found = seen(drawn)[50, 60:140, :3]
        assert (found == (1, 0, 0)).all(axis=1).any()
        white.append((found == 1).all(axis=1).sum())
    assert white[0] == 0 < white[1] and white[2] - white[1] == 2 * 5  # pixels, on both sides


def test_the_file_holds_the_pixels_of_the_canvas_and_their_size():
    drawn, axes = empty()
    axes.plot([0, 1], [0, 1], color="green")
    assert (np.round(255 * seen(drawn)) == np.asarray(drawn.canvas.buffer_rgba())).all()
    assert seen(drawn).shape == (100, 200, 4)


def test_a_title_of_the_course_s_stands_where_it_is_put_and_a_student_s_plot_stays_matplotlib_s():
    for ours, (drawn, axes) in ((True, figure.subplots(figsize=(2, 2), top=1)), (False, plt.subplots())):
        axes.set(title="above")
        axes.tick_params(top=True, labeltop=True)
        drawn.canvas.draw()
        assert (written(axes) == ["above"]) == ours and (axes.title.get_text() == "above") != ours
    plt.close("all")


def test_panels_lie_as_many_inches_from_the_edges_as_was_asked():
    drawn, panels = figure.subplots(2, 2, figsize=(8, 4), left=1, right=0.5, bottom=0.6, top=0.2, across=0.5, down=0.4)
    left, bottom, right, top = 8, 4, 8, 4
    first, last = panels[0, 0].get_position(), panels[1, 1].get_position()
    found = [first.x0 * left, last.y0 * bottom, (1 - last.x1) * right, (1 - first.y1) * top]
    assert np.allclose(found, [1, 0.6, 0.5, 0.2])
    assert np.isclose((panels[0, 1].get_position().x0 - first.x1) * 8, 0.5)
    assert np.isclose((first.y0 - panels[1, 0].get_position().y1) * 4, 0.4)


def written(axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def test_a_scale_has_marks_where_matplotlib_would_set_them():
    _, axes = figure.subplots(figsize=(4, 3), left=0.5, bottom=0.5)
    axes.set(xlim=(-2, 4), ylim=(0, 1))
    labels.scale(axes, "x", name="what")
    assert written(axes) == ["−2", "−1", "0", "1", "2", "3", "4", "what"]


def test_a_scale_of_logarithms_has_all_powers_of_ten():
    _, axes = figure.subplots(figsize=(4, 3), left=0.5, bottom=0.5)
    axes.set(yscale="log", ylim=(0.02, 300))
    labels.scale(axes, "y")
    assert written(axes) == ["10⁻¹", "10⁰", "10¹", "10²"]


def test_a_long_scale_of_logarithms_leaves_powers_out():
    _, axes = figure.subplots(figsize=(4, 3), left=0.5, bottom=0.5)
    axes.set(yscale="log", ylim=(1, 1e30))
    labels.scale(axes, "y")
    assert written(axes) == ["10⁰", "10⁴", "10⁸", "10¹²", "10¹⁶", "10²⁰", "10²⁴", "10²⁸"]


def test_a_mark_outside_the_limits_is_left_out_with_its_label():
    _, axes = figure.subplots(figsize=(4, 3), left=0.5, bottom=0.5)
    axes.set(xlim=(1, 2))
    labels.scale(axes, "x", [0, 1, 2, 3], ["a", "b", "c", "d"])
    assert written(axes) == ["b", "c"]


def test_figures_need_no_pyplot():
    names = {name for name in sys.modules if name.startswith("attention_course.")}
    assert names and not [name for name in names if hasattr(sys.modules[name], "plt")]


@pytest.mark.parametrize(
    ("number", "answer"),
    [
        (1, {"shape_W_Q_h": "D_1 D_qk", "shape_W_K_h": "D_2 D_qk", "shape_W_V_h": "D_2 D_v"}),
        (2, {"shape_W_Q": "H*D_1 D_qk", "shape_W_K": "H*D_2 D_qk", "shape_W_V": "H*D_2 D_v"}),
    ],
)
def test_the_heading_stands_clear_of_the_panels_titles_where_rows_and_columns_are_exchanged(
    number: int, answer: dict[str, str], monkeypatch: pytest.MonkeyPatch
):
    part = of(number)
    with kept(part, monkeypatch) as shown:
        getattr(part, f"draw_part0{number}")({name: tuple(shape.split()) for name, shape in answer.items()})
        figure = shown[0][0]
        figure.canvas.draw()
        texts = {text.get_text(): text.get_window_extent() for text in figure.findobj(Text)}
        heading = next(box for text, box in texts.items() if text.startswith("Drawn for"))
        titles = [box for text, box in texts.items() if text.startswith(("quer", "key", "value"))]
        assert len(titles) == 3 and not any(heading.overlaps(title) for title in titles)
