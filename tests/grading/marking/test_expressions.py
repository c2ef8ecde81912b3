"""Answers in symbols: equal by value, in any form and order, read as data and never run."""

import functools
import itertools
import math
import time
from fractions import Fraction

import busy
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from transports import Names

from grading.bridge import probe
from grading.bridge.probe import Reason, Why
from grading.core import messages
from grading.marking import expressions
from grading.marking.expressions import evaluate, fetch

LETTERS = "D D_1 D_2 D_qk D_v H G d r L_1 L_2 B".split()
is_expression = functools.partial(expressions.is_expression, symbols=LETTERS)
is_shape = functools.partial(expressions.is_shape, symbols=LETTERS)
NOTHING = Reason(Why.MISSING, "it is not there.")


@pytest.fixture
def fetched():
    """The value of `answer` after a student's code, as it arrives."""

    symbols = {name: sympy.Symbol(name, positive=True, integer=True) for name in LETTERS}  # as of a setup cell

    def run(source: str) -> object:
        with probe.through(Names("import numpy as np, torch\n" + source, sp=sympy, **symbols)):
            return fetch("answer")

    return run


# By value -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("got", "want"),
    [
        ("H*D_qk", "H*D_qk"),
        ("D_qk*H", "H*D_qk"),
        (" D_qk * H ", "H*D_qk"),
        ("2*H*D_qk/2", "H*D_qk"),
        ("H*D_qk + D_1 - D_1", "H*D_qk"),
        ("(H + 1)*D_qk - D_qk", "H*D_qk"),
        ("H**2*D_qk/H", "H*D_qk"),
        ("H*D_qk**2*D_qk**(-1)", "H*D_qk"),
        ("-(-H)*+D_qk", "H*D_qk"),
        ("1.0*H*D_qk", "H*D_qk"),
        ("H*D_qk // 1", "H*D_qk"),
        ("floor(H*D_qk)", "H*D_qk"),
        ("ceiling(H*D_qk)", "H*D_qk"),
        ("D + D", "2*D"),
        ("2**(r - 1) + 2**(r - 1)", "2**r"),
        ("H**d * H", "H**(d + 1)"),
        ("4*D/2", "2*D"),
        (1, 1),
        ("1", 1),
        ("H/H", 1),
        (6, 6),
    ],
)
def test_equal_formulas_are_equal_in_whatever_form(got: object, want: object):
    assert is_expression(got, want).right


@pytest.mark.parametrize(
    ("got", "want"),
    [
        ("D_qk", "H*D_qk"),
        ("H*D_v", "H*D_qk"),
        ("H + D_qk", "H*D_qk"),
        ("H*D_qk + 1", "H*D_qk"),
        ("H*D_qk*1.0000001", "H*D_qk"),
        ("H/D_qk", "H*D_qk"),
        ("H**D_qk", "H*D_qk"),
        ("r + r // 64", "r"),
        ("r + floor(r/1024)", "r"),
        ("H*D_qk - D_qk // 4096", "H*D_qk"),
        ("-H*D_qk", "H*D_qk"),
        ("D", "2*D"),
        ("r", "2*r"),
        ("G*d", "r"),
        (23, "H"),
        (71, "H"),
        ("1", "H"),
        (True, 1),
        (1.0, 1),
        (None, 1),
        ([], 1),
        (["H"], "H"),
        ({"H": 1}, "H"),
        (Fraction(1), 1),
    ],
)
def test_other_formulas_numbers_and_things_are_not_right(got: object, want: object):
    assert not is_expression(got, want).right


@pytest.mark.parametrize(("a", "b"), list(itertools.permutations(LETTERS, 2)))
def test_no_letter_stands_for_another_nor_a_product_for_another(a: str, b: str):
    assert not is_expression(a, b).right and not is_expression(f"{a}*{b}", a).right
    assert not is_expression(f"{a}/{b}", f"{b}/{a}").right and not is_expression(f"{a}**2", f"{a}*{b}").right


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(LETTERS), min_size=1, max_size=5), st.randoms())
def test_the_order_of_factors_and_terms_does_not_matter(letters: list[str], random):
    mixed = random.sample(letters, len(letters))
    assert (
        is_expression("*".join(mixed), "*".join(letters)).right
        and is_expression("+".join(mixed), "+".join(letters)).right
    )


