"""Part 7's checks by themselves: what they say of a right MyGQA, and of one with a single thing wrong in it."""

import pytest
from hidden_tests import answered, model_answer

from attention import course, part07
from attention.mistakes.sentences import MISTAKES
from attention.structure import weight_shapes

RIGHT = model_answer(course.PARTS[7])
CASES = {(4, 3, 2, 1, 2, 2): (1, 2, 3), (5, 4, 3, 2, 6, 2): (2, 3, 4)}  # by D_1, D_2, D_qk, D_v, H, G: B, L_1, L_2
KEYS, OUTPUT = "self.W_K = nn.Linear(D_2, G * D_qk, bias=False)", "return self.W_O(o)"
assert KEYS in RIGHT and OUTPUT in RIGHT
REPEATED = "self.W_K.weight{}.repeat({}, 1)"  # in memory


def test_keys_and_values_have_G_heads_and_queries_H():
    assert weight_shapes(5, 4, 3, 2, 6, 2) == {"W_Q": (18, 5), "W_K": (6, 4), "W_V": (4, 4), "W_O": (5, 12)}


def test_a_right_model_passes_every_check():
    with answered(7, RIGHT):
        for check in (part07.has_shapes, part07.has_projections, part07.has_values):
            assert check(CASES).right, check.__name__
        assert part07.keeps_no_copies().right and part07.makes_no_copies().right


def test_two_usual_mistakes_at_once_are_both_named():
    # Neighbouring heads, which is another order of the split, and a softmax over the queries.
    answer = RIGHT.replace("N, self.G, self.D_qk)", "self.G, N, self.D_qk).transpose(2, 3)")
    answer = answer.replace("o = o.reshape(", "o = o.transpose(2, 3).reshape(").replace("dim=3)", "dim=4)")
    with answered(7, answer):
        verdict = part07.has_values(CASES)
    both = (MISTAKES[key] for key in ("softmax-over-queries", "neighbouring-heads"))
    assert verdict.found == " Also: ".join(both) and verdict.mistake == "softmax-over-queries"


@pytest.mark.parametrize(
    ("first", "mistake"),
    [
        ("x = nn.functional.dropout(x)", "other-in-each-call"),
        ("x = x + torch.rand(())", "other-in-each-call"),
        ("x /= 2; y += 1", ""),
    ],
    ids=["dropout", "drawn", "tokens changed"],
)
def test_a_model_that_gives_other_numbers_in_each_call_is_told_so(first: str, mistake: str):
    assert "B, L_1, L_2 =" in RIGHT
    with answered(7, RIGHT.replace("B, L_1, L_2 =", f"{first}; B, L_1, L_2 =")):
        verdict = part07.has_values(CASES)
    assert not verdict.right and verdict.mistake == mistake


def test_an_output_of_another_shape_is_told_with_its_sizes_and_lengths():
    with answered(7, RIGHT.replace(OUTPUT, "return self.W_O(o).squeeze(0)")):
        verdict = part07.has_shapes(CASES)
    where = "with H = 2, G = 2, B = 1, L_1 = 2 and L_2 = 3"
    assert verdict.found == f"{where}, expected shape (1, 2, 4), got (2, 4)."


@pytest.mark.parametrize(
    ("layer", "mistake", "text"),
    [
        ("self.W_K = nn.Linear(D_2, H * D_qk, bias=False)", "heads-not-shared", "W_K: "),
        ("self.W_K = nn.Linear(D_2, G * D_qk)", "bias-left-in", "W_K: "),
        (
            "self.W_K = nn.Linear(D_2, G * D_qk + 1, bias=False)",
            "",
            "for D_1 = 4, D_2 = 3, D_qk = 2, D_v = 1, H = 2, G = 2, W_K is of shape (5, 3).",
        ),
        ("pass", "", "for D_1 = 4, D_2 = 3, D_qk = 2, D_v = 1, H = 2, G = 2, W_K is missing."),
    ],
    ids=["H heads", "a bias", "another shape", "missing"],
)
def test_a_projection_that_is_wrong_is_named(layer: str, mistake: str, text: str):
    with answered(7, RIGHT.replace(KEYS, layer)):
        verdict = part07.has_projections(CASES)
    assert not verdict.right and verdict.mistake == mistake and verdict.found.startswith(text)


def test_several_things_that_are_wrong_with_projections_are_all_named():
    layers = "self.W_K = nn.Linear(D_2, H * D_qk, bias=False); self.W_Q = nn.Linear(D_1, H * D_qk)"
    values = "self.W_V = nn.Linear(D_2, G * D_v"
    answer = RIGHT.replace(KEYS, layers).replace(values, f"{values} + 1")
    with answered(7, answer):
        verdict = part07.has_projections(CASES)
    assert (
        verdict.found.startswith("W_Q: Something is added") and " Also: W_K: There are as many heads" in verdict.found
    )
    assert verdict.found.endswith("G = 2, W_V is of shape (5, 4).")


