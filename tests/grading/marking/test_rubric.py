"""Verdicts and marks: right is right to float32's accuracy, wrong is wrong, and a failure of ours is never a zero."""

import ast
import json
import math

import numpy as np
import pytest
import torch

from attention import course, rules
from attention.course import COURSE
from attention.hints import HINTS
from grading.bridge import probe, remote, wire
from grading.bridge.probe import Reason, Tensor, Why, tensor
from grading.core import errors, messages
from grading.marking import rubric
from grading.marking.rubric import ANY, ARRAY, TENSOR, Sheet, Verdict, all_of, close, fact, proportional, same_shape

WANT = np.array([[1.0, -2.0, 4.0]])
NOTHING = Reason(Why.MISSING, "it is not there.")


def crossed(value: object) -> object:
    """A value as it arrives from a student's kernel."""
    return wire.decode(remote.encode(value))


# Kinds ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "kinds"),
    [
        (torch.ones(2), {TENSOR, ANY}),
        (torch.ones(2, dtype=torch.bfloat16), {TENSOR, ANY}),
        (torch.ones(2, dtype=torch.int32), {TENSOR, ANY}),
        (torch.tensor([True, True]), {TENSOR, ANY}),
        (torch.ones(2, dtype=torch.complex64), {TENSOR, ANY}),
        (torch.nn.Parameter(torch.ones(2)), {TENSOR, ANY}),
        (np.ones(2), {ARRAY, ANY}),
        (np.ones(2, dtype=np.uint8), {ARRAY, ANY}),
        (np.array([True, True]), {ARRAY, ANY}),
        ([1, 1], {ANY}),
        ((1.0, True), {ANY}),
        ([torch.tensor(1.0), np.float64(1)], {ANY}),
        ([np.array(1), 1], {ANY}),
        ("11", set()),
        (["1", "1"], set()),
        ([None, None], set()),
        (None, set()),
        ({0: 1, 1: 1}, set()),
        ([[1], [1, 1]], set()),
        ([10**30, 1], set()),
        (NOTHING, set()),
    ],
    ids=str,
)
def test_each_kind_takes_what_it_says_and_nothing_else(value: object, kinds: set):
    got = value if value is NOTHING else crossed(value)
    for kind in (TENSOR, ARRAY, ANY):
        assert (rubric.array(got, kind) is not None) == (kind in kinds)
        assert same_shape(got, (2,), kind).right == (kind in kinds)
        assert close(got, np.ones(2), kind=kind).right == (kind in kinds)
        assert proportional(got, np.ones(2), kind=kind).right == (kind in kinds)


@pytest.mark.parametrize("value", [3, 3.0, True, np.int64(3), [[3]], torch.tensor(3), []])
def test_whatever_numpy_turns_into_numbers_keeps_its_shape(value: object):
    assert rubric.array(crossed(value), ANY).shape == np.shape(value)


def test_an_array_of_things_that_are_no_numbers_is_none():
    for odd in (np.array(["a"]), np.array([None]), np.array([object()]), np.zeros(1, dtype="M8[s]")):
        assert rubric.array(odd, ARRAY) is None and rubric.array(odd, ANY) is None


def test_what_has_no_value_is_judged_by_its_reason():
    for verdict in (same_shape(NOTHING, (2,)), close(NOTHING, WANT), proportional(NOTHING, WANT)):
        assert verdict == Verdict(False, "it is not there.", no_value=True)
    for other in ("text", (torch.ones(1, 3), torch.ones(2)), None):  # a hint about axes or numbers would mislead
        assert close(crossed(other), WANT).no_value
    assert not close(crossed(torch.ones(2)), WANT).no_value


# Shapes ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(3,), (3, 1), (1, 3, 1), (1, 1, 3), (3, 3), (), (1,), (0,), (1, 0)])
def test_no_shape_but_the_one_asked_for_is_right_although_it_could_be_broadcast(shape: tuple[int, ...]):
    got = Tensor(np.zeros(shape))
    assert not same_shape(got, WANT).right and not same_shape(got, (1, 3)).right
    assert not close(got, np.zeros((1, 3))).right
    assert not proportional(Tensor(np.ones(shape)), np.ones((1, 3))).right
    assert same_shape(got, shape).right and same_shape(got, np.zeros(shape)).right


