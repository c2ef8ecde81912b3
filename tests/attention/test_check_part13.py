"""Part 13's visible check and figure: what they print for right answers, and for each kind of wrong one."""

from collections.abc import Iterator

import course_module
import pictures
import pytest
import torch
from attention_course import figure
from attention_course.table import ChecksFailed, Unwritten
from matplotlib.text import Text

part13 = course_module.of(13)
SIZES = (2, 3, 4)  # B, L_1 and L_2 of a run


def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H, factor=1.0):
    """Part 12's formulas, block by block."""
    (r, D), d = W_DKV.shape, W_Q.shape[0] // H
    blocks = [slice(h * d, (h + 1) * d) for h in range(H)]
    Q = torch.cat([factor * (r * H / D) ** 0.5 * W_UK[b].T @ W_Q[b] for b in blocks])
    return W_DKV, W_DKV, Q, torch.cat([W_O[:, b] @ W_UV[b] for b in blocks], dim=1)


def factor_in_the_key(W_DKV, W_UK, W_UV, W_Q, W_O, H):
    """The same, with the factor in K hat, and the four in a list."""
    K, V, Q, O = reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H)  # noqa: E741  (the matrix's letter)
    c = (W_DKV.shape[0] * H / W_Q.shape[0]) ** 0.5
    return [c * K, V, Q / c, O]


def unwritten(*_):
    raise NotImplementedError


def run(**changed: object) -> dict:
    """Names as part 13's answer leaves them; the numbers of its run are zeros that take no memory."""
    D, r, (B, L_1, L_2) = 1024, 50, SIZES
    shapes = {"W_DKV": (r, D), "W_UK": (D, r), "W_UV": (D, r), "W_Q": (D, D), "W_O": (D, D)}
    shapes |= {"x": (B, L_1, D), "y": (B, L_2, D), "output_vanilla": (B, L_1, D), "output_reduced": (B, L_1, D)}
    device = "cuda" if torch.cuda.is_available() else "cpu"
    names = {name: torch.zeros(1, device=device).expand(shape) for name, shape in shapes.items()}
    names |= {"model_MHA_vanilla": None, "model_MHA_reduced": None, "relative_error": torch.tensor(3e-5)}
    return names | {"reduced_matrices": reduced_matrices} | changed


def printed(names: dict, capsys: pytest.CaptureFixture) -> list[str]:
    """The lines of the check, and its error as the last one."""
    try:
        part13.check_part13(names, SIZES)
    except (ChecksFailed, Unwritten) as error:
        return [*capsys.readouterr().out.splitlines(), f"{type(error).__name__}: {error}"]
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"reduced_matrices": factor_in_the_key},
        {"relative_error": 3e-5},
        {"relative_error": torch.tensor([[3e-5]])},
        {"W_Q": torch.nn.Parameter(torch.zeros(1024, 1024, dtype=torch.float64))},
    ],
    ids=["tensors", "factor in the key, a list", "a float", "one number in a matrix", "a parameter in float64"],
)
def test_a_right_answer_of_any_kind_gets_seven_ticks(changed: dict, capsys: pytest.CaptureFixture):
    *lines, last = printed(run(**changed), capsys)
    assert [line[:4] for line in lines] == ["  ✓ "] * 7
    assert last == "Part 13: the visible checks pass."


@pytest.mark.parametrize(
    ("changed", "line", "text"),
    [
        ({"reduced_matrices": None}, 0, "expected `reduced_matrices` to be a function, got None"),
        ({"reduced_matrices": lambda *_: None}, 0, "got None. Does the function end with a return?"),
        ({"reduced_matrices": lambda *W: W[0]}, 0, "expected four tensors, got a torch tensor"),
        ({"reduced_matrices": lambda *W: W[:2]}, 0, "got a tuple of 2. Is the `return` complete?"),
        ({"reduced_matrices": lambda *W: [2.0] * 4}, 0, "W_K_MLA_hat: expected a torch tensor, got a float"),
        (
            {"reduced_matrices": lambda *W: [M.T for M in reduced_matrices(*W)]},
            0,
            "the right shapes: W_K_MLA_hat: expected shape (5, 6), got (6, 5)",
        ),
        ({"reduced_matrices": lambda *W: reduced_matrices(*W, factor=2.0)}, 2, "expected 30, got 60"),
        (
            {"reduced_matrices": lambda *W: [*reduced_matrices(*W)[:3], -reduced_matrices(*W)[3]]},
            3,
            "expected 154, got -154",
        ),
        ({"x": None}, 4, "`x`: expected a torch tensor, got None"),
        ({"y": torch.zeros(2, 4, 3)}, 4, "`y`: expected shape (2, 4, 1024), got (2, 4, 3)"),
        ({"x": torch.zeros(2, 3, 1024, device="meta")}, 4, "`x`: expected it on the device, "),
        ({"output_reduced": torch.zeros(2, 3, 50)}, 5, "`output_reduced`: expected shape (2, 3, 1024), got (2, 3, 50)"),
        ({"relative_error": 1e-3}, 6, "expected less than 5e-04, got 1.0e-03"),
        ({"relative_error": float("nan")}, 6, "expected less than 5e-04, got nan"),
        ({"relative_error": "3e-5"}, 6, "expected numbers, got a str"),
        ({"relative_error": torch.zeros(32)}, 6, "expected one number, got 32"),
    ],
)
def test_a_wrong_answer_gets_its_line(changed: dict, line: int, text: str, capsys: pytest.CaptureFixture):
    lines = printed(run(**changed), capsys)
    assert lines[line].startswith("  ✗ ") and text in lines[line]
    assert [other for other in lines[:line] if not other.startswith("  ✓ ")] == []
    assert lines[-1].startswith("ChecksFailed: ") and text in lines[-1] and len(lines) == 8


