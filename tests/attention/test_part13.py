"""Part 13: the course's own MyMHA, and what the hidden test says of runs that are right, copied or made up."""

import math
import re
import sys
import warnings

import course_module
import numpy as np
import pytest
import torch

from attention import course, oracles, part13, part13_run
from attention.part13_run import Measures, Run
from dev import handed_in
from dev.packages import REPOSITORY
from grading.bridge import probe

sys.path.insert(0, str(REPOSITORY / "benchmarks"))

import part13_runs
from attention_course import MyMHA, try_out  # which course_module has found

D, H, r = part13.FULL
RIGHT = Measures(5e-5, 3e-5, 3e-5, 4e-7, 4e-7, 7200.0, 400.0, False, False)
NONE = np.zeros((0, 1, D))


@pytest.mark.parametrize(
    ("dtype", "away"), [(torch.float64, 1e-12), (torch.float32, 1e-5), (torch.bfloat16, 5e-2)], ids=str
)
def test_the_course_s_MyMHA_is_multi_head_attention_in_every_dtype(dtype: torch.dtype, away: float):
    weights = oracles.mha_weights(12, 12, 5, 5, 3, seed=2)
    rng = oracles.draw(3)
    x, y = rng.standard_normal((2, 4, 12)), rng.standard_normal((2, 7, 12))
    model = MyMHA(12, 12, 5, 5, 3)
    for name, weight in weights.items():
        getattr(model, name).weight.data = torch.from_numpy(weight).to(dtype)
    out = model(torch.from_numpy(x).to(dtype), torch.from_numpy(y).to(dtype))
    want = oracles.mha(weights, x, y, 3)
    assert out.dtype == dtype and out.requires_grad
    assert np.abs(out.detach().double().numpy() - want).max() < away * np.abs(want).max()


