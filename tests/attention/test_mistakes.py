"""Usual mistakes: named if an answer's numbers are theirs, never where it is right, in words that teach."""

import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hand_written import declared
from hidden_tests import QUICK, Beside, answered, run

from attention import course, mistakes, oracles
from attention.hints import HINTS
from attention.mistakes import attention, in_symbols, matrices, reduced
from attention.mistakes.sentences import MISTAKES
from dev import handed_in
from grading.bridge import probe
from grading.core import limits
from grading.marking import diagnosis, expressions, rubric

PARTS = list(course.PARTS)


@pytest.fixture(scope="module", params=QUICK, ids=lambda number: f"part{number:02d}")
def asked(request):
    """What the hidden test of a part asks of its model answer: tables with cases, and names with what is wanted."""
    seen, named = [], diagnosis.Diagnosis.named
    with pytest.MonkeyPatch.context() as patch:

        def heard(self, verdict, cases, usual, *args, **options):
            cases = list(cases)
            seen.append((usual, cases))
            return named(self, verdict, cases, usual, *args, **options)

        patch.setattr(diagnosis.Diagnosis, "named", heard)
        patch.setattr(mistakes, "named", mistakes.DIAGNOSIS.named)
        shape, expression = mistakes.shape, mistakes.expression
        patch.setattr(mistakes, "shape", lambda *args, **o: seen.append((args, {})) or shape(*args, **o))
        patch.setattr(mistakes, "expression", lambda *args, **o: seen.append((args, o)) or expression(*args, **o))
        report = run(request.param, Beside(request.param))
    assert report.marks == report.points  # the model answer is told no mistake
    return request.param, seen


def test_every_mistake_differs_from_what_is_right_and_from_the_others_on_the_hidden_data(asked):
    part, seen = asked
    tables = [(usual, cases) for usual, cases in seen if isinstance(cases, list)]
    for usual, cases in tables:
        given = {key: [wrong(*case.data) for case in cases] for key, wrong in usual.items()}
        for key, numbers in given.items():
            clearly = [n is not None and mistakes.differs(n, c.want) for n, c in zip(numbers, cases, strict=True)]
            assert any(clearly), f"part {part}: {key}"
        for key, numbers in given.items():
            for other in [o for o in given if o > key]:
                pairs = zip(numbers, given[other], strict=True)
                apart = [a is None or b is None or mistakes.differs(a, b) for a, b in pairs]
                assert any(apart), f"part {part}: {key} and {other} look alike"
    for (number, name, want), where in [one for one in seen if isinstance(one[1], dict)]:
        both = {**in_symbols.SHAPES, **in_symbols.EXPRESSIONS}[number][name]
        same = partial(
            expressions.is_shape if isinstance(want, tuple) else expressions.is_expression,
            symbols=course.COURSE.symbols,
        )
        values = {"right": want, **both}
        alike = [
            (a, b)
            for a in values
            for b in values
            if a < b and same(list(values[a]) if isinstance(want, tuple) else values[a], values[b], **where).right
        ]
        assert not alike, f"part {part}, {name}"


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("shape_k = D_qk\nshape_v = (D_v,)", f"`shape_k`, `shape_v`: {MISTAKES['one-head-for-all']}"),
        (
            "shape_k = D_qk\nshape_v = (1, H * D_v)",
            f"`shape_k`: {MISTAKES['one-head-for-all']} Also: `shape_v`: {MISTAKES['axis-of-one']}",
        ),
        ("shape_v = D_v", "`shape_k` is not there. Is it spelled like this, and did the cell that defines it run "),
        ("", "`shape_k` is not there. Is it spelled like this, and did the cell that defines it run without an error?"),
        ("shape_k, shape_v = H * D_qk, (H * D_v, 1)", None),
    ],
    ids=["alike", "two mistakes", "one missing", "both missing", "right"],
)
def test_all_shapes_that_are_wrong_are_named_those_alike_together(answer: str, found: str | None):
    with answered(2, answer):
        verdict = mistakes.shapes(2, shape_k=("H*D_qk",), shape_v=("H*D_v",))
    assert verdict.right == (found is None) and verdict.found.startswith(found or "")


