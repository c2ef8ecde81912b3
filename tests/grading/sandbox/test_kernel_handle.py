"""The judge's end of a kernel: when a notebook's time begins."""

import socket
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from grading.sandbox import packets
from grading.sandbox.allowance import Allowance
from grading.sandbox.kernel_handle import Kernel

NOTEBOOK_S, LATE_S = 8.0, 100.0


class _Clock:
    """Own time that passes when it is told to."""

    own_s = 0.0

    def now(self) -> float:
        return self.own_s


@pytest.fixture
def forked(tmp_path) -> Iterator[tuple[Kernel, _Clock]]:
    """A kernel that has said that it is there, and its sandbox's clock."""
    clock = _Clock()
    box = SimpleNamespace(clock=clock, limits=SimpleNamespace(notebook_s=NOTEBOOK_S), silent=lambda: False)
    box.close = lambda: None
    (status, its_status), (gate, its_gate) = (socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in "12")
    packets.send(its_gate, {"here": True})
    with its_status, its_gate:
        kernel = Kernel(box, status, gate, str(tmp_path / "kernel"), [], {})
        yield kernel, clock
        kernel.close()


def _late(clock: _Clock) -> Iterator[tuple[str, int]]:
    """No files, for which a busy machine takes a long time."""
    clock.own_s += LATE_S
    yield from ()


def test_what_it_takes_until_the_folder_is_filled_is_no_time_of_the_notebook(forked):
    kernel, clock = forked
    allowance = Allowance()
    kernel.begin(_late(clock), seed=1, allowance=allowance)
    assert kernel.poll() is None and kernel.struck is None
    clock.own_s += 1
    kernel.let_end()
    assert allowance.spent_s == 1


def test_what_it_takes_from_then_on_is(forked):
    kernel, clock = forked
    kernel.begin((), seed=1, allowance=None)
    clock.own_s += NOTEBOOK_S + 1
    assert kernel.poll() is not None and kernel.struck.value == "time"
