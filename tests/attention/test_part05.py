"""Part 5's checks by themselves: what they say of a right MyMHA, and of one with a single thing wrong in it."""

import numpy as np
import pytest
from hidden_tests import answered, model_answer

from attention import course, part05, structure
from attention.mistakes.sentences import MISTAKES
from attention.structure import Found, Problem, weight_shapes

RIGHT = model_answer(course.PARTS[5])
SIZES = (5, 4, 3, 2, 2)  # D_1, D_2, D_qk, D_v, H
SHAPES = {"W_Q": (6, 5), "W_K": (6, 4), "W_V": (4, 4), "W_O": (5, 4)}
OUTPUT = "return self.W_O(o)"
ADDED = "e = e / (e.sum(-1, keepdim=True) + 1e-12)"
assert OUTPUT in RIGHT


def tried(answer: str, **options: object) -> part05.Tried:
    with answered(5, answer):
        return part05.tried("here", SIZES, 2, 3, 4, seed=1, **options)


def test_the_weights_have_the_shapes_of_parts_2_and_4():
    assert weight_shapes(*SIZES) == SHAPES


@pytest.mark.parametrize("how", ["", "transposed", "itself", "float32", "zeros", "large"])
def test_a_right_model_has_the_output_s_shape_and_its_values_in_every_call(how: str):
    with answered(5, RIGHT):
        found = part05.tried("here", (5, 5, 3, 2, 2), 2, 4, 4, seed=1, how=how)
    assert found.shape.right and part05.values_right([found]).right
    first, second, third, fourth, evaluated, changed, of_another = (case.want for case in found.values)
    assert all((first == other).all() for other in (second, fourth, evaluated, of_another))
    assert not (first == third).all() and not (first == changed).all()
    assert all(case.got.dtype == ("float32" if how == "float32" else "float64") for case in found.values)


def test_an_output_of_another_shape_is_told_with_its_case():
    verdict = tried(RIGHT.replace(OUTPUT, "return self.W_O(o)[0]")).shape
    assert not verdict.right and verdict.found == "here, expected shape (2, 3, 5), got (3, 5)."


@pytest.mark.parametrize(
    ("instead", "where"),
    [
        ("return 2 * self.W_O(o)", "here, "),
        ("self.n = getattr(self, 'n', 0) + 1; return self.n // 4 * 1e-3 + self.W_O(o)", "here, in a second call "),
        ("self.n = getattr(self, 'n', 0) + 1; return self.n // 5 * 1e-3 + self.W_O(o)", "here, in a third call "),
        ("self.n = getattr(self, 'n', 0) + 1; return self.n // 6 * 1e-3 + self.W_O(o)", "here, in a fourth call "),
        ("x.zero_(); return self.W_O(o)", "here, in a second call with the same two tensors"),
        (
            "self.kept = getattr(self, 'kept', {}); return self.kept.setdefault(x.data_ptr(), self.W_O(o))",
            "here, in a third call with other tokens",
        ),
        ("return self.W_O(o) * (1 + (not self.training))", "here, in evaluation mode and without gradients, "),
        ("return self.W_O(o) * (1 + (not torch.is_grad_enabled()))", "here, in evaluation mode and without gradients"),
        (
            "self.kept = getattr(self, 'kept', {}); return self.kept.setdefault((x, x._version, y), self.W_O(o))",
            "here, once the test has changed the weights, ",
        ),
    ],
    ids=[
        "twice",
        "from the second call on",
        "in the third",
        "in the fourth",
        "tokens changed",
        "kept by address",
        "in training alone",
        "with gradients alone",
        "kept while the tokens stay",
    ],
)
def test_values_that_are_wrong_in_any_of_the_calls_are_told_with_the_call(instead: str, where: str):
    verdict = part05.values_right([tried(RIGHT.replace(OUTPUT, instead))])
    assert not verdict.right and verdict.found.startswith(f"{where}") and "off by up to" in verdict.found


