"""The keeper lets a notebook begin when nothing of the last one is left, however long Linux takes for that."""

import os
import select
import signal
import socket
import threading
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from grading.sandbox import (
    computing_time,
    keeper,
    mappings,
    open_files,
    packets,
    patience,
    processes,
    supervisor,
    watch,
)

PARTS = SimpleNamespace(
    packets=packets, supervisor=supervisor, watch=watch, processes=processes, open_files=open_files, mappings=mappings
)
PARTS.patience = patience
PARTS.computing_time = SimpleNamespace(cpu_limit_s=lambda pid: 60.0, counted_s=lambda pid: 0.0)
assert {*vars(PARTS.computing_time)} <= {*vars(computing_time)}
WATCHED = {"memory_bytes": 2**30, "sessions": 4, "started": 5000, "additions": 800, "gpu_shared_mb": 0, "files": 100}


class Notebook:
    """A notebook's kernel, as the judge holds it."""

    def __init__(self, control: socket.socket) -> None:
        pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(2)]
        (self.status, _), (self.gate, _) = pairs
        packets.send(control, {"op": "start", "watched": WATCHED}, *(theirs.fileno() for _, theirs in pairs))
        for _, theirs in pairs:
            theirs.close()

    def may_begin(self, within_s: float = 60.0) -> bool:
        return bool(select.select([self.gate], [], [], within_s)[0])

    def has_to_wait(self) -> bool:
        return not self.may_begin(0.3)

    def exit(self) -> int:
        message, _ = packets.receive(self.status)
        return message["exit"]


class Kernels:
    """In place of the preloaded process: a kernel is a number, and ends when a test says so."""

    def __init__(self) -> None:
        self.pipes: list[tuple[int, int]] = []
        self.forked, self.killed, self.signalled, self.buried = [], [], [], []

    def fork(self, request: dict, fds: list[int], ours: list[int]) -> int:
        self.pipes.append(os.pipe())
        self.forked.append(len(self.pipes) - 1)
        return self.forked[-1]

    def bury(self, pid: int) -> tuple[int, float]:
        self.buried.append(pid)
        return 10 + pid, 0.5

    def has_ended(self, pid: int) -> None:
        os.close(self.pipes[pid][1])


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch) -> Kernels:
    made = Kernels()
    monkeypatch.setattr(keeper.os, "pidfd_open", lambda pid: made.pipes[pid][0])
    monkeypatch.setattr(keeper.signal, "pidfd_send_signal", lambda pidfd, _: made.killed.append(pidfd))
    # A test's process is no keeper, and sees processes of others.
    monkeypatch.setattr(keeper, "kill_all", lambda _: made.signalled.append(signal.SIGKILL))
    return made


@pytest.fixture
def control(kernels: Kernels) -> Iterator[socket.socket]:
    """The judge's way to a keeper that is at work."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    at_work = threading.Thread(target=keeper.Keeper(theirs, {"walled": True}, kernels, PARTS).serve)
    at_work.start()
    yield ours
    ours.close()
    at_work.join(60)
    theirs.close()
    assert not at_work.is_alive()


def answered(control: socket.socket) -> bool:
    packets.send(control, {"op": "ping", "n": 1})
    return packets.receive(control)[0] == {"pong": 1}


def test_the_first_notebook_may_begin_at_once(control: socket.socket):
    assert Notebook(control).may_begin()


def test_the_next_kernel_is_forked_while_the_last_ends_and_its_notebook_begins_afterwards(
    control: socket.socket, kernels: Kernels
):
    first = Notebook(control)
    assert first.may_begin()
    first.status.shutdown(socket.SHUT_WR)  # the notebook is over
    second = Notebook(control)
    assert answered(control) and kernels.forked == [0, 1] and kernels.buried == []
    assert len(kernels.killed) == 1 and kernels.signalled == [signal.SIGKILL]  # its first process, and all others
    assert second.has_to_wait()
    packets.send(control, {"op": "go"})
    assert second.has_to_wait()
    kernels.has_ended(0)
    assert second.may_begin() and kernels.buried == [0] and first.exit() == 10


def test_a_kernel_that_is_replaced_before_its_notebook_came_is_killed_and_waited_for_too(
    control: socket.socket, kernels: Kernels
):
    first, second = Notebook(control), Notebook(control)
    assert answered(control) and kernels.forked == [0, 1] and len(kernels.killed) == 1 and second.has_to_wait()
    kernels.has_ended(0)
    assert second.may_begin() and first.exit() == 10


def test_of_two_that_are_to_end_the_first_is_waited_for(control: socket.socket, kernels: Kernels):
    first, second = Notebook(control), Notebook(control)
    assert answered(control)
    second.status.shutdown(socket.SHUT_WR)
    kernels.has_ended(0)
    third = Notebook(control)
    kernels.has_ended(1)
    assert third.may_begin() and kernels.buried == [0, 1] and [first.exit(), second.exit()] == [10, 11]


def test_the_judge_hears_of_an_end_that_came_by_itself(control: socket.socket, kernels: Kernels):
    only = Notebook(control)
    packets.send(control, {"op": "go"})
    assert only.may_begin() and answered(control)
    kernels.has_ended(0)
    assert only.exit() == 10


def test_a_sandbox_whose_preloaded_process_has_gone_keeps_nothing_going(kernels: Kernels):
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    way, gone = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    gone.close()
    with ours, theirs, way:
        only = Notebook(ours)
        with pytest.raises(OSError, match="Broken pipe|the preloaded process has ended"):
            keeper.Keeper(theirs, {"walled": True}, keeper.Preloaded(way, packets), PARTS).serve()
        assert "failed" in packets.receive(only.status)[0]


def test_nothing_but_a_keeper_in_its_sandbox_signals_all_that_it_sees(monkeypatch: pytest.MonkeyPatch):
    killed: list[tuple[int, int]] = []
    monkeypatch.setattr(keeper.os, "kill", lambda *what: killed.append(what))
    with pytest.raises(RuntimeError, match="a keeper alone"):
        keeper.signal_all(signal.SIGKILL)
    assert killed == []
    monkeypatch.setattr(keeper, "NUMBERS", (os.getpid(), os.getppid()))
    keeper.signal_all(signal.SIGKILL)
    assert killed == [(-1, signal.SIGKILL)]


def test_of_several_processes_that_are_killed_the_memory_is_taken_back_at_once(monkeypatch: pytest.MonkeyPatch):
    done: list[object] = []
    monkeypatch.setattr(keeper.os, "kill", lambda *what: done.append(what))
    monkeypatch.setattr(keeper, "NUMBERS", (os.getpid(), os.getppid()))
    for pids, taken in (([3], []), ([3, 4, 5], [[3, 4, 5]])):
        done.clear()
        keeper.kill_all(SimpleNamespace(others=lambda walled, pids=pids: pids, take_memory_back=done.append))
        assert done == [(-1, signal.SIGKILL), *taken]
