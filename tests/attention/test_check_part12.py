"""Part 12's visible check and figure: equivalent splits of the factor pass, each wrong form gets its line."""

import course_module
import pictures
import pytest
import torch
from attention_course.table import ChecksFailed, Unwritten
from hidden_tests import Beside, model_answer

from attention import course

twelve = course_module.of(12)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The alt texts of the pictures that were shown."""
    return pictures.taken(twelve, monkeypatch)


def same(W_DKV):
    return W_DKV


def query(W_UK_h, W_Q_h, r, D, H, factor=1.0):
    return factor * (r * H / D) ** 0.5 * W_UK_h.T @ W_Q_h


def output(W_O_h, W_UV_h):
    return W_O_h @ W_UV_h


def taken_out(W_DKV):
    taken = W_DKV.clone()
    W_DKV.mul_(2)
    return taken


def in_place(W_O_h, W_UV_h):
    product = W_O_h @ W_UV_h
    W_O_h.zero_(), W_UV_h.zero_()
    return product


def unwritten(*_):
    raise NotImplementedError


PLAIN = {"K_hat": same, "V_hat": same, "Q_hat_h": query, "O_hat_h": output}


def mix(r):
    return torch.eye(r) + torch.tril(torch.ones(r, r))


RIGHT = {
    "plain": {},
    "the root of r in the key": {
        "K_hat": lambda W: len(W) ** 0.5 * W,
        "Q_hat_h": lambda U, Q, r, D, H: (H / D) ** 0.5 * U.T @ Q,
    },
    "a matrix that cancels": {
        "K_hat": lambda W: W.flip(0),
        "Q_hat_h": lambda *data: query(*data).flip(0),
        "V_hat": lambda W: 2 * W,
        "O_hat_h": lambda *data: output(*data) / 2,
    },
    "made of single precision": {
        "K_hat": lambda W: mix(len(W)) @ W,
        "Q_hat_h": lambda *data: torch.linalg.inv(mix(data[2])).T @ query(*data),
    },
    "changed in place": {"K_hat": taken_out, "V_hat": taken_out, "O_hat_h": in_place},
    "gradients": {"K_hat": lambda W: torch.nn.Parameter(W), "O_hat_h": lambda *data: torch.nn.Parameter(output(*data))},
}


@pytest.mark.parametrize("kind", RIGHT)
def test_a_right_answer_of_any_kind_passes_and_its_numbers_agree(kind: str, shown: list[str], capsys):
    names = PLAIN | RIGHT[kind]
    twelve.check_part12(names)
    *lines, last = capsys.readouterr().out.splitlines()
    assert len(lines) == 6 and all(line.startswith("  ✓ ") for line in lines)
    assert last == "Part 12: the visible checks pass."
    twelve.draw_part12(names)
    printed = capsys.readouterr().out.splitlines()
    assert all(line.split()[4] == line.split()[6] for line in printed[:3]) and len(shown) == 1
    assert printed[3].removeprefix("output, vanilla") == printed[4].removeprefix("output, reduced")


def test_the_model_answer_passes(capsys: pytest.CaptureFixture):
    twelve.check_part12(Beside(12, model_answer(course.PARTS[12])).names)
    assert capsys.readouterr().out.splitlines()[-1] == "Part 12: the visible checks pass."


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"K_hat": None}, "K_hat returns a torch tensor of shape (r, D): expected `K_hat` to be a function"),
        ({"V_hat": lambda W: None}, "V_hat returns a torch tensor of shape (r, D): got None."),
        ({"V_hat": lambda W: W.T}, "D = 6, H = 3, r = 5: expected shape (5, 6), got (6, 5)"),
        ({"K_hat": lambda W: W.numpy()}, "expected a torch tensor, got a NumPy array"),
        ({"Q_hat_h": lambda *data: query(*data).T}, "Q_hat_h returns a torch tensor of shape (r, D): D = 6"),
        ({"Q_hat_h": lambda U, Q, r, D, H: U @ Q}, "RuntimeError"),
        ({"Q_hat_h": lambda *data: 2 * query(*data)}, "Q_hat_h times K_hat is 30: expected 30, got 60"),
        ({"O_hat_h": lambda *data: -output(*data)}, "O_hat_h times V_hat is 154: expected 154, got -154"),
    ],
)
def test_a_wrong_answer_gets_its_line(changed: dict, text: str, capsys: pytest.CaptureFixture):
    with pytest.raises(ChecksFailed):
        twelve.check_part12(PLAIN | changed)
    failed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  ✗ ")]
    assert text in failed[0]


def test_the_factor_is_not_given_away(capsys: pytest.CaptureFixture):
    twelve.check_part12(PLAIN | {"Q_hat_h": lambda U, Q, r, D, H: U.T @ Q})
    assert "✗" not in capsys.readouterr().out


def test_functions_that_are_not_written_or_missing_are_said_to_be(capsys: pytest.CaptureFixture):
    with pytest.raises(Unwritten, match=r"^unwritten is not written yet\.$"):
        twelve.check_part12(PLAIN | {"V_hat": unwritten})
    lines = capsys.readouterr().out.splitlines()
    assert [line[:4] for line in lines] == ["  ✓ ", "  · ", "  ✓ ", "  ✓ ", "  ✓ ", "  · "]
    assert lines[-1] == "  · 1 more check waits for it"
    with pytest.raises(ChecksFailed, match="there is no `K_hat` yet"):
        twelve.check_part12({})


def test_an_error_in_a_function_is_told_next_to_one_that_is_not_written(capsys: pytest.CaptureFixture):
    with pytest.raises(Unwritten):
        twelve.check_part12(PLAIN | {"V_hat": unwritten, "Q_hat_h": lambda *_: 1 / 0})
    lines = capsys.readouterr().out.splitlines()
    assert [line[:4] for line in lines] == ["  ✓ ", "  · ", "  ✗ ", "  ✓ ", "  · ", "  · "]
    assert "raised ZeroDivisionError" in lines[2] and "try again" in lines[4]


def test_the_figure_shows_a_forgotten_factor_in_the_scores_alone(shown: list[str], capsys, monkeypatch):
    titles = []
    monkeypatch.setattr(twelve, "_titles", lambda agree: titles.append(agree) or [""] * 4)
    twelve.draw_part12(PLAIN | {"Q_hat_h": lambda U, Q, r, D, H: U.T @ Q})
    printed = capsys.readouterr().out.splitlines()
    vanilla, yours = float(printed[0].split()[4]), float(printed[0].split()[6])
    assert yours == pytest.approx(vanilla / (5 / 4) ** 0.5, abs=2e-2)
    assert titles == [[False, True]] and len(shown) == 1


@pytest.mark.parametrize(
    "changed",
    [{"K_hat": unwritten}, {"K_hat": None}, {"Q_hat_h": lambda *_: None}, {"O_hat_h": lambda W_O_h, W_UV_h: W_UV_h}],
)
def test_the_figure_of_a_missing_or_wrong_answer_is_one_line(changed: dict, shown: list[str], capsys):
    twelve.draw_part12(PLAIN | changed)
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("No picture yet: ") and not shown
    twelve.draw_part12({})
    assert capsys.readouterr().out.startswith("No picture yet: there is no `K_hat` yet")


def test_the_figure_takes_a_right_answer_in_another_precision_and_says_which_matrix_is_wrong(shown: list[str], capsys):
    twelve.draw_part12(PLAIN | {"Q_hat_h": lambda *data: query(*data).double(), "V_hat": lambda W: W.double()})
    assert len(shown) == 1
    capsys.readouterr()
    twelve.draw_part12(PLAIN | {"K_hat": lambda W: W.T})
    expected = "No picture yet: K_hat: D = 12, H = 3, r = 5: expected shape (5, 12), got (12, 5)"
    assert capsys.readouterr().out.splitlines() == [expected]