@pytest.mark.parametrize(
    ("how", "instead"),
    [
        ("itself", "return self.W_O(o) * (2 if x is y else 1)"),
        ("itself", "return self.W_O(o) * (2 if torch.equal(x, y) else 1)"),
        ("zeros", "return self.W_O(o) * (y != 0).any(-1).all(-1)[:, None, None]"),
        ("zeros", "return self.W_O(o) * (x != 0).any(-1, keepdim=True)"),
        ("zeros", "return self.W_O(o) * (1 + (y[:, 0] == y[:, 1]).all())"),
        ("large", "return self.W_O((logits.clamp(max=20).softmax(-1) @ v).transpose(1, 2).flatten(2))"),
        ("large", f"e = logits.exp(); {ADDED}; return self.W_O((e @ v).transpose(1, 2).flatten(2))"),
        ("float32", "return self.W_O(o @ torch.eye(o.shape[-1], dtype=torch.float64))"),
    ],
    ids=[
        "one tensor",
        "equal tensors",
        "zeros in y",
        "zeros in x",
        "equal tokens",
        "scores cut off",
        "a small number added to a sum of smaller ones",
        "float64 alone",
    ],
)
def test_what_is_wrong_in_one_way_of_calling_is_told_there(how: str, instead: str):
    answer, sizes = RIGHT.replace(OUTPUT, instead), (5, 5, 3, 2, 2)
    with answered(5, answer):
        assert part05.values_right([part05.tried("elsewhere", sizes, 2, 4, 4, seed=1)]).right
        verdict = part05.values_right([part05.tried("here", sizes, 2, 4, 4, seed=1, how=how)])
    assert verdict.found.startswith("here, ")


@pytest.mark.parametrize(
    ("replaced", "key"),
    [
        ((("dim=-1", "dim=2"), (" / self.D_qk**0.5", "")), "softmax-over-queries+no-scale"),
        (((" / self.D_qk**0.5", " / self.D_qk"), ("return self.W_O(o)", "return o @ o.mT @ x")), ""),
        (((" / self.D_qk**0.5", ""), ("o = o.transpose(1, 2)  #", "#")), "no-scale+heads-joined-untransposed"),
        ((("self.W_K(y)", "self.W_K(x)"), ("self.W_V(y)", "self.W_V(x)"), ("self.W_O(o)", "x + self.W_O(o)"),
          ("L_2 = y.shape[1]", "L_2 = L_1")), "token-added+attends-to-itself"),
    ],
    ids=["softmax and scale", "none that is known", "scale and stack", "tokens and sum"],
)  # fmt: skip
def test_two_usual_mistakes_at_once_are_both_named(replaced: tuple, key: str):
    answer = RIGHT
    for old, new in replaced:
        assert old in answer
        answer = answer.replace(old, new)
    with answered(5, answer):
        verdict = part05.values_right([part05.tried("here", (5, 5, 3, 2, 2), 2, 3, 4, seed=1)])
    first, _, second = key.partition("+")
    assert not verdict.right and verdict.mistake == first
    assert not key or verdict.found == f"{MISTAKES[first]} Also: {MISTAKES[second]}"


def test_weights_that_a_first_call_draws_are_told():
    drawn = "self.W_K.weight.data *= getattr(self, 'factor', 2); self.factor = 1; B, L_1, _ ="
    verdict = part05.values_right([tried(RIGHT.replace("B, L_1, _ =", drawn))])
    assert verdict.found.startswith("here, in the first call of a model whose weights the test has set, the numbers")


@pytest.mark.parametrize(
    "each",
    [
        "self.W_O(o) + torch.rand(())",
        "self.W_O(nn.functional.dropout(o))",
        "setattr(self, 'n', getattr(self, 'n', 0) + 1) or self.n * self.W_O(o)",
    ],
)
def test_a_model_that_gives_other_numbers_in_each_call_is_told_so(each: str):
    verdict = part05.values_right([tried(RIGHT.replace(OUTPUT, f"return {each}"))])
    assert verdict.mistake == "other-in-each-call" and verdict.found == MISTAKES["other-in-each-call"]