@pytest.mark.parametrize(("table", "G"), [(mistakes.MHA_TWICE, ()), (mistakes.GQA_TWICE, (2,))], ids=["MHA", "GQA"])
def test_two_mistakes_at_once_can_be_computed_wherever_each_can(table: dict, G: tuple):
    for sizes, lengths in (((5, 4, 3, 2), (2, 3, 4)), ((4, 4, 3, 3), (1, 4, 4)), ((4, 4, 3, 2), (2, 3, 5))):
        weights = oracles.mha_weights(*sizes, 4, *G, seed=1)
        B, L_1, L_2 = lengths
        x, y = oracles.draw(2).standard_normal((B, L_1, sizes[0])), oracles.draw(3).standard_normal((B, L_2, sizes[1]))
        for key, both in table.items():
            given = both(weights, x, y, 4, *G)
            assert given is None or np.isfinite(given).all(), key
            assert all(one in MISTAKES for one in key.split(diagnosis.BOTH)), key
    assert len(table) > 300


def test_the_hidden_tests_ask_for_every_table_and_every_name_in_symbols(asked):
    part, seen = asked
    usual = [usual for usual, cases in seen if isinstance(cases, list)]
    for table in mistakes.TABLES.get(part, ()):
        assert any(table is one for one in usual) or table is mistakes.ERRORS
    names = {args[1] for args, where in seen if isinstance(where, dict)}
    assert names == set({**in_symbols.SHAPES, **in_symbols.EXPRESSIONS}.get(part, {}))


def test_the_reduced_form_is_right_without_a_mistake_and_clearly_wrong_with_one():
    given = []
    for D, H, r in [(6, 1, 4), (15, 3, 1), (10, 5, 7), (12, 3, 5)]:  # sizes of part 13
        rng = oracles.draw(7)
        W = tuple(rng.standard_normal(s) / np.sqrt(s[1]) for s in ((r, D), (D, r), (D, r), (D, D), (D, D)))
        x, y = rng.standard_normal((2, 4, D)), rng.standard_normal((2, 5, D))
        weights = {"W_Q": W[3], "W_K": W[1] @ W[0], "W_V": W[2] @ W[0], "W_O": W[4]}
        right = oracles.mha(weights, x, y, H)
        assert np.allclose(reduced.attended(reduced.hats(W, H), x, y, H), right, atol=1e-12)
        given.append({key: wrong(W, x, y, H) for key, wrong in mistakes.REDUCED.items()} | {"right": right})
        given[-1]["rows-repeated"] = reduced.rows_of_the_key_repeated(W, x, y, H)
    keys = sorted(given[0])
    pairs = [(a, b) for a in keys for b in keys if a < b]
    assert not [(a, b) for a, b in pairs if not any(mistakes.differs(one[a], one[b]) for one in given)]


def test_attention_without_a_replaced_step_is_the_oracle_s():
    for D_1, D_2, D_qk, D_v, H, G in [(11, 13, 7, 2, 4, 2), (5, 4, 3, 6, 6, 3), (4, 4, 1, 1, 1, 1)]:
        weights, rng = oracles.mha_weights(D_1, D_2, D_qk, D_v, H, G, seed=3), oracles.draw(4)
        x, y = rng.standard_normal((2, 5, D_1)), rng.standard_normal((2, 6, D_2))
        assert np.allclose(attention.attention(weights, x, y, H, G), oracles.gqa(weights, x, y, H, G), atol=1e-12)
    q, K = oracles.one_query(L_2=7, D_qk=5, seed=1)
    assert np.allclose(attention.right_logits(q, K), oracles.attention_logits(q, K), atol=1e-14)


def test_factors_with_the_singular_values_once_and_scores_with_the_right_factor_are_right():
    W = oracles.draw(5).standard_normal((3, 12))
    assert np.allclose(matrices.singular_values(W, 1), np.vstack([W] * 4))
    D, H, r = 12, 3, 5
    rng = oracles.draw(6)
    W_DKV, W_UK, W_Q = rng.normal(size=(r, D)), rng.normal(size=(H, 4, r)), rng.normal(size=(H, 4, D))
    x, y = rng.normal(size=(2, D)), rng.normal(size=(3, D))
    left = [[[(W_Q[h] @ a) @ (W_UK[h] @ W_DKV @ b) / 2 for b in y] for a in x] for h in range(H)]
    assert np.allclose(reduced.scores(W_DKV, W_UK, W_Q, x, y), left)


# How a mistake is recognised.
RIGHT, HALF = np.array([2.0, 4.0]), {"half": lambda n: RIGHT * n / 2}


def case(got, n=1.0, where="with H = 1"):
    return mistakes.Case(where, got if got is None or isinstance(got, probe.Reason) else np.array(got), RIGHT, (n,))


def judged(*cases, usual=None, monkeypatch=None):
    return mistakes.judged(cases, usual or HALF, kind=rubric.ANY)


@pytest.fixture(autouse=True)
def sentence(monkeypatch):
    monkeypatch.setitem(MISTAKES, "half", "Half of it is there.")


