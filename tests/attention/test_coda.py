"""The coda: its checks on right and wrong answers, the exact conversion, and the weights and texts that are shipped."""

import json
import re
import time
from pathlib import Path

import busy
import course_module
import numpy as np
import pytest
import torch
from attention_course import coda, coda_checks, coda_figures, speaker
from attention_course.table import ChecksFailed, Unwritten

from attention.course import COURSE
from dev import handed_in
from dev.packages import REPOSITORY
from grading.judge.workspace import Workspace
from grading.submission import extra_files

NOTEBOOK = course_module.FOLDER.parent / "coda.ipynb"
CELLS = {cell["id"]: "".join(cell["source"]) for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]}
STEPS = {
    "convert": "gqa_to_mla",
    "absorb": "absorb",
    "step": "cached_step",
    "compress": "compress",
    "pool": "pool_heads",
    "rotary": "decoupled_logits",
}


def defined(step: str, *changes: tuple[str, str]):
    """The model answer of a step as a function, with changes to its text."""
    source = CELLS[f"coda-{step}"]
    for old, new in changes:
        assert old in source
        source = source.replace(old, new)
    names = {"torch": torch, "np": np}
    exec(source, names)
    return names[STEPS[step]]


def check(step: str, function) -> None:
    getattr(coda_checks, f"check_{STEPS[step]}")(function)


def failure(step: str, function) -> str:
    with pytest.raises(ChecksFailed) as error:
        check(step, function)
    return str(error.value)


@pytest.fixture(scope="module")
def spoken():
    model, tokenizer = speaker.load()
    return model, tokenizer, *speaker.excerpts(tokenizer)


@pytest.mark.parametrize("step", STEPS)
def test_the_model_answer_passes(step: str, capsys: pytest.CaptureFixture):
    check(step, defined(step))
    *lines, last = capsys.readouterr().out.splitlines()
    assert all(line.startswith("  ✓ ") for line in lines) and re.fullmatch(r"Step \d: the visible checks pass\.", last)


@pytest.mark.parametrize("step", STEPS)
def test_what_is_not_written_yet_is_no_mistake(step: str):
    def unwritten(*_):
        raise NotImplementedError

    with pytest.raises(Unwritten, match=r"^unwritten is not written yet\.$"):
        check(step, unwritten)


def turned(W_K, W_V, H):
    """An exact conversion with latents in another basis."""
    W_DKV, W_UK, W_UV = defined("convert")(W_K, W_V, H)
    turn = torch.linalg.qr(torch.randn(len(W_DKV), len(W_DKV), dtype=W_K.dtype))[0]
    return [turn @ W_DKV, W_UK @ turn.T, W_UV @ turn.T]


def factor_in_the_key(*given):
    """The factor shared between key and query."""
    K, Q, O = defined("absorb")(*given)  # noqa: E741
    return 2 * K, Q / 2, O / 2


def step_by_loops(x_t, cache, W_K_hat, W_Q_hat, W_O_hat, H):
    cache, r = torch.cat([cache, (x_t @ W_K_hat.T).unsqueeze(1)], 1), len(W_K_hat)
    outputs = []
    for x, rows in zip(x_t, cache, strict=True):
        heads = [W_Q_hat[h * r : (h + 1) * r] @ x for h in range(H)]
        outputs.append(W_O_hat @ torch.cat([torch.softmax(rows @ q / r**0.5, 0) @ rows for q in heads]))
    return torch.stack(outputs), cache


def compressed_by_eigenvectors(W_DKV, W_UK, W_UV, r):
    both = torch.cat([W_UK, W_UV]) @ W_DKV
    down = torch.linalg.eigh(both.T @ both)[1][:, -r:].T
    return down, W_UK @ W_DKV @ down.T, W_UV @ W_DKV @ down.T


def pooled_by_a_loop(W, G, G_new):
    heads = W.chunk(G)
    return torch.cat([sum(heads[g::G_new]) / len(heads[g::G_new]) for g in range(G_new)])


def logits_by_loops(q, q_R, cache, W_UK, H):
    (_, r), d, d_R = W_UK.shape, len(q) // H, q_R.shape[1]
    rows = [
        cache[:, :r] @ (W_UK[h * d : (h + 1) * d].T @ q[h * d : (h + 1) * d]) + cache[:, r:] @ q_R[h] for h in range(H)
    ]
    return torch.stack(rows) / (d + d_R) ** 0.5


@pytest.mark.parametrize(
    ("step", "function"),
    [
        ("convert", turned),
        ("absorb", factor_in_the_key),
        ("step", step_by_loops),
        ("compress", compressed_by_eigenvectors),
        ("pool", pooled_by_a_loop),
        ("rotary", logits_by_loops),
    ],
)
def test_another_right_answer_passes(step: str, function):
    check(step, function)