# Numbers --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("got", "right"),
    [
        (WANT, True),
        (WANT + 3.9e-5, True),  # 1e-5 of the largest, 4
        (WANT + 4.1e-5, False),
        (WANT - [[4.1e-5, 0, 0]], False),
        (WANT.astype(np.float32), True),
        (WANT * (1 + 1e-7), True),
        (WANT.astype(np.float16), True),  # these numbers are exact in any dtype
        (WANT.astype(int), True),
        (WANT.astype(complex), True),
        (WANT + 1e-7j, True),
        (WANT + 1e-3j, False),
        (-WANT, False),
        (WANT * 1.01, False),
        (WANT[:, ::-1], False),
        (np.zeros((1, 3)), False),
        (np.array([[1.0, -2.0, math.nan]]), False),
        (np.full((1, 3), math.nan), False),
        (np.array([[1.0, -2.0, math.inf]]), False),
        (np.array([[1.0, -math.inf, 4.0]]), False),
        (np.array([[1.0, -2.0, complex(4.0, math.nan)]]), False),
        (np.full((1, 3), 1.7e308), False),
        (np.full((1, 3), -1.7e308), False),
    ],
)
def test_numbers_are_right_within_the_tolerance_of_the_largest_expected_one(got: np.ndarray, right: bool):
    assert close(Tensor(got), WANT).right == right
    assert close(got, WANT, kind=ARRAY).right == right


def test_the_tolerance_is_what_is_asked_for():
    assert (
        close(WANT * 1.009, WANT, rtol=1e-2, kind=ARRAY).right
        and not close(WANT * 1.011, WANT, rtol=1e-2, kind=ARRAY).right
    )


def test_where_only_zeros_are_expected_only_zeros_are_right():
    assert close(np.zeros(2), np.zeros(2), kind=ARRAY).right and close(-np.zeros(2), np.zeros(2), kind=ARRAY).right
    assert not close(np.array([0.0, 1e-300]), np.zeros(2), kind=ARRAY).right


def test_an_empty_array_is_right_where_one_is_expected():
    assert close(np.zeros((0, 3)), np.zeros((0, 3)), kind=ARRAY).right
    assert not close(np.zeros((3, 0)), np.zeros((0, 3)), kind=ARRAY).right


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_not_right_even_where_it_is_expected(odd: float):
    want = np.array([odd, 1.0])
    for got in (want, np.ones(2), np.zeros(2)):
        assert not close(got, want, kind=ARRAY).right and not proportional(got, want, kind=ARRAY).right


def test_complex_numbers_are_compared_as_such_where_they_are_expected():
    assert close(np.array([1j]), np.array([1j]), kind=ARRAY).right
    assert not close(np.array([0.0]), np.array([1j]), kind=ARRAY).right


@pytest.mark.parametrize(
    ("factor", "right"),
    [
        (1, True),
        (2.5, True),
        (-3, False),
        (-1e-12, False),
        (1e-12, True),
        (1e12, True),
        (1 / math.sqrt(5), True),
        (0, False),
        (-0.0, False),
    ]
    + [(math.nan, False), (math.inf, False), (1e308, False), (1j, False), (1 + 1e-3j, False), (1 + 0j, True)],
)
def test_a_factor_is_finite_real_and_positive(factor: complex, right: bool):
    with np.errstate(all="ignore"):
        got = factor * WANT
    assert proportional(Tensor(got), WANT).right == right


@pytest.mark.parametrize(
    "got",
    [WANT + 1, WANT[:, ::-1], abs(WANT), WANT**2, WANT + [[0, 0, 1e-3]], np.ones((1, 3)), np.array([[2.0, 1.0, 0.0]])],
)
def test_what_is_not_one_factor_times_the_expected_is_not_proportional(got: np.ndarray):
    assert not proportional(Tensor(got), WANT).right


def test_a_negative_factor_is_named_and_other_numbers_are_not_said_to_have_one():
    assert proportional(Tensor(-2 * WANT), WANT).found == messages.NEGATIVE_FACTOR
    for other in (WANT + 1, -WANT + [[0, 0, 1e-3]], 0 * WANT, -math.inf * np.ones((1, 3))):
        assert proportional(Tensor(other), WANT).found != messages.NEGATIVE_FACTOR


def test_a_kind_that_is_not_accepted_is_named_beside_the_one_expected():
    assert same_shape([1.0, 2.0], (2,)).found == "expected a torch tensor, got a list."
    assert same_shape(np.ones(2), (2,)).found == "expected a torch tensor, got a NumPy array."
    assert same_shape(Tensor(np.ones(2)), (2,), ARRAY).found == "expected a NumPy array, got a torch tensor."
    assert same_shape("text", (2,), ANY).found == "expected an array of numbers, got a str."
    assert same_shape(None, (2,), ANY).found == "expected an array of numbers, got None (is a `return` missing?)."
    two = "got a tuple (does a `return` give more than one value, or end with a comma?)."
    assert same_shape((np.ones(2),), (2,)).found == f"expected a torch tensor, {two}"


