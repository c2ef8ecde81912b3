"""The training of the coda's model, in the small."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from dev import train_speaker

TEXT = "def twice(x):\n    return 2 * x\n\n\n" * 60
SIZES = {"D": 16, "H": 4, "G": 2, "layers": 1, "context": 16, "vocabulary": 110}


@pytest.fixture(autouse=True)
def gradients() -> Iterator[None]:
    """Notebooks switch gradients off for a whole process, and a test of theirs may have run in this one."""
    with torch.enable_grad():
        yield


def test_a_few_steps_lower_the_loss_and_the_weights_come_back_as_arrays(tmp_path: Path, capsys: pytest.CaptureFixture):
    pieces = train_speaker.vocabulary(TEXT, SIZES["vocabulary"])
    tokens = train_speaker.speaker.Tokenizer(pieces).encode(TEXT)
    model = train_speaker.started(SIZES)
    losses = train_speaker.train(model, tokens, steps=40, minutes=5)
    assert len(losses) == 40 and sum(losses[-5:]) < 0.8 * sum(losses[:5])
    assert "step    40: " in capsys.readouterr().out
    train_speaker.save(model, pieces, tmp_path / "small.npz")
    with np.load(tmp_path / "small.npz", allow_pickle=False) as file:
        assert file["pieces"].tolist() == pieces
        assert file["blocks.0.attention.W_K.weight"].dtype == np.float16


def test_a_seed_decides_the_weights():
    one, same = (train_speaker.started(SIZES).out.weight for _ in range(2))
    assert torch.equal(one, same)


def test_the_vocabulary_has_all_characters_and_the_most_frequent_pairs():
    pieces = train_speaker.vocabulary(TEXT, 99)
    assert pieces[:96] == list(train_speaker.speaker.CHARACTERS) and len(set(pieces)) == 99
    assert all(len(piece) > 1 and piece in TEXT for piece in pieces[96:])


def test_training_ends_when_its_minutes_are_over():
    tokens = torch.zeros(100, dtype=torch.long)
    assert len(train_speaker.train(train_speaker.started(SIZES), tokens, steps=10**6, minutes=0.001)) < 10**4


def test_the_validation_modules_are_not_among_those_that_are_trained_on():
    training, held_out = train_speaker.library()
    excerpts = (train_speaker.speaker.HERE / "excerpts.txt").read_text(encoding="ascii")
    named = set(excerpts.partition("\n\n\n")[0].replace(",", " ").replace(".", " ").split())
    assert {"textwrap", "heapq", "graphlib", "queue", "fractions", "calendar"} <= named & train_speaker.HELD_OUT
    assert len(training) > 200 and len(held_out) >= 10 and not set(training) & set(held_out)