@pytest.mark.parametrize(
    ("step", "old", "new", "named"),
    [
        ("convert", "repeat(D // rows, 1)", "repeat_interleave(D // rows, 0)", r"head h % G\?"),
        ("convert", "torch.cat([W_K, W_V]),", "torch.cat([W_V, W_K]),", "W_UK W_DKV: off by up to"),
        ("convert", "torch.cat([W_K, W_V]),", "W_K,", r"expected W_DKV of shape \(12, 12\), got \(6, 12\)"),
        ("convert", "torch.cat([W_K, W_V]),", "", r"expected 3 tensors, got a tuple of 2\. Is the `return` complete\?"),
        ("absorb", "(r / d) ** 0.5 * ", "", "the scores: 0.632 times as large as expected"),
        ("absorb", "(r / d) ** 0.5", "(r / H) ** 0.5", "the scores: 0.816 times as large as expected"),
        ("absorb", "W_O_hat.transpose(0, 1).reshape(D, H * r)", "W_O_hat.reshape(D, H * r)", "W_O_hat_h W_K_hat: off"),
        ("absorb", "W_Q_hat.reshape(H * r, D)", "W_Q_hat", r"expected W_Q_hat of shape \(15, 6\), got \(3, 5, 6\)"),
        ("step", "return (weights @ cache)", "cache = cache[:, :-1]\n    return (weights @ cache)", "token 0"),
        ("step", "/ cache.shape[2] ** 0.5", "", r"token 1.*the output: off.*, and what is a score divided by\?"),
        ("step", "W_O_hat.T, cache", "W_O_hat.T, cache[:, -1:]", r"token 1.*expected the cache of shape \(2, 2, 4\)"),
        ("compress", "up = U[:, :r] * S[:r]", "up = U[:, :r]", "Which matrix does the SVD decompose"),
        ("compress", "U[:, :r] * S[:r]", "U[:, -r:] * S[-r:]", "expected an error of"),
        ("pool", "(G // G_new, G_new, -1)).mean(0)", "(G_new, G // G_new, -1)).mean(1)", "mean of the heads 0, 2"),
        ("pool", ".mean(0)", ".sum(0)", "2.000 times as large as expected"),
        ("rotary", "/ (q.shape[1] + q_R.shape[1]) ** 0.5", "/ q.shape[1] ** 0.5", "1.225 times as large"),
        ("rotary", "q_R], dim=1)", "0 * q_R], dim=1)", "position: where the latents are zero: the logits: off"),
    ],
)
def test_a_wrong_answer_is_named(step: str, old: str, new: str, named: str):
    assert re.search(named, failure(step, defined(step, (old, new))))


@pytest.mark.parametrize(
    ("step", "old", "new", "said"),
    [
        (
            "convert",
            "dtype=W_K.dtype",
            "dtype=torch.float32",
            "result 2 of 3: expected float64, as in what the function gets",
        ),
        ("absorb", "return W_DKV, ", "return W_DKV, W_DKV, ", r"expected 3 tensors, got a tuple of 4( \(|$)"),
        ("absorb", "return W_DKV, ", "W_DKV, ", r"got None\. Does the function end with a return\?"),
        ("step", "dim=2)", "dim=1)", r"token 0.*with weight 1\?$"),
    ],
)
def test_a_usual_slip_is_told_without_a_question_that_misleads(step: str, old: str, new: str, said: str):
    assert re.search(said, failure(step, defined(step, (old, new))))


def test_separate_decompositions_of_keys_and_values_do_not_pass():
    def keys_first(W_DKV, W_UK, W_UV, r):
        down = torch.linalg.svd(W_UK @ W_DKV)[2][:r]
        return down, W_UK @ W_DKV @ down.T, W_UV @ W_DKV @ down.T

    assert "Which matrix does the SVD decompose" in failure("compress", keys_first)


def test_every_step_keeps_what_the_model_says(spoken):
    model, tokenizer, _, validation = spoken
    mla = coda.converted(model, defined("convert"))
    reduced = coda.reduced(mla, defined("absorb"), defined("step"))
    tokens = validation[:2]
    for other in (mla, reduced, coda.compressed(mla, defined("compress"), 80)):
        assert float((other(tokens) - model(tokens)).abs().max()) < 1e-9
    texts = [speaker.speak(which, tokenizer, "def ", 40) for which in (model, reduced, coda.Recomputed(model))]
    assert len(set(texts)) == 1
    assert [c.shape[1:] for c in reduced.step(5, None)[1]] == [(1, 80)] * 4


def test_models_that_differ_are_told_apart(spoken):
    model, _, _, validation = spoken
    other = coda.converted(model, defined("convert", ("torch.cat([W_K, W_V]),", "torch.cat([1.01 * W_K, W_V]),")))
    with pytest.raises(ChecksFailed, match="all 256 × 512 logits agree to rounding: the logits: off by up to"):
        coda_checks.check_logits(model, other, validation[:1])