def test_where_the_queries_have_another_number_of_heads_too_all_shapes_are_told():
    with answered(
        7, RIGHT.replace("H * D_qk", "x").replace("G * D_qk", "H * D_qk").replace("(D_1, x", "(D_1, G * D_qk")
    ):
        verdict = part07.has_projections(CASES)
    assert verdict.found.endswith("G = 2, W_Q is of shape (6, 5), W_K is of shape (18, 4).") and not verdict.mistake


@pytest.mark.parametrize(
    "keep",
    [
        "self.register_buffer('all', {}.detach())",
        "self.all = {}",
        "self.all = {}.chunk(2)",
        "self.all = [[dict(k={})]]; self.all.append(self.all)",
    ],
    ids=["buffer", "plain", "tuple", "dictionary in lists"],
)
@pytest.mark.parametrize(
    "kept", [REPEATED.format("", "H // G"), "torch.zeros(H * D_qk, D_2)"], ids=["copies", "as large"]
)
def test_a_model_that_keeps_as_much_as_copies_of_a_weight_is_told(kept: str, keep: str):
    with answered(7, RIGHT.replace(KEYS, f"{KEYS}; {keep.format(kept)}")):
        assert part07.keeps_no_copies().mistake == "copies-kept"


def test_a_model_may_keep_what_does_not_grow_with_heads_widths_and_tokens_at_once():
    large = "torch.zeros(1000), torch.zeros(H, D_2), torch.zeros(D_2, D_qk), torch.zeros(H, D_qk)"
    kept = f"{KEYS}; [self.register_buffer(f'b{{n}}', one) for n, one in enumerate(({large}))]"
    with answered(7, RIGHT.replace(KEYS, kept)):
        assert part07.keeps_no_copies().right


def test_a_weight_that_is_kept_as_if_repeated_is_no_copy():
    seen = "self.register_buffer('all', self.W_K.weight.detach().expand(H // G, -1, -1))"
    with answered(7, RIGHT.replace(KEYS, f"{KEYS}; {seen}")):
        assert part07.keeps_no_copies().right


def test_numbers_that_cannot_be_counted_are_told(monkeypatch: pytest.MonkeyPatch):
    with answered(7, RIGHT.replace("class MyGQA(nn.Module):", "class MyGQA:")):
        assert not part07.keeps_no_copies().right
    for found in ([1, 2], None, [1.0] * 8):
        monkeypatch.setattr(part07.questions, "bytes_kept", lambda cases, found=found: found)
        assert part07.keeps_no_copies().found == "what it keeps in memory cannot be counted."


@pytest.mark.parametrize("dtype", ["", ".float()", ".half()"])
def test_copies_that_a_call_makes_are_found_in_whatever_dtype(dtype: str):
    with answered(7, RIGHT.replace(OUTPUT, f"{REPEATED.format(dtype, 'self.H // self.G')}; {OUTPUT}")):
        verdict = part07.makes_no_copies()
    assert verdict.mistake == "copies-made-in-a-call" and verdict.found.startswith("W_K: ")


def test_copies_are_found_in_tensors_that_were_filled_through_views_of_them():
    rooms = "rooms = [torch.zeros_like(self.W_K.weight) for _ in range(self.H // self.G)]"
    filled = "all(len(room[:].copy_(self.W_K.weight.detach())) for room in rooms)"  # no view outlives the next
    with answered(7, RIGHT.replace(OUTPUT, f"{rooms}; {filled}; {OUTPUT}")):
        assert part07.makes_no_copies().mistake == "copies-made-in-a-call"


@pytest.mark.parametrize("first", ["torch.zeros(1, device='meta')", "torch.zeros(1, dtype=torch.complex64).conj()"])
def test_copies_are_found_after_tensors_whose_numbers_cannot_be_compared(first: str):
    copied = REPEATED.format("", "self.H // self.G")
    with answered(7, RIGHT.replace(OUTPUT, f"{first}.view(1); {copied}; {OUTPUT}")):
        assert part07.makes_no_copies().mistake == "copies-made-in-a-call"


def test_a_weight_that_is_only_looked_at_as_if_repeated_is_no_copy():
    looked = "self.W_K.weight.expand(self.H // self.G, -1, -1)"
    with answered(7, RIGHT.replace(OUTPUT, f"{looked}; {OUTPUT}")):
        assert part07.makes_no_copies().right


def test_one_copy_among_other_numbers_is_not_as_many_as_there_are_query_heads_to_a_key_head():
    once = "torch.cat([self.W_K.weight] + [0 * self.W_K.weight] * (self.H // self.G))"
    with answered(7, RIGHT.replace(OUTPUT, f"{once}; {OUTPUT}")):
        assert part07.makes_no_copies().right