@pytest.mark.parametrize(("name", "line"), [("model_MHA_reduced", 5), ("W_UK", 4), ("relative_error", 6)])
def test_a_missing_name_is_said(name: str, line: int, capsys: pytest.CaptureFixture):
    names = run()
    del names[name]
    assert printed(names, capsys)[line].endswith(
        f"there is no `{name}` yet. Is it spelled like this, and has the answer cell run?"
    )


def test_an_answer_that_is_not_written_is_no_mistake(capsys: pytest.CaptureFixture):
    lines = printed({"reduced_matrices": unwritten}, capsys)
    assert lines[0].endswith("unwritten is not written yet") and lines[-1] == "Unwritten: unwritten is not written yet."


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple]]:
    """The figures that were shown, and the texts for whoever can't see them."""
    with pictures.kept(part13, monkeypatch) as found:
        yield found


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The figure at sizes that take no time."""
    for name, size in (("D", 64), ("H", 4), ("r", 6)):
        monkeypatch.setattr(part13, name, size)
    shapes = {"W_DKV": (6, 64), "W_UK": (64, 6), "W_UV": (64, 6), "W_Q": (64, 64), "W_O": (64, 64)}
    monkeypatch.setattr(part13, "WEIGHTS", shapes)


@pytest.mark.usefixtures("small")
def test_the_figure_prints_the_tolerance_that_each_error_stays_below(shown: list, capsys: pytest.CaptureFixture):
    part13.draw_part13(run())
    lines = capsys.readouterr().out.splitlines()
    near, far = lines[1:4], lines[5:8]
    assert [line.split(";")[0].split("error ")[1] for line in near] == ["below 1e-12", "below 1e-05", "below 5e-02"]
    assert [line.split(";")[0].split("error ")[1] for line in far] == ["below 1e-10", "below 5e-04", "below 5e-01"]
    ((drawn, alt),) = shown
    assert len(drawn.axes) == 2 and "bfloat16" in alt
    assert all(text.get_fontsize() >= figure.SMALLEST for legend in drawn.legends for text in legend.get_texts())


@pytest.mark.usefixtures("small")
def test_the_figure_says_where_an_answer_with_a_wrong_factor_fails(shown: list, capsys: pytest.CaptureFixture):
    part13.draw_part13(run(reduced_matrices=lambda *W: reduced_matrices(*W, factor=0.8)))
    out = capsys.readouterr().out
    assert out.count("NOT below") == 5 and len(shown) == 1  # all but bfloat16's coarse limit
    assert all(("rounding" in line) != ("NOT below" in line) for line in out.splitlines() if "hides" in line)


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ({}, "No picture yet: "),
        ({"reduced_matrices": unwritten}, "No picture yet: "),
        ({"reduced_matrices": lambda *_: 1 / 0}, "No picture yet: ZeroDivisionError: division by zero"),
        (
            {"reduced_matrices": lambda W, *_: (torch.ones(24, 64),) * 4},
            "No picture yet: W_K_MLA_hat: expected shape (6, 64), got (24, 64)",
        ),
    ],
)
@pytest.mark.usefixtures("small")
def test_without_an_answer_the_figure_is_one_line(names: dict, text: str, shown: list, capsys: pytest.CaptureFixture):
    part13.draw_part13(names)
    out = capsys.readouterr().out
    assert out.splitlines()[-1].startswith(text) and shown == []


def test_the_mistake_shows_at_order_1_and_hides_in_bfloat16_where_scores_are_large():
    rounding, slip = part13._errors(reduced_matrices, "bfloat16", "cpu", part13._data(near_one=True))
    assert slip > 10 * rounding
    rounding, slip = part13._errors(reduced_matrices, "bfloat16", "cpu", part13._data(near_one=False))
    assert slip < 3 * rounding


@pytest.mark.parametrize("factor", [1.0, 1e3, 1e30])
@pytest.mark.usefixtures("small")
def test_every_error_lies_within_its_panel_and_every_label_within_the_figure(factor: float, shown: list, capsys):
    def far_off(*W):
        K, V, Q, O = reduced_matrices(*W)  # noqa: E741
        return K, V, Q, factor * O.flip(1)

    part13.draw_part13(run(reduced_matrices=far_off))
    ((drawn, _),) = shown
    drawn.canvas.draw()
    for panel in drawn.axes:
        places = [x for disc in panel.collections[1:] for x, _ in disc.get_offsets()]
        assert max(places) <= panel.get_xlim()[1]
        assert all(text.get_window_extent().x1 <= drawn.bbox.x1 for text in panel.findobj(Text) if text.get_text())
