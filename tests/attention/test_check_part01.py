"""Part 1's visible check and figure: what they say of a form, right or wrong, and draw of an answer."""

import contextlib

import course_module
import numpy as np
import pytest
import sympy
from course_module import of
from pictures import apart, kept, seen
from sympy import symbols

D_1, D_2, D_qk, D_v, H = symbols("D_1 D_2 D_qk D_v H", positive=True, integer=True)
RIGHT = {"shape_W_Q_h": (D_qk, D_1), "shape_W_K_h": (D_qk, D_2), "shape_W_V_h": (D_v, D_2)}


def lines(capsys: pytest.CaptureFixture, **changed: object) -> list[str]:
    """What the check prints of a right answer in which a name is changed."""
    capsys.readouterr()
    with contextlib.suppress(AssertionError):
        of(1).check_part01({name: value for name, value in (RIGHT | changed).items() if value is not None})
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    "pair",
    [
        (D_qk, D_1),
        [D_qk, D_1],
        sympy.Tuple(D_qk, D_1),
        np.array([D_qk, D_1]),
        (D_1, D_qk),  # wrong, and of the right form
        (2 * D_qk - D_qk, D_1 * H / H),
        ((D_qk**2 - D_qk) / (D_qk - 1), D_1),
        symbols("D_qk D_1"),
        ("D_qk", "H * D_1"),
    ],
    ids=str,
)
def test_a_pair_in_the_letters_passes_in_every_kind_that_is_marked(pair: object, capsys):
    assert lines(capsys, shape_W_Q_h=pair) == [
        "  ✓ form of shape_W_Q_h",
        "  ✓ form of shape_W_K_h",
        "  ✓ form of shape_W_V_h",
        "Part 1: the visible checks pass.",
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "not there yet. Set it in the answer cell, and run that cell"),
        ("D_qk", "expected a pair (rows, columns), got 'D_qk'"),
        (D_qk * D_1, "expected a pair (rows, columns), got D_1*D_qk"),
        ((H, D_qk, D_1), "expected a pair (rows, columns), got (H, D_qk, D_1)"),
        (
            (3, D_1),
            "expected an expression in D_1, D_2, D_qk, D_v and H, got 3. Has one of these letters been given a value?",
        ),
        ((D_qk, [D_1]), "expected an expression in D_1, D_2, D_qk, D_v and H, got [D_1]"),
        ((D_qk, "six columns"), "expected an expression in D_1, D_2, D_qk, D_v and H, got 'six columns'"),
        ((D_qk, sympy.Matrix([D_1])), "expected an expression in D_1, D_2, D_qk, D_v and H, got Matrix([[D_1]])"),
        ((D_qk, symbols("L_1")), "expected no other letters than D_1, D_2, D_qk, D_v and H, got L_1"),
        ((D_qk, "L_1"), "expected no other letters than D_1, D_2, D_qk, D_v and H, got L_1"),
        (["x" * 99], f"expected a pair (rows, columns), got ['{'x' * 58} …"),
    ],
    ids=str,
)
def test_another_form_gets_its_line(value: object, text: str, capsys):
    first, *others = lines(capsys, shape_W_Q_h=value)
    assert first == f"  ✗ form of shape_W_Q_h: {text}"
    assert others == ["  ✓ form of shape_W_K_h", "  ✓ form of shape_W_V_h"]


def test_the_figure_says_what_fits(monkeypatch: pytest.MonkeyPatch, capsys):
    with seen(of(1), monkeypatch) as shown:
        of(1).draw_part01(RIGHT)
    assert capsys.readouterr().out.splitlines() == [
        "Drawn for D_1 = 6, D_2 = 5, D_qk = 3, D_v = 4, H = 2.",
        "W^Q_h: 3 × 6 on the 6 numbers of x fits; out come 3 numbers.",
        "W^K_h: 3 × 5 on the 5 numbers of y fits; out come 3 numbers.",
        "W^V_h: 4 × 5 on the 5 numbers of y fits; out come 4 numbers.",
    ]
    (alt,) = shown
    assert "3 × 6 on the 6 numbers of x fits" in alt


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ((D_1, D_qk), "6 × 3 on the 6 numbers of x does not fit; nothing comes out."),
        ((1, 6), "1 × 6 on the 6 numbers of x fits; out comes 1 number."),
        ((3, 6), "3 × 6 on the 6 numbers of x fits; out come 3 numbers."),
        (symbols("D_qk D_1"), "3 × 6 on the 6 numbers of x fits; out come 3 numbers."),
        (D_qk * D_1, "18 × 1 on the 6 numbers of x does not fit; nothing comes out."),
        (("D_qk", "D_1"), "3 × 6 on the 6 numbers of x fits; out come 3 numbers."),
        (np.array([D_qk, D_1]), "3 × 6 on the 6 numbers of x fits; out come 3 numbers."),
        ((1.0 * D_qk, (D_1**2) ** 0.5), "3 × 6 on the 6 numbers of x fits; out come 3 numbers."),
        (None, "not drawn yet."),
        *(
            (wrong, "not drawn: expected one or two whole numbers up to 40.")
            for wrong in (
                (H, D_qk, D_1),
                (D_qk / 2, D_1),
                (-D_qk, D_1),
                (10**6, D_1),
                {},
                (float("nan"), D_1),
                (symbols("L_1"), D_1),
            )
        ),
    ],
    ids=str,
)
def test_the_figure_draws_what_is_known_of_any_answer(value: object, text: str, monkeypatch, capsys):
    with seen(of(1), monkeypatch) as shown:
        of(1).draw_part01(RIGHT | {"shape_W_Q_h": value})
    assert capsys.readouterr().out.splitlines()[1] == f"W^Q_h: {text}"
    assert len(shown) == 1


def test_a_notebook_without_an_answer_gets_a_figure_too(monkeypatch, capsys):
    with seen(of(1), monkeypatch) as shown:
        of(1).draw_part01({})
    assert capsys.readouterr().out.count("not drawn yet") == 3 and len(shown) == 1


def test_the_module_holds_no_answer():
    for name, text in course_module.FILES.items():
        if name.startswith(("coda", "speaker")):  # these come after the last answer
            continue
        assert b"(D_qk, D_1)" not in text and b"H * D_v" not in text and b"** 0.5" not in text, name


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"shape_W_Q_h": (H * D_qk, D_1), "shape_W_K_h": (H, D_qk, D_2), "shape_W_V_h": D_v * D_2},
        {"shape_W_Q_h": (D_1, D_1 * D_1), "shape_W_V_h": (D_1 * D_2 + D_qk, 1)},
    ],
)
def test_the_texts_of_a_very_wrong_answer_do_not_overlap(changed: dict, monkeypatch: pytest.MonkeyPatch):
    with kept(of(1), monkeypatch) as shown:
        of(1).draw_part01(RIGHT | changed)
        ((figure, _),) = shown
        assert apart(figure)
