"""Part 9's visible check and figure: right answers of several kinds, a line for each wrong one."""

import re

import course_module
import numpy as np
import pictures
import pytest
import torch
from attention_course.table import ChecksFailed, Unwritten
from hidden_tests import Beside, model_answer
from sympy import Symbol, symbols

from attention import course

D, G, d, H = symbols("D G d H", positive=True, integer=True)
nine = course_module.of(9)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The alt texts of the pictures that were shown."""
    return pictures.taken(nine, monkeypatch)


def copies(W, H):
    return np.tile(np.eye(len(W)), (W.shape[1] // len(W), 1)), W


def svd(W, H):
    U, s, Vt = np.linalg.svd(np.concatenate([W] * (W.shape[1] // len(W))), full_matrices=False)
    return U[:, : len(W)] * s[: len(W)], Vt[: len(W)]


RIGHT = {
    "stacked identities": copies,
    "an SVD": svd,
    "torch": lambda W, H: tuple(torch.tensor(factor) for factor in svd(W, H)),
    "parameters": lambda W, H: [torch.nn.Parameter(torch.tensor(factor)) for factor in copies(W, H)],
    "values": lambda W, H: dict(zip("UD", svd(W, H), strict=True)).values(),
    "lists": lambda W, H: [factor.tolist() for factor in copies(W, H)],
    "single precision": lambda W, H: [factor.astype(np.float32) for factor in svd(W, H)],
    "whole numbers": lambda W, H: (copies(W, H)[0].astype(int), W),
}


@pytest.mark.parametrize("kind", RIGHT)
def test_a_right_answer_of_any_kind_passes(kind: str, capsys: pytest.CaptureFixture):
    nine.check_part09({"r_MLA": G * d, "factor_gqa": RIGHT[kind]})
    *lines, last = capsys.readouterr().out.splitlines()
    assert len(lines) == 4 and all(line.startswith("  ✓ ") for line in lines)
    assert last == "Part 9: the visible checks pass."


def test_the_model_answer_passes_and_no_line_says_what_r_MLA_is(capsys: pytest.CaptureFixture):
    nine.check_part09(Beside(9, model_answer(course.PARTS[9])).names)
    for other in (D, H * d, 2 * G * d, Symbol("r"), "G*d"):
        nine.check_part09({"r_MLA": other, "factor_gqa": copies})
    assert "✗" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"r_MLA": 4}, "r_MLA is written in symbols: expected an expression in D_1, D_2, D, D_qk, D_v, d, H, G, r, "),
        ({"r_MLA": 4}, "got 4. A number fits a single model: write letters. Has one of them been given a value?"),
        ({"r_MLA": "G d"}, "H, G, r, got 'G d'"),
        ({"r_MLA": "G*s"}, "got s"),
        ({"r_MLA": Symbol("s") * G}, "got s"),
        ({"factor_gqa": 3}, "expected `factor_gqa` to be a function, got an int"),
        ({"factor_gqa": lambda W, H: None}, "got None. Does the function end with a return?"),
        ({"factor_gqa": lambda W, H: np.eye(4)}, "expected two matrices, W_UM and W_DKV, got a NumPy array"),
        ({"factor_gqa": lambda W, H: (W, W, W)}, "expected two matrices, W_UM and W_DKV, got a tuple of 3"),
        ({"factor_gqa": lambda W, H: copies(W, H)[::-1]}, "expected W_UM with 4 rows, got shape (2, 4)"),
        ({"factor_gqa": lambda W, H: (np.eye(4), W)}, "r differs: W_UM has shape (4, 4), W_DKV (2, 4)"),
        (
            {"factor_gqa": lambda W, H: (np.repeat(np.eye(2), 2, axis=0), W)},
            "is two copies of it: got [[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0",
        ),
        ({"factor_gqa": lambda W, H: 1 / 0}, "ZeroDivisionError: division by zero"),
    ],
)
def test_a_wrong_answer_gets_its_line(changed: dict, text: str, capsys: pytest.CaptureFixture):
    with pytest.raises(ChecksFailed):
        nine.check_part09({"r_MLA": G * d, "factor_gqa": copies} | changed)
    failed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  ✗ ")]
    assert len(failed) == 1 and text in failed[0]


def test_a_function_that_calculates_with_letters_is_told_which(capsys: pytest.CaptureFixture):
    answer = """