def test_letters_are_replaced_as_the_part_says():
    where = {"D": "H*d", "r": "G*d"}
    for got, want in (("D/H", "d"), ("d*H", "D"), ("r/G", "D/H"), ("floor(D/d)", "H"), ("D//d", "H"), ("D*G/H", "r")):
        assert is_expression(got, want, where=where).right and not is_expression(got, want).right
    assert not is_expression("G*d", "r").right and not is_expression("D", "d", where=where).right


def test_a_letter_may_be_a_multiple_of_another_so_that_their_quotient_is_whole():
    where = {"H": "G*H", "D": "H*d"}
    for got in ("floor(D/floor(H/G))", "H*d/floor(H/G)", "G*floor(D/H)"):
        assert is_expression(got, "G*d", where=where).right and not is_expression(got, "G*d").right
    for got in ("H*d", "d*floor(H/G)", "D", "G*floor(H/G)"):
        assert not is_expression(got, "G*d", where=where).right


# Shapes ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("got", "right"),
    [
        (["H*D_qk"], True),
        (("D_qk*H",), True),
        ("H*D_qk", True),
        (["H*D_qk", "1"], True),
        (("H*D_qk", 1), True),
        (["H*D_qk", "H/H"], True),
        (["1", "H*D_qk"], False),
        ([1, "H*D_qk"], False),
        (["H*D_qk", "1", "1"], False),
        (["H*D_qk", "2"], False),
        (["H", "D_qk"], False),
        ([], False),
        ([["H*D_qk"]], False),
        (["1"], False),
        (1, False),
        ([None], False),
        ("(H*D_qk,)", False),
    ],
)
def test_a_vector_s_shape_may_be_n_or_n_and_1_but_not_1_and_n(got: object, right: bool):
    assert is_shape(got, ("H*D_qk",)).right == right


@pytest.mark.parametrize(
    ("got", "right"),
    [
        (["D_qk", "D_1"], True),
        (("D_qk", "D_1"), True),
        (["D_1", "D_qk"], False),
        (["D_qk"], False),
        ("D_qk*D_1", False),
        (["D_qk", "D_1", "1"], False),
        (["D_qk", "D_2"], False),
        ([["D_qk", "D_1"]], False),
        (["D_qk", None], False),
        ("(D_qk, D_1)", False),
    ],
)
def test_a_matrix_s_shape_has_its_two_entries_in_their_order(got: object, right: bool):
    assert is_shape(got, ("D_qk", "D_1")).right == right


def test_what_has_no_value_is_judged_by_its_reason():
    for verdict in (is_shape(NOTHING, ("H",)), is_expression(NOTHING, "H")):
        assert not verdict.right and verdict.no_value and verdict.found == "it is not there."


def test_a_verdict_says_what_is_off_and_never_what_is_right():
    assert is_shape(["D_qk", "H"], ("D_qk", "D_1")).found.startswith("entry 2 of 2: ")
    assert is_shape(["H"], ("D_qk",)).found == is_shape("H", ("D_qk",)).found == messages.OTHER_EXPRESSION
    assert "`foo`" in is_shape(["D_qk", "foo"], ("D_qk", "D_1")).found
    assert "3 entries" in is_shape(["D_qk", "1", "1"], ("D_qk", "D_1")).found
    for got in ("(D_qk, D_1)", "D_qk x D_1", None, 0.5):
        assert is_shape(got, ("D_qk", "D_1")).found.startswith("this is not a shape: expected a tuple or a list")
    assert "1 entry, but should have 2" in is_shape("D_qk", ("D_qk", "D_1")).found
    for got in (["D_1", "D_v"], ["foo", "D_v"], ["D_1"], "(", 5):
        assert "D_qk" not in is_shape(got, ("D_qk", "H*D_2")).found
        assert "H*D_2" not in is_shape(got, ("D_qk", "H*D_2")).found


def test_a_number_in_place_of_letters_is_told_to_be_one():
    for got in (2048, "2048", "7.0", "2*3"):
        assert is_expression(got, "2*D_1").found.startswith("expected an expression in letters, got a number.")
    assert "number" not in is_expression("D_1", "2*D_1").found and "letters" not in is_expression(2, "1").found