def test_pooling_to_the_same_number_of_heads_changes_nothing(spoken):
    model, _, _, validation = spoken
    same = coda.pooled(model, defined("pool"), 2)(validation[:1])
    assert torch.equal(same, model(validation[:1]))
    assert not torch.allclose(coda.pooled(model, defined("pool"), 1)(validation[:1]), same)


def test_the_weights_are_plain_arrays_in_half_precision_of_at_most_3_MB():
    path = course_module.FOLDER / "speaker.npz"
    assert path.stat().st_size <= 3_000_000
    with np.load(path, allow_pickle=False) as file:
        pieces, weights = file["pieces"], [file[name] for name in file.files if name != "pieces"]
    assert all(weight.dtype == np.float16 and np.isfinite(weight).all() for weight in weights)
    assert len(pieces) == 512 and set(speaker.CHARACTERS) <= set(pieces.tolist())


def test_the_validation_text_names_its_licence_and_is_cut_into_tokens_without_loss(spoken):
    text = (course_module.FOLDER / "excerpts.txt").read_text(encoding="ascii")
    assert "Python Software Foundation License" in text.partition("\n\n\n")[0]
    _, tokenizer, calibration, validation = spoken
    assert calibration.shape == (8, 256) and validation.shape == (24, 256)
    tokens = torch.cat([calibration, validation]).flatten()
    assert text.partition("\n\n\n")[2].startswith(tokenizer.decode(tokens))
    assert tokenizer.decode(tokenizer.encode("naïve\n")) == "na?ve\n"


def test_the_model_has_learned_what_the_notebook_prints(spoken):
    model, tokenizer, _, validation = spoken
    loss = speaker.validation_loss(model, tokenizer, validation)
    assert loss < 1.9  # a count of letter pairs alone gives about 2.4
    notebooks = course_module.FOLDER.parents[2] / "notebooks" / "attention" / "coda.ipynb"
    cells = {cell["id"]: cell for cell in json.loads(notebooks.read_text(encoding="utf-8"))["cells"]}
    printed = "".join("".join(output["text"]) for output in cells["coda-loss"]["outputs"])
    assert f"validation loss: {loss:.2f} nats per character" in printed


@pytest.fixture
def on_one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def test_it_writes_within_a_second(spoken, on_one_thread):  # several wait for one another by computing
    model, tokenizer, *_ = spoken
    speaker.speak(model, tokenizer, "def ", 5)
    started = time.process_time()  # of this process alone, however busy the machine is; 0.2 s where nothing else runs
    speaker.speak(model, tokenizer, "def ", 160)
    assert busy.within(time.process_time() - started, 3)


def test_a_seed_decides_what_is_drawn(spoken):
    model, tokenizer, *_ = spoken
    one, same, other = (speaker.speak(model, tokenizer, "class ", 30, 0.8, seed) for seed in (1, 1, 2))
    assert one == same != other and one.startswith("class ")


def test_rotary_scores_depend_on_the_distance_alone_and_the_figure_says_where_absorption_fails(
    spoken, capsys: pytest.CaptureFixture
):
    q, k = torch.randn(2, 8, dtype=torch.float64)
    near, far = (coda.rotate(q, place) @ coda.rotate(k, place - 3) for place in (5, 105))
    assert abs(float(near - far)) < 1e-12
    mla = coda.converted(spoken[0], defined("convert"))
    coda_figures.draw_rotary(mla.blocks[0].attention, spoken[0], defined("rotary"))
    printed = capsys.readouterr().out
    assert int(re.search(r"by up to (\d+) %", printed)[1]) > 20 and "the difference is below 1e-09" in printed


def test_no_cell_is_graded_and_every_function_has_a_check_below():
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    ids = [cell["id"] for cell in notebook]
    roles = [
        cell["metadata"].get("nbgrader", {"grade": False}) for cell in notebook
    ]  # one is for playing, and has none
    assert not any(role["grade"] for role in roles)
    assert all(ids[ids.index(f"coda-{step}") + 1] == f"coda-{step}-check" for step in STEPS)


def test_weights_and_texts_go_wherever_the_package_goes(tmp_path: Path):
    graded = tmp_path / "ada" / COURSE.name
    graded.mkdir(parents=True)
    handed_in.equip(graded)
    seen = Workspace(graded)
    seen.bring_up_to_date({})
    for folder in (
        seen.path,
        REPOSITORY / "release" / COURSE.name,
        REPOSITORY / "notebooks" / COURSE.name,
    ):
        for name in ("speaker.npz", "excerpts.txt"):
            assert (folder / COURSE.module / name).read_bytes() == course_module.FILES[name]
    assert extra_files.admitted(graded, COURSE) == ([], [])  # the course's own is used, whatever a student submits
