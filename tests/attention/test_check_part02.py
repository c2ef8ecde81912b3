"""Part 2's visible check and figure: what they say of shapes and functions, and draw of an answer."""

import contextlib

import numpy as np
import pytest
import torch
from course_module import of
from pictures import apart, kept, seen
from sympy import symbols

D_1, D_2, D_qk, D_v, H = symbols("D_1 D_2 D_qk D_v H", positive=True, integer=True)
RIGHT = {
    "shape_W_Q": (H * D_qk, D_1),
    "shape_W_K": (H * D_qk, D_2),
    "shape_W_V": (H * D_v, D_2),
    "shape_q": (H * D_qk,),
    "shape_k": (H * D_qk,),
    "shape_v": (H * D_v,),
    "q_from_x": lambda W, x: W @ x,
    "m_from_y": lambda W, y: W @ y,
}
FUNCTION = "q_from_x: a (6, 4) matrix and a token of 4 zeros give 6 zeros along one axis"


def unwritten(W, x):
    raise NotImplementedError


def lines(capsys: pytest.CaptureFixture, **changed: object) -> list[str]:
    """What the check prints of a right answer in which a name is changed, but for the lines of what it leaves as is."""
    capsys.readouterr()
    with contextlib.suppress(AssertionError, NotImplementedError):
        of(2).check_part02({name: value for name, value in (RIGHT | changed).items() if value is not None})
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("shape", [H * D_qk, (H * D_qk,), [H * D_qk], (H * D_qk, 1), np.array([H * D_qk]), "H*D_qk"])
def test_a_vector_s_shape_passes_in_every_form_that_is_marked(shape: object, capsys):
    found = lines(capsys, shape_q=shape)
    assert found[3] == "  ✓ form of shape_q" and found[-1] == "Part 2: the visible checks pass."
    assert len(found) == 9


@pytest.mark.parametrize(
    "function",
    [
        lambda W, x: (W @ x).numpy(),
        lambda W, x: [row @ x for row in W],
        lambda W, x: tuple(float(row @ x) for row in W),
        lambda W, x: torch.nn.Parameter(W) @ x,
        lambda W, x: torch.zeros(6),  # wrong, and of the right form
    ],
    ids=["array", "list of tensors", "tuple of floats", "with a gradient", "zeros"],
)
def test_numbers_along_one_axis_pass_in_every_kind(function, capsys):
    assert lines(capsys, q_from_x=function, m_from_y=function)[-1] == "Part 2: the visible checks pass."


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("shape_W_Q", H * D_qk, "form of shape_W_Q: expected a pair (rows, columns), got D_qk*H"),
        (
            "shape_q",
            (1, H * D_qk),
            "form of shape_q: expected the shape of one vector, (n,) or n or (n, 1), got (1, D_qk*H)",
        ),
        (
            "shape_k",
            (H, D_qk),
            "form of shape_k: expected the shape of one vector, (n,) or n or (n, 1), got (H, D_qk)",
        ),
        ("shape_v", (), "form of shape_v: expected the shape of one vector, (n,) or n or (n, 1), got ()"),
        (
            "shape_v",
            12,
            "form of shape_v: expected an expression in D_1, D_2, D_qk, D_v and H, got 12. "
            "Has one of these letters been given a value?",
        ),
        ("q_from_x", None, f"{FUNCTION}: not there yet. Set it in the answer cell, and run that cell"),
        ("q_from_x", 5, f"{FUNCTION}: expected a function, got 5"),
        ("q_from_x", lambda W, x: None, f"{FUNCTION}: got None. Does the function end with a return?"),
        ("q_from_x", lambda W, x: "six", f"{FUNCTION}: expected numbers, got a str"),
        ("q_from_x", lambda W, x: W @ x[:, None], f"{FUNCTION}: expected shape (6,), got (6, 1)"),
        ("q_from_x", lambda W, x: W @ x + 1, f"{FUNCTION}: expected zeros, got [1, 1, 1, 1, 1, 1]"),
    ],
)
def test_another_form_gets_its_line(name: str, value: object, line: str, capsys):
    found = lines(capsys, **{name: value})
    assert [text for text in found if "✓" not in text] == [f"  ✗ {line}"] and len(found) == 8


def test_a_product_that_does_not_fit_is_told_with_its_error(capsys):
    line = lines(capsys, q_from_x=lambda W, x: x @ W)[6]
    assert line.startswith(f"  ✗ {FUNCTION}: ") and "raised RuntimeError: " in line


def test_an_error_in_a_function_is_told_while_a_shape_or_the_other_function_is_wrong(capsys):
    def of_all_heads(W, x):
        return torch.cat([W[h] @ x for h in range(H)])

    found = lines(capsys, shape_W_Q=None, q_from_x=of_all_heads, m_from_y=lambda W, y: y @ W)
    assert "`return torch.cat([W[h] @ x for h in range(H)])`, raised TypeError: " in found[6]
    assert "raised RuntimeError: " in found[7] and "try again" not in "".join(found)


def test_a_function_that_is_not_written_yet_is_no_mistake(capsys):
    found = lines(capsys, q_from_x=unwritten)
    assert f"  · {FUNCTION}: unwritten is not written yet" in found and found[-1].startswith("  ✓ m_from_y")


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({}, "W^Q: 6 × 7 on the 7 numbers of x fits; out come 6 numbers; your q has 6."),
        ({"shape_q": (D_qk,)}, "W^Q: 6 × 7 on the 7 numbers of x fits; out come 6 numbers; your q has 2."),
        ({"shape_q": (H, D_qk)}, "W^Q: 6 × 7 on the 7 numbers of x fits; out come 6 numbers; your q has 3 × 2."),
        (
            {"shape_W_Q": (D_1, H * D_qk)},
            "W^Q: 7 × 6 on the 7 numbers of x does not fit; nothing comes out; your q has 6.",
        ),
        (
            {"shape_W_Q": (H, D_qk, D_1), "shape_q": None},
            "W^Q: not drawn: expected one or two whole numbers up to 40; your q has no size yet.",
        ),
        ({"shape_W_Q": None, "shape_q": (99,)}, "W^Q: not drawn yet; your q has a size that is not drawn."),
    ],
)
def test_the_figure_draws_what_is_known_of_any_answer(changed: dict, line: str, monkeypatch, capsys):
    with seen(of(2), monkeypatch) as shown:
        of(2).draw_part02(RIGHT | changed)
    assert capsys.readouterr().out.splitlines()[:2] == ["Drawn for D_1 = 7, D_2 = 5, D_qk = 2, D_v = 4, H = 3.", line]
    (alt,) = shown
    assert line in alt


def test_a_notebook_without_an_answer_gets_a_figure_too(monkeypatch, capsys):
    with seen(of(2), monkeypatch) as shown:
        of(2).draw_part02({})
    assert capsys.readouterr().out.count("not drawn yet") == 3 and len(shown) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"shape_W_Q": (D_qk * D_1 * H + D_2 * D_v * H, H * D_1), "shape_q": (H, D_qk)},
        {"shape_W_K": (D_qk, H * D_2), "shape_W_V": (D_2, H * D_v), "shape_v": (H, D_v, 1)},
        {"shape_W_K": (H * D_v + H * D_v + H * D_v, 1)},
    ],
)
def test_the_texts_of_a_very_wrong_answer_do_not_overlap(changed: dict, monkeypatch: pytest.MonkeyPatch):
    with kept(of(2), monkeypatch) as shown:
        of(2).draw_part02(RIGHT | changed)
        ((figure, _),) = shown
        assert apart(figure)