# Nonsense and attacks -------------------------------------------------------------------------------------------------

HOSTILE = [
    "",
    "(",
    "H +",
    "H H",
    "H = 1",
    "lambda: H",
    "H if H else H",
    "[H]",
    "H,",
    "H.real",
    "H()",
    "floor()",
    "floor(H, H)",
    "sqrt(H)",
    "__import__('os').getcwd()",
    "().__class__.__bases__",
    "exit()",
    "open('/tmp/opened', 'w')",
    "'H'",
    "True",
    "None",
    "1j",
    "nan",
    "1e999",
    "H/0",
    "H//0",
    "0**-1",
    "H**0.5",
    "H**H**H**H",
    "9**9**9**9",
    "2**100000000",
    "H**-100000000",
    "(" * 100 + "H" + "**8)" * 100,
    "(" * 200 + "H" + ")" * 200,
    "-" * 490 + "H",
    "~H",
    "H @ H",
    "H % 2",
    "H << 100000000",
    "9" * 499,
    "H*" * 100_000 + "H",
    "\0",
    "\ud800",
    "1is 2",
    "0x1for x in y",
    "H\n",
    "H;H",
    "(yield)",
    "(h := 1)",
    "f'{H}'",
    "*H",
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text)[:25])
def test_nonsense_and_attacks_are_wrong_at_once_and_never_run(text: str, recwarn: pytest.WarningsRecorder):
    started = time.process_time()
    right = is_expression(text, "D_qk").right or is_shape([text, text], ("D_qk", "D_1")).right
    assert not right and busy.within(time.process_time() - started, 1.0)
    assert not recwarn.list


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=40) | st.text(alphabet="HDG_123()+-*/., floor", max_size=60))
def test_any_text_is_right_or_wrong_and_nothing_else(text: str):
    assert is_expression(text, "L_1").right in {True, False}


@settings(max_examples=200, deadline=None)
@given(
    st.recursive(
        st.sampled_from(LETTERS) | st.integers(1, 9).map(str),
        lambda e: st.builds("({}{}{})".format, e, st.sampled_from("+-*"), e),
        max_leaves=10,
    )
)
def test_an_expression_s_value_is_the_one_that_sympy_gives_it(text: str):
    values = {letter: Fraction(number) for letter, number in zip(LETTERS, itertools.count(2), strict=False)}
    want = sympy.sympify(text, locals={n: sympy.Symbol(n) for n in LETTERS}).subs(
        {n: int(v) for n, v in values.items()}
    )
    assert evaluate(text, values) == Fraction(int(want))


def test_large_but_sane_powers_have_their_value():
    assert evaluate("(H**8)**8", {"H": Fraction(3)}) == 3**64 and evaluate("H**-2", {"H": Fraction(3)}) == Fraction(
        1, 9
    )


# What arrives ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "want"),
    [
        ("answer = (D_qk, D_1)", ["D_qk", "D_1"]),
        ("answer = [D_qk, H*D_1]", ["D_qk", "D_1*H"]),
        ("answer = sp.Tuple(D_qk, 1)", ["D_qk", "1"]),
        ("answer = torch.Size([2, 3])", [2, 3]),
        ("answer = np.array([D_qk, D_1])", ["D_qk", "D_1"]),
        ("answer = np.array([2, 3])", [2, 3]),
        ("answer = D_qk", "D_qk"),
        ("answer = 2*D/2", "D"),
        ("answer = sp.Mul(2, D, evaluate=False)", "2*D"),
        ("answer = D // d", "floor(D/d)"),
        ("answer = sp.ceiling(D / d)", "ceiling(D/d)"),
        ("answer = sp.Rational(1, 2)*D", "D/2"),
        ("answer = 5", 5),
        ("answer = 5.0", 5),
        ("answer = np.int64(5)", 5),
        ("answer = np.float32(5)", 5.0),
        ("answer = 0.5", 0.5),
        ("answer = (D_qk, (D_1,))", ["D_qk", ["D_1"]]),
        ("answer = sp.Matrix([D_qk, D_1])", "a matrix"),
        ("answer = 'H*D_qk'", "H*D_qk"),
        ("answer = sp.Symbol('H')", "H"),
        ("answer = None", None),
        ("answer = {'a': 1}", {"a": 1}),
        ("answer = {}", {}),
        ("answer = []", []),
        ("answer = [[]]", [[]]),
        ("answer = True", True),
    ],
)
def test_a_variable_arrives_as_texts_and_numbers(fetched, source: str, want: object):
    got = fetched(source)
    assert got == want and type(got) is type(want)


