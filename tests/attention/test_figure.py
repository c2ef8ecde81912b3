"""How the course's figures are drawn: labels stand where matplotlib's texts do, scales say what axes show."""

import io
import sys

import course_module
import matplotlib.pyplot as plt
import numpy as np
import pytest

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


def test_a_label_has_its_colour_and_only_an_opaque_one_hides_what_is_behind():
    for opaque, behind in ((False, True), (True, False)):
        drawn, axes = empty()
        axes.axvline(0.5, color="blue", linewidth=40)
        labels.write(axes, 0.5, 0.5, "HHH", color="red", ha="center", va="center", opaque=opaque)
        found = seen(drawn)[45:55, 92:108, :3].reshape(-1, 3)
        assert (found == (1, 0, 0)).all(axis=1).any()
        assert (found == (0, 0, 1)).all(axis=1).any() == behind


def test_a_formula_or_turned_text_is_drawn_by_matplotlib():
    for text, turned in (("$x^2$", 0), ("x", 90)):
        (ours, axes), (theirs, others) = empty(), empty()
        labels.write(axes, 0.5, 0.5, text, rotation=turned)
        others.text(0.5, 0.5, text, rotation=turned)
        assert (seen(ours) == seen(theirs)).all()


def test_the_file_holds_the_pixels_of_the_canvas_and_their_size():
    drawn, axes = empty()
    axes.plot([0, 1], [0, 1], color="green")
    assert (np.round(255 * seen(drawn)) == np.asarray(drawn.canvas.buffer_rgba())).all()
    assert seen(drawn).shape == (100, 200, 4)


def test_a_title_of_the_course_s_stands_where_it_is_put_and_a_student_s_plot_stays_matplotlib_s():
    for ours, (drawn, axes) in ((True, figure.subplots(**HAVE)), (False, plt.subplots())):
        axes.set(title="above")
        axes.tick_params(top=True, labeltop=True)
        drawn.canvas.draw()
        assert (axes.title.get_position()[1] == 1) == ours
    plt.close("all")
    assert plt.rcParams["axes.titley"] is None


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
    assert written(axes) == ["−2", "−1", "0", "1", "2", "3", "4"] and axes.get_xlabel() == "what"


def test_a_scale_of_logarithms_has_all_powers_of_ten():
    _, axes = figure.subplots(figsize=(4, 3), left=0.5, bottom=0.5)
    axes.set(yscale="log", ylim=(0.02, 300))
    labels.scale(axes, "y")
    assert written(axes) == ["10⁻¹", "10⁰", "10¹", "10²"]


def test_a_mark_outside_the_limits_is_left_out_with_its_label():
    _, axes = figure.subplots(figsize=(4, 3), left=0.5, bottom=0.5)
    axes.set(xlim=(1, 2))
    labels.scale(axes, "x", [0, 1, 2, 3], ["a", "b", "c", "d"])
    assert written(axes) == ["b", "c"]


def test_figures_need_no_pyplot():
    names = {name for name in sys.modules if name.startswith("attention_course.")}
    assert names and not [name for name in names if hasattr(sys.modules[name], "plt")]