@pytest.mark.parametrize("change", ["x /= 2", "y += 1"])
def test_a_model_that_changes_its_tokens_is_not_told_that_it_draws_them(change: str):
    verdict = part05.values_right([tried(RIGHT.replace("B, L_1, _ =", f"{change}; B, L_1, _ ="))])
    assert verdict.found.startswith("here, the numbers are off by up to") and not verdict.mistake


def test_a_projection_that_takes_no_weight_is_named():
    verdict = part05.values_right([tried(RIGHT.replace("nn.Linear(D_2, H * D_v", "nn.Linear(D_2, H * D_v + 1"))])
    assert verdict.found == "the weight of W_V is missing or has another shape, so it could not be set."


def test_weights_that_the_test_wrote_are_not_those_of_a_model_that_shares_them():
    shared = RIGHT.replace("class MyMHA", "W = {}\n\n\nclass MyMHA").replace(
        "self.W_O = nn.Linear(H * D_v, D_1, bias=False)",
        "self.W_O = W.setdefault((H, D_v, D_1), nn.Linear(H * D_v, D_1, bias=False))",
    )
    assert not part05.values_right([tried(shared)]).right


def test_weights_that_a_call_changes_are_told_also_if_the_output_stays_the_same():
    twice = "self.W_V.weight.data *= 2; self.W_O.weight.data /= 2; return 2 * self.W_O(o)"
    found = tried(RIGHT.replace(OUTPUT, twice))
    verdict = part05.values_right([tried(RIGHT), found])
    assert all(np.allclose(case.got.array, case.want) for case in found.values)
    assert verdict.found == "a call changes the weight of W_V, W_O."


def test_right_projections_of_all_models_are_right_and_one_with_a_bias_is_named():
    with answered(5, RIGHT):
        assert part05.projections_made([SIZES, (4, 4, 1, 1, 1)]).right
    with answered(
        5, RIGHT.replace("self.W_K = nn.Linear(D_2, H * D_qk, bias=False)", "self.W_K = nn.Linear(D_2, H * D_qk)")
    ):
        verdict = part05.projections_made([SIZES])
    assert verdict.mistake == "bias-left-in" and verdict.found.startswith("W_K: ")


@pytest.mark.parametrize(
    ("changed", "mistake", "text"),
    [
        ({}, "", None),
        ({"W_Q": (5, 6), "W_O": (4, 5)}, "", "the weight has the wrong shape: W_Q, W_O."),
        (
            {"W_Q": (5, 6), "W_V": Problem.MISSING},
            "",
            "what is missing: W_V. Also: the weight has the wrong shape: W_Q.",
        ),
        (
            {"W_Q": Problem.NOT_LINEAR, "W_V": Problem.MISSING},
            "",
            "what is missing: W_V. Also: what is not an nn.Linear: W_Q.",
        ),
        (
            {"W_V": Problem.NOT_LINEAR, "W_K": Problem.BIAS},
            "bias-left-in",
            "what is not an nn.Linear: W_V. Also: W_K: Something is added",
        ),
        ({"W_K": Problem.SHARED, "W_V": Problem.SHARED}, "layers-shared", "W_K, W_V: "),
        ({"W_K": Problem.NOT_KEPT}, "", "what no longer holds the weight that was written to it: W_K."),
    ],
    ids=[
        "right",
        "shapes",
        "missing before shapes",
        "missing before another layer",
        "another layer before a bias",
        "shared",
        "not kept",
    ],
)
def test_all_that_is_wrong_with_projections_is_named_the_gravest_first(changed: dict, mistake: str, text: str | None):
    verdict = part05.projections_right(Found(True, {**SHAPES, **changed}), SHAPES)
    assert verdict.right == (text is None) and verdict.mistake == mistake
    assert text is None or verdict.found.startswith(text)