@pytest.mark.parametrize(
    ("source", "want", "right"),
    [
        ("answer = (H*D_qk, D_1)", ("D_qk*H", "D_1"), True),
        ("d_k = D_qk\nanswer = (d_k*H, D_1)", ("D_qk*H", "D_1"), True),
        ("answer = (sum([D_qk, D_qk]), D_1)", ("2*D_qk", "D_1"), True),
        ("H = sp.Symbol('H')\nanswer = (H*D_qk, D_1)", ("H*D_qk", "D_1"), True),
        ("answer = np.array([H*D_qk, 1])", ("H*D_qk",), True),
        ("answer = (sp.sqrt(H**2)*D_qk,)", ("H*D_qk",), True),
        ("answer = (sp.simplify((D_1**2 - D_2**2)/(D_1 + D_2)),)", ("D_1 - D_2",), True),
        ("answer = (1.0*H*D_qk,)", ("H*D_qk",), True),
        ("H = D_qk\nanswer = (H*D_qk, D_1)", ("D_qk*H", "D_1"), False),
        ("H = 8\nanswer = (H*D_qk, D_1)", ("D_qk*H", "D_1"), False),
        ("answer = {H*D_qk, D_1}", ("D_qk*H", "D_1"), False),
        ("answer = lambda: (H*D_qk, D_1)", ("D_qk*H", "D_1"), False),
        ("class A(sp.Symbol):\n    def __eq__(self, other): return True\n    __hash__ = None\nanswer = (A('a'), D_1)",
         ("D_qk", "D_1"), False),
        ("class A:\n    def __eq__(self, other): return True\nanswer = (A(), A())", ("D_qk", "D_1"), False),
        ("answer = []\nanswer.append(answer)", ("D_qk",), False),
        ("answer = sp.Integer(9)**sp.Integer(9)**5", ("D_qk",), False),
        ("answer = sp.nan", ("D_qk",), False),
        ("answer = sp.oo", ("D_qk",), False),
    ],
)  # fmt: skip
def test_what_arrives_is_judged_by_value(fetched, source: str, want: tuple, right: bool):
    assert is_shape(fetched(source), want).right == right


def test_a_variable_that_is_not_there_is_a_reason(fetched):
    got = fetched("other = 1")
    assert isinstance(got, Reason) and got.why is Why.MISSING and "`answer`" in got.text


def test_a_variable_that_is_no_data_is_a_reason(fetched):
    assert fetched("answer = object()").why is Why.NOT_DATA
    assert (
        fetched("class A(sp.Symbol):\n    def _sympystr(self, p): raise SystemExit\nanswer = A('a')").why is Why.RAISED
    )


@pytest.mark.parametrize("source", ["answer = {D_1, D_2}", "answer = {D_1: D_2}", "answer = lambda: D_1"])
def test_of_a_set_or_a_function_it_is_said_that_it_is_no_shape_and_no_expression(fetched, source: str):
    assert is_shape(fetched(source), ("D_1", "D_2")).found == messages.NO_SHAPE
    assert is_expression(fetched(source), "D_1").found == messages.NO_EXPRESSION


@pytest.mark.parametrize("symbols", [LETTERS, ["n"], ["beta", "t"], []], ids=len)
def test_the_places_of_comparison_differ_from_letter_to_letter_and_in_their_order(symbols):
    places = expressions.places(symbols)
    for place in places:
        assert list(place) == symbols and all(value.denominator == 1 for value in place.values())
        assert all(math.gcd(int(a), int(b)) == 1 for a, b in itertools.combinations(place.values(), 2))
    for a, b in itertools.combinations(symbols, 2):
        assert len({place[a] < place[b] for place in places}) == 2


def test_fractions_that_would_grow_with_every_step_are_refused_at_once():
    terms = "+".join(f"1/(D**{6600 - k}+H)" for k in range(28))
    started = time.process_time()
    for _ in range(10):
        assert not is_expression(terms, "2*D").right
    assert busy.within(time.process_time() - started, 2)