def test_the_course_s_MyMHA_is_no_answer_to_part_5():
    for sizes in ((4, 6, 2, 2, 2), (4, 4, 2, 3, 2)):
        with pytest.raises(ValueError, match="part 13 alone"):
            MyMHA(*sizes)
    text = course_module.FILES["mha.py"].decode()
    assert "scaled_dot_product_attention" in text  # which part 5 forbids
    answer = handed_in.sources(course.PARTS[5])["part05-answer"]
    solution = re.search(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", answer, re.DOTALL)[1]
    shared = {line.strip() for line in solution.splitlines()} & {line.strip() for line in text.splitlines()}
    assert not {line for line in shared if len(line) > 30}


def test_a_class_of_one_s_own_can_be_tried_next_to_the_course_s(capsys: pytest.CaptureFixture):
    class Half(MyMHA):
        def forward(self, x, y):
            return super().forward(x, y) / 2

    class First(MyMHA):
        def forward(self, x, y):
            return super().forward(x, y)[:, 0]

    for made in (MyMHA, Half, First):
        try_out(made)
    same, half, first = capsys.readouterr().out.splitlines()
    assert "it agrees with the course's, relative error 0e+00" in same
    assert "it DIFFERS from the course's, relative error 5e-01" in half
    assert first == "Expected an output of shape (1, 100, 1024), got (1, 1024)."


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_matrices_computed_in_float32_stay_far_below_the_bound_on_small_sizes(dtype: type):
    worst = 0.0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        for D_, H_, r_ in [(6, 1, 4), (15, 3, 1), (10, 5, 7), (12, 3, 5), (10, 2, 10)]:
            W = part13.weights(rng, D_, H_, r_)
            four = hats([w.astype(dtype) for w in W], H_)
            x, y = rng.standard_normal((2, 4, D_)), rng.standard_normal((2, 5, D_))
            got = part13._reduced([probe.tensor(m) for m in four], x, y, H_)
            want = part13.vanilla(W, x, y, H_, oracles.gqa_fast)
            worst = max(worst, np.abs(got - want).max() / np.abs(want).max())
    assert worst < (5e-6 if dtype is np.float32 else 1e-12)


def hats(W: list[np.ndarray], heads: int) -> list[np.ndarray]:
    """The four matrices in the dtype of the weights."""
    W_DKV, W_UK, W_UV, W_Q, W_O = W
    (rank, width), d = W_DKV.shape, len(W_Q) // heads
    Q = np.einsum("hdr,hdc->hrc", W_UK.reshape(heads, d, rank), W_Q.reshape(heads, d, width))
    O_hat = np.einsum("ohd,hdr->ohr", W_O.reshape(width, heads, d), W_UV.reshape(heads, d, rank))
    factor = np.sqrt(np.asarray(rank / d, dtype=W_Q.dtype))
    return [W_DKV, W_DKV, (factor * Q).reshape(-1, width), O_hat.reshape(width, -1)]


def run(error: float = 5e-5, shape: tuple | None = (H * r, D)) -> Run:
    return Run((), NONE, NONE, NONE, NONE, error, shape)


def with_(**changes: object) -> Measures:
    return Measures(**{**vars(RIGHT), **changes})


def test_the_text_says_for_which_data_a_forgotten_factor_is_computed():
    """A right run on tokens ten times as large earns nothing, so the text must not speak of small data alone."""
    rules = handed_in.sources(course.PARTS[13])["part13-rules"]
    small, large = f"below {part13_run.LARGE_SCORES:.0f}", f"above {part13_run.LARGER_SCORES:,.0f}"
    assert "much smaller or larger than `torch.randn`" in rules and large in rules.partition(small)[2]


@pytest.mark.parametrize(
    ("given", "found", "text"),
    [
        (run(), RIGHT, None),
        (run(5.2e-5), RIGHT, None),  # rounded to two digits
        (run(6e-14), with_(between=0.0, rounded=True, same=True), None),  # float64, rounded to float32 at the end
        (run(0.0), with_(between=0.0, rounded=True, same=True), None),
        (run(0.0, None), with_(between=0.0, rounded=True, same=True), "model of its own"),
        (run(4e-7), with_(between=4e-7, scores=1.5, stands_out=1.1), None),  # small weights
        (run(0.0), with_(between=0.0, scores=1.5, stands_out=np.nan, same=True), "model of its own"),
        (run(4e-7, None), with_(between=4e-7, scores=1.5, stands_out=1.1), "model of its own"),
        (run(4e-7), with_(between=4e-7, scores=1.5, stands_out=1.1, without_factor=6e-4), None),
        (run(4e-7), with_(between=4e-7, scores=1.5, stands_out=1.1, without_factor=5e-4), "makes no difference"),
        (run(5e-4), RIGHT, "`relative_error` is 5.0e-04."),
        (run(-1e-5), RIGHT, "`relative_error` is -1.0e-05."),
        (run(np.nan), RIGHT, "`relative_error` is nan."),
        (run(6e-5), RIGHT, "not the error between your two outputs"),
        (run(), with_(vanilla=5e-4), "`output_vanilla` is not what the vanilla model gives"),
        (run(), with_(reduced=np.inf), "`output_reduced` is not what the reduced model gives"),
        (run(), with_(reduced_rows=2e-4), "`output_reduced` is not what the reduced model gives"),  # float16
        (run(), with_(vanilla_rows=np.nan), "`output_vanilla` is not what the vanilla model gives"),
        (run(), with_(stands_out=1.0), "model of its own"),
        (run(), with_(stands_out=np.nan), "model of its own"),
        (run(), with_(stands_out=np.inf), "model of its own"),  # most rows are the same to the last bit
    ],
)
def test_a_run_is_judged_by_what_was_measured(given: Run, found: Measures, text: str | None):
    verdict = part13_run.judged(given, found)
    assert verdict.right == (text is None), verdict.found
    assert text is None or text in verdict.found


def test_a_width_that_no_model_has_is_not_shown_for_it_could_say_what_the_test_has_sent():
    shapes = {**part13.weight_shapes(*part13.FULL), "x": (1, 2, D), "y": (1, 3, D), "output_vanilla": (1, 2, D)}
    shapes["output_reduced"] = (1, 2, D)
    own = {name: probe.Tensor(np.ones(shape, dtype=np.float32), "float32") for name, shape in shapes.items()}
    found = part13_run.received((own, (10**399 - 1, 7), False), 1, 2, 3)
    assert "a W_Q of shape (too large to show), not" in found.found


def test_what_is_not_there_is_said_not_to_be_and_so_is_what_came_in_place_of_four_tensors():
    found = part13_run.received(({}, None, False), 1, 2, 3)
    assert found.no_value and found.found.startswith("`W_DKV` is not there. Is it spelled like this")
    shapes = {**part13.weight_shapes(*part13.FULL), "x": (1, 2, D), "y": (1, 3, D), "output_vanilla": (1, 2, D)}
    shapes["output_reduced"] = (1, 2, D)
    own = {name: probe.Tensor(np.ones(shape, dtype=np.float32), "float32") for name, shape in shapes.items()}
    found = part13_run.received((own, None, False), 1, 2, 3)
    assert found.no_value and found.found.startswith("`relative_error` is not there.")
    assert part13.shaped([1, 2, 3], 4, 2, 3).found == "expected four tensors, got a list of 3."
    assert part13.shaped(None, 4, 2, 3).found == "expected four tensors, got None (is a `return` missing?)."


@pytest.mark.parametrize(("order", "told"), [("QKVO", True), ("KQVO", True), ("OKVQ", True), ("KVOQ", False)])
def test_matrices_in_another_order_are_not_said_to_be_repeated_or_transposed(order: str, told: bool):
    shapes = {"K": (3, 4), "V": (3, 4), "Q": (6, 4), "O": (4, 6)}
    verdict = part13.shaped([probe.tensor(np.ones(shapes[name])) for name in order], 4, 2, 3)
    assert not verdict.right and ("stand in another order" in verdict.found) == told != bool(verdict.mistake)


def test_a_name_that_was_used_again_is_asked_about_and_not_the_models():
    own = {name: probe.Tensor(np.ones(shape), "float64") for name, shape in part13.weight_shapes(*part13.FULL).items()}
    found = part13_run.received((own | {"x": probe.Tensor(np.ones(50), "float64")}, None, False), 1, 2, 3)
    told = f"`x`: expected a tensor of shape (1, 2, {D}), got one of shape (50,). Does a later cell use the name again?"
    assert found.no_value and found.found == told


def test_numbers_as_large_as_there_are_any_make_no_warning_in_the_graders_terminal():
    shapes = {**part13.weight_shapes(*part13.FULL), "x": (1, 2, D), "y": (1, 3, D)}
    shapes |= dict.fromkeys(part13_run.OUTPUTS, (1, 2, D))
    random, large = np.random.default_rng(0), {"x": 1e200, "y": 1e200}
    drawn = {name: random.standard_normal(shape) * large.get(name, 1) for name, shape in shapes.items()}
    found = {name: probe.tensor(numbers) for name, numbers in drawn.items()}
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        assert not part13_run.right((found | {"relative_error": 1e-4}, (H * r, D), False), 1, 2, 3).right
    assert warned == []


def test_rows_where_two_keys_are_as_strong_are_the_most_undecided():
    W = [np.zeros(shape) for shape in part13.weight_shapes(*part13.FULL).values()]
    W[0][0, 0] = W[1][:, 0] = 1.0  # k of every head is the first number of y
    W[3][:, 0] = 1.0  # q of every head is the first number of x
    x, y = np.zeros((1, 2, D)), np.zeros((1, 3, D))
    x[0, :, 0] = 100.0, 1.0
    y[0, :, 0] = 1.0, 1.0, -1.0
    rows, _ = part13_run.undecided(tuple(W), x, y)
    assert np.isclose(rows[0], np.sqrt(H) * 0.5)  # two keys share everything: 2 * 1/2 * 1/2 in each head
    x[0, 0, 0], y[0, 1, 0] = 100.0, 0.0
    rows, _ = part13_run.undecided(tuple(W), x, y)
    assert rows[0] < 1e-6 < rows[1]


def test_data_that_would_hide_a_forgotten_factor_are_found_where_scores_are_small_or_very_large():
    random = np.random.default_rng(0)
    W = part13.weights(random, *part13.FULL)
    x, y = random.standard_normal((1, 4, D)), random.standard_normal((1, 6, D))
    assert part13_run.truth(tuple(W), x, y).without_factor > 0.05
    assert part13_run.truth(tuple(W), x, np.repeat(y[:, :1], 6, axis=1)).without_factor < 1e-9
    assert part13_run.truth((*W[:3], 1e-6 * W[3], W[4]), x, y).without_factor < 1e-6
    assert part13_run.truth((*W[:3], 1e4 * W[3], W[4]), x, y).without_factor == math.inf
    assert part13_run.truth((*W[:3], 1e7 * W[3], W[4]), x, y).without_factor < part13.BOUND


def test_of_a_draw_of_the_simulation_every_right_run_passes_and_every_copy_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    monkeypatch.setattr(part13_runs, "PAIRS", part13_runs.PAIRS[::2] + part13_runs.PAIRS[-1:])
    monkeypatch.setattr(part13_runs, "EVERY", 1)
    assert part13_runs.main(["--runs", "6", "--samples", "2", "--rows", "400", "--seed", "3"]) == 0
    printed = capsys.readouterr().out
    assert f"6 right runs, 0 refused; {len(part13_runs.COPIES)} copies, 0 accepted" in printed


def test_the_simulation_notices_a_bound_that_refuses_right_runs_or_accepts_copies(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    monkeypatch.setattr(part13_runs, "PAIRS", part13_runs.PAIRS[:1])
    monkeypatch.setattr(part13_runs, "COPIES", {"noise": part13_runs.noise(1e-6)})
    monkeypatch.setattr(part13_runs, "EVERY", 1)
    for bound, said in ((1e6, "1 right runs, 1 refused; 1 copies, 0"), (0.5, "1 right runs, 0 refused; 1 copies, 1")):
        monkeypatch.setattr(part13_run, "STANDS_OUT", bound)
        assert part13_runs.main(["--runs", "1", "--samples", "2", "--rows", "400"]) == 1
        assert said in capsys.readouterr().out


def test_of_two_answers_at_full_size_each_is_compared_with_the_same_numbers_and_other_draws_with_others():
    def error(seed: int, factor: float) -> str:
        def at_full_size(*given: object) -> tuple:
            sent.append(given[0].array)
            *made, O_hat = hats([each.array for each in given[:5]], given[5])
            return *map(probe.tensor, made), probe.tensor(factor * O_hat)

        return part13.equal_at_full_size(at_full_size, np.random.default_rng(seed)).found

    sent: list[np.ndarray] = []
    first = error(1, 1.5)
    assert float(first.split()[-1].rstrip(".")) == pytest.approx(0.5, rel=1e-3)
    error(1, 1.25), error(2, 1.5)
    assert error(1, 1.5) == first
    assert np.array_equal(sent[0], sent[3]) and not np.array_equal(sent[0], sent[2])
    with pytest.raises(ValueError, match="read-only"):
        sent[0][:] = 0
