"""Part 10's visible check and figure: right answers of several kinds, a line for each wrong one, and best rank k."""

import course_module
import numpy as np
import pictures
import pytest
import torch
from attention_course.table import ChecksFailed, Unwritten
from hidden_tests import Beside, model_answer

from attention import course

ten = course_module.of(10)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The alt texts of the pictures that were shown."""
    return pictures.taken(ten, monkeypatch)


def identities(W):
    print("(D, r), (r, D), 0.0")
    return W, np.tile(np.eye(len(W)), (W.shape[1] // len(W), 1))


def svd(W):
    U, s, Vt = np.linalg.svd(np.tile(W, (W.shape[1] // len(W), 1)))
    print("two shapes and an error")
    return Vt[: len(W)], U[:, : len(W)] * s[: len(W)]


def silent(W):
    return W, np.tile(np.eye(len(W)), (W.shape[1] // len(W), 1))


RIGHT = {
    "stacked identities": identities,
    "an SVD": svd,
    "a list of two": lambda W: list(svd(W)),
    "single precision": lambda W: tuple(factor.astype(np.float32) for factor in svd(W)),
    "the matrix class": lambda W: tuple(np.matrix(factor) for factor in svd(W)),
}


@pytest.mark.parametrize("kind", RIGHT)
def test_a_right_answer_of_any_kind_passes(kind: str, capsys: pytest.CaptureFixture):
    ten.check_part10({"GQA_2_MLA": RIGHT[kind]})
    *lines, last = capsys.readouterr().out.splitlines()
    assert len(lines) == 5 and all(line.startswith("  ✓ ") for line in lines)  # its prints are not in the table
    assert last == "Part 10: the visible checks pass."


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (None, "expected `GQA_2_MLA` to be a function, got None"),
        (lambda W: print("x"), "got None. Does the function end with a return?"),
        (lambda W: svd(W)[0] @ svd(W)[1], "expected two matrices, W_DKV_MLA and W_UM_MLA, got a NumPy array"),
        (lambda W: svd(W)[::-1], "first comes W_DKV_MLA, for r = 2 and D = 4 of shape (2, 4): expected shape (2, 4)"),
        (lambda W: [torch.tensor(factor) for factor in svd(W)], "expected a NumPy array, got a torch tensor"),
        (lambda W: [factor.tolist() for factor in svd(W)], "expected a NumPy array, got a list"),
        (
            lambda W: (2 * svd(W)[0], svd(W)[1]),
            "row 0 of W_UM_MLA @ W_DKV_MLA is row 0 of the input, [1, 2, 0, 0]: got",
        ),
        (silent, "the function itself prints something: expected two shapes and an error from a call, got no output"),
        (lambda W: W.nothing, "AttributeError: 'numpy.ndarray' object has no attribute 'nothing'"),
    ],
)
def test_a_wrong_answer_gets_its_line(answer, text: str, capsys: pytest.CaptureFixture):
    with pytest.raises(ChecksFailed):
        ten.check_part10({"GQA_2_MLA": answer})
    failed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  ✗ ")]
    assert text in failed[0]


def test_an_unwritten_or_missing_function_says_so():
    def unwritten(W):
        raise NotImplementedError

    with pytest.raises(Unwritten):
        ten.check_part10({"GQA_2_MLA": unwritten})
    with pytest.raises(ChecksFailed, match="there is no `GQA_2_MLA` yet"):
        ten.check_part10({})


def rows(printed: str) -> dict[str, list[float]]:
    return {line[:12].strip(): [float(n) for n in line[12:].split()] for line in printed.splitlines()[2:]}


def test_the_figure_shows_that_an_SVD_gives_the_best_rank_k_and_copies_do_not(shown: list[str], capsys):
    ten.draw_part10(Beside(10, "def GQA_2_MLA(W):\n    return None").names | {"GQA_2_MLA": svd})
    found = rows(capsys.readouterr().out)
    assert found["best rank k"] == found["your factors"]
    ten.draw_part10({"GQA_2_MLA": identities})
    found = rows(capsys.readouterr().out)
    pairs = list(zip(found["best rank k"], found["your factors"], strict=True))
    assert pairs[0][0] == pairs[0][1] and all(yours > 2 * best for best, yours in pairs[2:]) and len(shown) == 2


def test_the_errors_of_the_figure_are_those_of_the_best_approximations(capsys: pytest.CaptureFixture, shown: list[str]):
    ten.draw_part10({"GQA_2_MLA": svd})
    best, noisy = rows(capsys.readouterr().out)["best rank k"], ten.noisy_stack()
    assert np.linalg.matrix_rank(noisy) == 24
    for k, error in zip(ten.SHOWN, best, strict=True):  # by another way: the eigenvectors of the Gram matrix
        _, vectors = np.linalg.eigh(noisy.T @ noisy)
        kept = vectors[:, 24 - k :]
        assert np.mean((noisy - noisy @ kept @ kept.T) ** 2) == pytest.approx(error, abs=6e-5)


def test_the_model_answer_passes_and_reaches_the_best_errors(shown: list[str], capsys: pytest.CaptureFixture):
    names = Beside(10, model_answer(course.PARTS[10])).names
    capsys.readouterr()
    ten.check_part10(names)
    capsys.readouterr()
    ten.draw_part10(names)
    found = rows(capsys.readouterr().out)
    assert found["best rank k"] == found["your factors"] and len(shown) == 1


@pytest.mark.parametrize(
    "names",
    [
        {},
        {"GQA_2_MLA": lambda W: None},
        {"GQA_2_MLA": lambda W: (W, "text")},
        {"GQA_2_MLA": lambda W: (W[:4], W)},
        {"GQA_2_MLA": lambda W: 1 / 0},
        {"GQA_2_MLA": lambda W: (_ for _ in ()).throw(NotImplementedError)},
    ],
)
def test_the_figure_of_a_missing_or_wrong_answer_is_one_line(names: dict, shown: list[str], capsys):
    ten.draw_part10(names)
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("No picture yet: ") and not shown


@pytest.mark.parametrize("names", [{}, {"GQA_2_MLA": lambda W: W.nothing}])
def test_what_a_call_that_does_not_end_prints_is_not_held_against_it(names: dict, capsys: pytest.CaptureFixture):
    with pytest.raises(ChecksFailed):
        ten.check_part10(names)
    assert [line[:4] for line in capsys.readouterr().out.splitlines()] == ["  ✗ ", *["  · "] * 4]
