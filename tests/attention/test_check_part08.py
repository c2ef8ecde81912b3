"""Part 8's visible check and figure: what they say of right answers, and of one with a single thing wrong in it."""

import contextlib
import re

import numpy as np
import pytest
import sympy
import torch
from course_figures import checked, drawn, names

from dev import handed_in

PASSED = "Part 8: the visible checks pass."
ANSWERS = sorted((handed_in.ANSWERS / "part08").glob("03-*.py"))
H, G = sympy.symbols("H G", positive=True, integer=True)


def answered(kv_head=lambda h, G: h % G, G_for_MHA=H):
    return {"kv_head": kv_head, "G_for_MHA": G_for_MHA}


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda path: path.stem)
def test_right_answers_of_all_kinds_pass_and_have_a_picture(answer, capsys):
    found = names(8)
    with contextlib.suppress(TypeError):  # of a demonstration that raises
        exec(compile(answer.read_text(encoding="utf-8"), answer.name, "exec"), found)
    capsys.readouterr()
    *lines, last = checked(8, found, capsys)
    assert last == PASSED and len(lines) == 3
    lines, shown = drawn(8, found, capsys)
    assert lines == [
        "G =  1: the query heads 0 to 11 read 0 0 0 0 0 0 0 0 0 0 0 0",
        "G =  3: the query heads 0 to 11 read 0 1 2 0 1 2 0 1 2 0 1 2",
        "G = 12: the query heads 0 to 11 read 0 1 2 3 4 5 6 7 8 9 10 11",
        "Keys and values per position: 2 for G = 1, 4 for G = 2, 6 for G = 3, 8 for G = 4, 12 for G = 6, 24 for G = 12",
        "For H = 12, your G_for_MHA is 12.",
        "With an MHA's first 12 keys and values, the GQA's results differ from the MHA's by 0 %.",
    ]
    assert len(shown) == 1 and shown[0].startswith("Three drawings of twelve query heads")


@pytest.mark.parametrize(
    ("found", "text"),
    [
        ({}, "there is none yet. Write kv_head in the answer cell, then run that cell"),
        (answered(lambda h, G: None), "got None. Does kv_head end with a return?"),
        (answered(lambda h, G: "0"), "expected a number, got a text"),
        (answered(lambda h, G: h), "got 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"),
        (answered(lambda h, G: h % G + 1), "got 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3"),
        (answered(lambda h, G: float("nan")), "got nan, nan"),
        (answered(lambda h, G: (h + 1) % G), "whatever G is: kv_head(0, 3): got 1"),
        (answered(lambda h, G: [0, 3]), "expected a number, got a list or a tuple"),
        (answered(lambda h, G: {0, 3}), "TypeError"),
        ({"kv_head": lambda h, G: h % G}, "there is none yet. Set it in the answer cell, then run that cell"),
        (
            answered(lambda h, G: h // (H // G)),
            "expected a number, got floor(1/floor(H/3)): inside kv_head, letters don't help",
        ),
        (answered(G_for_MHA="all of them"), "expected an expression in letters, got 'all of them'"),
        (answered(G_for_MHA="h"), "expected only D_1, D_2, D_qk, D_v, H, G, got h"),
        (answered(G_for_MHA=12), "got 12. A number fits a single model: write letters."),
    ],
)
def test_a_single_thing_that_is_wrong_gets_its_line(found, text, capsys):
    lines = checked(8, found, capsys)
    failed = next(line for line in lines if line.startswith("  ✗ "))
    assert text in failed and lines[-1].startswith(f"ChecksFailed: {failed.removeprefix('  ✗ ')}")


@pytest.mark.parametrize("given", [(H,), lambda H: H, None])
def test_only_of_a_number_it_is_said_that_it_fits_a_single_model(given, capsys):
    lines = checked(8, answered(G_for_MHA=given), capsys)
    assert "expected an expression in letters, got " in lines[-1] and "single model" not in "".join(lines)


@pytest.mark.parametrize("head", [lambda h, G: h // 4 % G, lambda h, G: min(h, G - 1), lambda h, G: h % G])
@pytest.mark.parametrize("number", [H, G, H / G, "H", " H / 1"])
def test_the_check_gives_nothing_away(head, number, capsys):
    assert checked(8, answered(head, number), capsys)[-1] == PASSED


def test_an_answer_that_is_not_written_is_no_mistake(capsys):
    found = names(8, "return h % G", "raise NotImplementedError()")
    assert checked(8, found, capsys)[-1] == "NotImplementedError: kv_head is not written yet."
    assert drawn(8, found, capsys) == (["No picture yet: kv_head is not written yet."], [])


@pytest.mark.parametrize("number", [None, G, "a head", sympy.Integer(5) * H, sympy.nan, np.array([12]), torch.ones(2)])
def test_a_number_of_heads_that_is_none_of_the_settings_is_said_to_be_none(number, capsys):
    lines, shown = drawn(8, answered(G_for_MHA=number), capsys)
    in_letters = "For H = 12, your G_for_MHA is none of these G."
    said = "Your G_for_MHA is not written in letters, so no setting is marked."
    assert lines[-1] == (in_letters if getattr(number, "free_symbols", None) else said) and len(shown) == 1


def test_a_letter_in_quotes_is_drawn_as_it_earns(capsys):
    lines, _ = drawn(8, answered(G_for_MHA="H"), capsys)
    assert "For H = 12, your G_for_MHA is 12." in lines


def test_the_figure_shows_heads_that_do_not_exist_as_question_marks(capsys):
    lines, shown = drawn(8, answered(lambda h, G: h), capsys)
    assert lines[1] == "G =  3: the query heads 0 to 11 read 0 1 2 ? ? ? ? ? ? ? ? ?" and len(shown) == 1
    lines, _ = drawn(8, answered(lambda h, G: float("inf")), capsys)
    assert lines[0].endswith("? ? ? ? ? ? ? ? ? ? ? ?")


@pytest.mark.parametrize("found", [{}, answered(lambda h, G: None), answered(lambda h: h), answered(7)])
def test_without_an_answer_to_draw_the_figure_is_a_sentence(found, capsys):
    lines, shown = drawn(8, found, capsys)
    assert len(lines) == 1 and lines[0].startswith("No picture yet: ") and shown == []


@pytest.mark.parametrize("answer", [answered(G_for_MHA=H / 2), answered(lambda h, G: 0)])
def test_heads_that_share_keys_give_other_results_than_an_mha(answer: dict, capsys: pytest.CaptureFixture):
    lines, _ = drawn(8, answer, capsys)
    assert int(re.search(r"results differ from the MHA's by (\d+) %\.$", lines[-1])[1]) > 20