def factor_gqa(W_M_GQA, H):
    return np.tile(np.eye(G * d), (H // G, 1)), W_M_GQA
"""
    names = Beside(9, f"{answer}\nr_MLA = G * d").names
    with pytest.raises(ChecksFailed, match="letters of the setup cell: G, d. Inside factor_gqa, work out numbers from"):
        nine.check_part09(names)
    names = Beside(9, answer.replace("return", "G, d = 2, 1\n    return 1 / 0, ") + "\nr_MLA = G * d").names
    with pytest.raises(ChecksFailed, match="raised ZeroDivisionError"):
        nine.check_part09(names)


def test_a_name_that_is_missing_is_named(capsys: pytest.CaptureFixture):
    with pytest.raises(ChecksFailed, match=re.escape("there is no `r_MLA` yet")):
        nine.check_part09({"factor_gqa": copies})


def test_an_unwritten_function_is_no_mistake():
    def unwritten(W, H):
        raise NotImplementedError

    with pytest.raises(Unwritten):
        nine.check_part09({"r_MLA": G * d, "factor_gqa": unwritten})


def test_the_figure_says_what_each_query_head_reads(shown: list[str], capsys: pytest.CaptureFixture):
    nine.draw_part09({"factor_gqa": copies})
    lines = capsys.readouterr().out.splitlines()
    assert [line.rsplit("numbers ")[1] for line in lines[:6]] == ["0, 1", "2, 3"] * 3
    assert lines[6] == "your product is the stacked matrix: yes" and len(shown) == 1
    nine.draw_part09({"factor_gqa": lambda W, H: [factor.tolist() for factor in svd(W, H)]})
    lines = capsys.readouterr().out.splitlines()
    assert all(line.endswith("your MLA reads latent numbers 0, 1, 2, 3") for line in lines[:6])
    nine.draw_part09({"factor_gqa": lambda W, H: (np.repeat(np.eye(4), 3, axis=0), W)})
    assert capsys.readouterr().out.splitlines()[6].endswith("no, not yet") and len(shown) == 3


@pytest.mark.parametrize(
    "names",
    [
        {},
        {"factor_gqa": None},
        {"factor_gqa": lambda W, H: None},
        {"factor_gqa": lambda W, H: (W, W)},
        {"factor_gqa": lambda W, H: (np.eye(12), "text")},
        {"factor_gqa": lambda W, H: 1 / 0},
        {"factor_gqa": lambda W, H: (_ for _ in ()).throw(NotImplementedError)},
    ],
)
def test_the_figure_of_a_missing_or_wrong_answer_is_one_line(names: dict, shown: list[str], capsys):
    nine.draw_part09(names)
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("No picture yet: ") and not shown


@pytest.mark.parametrize("count", [4, 8, 12, 40])
def test_the_boxes_of_however_many_latent_numbers_do_not_overlap(count: int, monkeypatch: pytest.MonkeyPatch):
    with pictures.kept(nine, monkeypatch) as found:
        nine.draw_part09({"factor_gqa": lambda W, H: (np.ones((12, count)), np.ones((count, 12)))})
        ((figure, _),) = found
    panel = figure.axes[1]
    boxes = max(panel.collections, key=lambda drawn: len(drawn.get_offsets()) == count and drawn.get_zorder())
    places = panel.transData.transform(boxes.get_offsets())[:, 0] * 72 / figure.dpi
    assert np.diff(places).min() > boxes.get_sizes()[0] ** 0.5
