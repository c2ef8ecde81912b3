"""Part 11's visible check and figure: examples of several kinds, and a line for each wrong shape."""

import course_module
import numpy as np
import pictures
import pytest
import torch
from attention_course.table import ChecksFailed
from hidden_tests import Beside, model_answer
from matplotlib.text import Text

from attention import course

eleven = course_module.of(11)
DOWN, UP = np.array([[5.0, -7.0]]), np.array([[1.0], [-2.0]])
EXAMPLE = {"W_DKV_MLA": DOWN, "W_UM_MLA": UP, "product": UP @ DOWN}


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The alt texts of the pictures that were shown."""
    return pictures.taken(eleven, monkeypatch)


KINDS = {
    "arrays": np.array,
    "tensors": torch.tensor,
    "parameters": lambda value: torch.nn.Parameter(torch.tensor(value)),
    "lists": np.ndarray.tolist,
    "whole numbers": lambda value: value.astype(int),
    "bools": lambda value: value > 0,
    "the matrix class": np.matrix,
    "lists of tensors": lambda value: [torch.tensor(row) for row in value],
}


@pytest.mark.parametrize("kind", KINDS)
def test_an_example_of_any_kind_passes_and_is_drawn(kind: str, shown: list[str], capsys: pytest.CaptureFixture):
    names = {name: KINDS[kind](value) for name, value in EXAMPLE.items()}
    eleven.check_part11(names)
    *lines, last = capsys.readouterr().out.splitlines()
    assert len(lines) == 3 and all(line.startswith("  ✓ ") for line in lines)
    assert last == "Part 11: the visible checks pass."
    eleven.draw_part11(names)
    assert capsys.readouterr().out.startswith("two copies of your row 0: ") and len(shown) == 1


def test_the_check_leaves_open_whether_the_example_shows_it(capsys: pytest.CaptureFixture):
    eleven.check_part11(EXAMPLE | {"product": np.ones((2, 2))})
    assert "✗" not in capsys.readouterr().out
    eleven.check_part11(Beside(11, model_answer(course.PARTS[11])).names)


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"W_DKV_MLA": UP, "W_UM_MLA": DOWN}, "W_DKV_MLA has shape (1, 2): expected shape (1, 2), got (2, 1)"),
        ({"W_UM_MLA": np.ones(2)}, "W_UM_MLA has shape (2, 1): expected shape (2, 1), got (2,)"),
        ({"product": DOWN @ UP}, "product has shape (2, 2): expected shape (2, 2), got (1, 1)"),
        ({"product": None}, "product has shape (2, 2): got None"),
        ({"W_UM_MLA": (2, 1)}, "W_UM_MLA has shape (2, 1): expected numbers, got the shape itself"),
        ({"W_UM_MLA": "[[2], [1]]"}, "W_UM_MLA has shape (2, 1): expected numbers, got a str"),
    ],
)
def test_a_wrong_shape_gets_its_line(changed: dict, text: str, capsys: pytest.CaptureFixture):
    with pytest.raises(ChecksFailed):
        eleven.check_part11(EXAMPLE | changed)
    assert f"  ✗ {text}" in capsys.readouterr().out.splitlines()


def test_a_missing_name_is_named(capsys: pytest.CaptureFixture):
    with pytest.raises(ChecksFailed, match="there is no `W_DKV_MLA` yet.* \\(2 more failed\\)"):
        eleven.check_part11({})


def test_the_figure_prints_both_pairs_of_rows(shown: list[str], capsys: pytest.CaptureFixture):
    eleven.draw_part11(EXAMPLE)
    assert capsys.readouterr().out.splitlines() == [
        "two copies of your row 0: head 0 reads (5, -7), head 1 reads (5, -7)",
        "your product: head 0 reads (5, -7), head 1 reads (-10, 14)",
    ]


def pixels(figure, axes) -> np.ndarray:
    """What a panel shows, from top to bottom, (height, width, 3), from 0 to 255."""
    figure.canvas.draw()
    seen = np.asarray(figure.canvas.buffer_rgba())[::-1, :, :3].astype(int)
    box = axes.get_window_extent()
    return seen[round(box.y0) : round(box.y1), round(box.x0) : round(box.x1)][::-1]


@pytest.mark.parametrize("times", [1.5, 4, 8, 12, 20, 1000])
def test_no_arrow_points_where_its_row_does_not(times: float, monkeypatch: pytest.MonkeyPatch):
    with pictures.kept(eleven, monkeypatch) as found:
        eleven.draw_part11({"product": np.array([[1.0, 2.0], [times, 2 * times]])})
        ((figure, _),) = found
        panel = pixels(figure, figure.axes[1])
    high, wide = (size // 2 for size in panel.shape[:2])
    behind = np.ptp(panel[high + 12 :, : wide - 12], axis=2)  # 12 pixels: half of the dot that stands for a short row
    assert behind.max() < 30, "something coloured, below and left of the origin"


@pytest.mark.parametrize("rows", [(15, 3, 5, 1), (1, 2, -1000, -2000), (-0.1234, 1e-7, 3, 6), (1e9, 1, 0, 0)])
def test_the_rows_are_written_where_nothing_cuts_them_off(rows: tuple, monkeypatch: pytest.MonkeyPatch):
    with pictures.kept(eleven, monkeypatch) as found:
        eleven.draw_part11({"product": np.array(rows, dtype=float).reshape(2, 2)})
        ((figure, _),) = found
        figure.canvas.draw()
        numbers = [t for t in figure.findobj(Text) if "(" in t.get_text()]
        assert [t.get_text().count("(") for t in numbers] == [2, 2]
        left, right = (t.get_window_extent() for t in numbers)
    assert left.x0 >= 0 and left.x1 < right.x0 and right.x1 <= figure.bbox.x1 and left.y1 <= figure.bbox.y1


@pytest.mark.parametrize("times", [1e-9, 1.0, 1e9])
def test_the_scales_say_how_large_the_numbers_are(times: float, monkeypatch: pytest.MonkeyPatch):
    with pictures.kept(eleven, monkeypatch) as found:
        eleven.draw_part11({"product": times * np.array([[1.0, 2.0], [3.0, 4.0]])})
        ((figure, _),) = found
        marks = [t.get_text() for t in figure.findobj(Text)]
        assert pictures.apart(figure)
    assert marks.count(f"{2.5 * times:.3g}") == 3  # of both panels' first entry, and of one's second


@pytest.mark.parametrize("product", [None, "text", np.ones((1, 2)), np.full((2, 2), np.nan), [[1], [2, 3]]])
def test_the_figure_of_a_wrong_answer_is_one_line(product, shown: list[str], capsys: pytest.CaptureFixture):
    eleven.draw_part11({"product": product})
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("No picture yet: ") and not shown


def test_the_figure_of_zeros_and_of_no_answer_ends_without_an_error(shown: list[str], capsys: pytest.CaptureFixture):
    eleven.draw_part11({"product": np.zeros((2, 2))})
    assert len(shown) == 1
    eleven.draw_part11({})
    assert capsys.readouterr().out.splitlines()[-1].startswith("No picture yet: there is no `product` yet")
