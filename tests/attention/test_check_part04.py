"""Part 4's visible check and figure: what they say of four shapes, and draw of them."""

import contextlib

import numpy as np
import pytest
from course_module import of
from pictures import apart, kept, seen
from sympy import symbols

D_1, D_2, D_qk, D_v, H = symbols("D_1 D_2 D_qk D_v H", positive=True, integer=True)
RIGHT = {"shape_o_h": (D_v,), "shape_o": (H * D_v,), "shape_W_O_h": (D_1, D_v), "shape_W_O": (D_1, H * D_v)}
VALUE = "Has one of these letters been given a value?"
LETTERS = "D_1, D_2, D_qk, D_v and H"


def lines(capsys: pytest.CaptureFixture, **changed: object) -> list[str]:
    """What the check prints of a right answer in which a name is changed."""
    capsys.readouterr()
    with contextlib.suppress(AssertionError):
        of(4).check_part04({name: value for name, value in (RIGHT | changed).items() if value is not None})
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("kind", [tuple, list, np.array, lambda pair: (pair[0] + pair[1] - pair[1], pair[1] * H / H)])
def test_right_shapes_pass_in_every_kind(kind, capsys):
    matrices = {name: kind(shape) for name, shape in RIGHT.items() if len(shape) == 2}
    found = lines(capsys, shape_o_h=D_v, shape_o=[H * D_v, 1], **matrices)
    assert found == [*(f"  ✓ form of {name}" for name in RIGHT), "Part 4: the visible checks pass."]


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("shape_o", None, "not there yet. Set it in the answer cell, and run that cell"),
        ("shape_o_h", 1, f"expected an expression in {LETTERS}, got 1. {VALUE}"),
        ("shape_o_h", (1, D_v), "expected the shape of one vector, (n,) or n or (n, 1), got (1, D_v)"),
        ("shape_o", (H, D_v), "expected the shape of one vector, (n,) or n or (n, 1), got (H, D_v)"),
        ("shape_o", symbols("L_1"), f"expected no other letters than {LETTERS}, got L_1"),
        ("shape_W_O_h", D_1 * D_v, "expected a pair (rows, columns), got D_1*D_v"),
        ("shape_W_O", (D_1, H, D_v), "expected a pair (rows, columns), got (D_1, H, D_v)"),
        ("shape_W_O", (512, 512), f"expected an expression in {LETTERS}, got 512. {VALUE}"),
    ],
)
def test_another_form_gets_its_line(name: str, value: object, text: str, capsys):
    found = lines(capsys, **{name: value})
    assert [line for line in found if "✓" not in line] == [f"  ✗ form of {name}: {text}"] and len(found) == 4


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({}, "W_O_h: 5 × 2 on the 2 numbers of o_h fits; out come 5 numbers; x_out has 5."),
        (
            {"shape_W_O_h": (D_v, D_1)},
            "W_O_h: 2 × 5 on the 2 numbers of o_h does not fit; nothing comes out; x_out has 5.",
        ),
        ({"shape_W_O_h": (D_2, D_v)}, "W_O_h: 7 × 2 on the 2 numbers of o_h fits; out come 7 numbers; x_out has 5."),
        (
            {"shape_o_h": (D_1, D_v, 2)},
            "W_O_h: not drawn: expected one or two whole numbers up to 40; x_out has 5.",
        ),
        ({"shape_o_h": None, "shape_W_O_h": "no shape"}, "W_O_h: not drawn yet; x_out has 5."),
    ],
)
def test_the_figure_draws_what_is_known_of_any_answer(changed: dict, line: str, monkeypatch, capsys):
    with seen(of(4), monkeypatch) as shown:
        of(4).draw_part04(RIGHT | changed)
    assert capsys.readouterr().out.splitlines() == [
        "Drawn for D_1 = 5, D_2 = 7, D_qk = 4, D_v = 2, H = 3.",
        "W_O: 5 × 6 on the 6 numbers of o fits; out come 5 numbers; x_out has 5.",
        line,
    ]
    (alt,) = shown
    assert line in alt


def test_a_notebook_without_an_answer_gets_a_figure_too(monkeypatch, capsys):
    with seen(of(4), monkeypatch) as shown:
        of(4).draw_part04({})
    assert capsys.readouterr().out.count("not drawn yet") == 2 and len(shown) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"shape_o_h": (D_qk,), "shape_o": (H, D_v), "shape_W_O_h": (D_v, D_1), "shape_W_O": (H * D_1, D_v)},
        {"shape_W_O": (D_1 * D_2, 1)},
        {"shape_W_O": (1, D_1 * D_2)},
    ],
)
def test_the_texts_of_a_very_wrong_answer_do_not_overlap(changed: dict, monkeypatch: pytest.MonkeyPatch):
    with kept(of(4), monkeypatch) as shown:
        of(4).draw_part04(RIGHT | changed)
        ((figure, _),) = shown
        assert apart(figure)
