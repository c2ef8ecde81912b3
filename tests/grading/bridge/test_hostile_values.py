"""Whatever student code returns, a hidden test ends with marks, soon and in little memory.

Every hidden test runs on replies of which all, or all their pieces, are something that no answer is: huge, ragged,
deep, not a number, of the wrong kind. Nothing of it stands in what the student reads. "Not marked" is for our errors.
"""

import time
import tracemalloc

import busy
import numpy as np
import pytest
from hidden_tests import Model, run

from attention import course
from grading.bridge import wire
from grading.bridge.probe import Tensor

LIMIT_S = 8.0  # of this thread; right answers take less than 3 s, but for part 13, where they take 20
LIMIT_BYTES = 200 * 2**20
MARK = "x" * 100 + "SECRET"


def deep(depth: int) -> list:
    return [] if depth == 0 else [deep(depth - 1)]


ones = np.ones
VALUES: dict[str, object] = {
    "nothing": None,
    "a truth value": True,
    "a text": MARK,
    "a long text": "9" * 900_000,
    "a long integer": 10**399,
    "an integer below zero": -(10**399),
    "an integer of many digits": 10**399 - 1,
    "a pair of integers of many digits": (10**399 - 1, 10**399 - 1),
    "no number": float("nan"),
    "infinity": float("-inf"),
    "a large float": 1.7e308,
    "a float as an array": np.array(0.5),
    "complex numbers": np.full((2, 2), 1e308 + 1e308j),
    "a column": ones((60_000, 1)),
    "a row": ones((1, 60_000)),
    "a column and a row": (ones((11_000, 1), dtype="u1"), ones((1, 11_000), dtype="u1")),
    "a row and a column": (ones((1, 11_000), dtype="u1"), ones((11_000, 1), dtype="u1")),
    "a column and a row of tensors": (Tensor(ones((60_000, 1))), Tensor(ones((1, 60_000)))),
    "many bytes": np.zeros(1_000_000, dtype="u1"),
    "many truth values in a tensor": Tensor(np.zeros((1000, 1000), dtype="?"), "bool"),
    "many numbers that are none": np.full((300, 300), np.nan),
    "many axes": np.zeros((4,) * 8),
    "axes of one": ones((1,) * 16),
    "axes without numbers": np.zeros((0, 2**40)),
    "axes that say much without a number": np.zeros((0, 99_999, 99_999, 99_999), dtype="u1"),
    "a tensor's axes that say much": Tensor(np.zeros((0, 99_999, 99_999, 99_999), dtype="u1")),
    "a list of many numbers": [0.5] * 15_000,
    "a list of lists": [[1.0] * 100] * 100,
    "a ragged list": [[1.0], [1.0, 2.0]],
    "a deep list": deep(25),
    "a list of a long text and empty ones": [MARK * 5_000] + [""] * 300,
    "a list with one text": [1.0, MARK],
    "a list of arrays": [ones(3), ones(3)],
    "a pair of arrays": (ones(3), ones(3)),
    "a triple of arrays": (ones(3), ones(3), ones(3)),
    "an empty list": [],
    "a mapping": {"value": ones(3), "printed": None, 3: 4},
    "a mapping whose keys collide": {(2**61 - 1) * k: k for k in range(900)},
}


class Canned:
    """A transport whose other side gives one value in place of all, or of each piece of what the model answer gives."""

    def __init__(self, model: Model, value: object, pieces: bool) -> None:
        self.model, self.value, self.pieces = model, value, pieces
        self.replies: dict[str, bytes] = {}  # by what they replace the pieces of

    def ask(self, request: bytes, limit_s: float) -> bytes:
        replaced = self.model.value(request) if self.pieces else None
        form = repr(self.replaced(replaced, ...))
        if form not in self.replies:
            self.replies[form] = self.reply(self.replaced(replaced, self.value))
        return self.replies[form]

    def reply(self, value: object) -> bytes:
        try:
            return wire.encode({"value": value, "printed": "9" * 20_000})
        except wire.Refused as error:  # as the student's side says it
            said = {"error": error.refusal.value, "of": error.of}
            return wire.encode({"reason": "not data", "printed": "", **said})

    def replaced(self, value: object, by: object) -> object:
        if isinstance(value, (list, tuple)):
            return type(value)(self.replaced(piece, by) for piece in value)
        if isinstance(value, dict):
            return {key: self.replaced(piece, by) for key, piece in value.items()}
        return by


@pytest.fixture(scope="module", params=course.PARTS, ids=lambda number: f"part{number:02d}")
def model(request: pytest.FixtureRequest) -> Model:
    return Model(request.param)


@pytest.mark.parametrize("name", VALUES)
def test_a_hidden_test_marks_whatever_comes_back(name: str, model: Model):
    for pieces in (False, True) if model.has_pieces else (False,):
        started = time.thread_time()
        report = run(model.number, Canned(model, VALUES[name], pieces))
        assert busy.within(time.thread_time() - started, LIMIT_S)
        assert type(report.marks) is float and report.marks < report.points
        assert "SECRET" not in report.text() and "99999" not in report.text()


@pytest.mark.parametrize(
    "name", ["a column and a row", "a list of a long text and empty ones", "many bytes", "many axes"]
)
def test_a_hidden_test_takes_little_memory_whatever_comes_back(name: str, model: Model):
    transport = Canned(model, VALUES[name], pieces=False)
    tracemalloc.start()
    try:
        run(model.number, transport)
        assert tracemalloc.get_traced_memory()[1] < LIMIT_BYTES
    finally:
        tracemalloc.stop()
