"""What an instructor reads where the machine's memory is not enough."""

import pytest

from grading.classroom import memory_messages
from grading.core import limits

GIB = 2**30


@pytest.mark.parametrize(
    ("machine_gib", "says"), [(16, ""), (4, "enough for the model answers"), (2, "may end notebooks")]
)
def test_the_instructor_reads_that_notebooks_may_use_less(monkeypatch: pytest.MonkeyPatch, machine_gib: int, says: str):
    monkeypatch.setattr(limits, "MACHINE_BYTES", machine_gib * GIB)
    monkeypatch.setattr(limits, "MEMORY_BYTES", limits._room(machine_gib * GIB))
    said = memory_messages.small_machine()
    assert says in said and bool(said) == bool(says)