def test_verdicts_give_no_warnings(recwarn: pytest.WarningsRecorder):
    for odd in (1.7e308, -1.7e308, math.nan, math.inf, 1e-320, complex(1e308, 1e308)):
        for judge in (close, proportional):
            judge(np.full((1, 3), odd), WANT, kind=ARRAY)
            judge(np.full((1, 3), odd), np.full((1, 3), 1.7e308), kind=ARRAY)
    assert not recwarn.list


def test_a_test_that_expects_nothing_sensible_is_at_fault():
    for want in (NOTHING, None, "text", np.array(["a"])):
        for judge in (close, proportional):
            with pytest.raises(TypeError):
                judge(WANT, want, kind=ARRAY)
    for want in (np.zeros(2), np.zeros(0)):
        with pytest.raises(ValueError):
            proportional(np.ones(2), want, kind=ARRAY)
        with pytest.raises(ValueError):
            proportional(NOTHING, want)


def test_what_was_found_is_said_without_the_expected_numbers():
    secret = np.array([1234.5, 9876.5])
    for got in (secret * 2, secret + 1, np.full(2, math.nan), np.zeros(3)):
        for judge in (close, proportional):
            found = judge(Tensor(got), secret).found
            assert found and "1234" not in found and "9876" not in found
    assert (
        "(3,)" in same_shape(Tensor(np.zeros(3)), (2,)).found and "(2,)" in same_shape(Tensor(np.zeros(3)), (2,)).found
    )


# Other verdicts -------------------------------------------------------------------------------------------------------


def test_a_fact_is_a_truth_value_and_nothing_else():
    assert fact(True, "").right and fact(np.bool_(True), "").right
    assert fact(False, "why") == Verdict(False, "why") == fact(np.bool_(False), "why")
    for odd in (1, 0, "True", None, np.array([True]), [], Verdict(True)):
        with pytest.raises(TypeError):
            fact(odd, "")


def test_all_of_is_the_first_that_is_not_right():
    a, b, c = Verdict(True, "a"), Verdict(False, "b"), Verdict(False, "c")
    assert all_of(a, b, c) is b and all_of(a, c, b) is c and all_of(a, a).right
    with pytest.raises(ValueError):
        all_of()


# The sheet ------------------------------------------------------------------------------------------------------------


def sheet(*items: tuple[float, bool], points: float = 10, part: int = 3) -> Sheet:
    out = Sheet(part=part, points=points, task="attention_logits")
    for worth, right in items:
        out.item(worth, f"of {worth}", Verdict(right, "it is off."))
    return out


@pytest.mark.parametrize(
    ("items", "marks"),
    [
        ([(2, True), (4, True), (4, True)], 10.0),
        ([(2, True), (4, False), (4, True)], 6.0),
        ([(2, False), (4, False), (4, False)], 0.0),
        ([(10, True)], 10.0),
        ([(1 / 3, True)] * 30, 10.0),
        ([(0.1, True)] * 100, 10.0),
        ([(2.5, True), (7.5, False)], 2.5),
    ],
)
def test_marks_are_a_float_and_the_sum_of_the_items_won(items: list, marks: float, capsys: pytest.CaptureFixture):
    total = sheet(*items).total()
    assert type(total) is float and total == pytest.approx(marks) and 0.0 <= total <= 10.0
    assert capsys.readouterr().out.startswith(f"Part 3 · attention_logits: {marks:g} of 10 points")


def test_rounding_does_not_carry_marks_beyond_the_points():
    assert 0.1 + 0.1 + 0.1 > 0.3
    assert sheet((0.1, True), (0.1, True), (0.1, True), points=0.3).total() == 0.3


@pytest.mark.parametrize("items", [[], [(9, True)], [(2, True), (4, True), (5, True)], [(10, True), (1, False)]])
def test_items_that_do_not_add_up_are_a_failure_of_ours(items: list):
    with pytest.raises(ValueError):
        sheet(*items).total()


@pytest.mark.parametrize("points", [0, -1, math.nan])
def test_an_item_is_worth_more_than_nothing(points: float):
    with pytest.raises(ValueError):
        Sheet(part=3, points=10).item(points, "x", Verdict(True))


@pytest.mark.parametrize("verdict", [True, 1.0, None, NOTHING, "right"])
def test_an_item_takes_a_verdict_and_nothing_else(verdict: object):
    with pytest.raises(TypeError):
        Sheet(part=3, points=10).item(10, "x", verdict)


