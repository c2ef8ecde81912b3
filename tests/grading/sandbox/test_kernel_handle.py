"""The judge's end of a kernel: when a notebook's time begins."""

import os
import socket
from collections.abc import Iterable, Iterator
from types import SimpleNamespace

import pytest

from grading.core import limits
from grading.core.process_limits import FILES_A_WORKER
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
def forked() -> Iterator[tuple[Kernel, _Clock]]:
    """A kernel that has said that it is there, and its sandbox's clock."""
    clock = _Clock()
    box = SimpleNamespace(clock=clock, limits=SimpleNamespace(notebook_s=NOTEBOOK_S), silent=lambda: False)
    box.close = lambda: None
    (status, its_status), (gate, its_gate) = (socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in "12")
    packets.send(its_gate, {"here": True})
    with its_status, its_gate:
        kernel = Kernel(box, status, gate, [], [], {})
        kernel.its_gate = its_gate
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


def test_few_files_are_on_the_way_at_once_because_linux_counts_all_of_a_user(forked, monkeypatch):
    """With 30 graders at work for one account, 185 files each were too many: honest submissions stayed ungraded."""
    kernel, _ = forked
    monkeypatch.setattr(limits, "SILENCE_LIMIT_S", 0.01)  # nobody reads
    kernel.begin(_files(f"data/{n}.csv" for n in range(limits.FILES)), seed=1, allowance=None)
    came = _came(kernel.its_gate)
    assert kernel.struck is limits.EndedBy.BUSY
    assert came == [f"data/{n}.csv" for n in range(len(came))] and 1 < len(came) <= FILES_A_WORKER


def test_the_longest_path_of_a_submission_fits(forked, monkeypatch):
    kernel, _ = forked
    monkeypatch.setattr(limits, "SILENCE_LIMIT_S", 0.01)
    path = "/".join(["\udcff" * 255] * (limits.FILE_DEPTH + 1))  # JSON takes six bytes for each that isn't UTF-8
    kernel.begin(_files([path]), seed=1, allowance=None)
    assert _came(kernel.its_gate)[0] == path


def _files(paths: Iterable[str]) -> Iterator[tuple[str, int]]:
    return ((path, os.open(os.devnull, os.O_RDONLY)) for path in paths)


def _came(gate: socket.socket) -> list[str]:
    """The paths in the messages that have come."""
    found = []
    while (message := packets.receive(gate))[0] is not None:
        found += [message[0]["path"]] if "path" in message[0] else []
        for fd in message[1]:
            os.close(fd)
    return found