def test_two_mistakes_are_named_also_where_a_first_model_shows_but_one_of_them():
    layers = "self.W_K = nn.Linear(D_2, D_qk, bias=False); self.W_Q = nn.Linear(D_1, H * D_qk)"
    with answered(5, RIGHT.replace("self.W_K = nn.Linear(D_2, H * D_qk, bias=False)", layers)):
        verdict = part05.projections_made([(5, 4, 3, 2, 1), SIZES])  # with one head, W_K has the right shape
    assert verdict.found.startswith("W_Q: ") and verdict.found.endswith("Also: the weight has the wrong shape: W_K.")


LAYER = "self.W_K = nn.Linear(D_2, H * D_qk, bias=False)"


@pytest.mark.parametrize(
    ("kept", "known"),
    [
        ("self.layers = [nn.Linear(D_2, H * D_qk, bias=False)]", False),
        ("self.layers = nn.ModuleList([nn.Linear(D_2, H * D_qk, bias=False)])", True),
        ("self.layers = [nn.Linear(D_2, H * D_qk, bias=False)]; self.own = self.layers[0].weight", True),
    ],
    ids=["a plain list", "a list of modules", "the weight alone"],
)
def test_a_layer_that_the_model_does_not_know_is_told(kept: str, known: bool):
    assert LAYER in RIGHT
    answer = RIGHT.replace(LAYER, kept).replace(
        "    def forward", "    W_K = property(lambda self: self.layers[0])\n\n    def forward"
    )
    with answered(5, answer):
        verdict = part05.projections_made([SIZES])
        assert part05.values_right([part05.tried("here", SIZES, 2, 3, 4, seed=1)]).right
    assert verdict.right == known
    assert known or (verdict.mistake == "layers-unknown-to-the-model" and verdict.found.startswith("W_K: "))


@pytest.mark.parametrize("named", [[np.ones(3), "W_Q", "W_Q", 1], "W_Q", {"W_Q": 1}, None])
def test_whatever_a_kernel_names_as_unknown_is_read_as_names(named: object, monkeypatch: pytest.MonkeyPatch):
    said = {**SHAPES, "model": True, "unknown": named}
    monkeypatch.setattr(structure.models, "describe", lambda *_: [said])
    with answered(5, RIGHT):
        (found,) = structure.projections(part05.MODEL, [SIZES], part05.OTHERS, seed=1)
    assert found.unknown == (("W_Q",) if isinstance(named, list) else ())


def test_a_layer_that_the_model_does_not_know_is_told_next_to_what_else_is_wrong():
    unknown = ("W_Q", "W_K", "W_V", "W_O")
    verdict = part05.projections_right(Found(True, SHAPES | {"W_Q": (5, 6), "W_K": Problem.BIAS}, unknown), SHAPES)
    assert "wrong shape: W_Q. Also: W_Q, W_V, W_O: The weight is not among" in verdict.found
    assert not part05.projections_right(Found(True, SHAPES, unknown), SHAPES).right


@pytest.mark.parametrize(
    ("instead", "where"),
    [
        ("self.kept = getattr(self, 'kept', torch.zeros(len(x), 1, 1)); return self.kept + self.W_O(o)", part05.AGAIN),
        ("self.H = str(self.H); return self.W_O(o)", part05.AGAIN),
        ("return self.W_O(o) @ x", ""),
        ("return self.W_O(o) if len(x) != 2 else 1 / 0", ""),
    ],
    ids=["a batch kept", "a size changed", "any call", "any call of this size"],
)
def test_a_model_that_stops_in_its_second_call_alone_is_told_so(instead: str, where: str):
    found = tried(RIGHT.replace(OUTPUT, instead))
    for verdict in (found.shape, part05.values_right([found])):
        assert verdict.found.startswith(f"here{where}, your code stopped with a ")


def test_a_class_that_is_no_module_is_told():
    assert "Also: The class is a plain one" in part05.projections_right(Found(False, SHAPES | {"W_Q": 1}), SHAPES).found
    assert part05.projections_right(Found(False, SHAPES), SHAPES).mistake == "not-a-module"