def test_a_right_answer_is_told_no_mistake_and_no_mistake_is_computed_for_it():
    def never(n):
        raise AssertionError("computed")

    verdict = judged(case([2.0, 4.0]), usual={"half": never})
    assert verdict.right and not verdict.mistake


def test_a_wrong_answer_with_the_numbers_of_a_mistake_is_told_which():
    verdict = judged(case([1.0, 2.0]))
    assert not verdict.right and (verdict.mistake, verdict.found) == ("half", "Half of it is there.")


def test_a_wrong_answer_with_other_numbers_gets_its_error_and_the_first_case_that_shows_it():
    verdict = judged(case([2.0, 4.0], where="with H = 1"), case([2.0, 3.0], where="with H = 2"), case([0.0, 0.0]))
    assert not verdict.mistake
    assert verdict.found == "with H = 2, the numbers are off by up to 25 % of the largest expected number."


def test_a_mistake_must_show_in_every_case_that_has_a_value():
    assert not judged(case([1.0, 2.0]), case([2.0, 4.0])).mistake
    stopped = probe.Reason(probe.Why.RAISED, "your code stopped.")
    assert judged(case(stopped), case(None), case([1.0, 2.0])).mistake == "half"
    assert not judged(case(stopped)).mistake


def test_a_mistake_that_gives_what_is_right_on_all_the_data_is_not_named():
    assert not judged(case([2.0, 4.001], n=2.0)).mistake
    assert judged(case([2.0, 4.0], n=2.0), case([1.0, 2.0])).mistake == "half"


def test_numbers_that_are_not_finite_and_shapes_that_differ_show_no_mistake():
    assert not judged(case([np.nan, 2.0])).mistake
    assert not judged(case([[1.0, 2.0]])).mistake
    assert not judged(case([1.0, 2.0]), usual={"half": lambda n: np.array([np.inf, 2.0])}).mistake
    assert not judged(case([1.0, 2.0]), usual={"half": lambda n: None}).mistake


def test_a_reason_that_has_nothing_to_do_with_the_case_is_told_without_it():
    missing = probe.Reason(probe.Why.MISSING, "`f` is not there.")
    assert judged(case(missing)).found == "`f` is not there."
    assert judged(case(probe.Reason(probe.Why.RAISED, "it stopped."))).found == "with H = 1, it stopped."


def test_the_first_wrong_verdict_s_mistake_survives_where_an_item_asks_several_things():
    wrong = rubric.Verdict(False, "Half of it is there.", mistake="half")
    assert rubric.all_of(rubric.Verdict(True), wrong, rubric.Verdict(False)).mistake == "half"


# What is known, and what is said of it.
def test_at_least_forty_mistakes_are_known_and_each_part_knows_some():
    assert len({key for part in PARTS for key in mistakes.known(part)}) >= 100
    few = {part: known for part in PARTS if len(known := list(mistakes.known(part))) < 6}
    assert few == {}, "each part should know six usual mistakes, in attention/mistakes/"


def test_every_mistake_has_a_sentence_and_every_sentence_a_mistake():
    assert {key for part in PARTS for key in mistakes.known(part)} == set(MISTAKES) - {"half"}
    assert len(set(MISTAKES.values())) == len(MISTAKES)


CODE = r"\w_\w|\*|//|%|@|=(?! \d)|[\[\]{}]|\(|\.T\b|\b(np|torch|sqrt|reshape|view|einsum|tile|repeat|eye)\b"
BLAME = r"\b(you|your|wrong|mistake|forgot\w*|fail\w*|careless|bad|should have|simply|just|obvious\w*|of course)\b"


@pytest.mark.parametrize("key", sorted(MISTAKES))
def test_a_sentence_gives_no_code_blames_nobody_and_fits_in_three_lines(key):
    text = MISTAKES[key]
    assert not re.search(CODE, text), "no formula and no name of a program's"
    assert not re.search(BLAME, text, re.IGNORECASE)
    assert text[0].isupper() and text[-1] in ".?"
    longest = max(len(what) for part in PARTS for what in HINTS[part])
    assert len(text) + longest + 40 <= min(limits.MESSAGE_CHARS, 3 * 100)


def answers(part: int) -> list[Path]:
    return sorted((handed_in.ANSWERS / course.PARTS[part].stem).glob("*.py"))


@pytest.mark.parametrize("part", PARTS)
def test_every_mistake_is_made_by_an_answer_of_its_part_and_no_right_answer_names_one(part):
    made = {key for answer in answers(part) for key in declared(answer)}
    assert made == set(mistakes.known(part))
    full = [a for a in answers(part) if float(a.stem.split("-")[0]) == course.PARTS[part].automatic]
    assert not [answer.stem for answer in full if declared(answer)]