@pytest.mark.parametrize(
    ("instead", "text"),
    [
        ("return 1.1 * self.W_O(o)", "with H = 2, G = 2, B = 1, L_1 = 2 and L_2 = 3, the numbers are off by up to"),
        (
            "self.W_V.weight.data += 0.0 * o.sum() + (len(o) == 3); return self.W_O(o)",
            "with H = 6, G = 2, B = 2, L_1 = 3",
        ),
        (
            "f = 1 + (len(o) == 2); self.W_V.weight.data *= f; self.W_O.weight.data /= f; return self.W_O(o) * f",
            "a call changes the weight of W_V, W_O.",
        ),
    ],
    ids=["a factor", "weights that grow", "weights that change and give the same"],
)
def test_values_that_are_wrong_in_any_call_are_told(instead: str, text: str):
    with answered(7, RIGHT.replace(OUTPUT, instead)):
        verdict = part07.has_values(CASES)
    assert not verdict.right and verdict.found.startswith(text), verdict.found


@pytest.mark.parametrize(
    ("instead", "where"),
    [
        ("return self.W_O(o) * (2 if x is y else 1)", "with one and the same tensor as x and y"),
        ("return self.W_O(o) * (2 if x.shape == y.shape and torch.equal(x, y) else 1)", "with one and the same tensor"),
        ("return self.W_O(o) * (y != 0).any(-1).all(-1)[:, None, None]", "where the last tokens of x and y are"),
        ("return self.W_O(o) * (x != 0).any(-1, keepdim=True)", "where the last tokens of x and y are all zeros"),
        ("return self.W_O(o) * (1 + (len(y[0]) > 1 and (y[:, 0] == y[:, 1]).all()))", "and two others are alike"),
        ("return self.W_O(o) * (1 + (not self.training))", "in evaluation mode and without gradients"),
        ("return self.W_O(o) * (1 + (q.abs().max() > 15))", "with scores from -50 to 50"),
        ("return self.W_O(o) * (1 + (logits.amax(3) < -40).any())", "with scores from -50 to 50"),
        (
            "self.kept = getattr(self, 'kept', {}); return self.kept.setdefault((x, x._version, y), self.W_O(o))",
            "once the test has changed the weights",
        ),
        ("return self.W_O(o @ torch.eye(o.shape[-1], dtype=torch.float64))", "RuntimeError"),
        ("x.zero_(); return self.W_O(o)", "in a second call with the same two tensors"),
        (
            "self.kept = getattr(self, 'kept', {}); return self.kept.setdefault((x.data_ptr(), x.shape), self.W_O(o))",
            "the numbers are off by up to ",
        ),
    ],
    ids=[
        "one tensor",
        "equal tensors",
        "zeros in y",
        "zeros in x",
        "equal tokens",
        "in training alone",
        "large scores",
        "scores that are all far below 0",
        "kept while the tokens stay",
        "float64 alone",
        "tokens changed",
        "kept by address",
    ],
)
def test_what_is_wrong_in_one_way_of_calling_is_told(instead: str, where: str):
    cases = {(4, 4, 2, 1, 2, 2): (1, 3, 2), **CASES}
    with answered(7, RIGHT):
        assert part07.has_values(cases).right
    with answered(7, RIGHT.replace(OUTPUT, instead)):
        verdict = part07.has_values(cases)
    assert not verdict.right and where in verdict.found


def test_an_output_that_has_no_shape_in_float32_is_told():
    with answered(7, RIGHT.replace(OUTPUT, "return self.W_O(o @ torch.eye(o.shape[-1], dtype=torch.float64))")):
        verdict = part07.has_shapes(CASES)
    assert verdict.found.startswith("with H = 6, G = 2, B = 2, L_1 = 3 and L_2 = 4, in float32, ")


def test_weights_that_a_first_call_draws_are_told():
    drawn = "self.W_K.weight.data *= getattr(self, 'factor', 2); self.factor = 1; B, L_1, L_2 ="
    with answered(7, RIGHT.replace("B, L_1, L_2 =", drawn)):
        verdict = part07.has_values(CASES)
    assert verdict.found.startswith("with H = 6, G = 2, B = 2, L_1 = 3 and L_2 = 4, in the first call of a model whose")


def test_a_projection_that_takes_no_weight_of_the_right_shape_is_named():
    with answered(7, RIGHT.replace(KEYS, "self.W_K = nn.Linear(D_2, G * D_qk + 1, bias=False)")):
        verdict = part07.has_values(CASES)
    assert verdict.found == "W_K takes no weight of the right shape, so there are no values to compare."