def test_a_breach_costs_all_points_and_is_all_that_is_said(capsys: pytest.CaptureFixture):
    broken = sheet((10, True))
    broken.require(None)
    broken.require(rules.Breach("Answer, line 2, `import math`: no."))
    broken.require(rules.Breach("a second one"))
    broken.require(None)
    assert broken.total() == 0.0 and type(broken.total()) is float
    shown = capsys.readouterr().out
    assert "import math" in shown and "second" not in shown and "of 10  " not in shown


@pytest.mark.parametrize("breach", [True, False, "text", 0, Verdict(True)])
def test_the_outcome_of_a_rule_is_none_or_a_breach(breach: object):
    with pytest.raises(TypeError):
        sheet((10, True)).require(breach)


def test_an_error_anywhere_is_raised_and_never_marked(monkeypatch: pytest.MonkeyPatch):
    def broken(*_: object) -> str:
        raise KeyError("no text")

    monkeypatch.setattr(messages, "short", broken)
    with pytest.raises(KeyError):
        sheet((10, False)).total()
    monkeypatch.undo()
    with pytest.raises(errors.CourseError):
        course.sheet(99)


def test_items_that_do_not_add_up_to_the_course_s_points_say_what_they_add_up_to():
    with pytest.raises(ValueError, match=r"expected items of 10 points in all, as the course has it, got 9\."):
        sheet((7, True), (2, False)).total()


def test_the_report_has_a_line_an_item_with_its_points(capsys: pytest.CaptureFixture):
    sheet((2, True), (8, False)).total()
    assert capsys.readouterr().out.splitlines()[1:] == ["  2/2  of 2", "  0/8  of 8: it is off."]


def test_a_hint_is_added_to_an_item_that_was_lost_and_not_where_there_was_no_value(capsys: pytest.CaptureFixture):
    part = 1
    name, hint = next(iter(HINTS[part].items()))
    for verdict, hinted in (
        (Verdict(False, "x."), True),
        (Verdict(False, "x.", no_value=True), False),
        (Verdict(True), False),
    ):
        out = course.sheet(part)
        out.item(5, name, verdict)
        out.total()
        assert (hint in capsys.readouterr().out) == hinted


def test_every_hint_belongs_to_an_item_of_its_part_s_hidden_test():
    for part, hints in HINTS.items():
        notebook = json.loads((course_folder() / f"part{part:02d}.ipynb").read_text(encoding="utf-8"))
        (test,) = ["".join(cell["source"]) for cell in notebook["cells"] if cell["id"].endswith("-test")]
        texts = {node.value for node in ast.walk(ast.parse(test)) if isinstance(node, ast.Constant)}
        assert set(hints) <= texts, part


def course_folder():
    from dev.packages import REPOSITORY

    return REPOSITORY / "source" / COURSE.name


def test_a_student_s_text_stays_in_its_line_of_the_report(capsys: pytest.CaptureFixture):
    out = Sheet(part=3, points=10)
    out.item(10, "x", Verdict(False, "a\nPart 3: 10 of 10\r\x1b[2J\u2028" + "y" * 1000))
    out.total()
    shown = capsys.readouterr().out
    assert len(shown.splitlines()) == 2 and "\x1b" not in shown and len(shown) < 600


def test_marking_a_tensor_of_the_test_s_own_is_right():
    assert close(tensor(WANT), WANT).right and tensor(WANT.astype(np.float32)).dtype == "float32"


def test_an_item_that_rests_on_questions_that_nothing_answered_says_why_and_no_other_does():
    class Gone:
        def ask(self, request: bytes, limit_s: float) -> Reason:
            return Reason(Why.DIED, "the kernel ended.")

    wrong = Verdict(False, "two layers are one.", mistake="layers-shared")
    with probe.through(Gone()) as way, rubric.collected() as reports:
        out = Sheet(part=5, points=4)
        out.item(1, "judged before", wrong)
        probe.call("f")
        out.item(1, "asked after", wrong)
        out.item(1, "judged after, of an answer from before", wrong)
        probe.call("f")
        out.item(1, "right", Verdict(True))
        out.total()
    assert [item.found for item in reports[0].items] == [wrong.found, "the kernel ended.", wrong.found, ""]
    assert [item.mistake for item in reports[0].items] == ["layers-shared", "", "layers-shared", ""]
    assert way.late == "the kernel ended."


@pytest.mark.parametrize(("got", "said"), [(0.0, "100 % of the"), (0.5, "50 % of the"), (-2.0, "3 times the")])
def test_a_miss_is_a_share_up_to_the_whole_of_the_largest_number_and_then_a_multiple(got: float, said: str):
    assert f"off by up to {said} largest" in rubric.close(np.array([got]), np.array([1.0]), kind=rubric.ANY).found
