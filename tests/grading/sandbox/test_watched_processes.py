"""What the watch over a notebook counts of its processes: those that end, those that grow meanwhile, and forks."""

import ctypes
import functools
import itertools
import mmap
import os
import signal
import threading
import time
from collections.abc import Callable

import pytest

from grading.sandbox import mappings, open_files, processes, watch
from grading.sandbox.patience import Patience

BUSY = 25  # processes on the processor of one that ends, which then takes a second for what it does in 40 ms


def test_what_a_process_had_counts_until_linux_has_it_back():
    """Among busy ones on its processor that takes seconds after its end, in which it shows no memory any more."""
    processor, size = min(os.sched_getaffinity(0)), 200 * 2**20
    for _ in range(9):  # a busy machine may let it end before anybody has looked often enough
        looks, counted, late, pids = _watch(), [], 0, [ended := _fork(lambda: _hold(size))]
        try:
            while (had_kb := processes.resident_kb(ended)) < size / 1024:
                time.sleep(0.05)
            assert looks._not_yet_free_kb({ended: had_kb}) == 0
            pids += [_fork(lambda: _spin(processor)) for _ in range(BUSY)]
            os.sched_setaffinity(ended, {processor})
            os.kill(ended, signal.SIGKILL)
            while (state := processes.stat(f"/proc/{ended}/stat")[0]) != b"Z":
                counted.append(looks._not_yet_free_kb({ended: (shown_kb := processes.resident_kb(ended))}))
                late += shown_kb < had_kb
            assert looks._not_yet_free_kb({ended: 0}) == 0, state
        finally:
            _end(pids)
        if late > 2 * watch.ENDING_LOOKS:
            break
    assert max(counted) >= had_kb


def test_what_processes_take_while_their_memory_is_read_slowly_counts(monkeypatch):
    """As where Linux has the reader wait for processes that fork, among busy ones on their processor."""
    looks, size, (waiting, telling) = _watch(), 300 * 2**20, os.pipe()
    pids = [_fork(lambda: time.sleep(60)) for _ in range(4)]

    def own_kb(pid: int) -> int:  # without the files that it has mapped, more in some test processes than in others
        return processes.status_kb(pid, "RssAnon:")

    def slowly(_: int) -> float:
        time.sleep(watch.USUAL_PAUSE_S)
        while len(pids) > 4 and own_kb(pids[-1]) < before_kb[pids[-1]] + size / 1024:
            time.sleep(0.05)
        return 1000

    monkeypatch.setattr(os, "getppid", os.getpid)  # this process is the preloaded one, with which they share memory
    monkeypatch.setattr(processes, "others", lambda walled: pids)
    monkeypatch.setattr(processes, "proportional_kb", slowly)
    try:
        before_kb = {pid: own_kb(pid) for pid in pids}
        assert looks._shared_kb(before_kb, 200 * 2**10) == 4000
        pids.append(_fork(lambda: os.read(waiting, 1) and _hold(size)))
        before_kb[pids[-1]] = own_kb(pids[-1])
        os.write(telling, b"x")
        assert looks._shared_kb(before_kb, 200 * 2**10) > 200 * 2**10
    finally:
        _end(pids)
        os.close(waiting)
        os.close(telling)


def test_what_forks_share_counts_once_though_they_begin_while_it_is_measured(monkeypatch):
    """As of 30 forks among busy processes: measured one by one, the first has half of it, the next a third."""
    pids, shared_kb = [1], 300_000

    def measured(_: int) -> float:
        if len(pids) < 30:
            pids.append(len(pids) + 1)
        return shared_kb / len(pids)

    _pretend(monkeypatch, lambda walled: [*pids], measured)
    assert _watch()._shared_kb({1: shared_kb}, shared_kb) == pytest.approx(shared_kb) and len(pids) == 30


def test_a_process_that_forks_does_not_count_with_all_that_it_shares_once_it_can_be_measured(monkeypatch):
    class Waiting:
        waits = 0

        def read(self, pid: int, reading: Callable[[], object], otherwise: Callable[[], object]) -> object:
            return otherwise() if pid == 1 and self.waits < self.of_a_fork else reading()

        def wait(self) -> None:
            self.waits += 1

    shared_kb, each_kb = 300_000, {1: 300_000, 2: 300_000}
    _pretend(monkeypatch, lambda walled: [*each_kb], lambda pid: shared_kb / 2)
    for Waiting.of_a_fork, counted_kb in ((0, 300_000), (1, 300_000), (2, 300_000), (3, 450_000)):
        assert _watch(Waiting())._shared_kb(each_kb, shared_kb) == counted_kb


def test_processes_stand_still_while_they_are_measured_if_the_machines_memory_goes_meanwhile(monkeypatch):
    """For forks may write to what they share, which takes memory, and none of them grows.

    They are stopped before each is measured: Linux continues stopped ones whose parent ends.
    """
    _pretend(monkeypatch, lambda walled: [1, 2, 3], lambda pid: 100_000)
    stopped = [*[signal.SIGSTOP] * 3, signal.SIGCONT]
    for left_kb, signals in (([900_000, 850_000], []), ([900_000, 700_000], stopped)):
        begins, later = left_kb
        left, sent = itertools.chain([begins], itertools.repeat(later)), []
        monkeypatch.setattr(processes, "available_kb", functools.partial(next, left))
        assert _watch(signal_all=sent.append)._shared_kb(dict.fromkeys([1, 2, 3], 300_000), 200_000) == 300_000
        assert sent == signals

    def failing(pid: int) -> float:
        raise OSError

    left, sent = iter([900_000, 0]), []
    monkeypatch.setattr(processes, "available_kb", functools.partial(next, left))
    monkeypatch.setattr(processes, "proportional_kb", failing)
    with pytest.raises(OSError):
        _watch(signal_all=sent.append)._shared_kb({1: 300_000}, 200_000)
    assert sent == [signal.SIGSTOP, signal.SIGCONT]


def test_processes_stand_still_while_open_files_are_counted_if_the_machines_memory_goes_meanwhile(monkeypatch):
    """Some 18,000 files of 120 processes take a second of computing, in which others take memory that was measured."""
    own, sent, much_kb = os.getpid(), [], 2**40 // 2**10
    _pretend(monkeypatch, lambda walled: [own], lambda pid: much_kb + 1)
    monkeypatch.setattr(processes, "threads", lambda: [(own, str(own))] * 3)
    monkeypatch.setattr(open_files.OpenFiles, "_of_thread", lambda self, pid, name: [])
    for later_kb, signals, struck in (
        (much_kb, [], None),
        (much_kb // 2, [*[signal.SIGSTOP] * 6, signal.SIGCONT], "memory"),  # each time it is measured, too
    ):
        left, measured = (
            itertools.chain([much_kb], itertools.repeat(later_kb)),
            itertools.chain([9], itertools.repeat(much_kb + 1)),
        )
        monkeypatch.setattr(processes, "available_kb", functools.partial(next, left))
        monkeypatch.setattr(processes, "resident_kb", lambda pid: next(measured))  # noqa: B023  (called at once)
        assert _watch(signal_all=sent.append).exceeded() == struck
        assert sent[: len(signals)] == signals and len(sent) >= len(signals)


def test_what_is_taken_meanwhile_counts_on_top_of_what_the_largest_process_had(monkeypatch):
    """For a call that fills all of a process's memory goes on where that is stopped."""
    now_kb = {1: 300_000, 2: 50_000}
    _pretend(monkeypatch, lambda walled: [*now_kb], lambda pid: 0)
    monkeypatch.setattr(processes, "resident_kb", lambda pid: {os.getppid(): 40_000}[pid])  # the preloaded process
    monkeypatch.setattr(processes, "status_kb", lambda pid, *names: now_kb[pid])
    taken = watch.Taken(processes, True, {**now_kb}, 400_000)
    now_kb[2] = 150_000
    assert taken.least_kb(20_000) == 0  # little of the machine's has gone, so that nobody looks
    assert taken.least_kb(100_000) == 100_000 + 300_000 - 40_000
    now_kb[3] = 350_000  # a fork that begins may share all of it
    assert taken.least_kb(200_000) == 360_000
    now_kb[1] = 60_000
    assert taken.least_kb(300_000) == 100_000 + 60_000 - 40_000 and not taken.is_too_much
    now_kb[2] = 440_000
    assert taken.least_kb(500_000) == 390_000 + 60_000 - 40_000 and taken.is_too_much
    now_kb[2] = 0
    assert taken.least_kb(900_000) == 410_000


def test_no_process_more_is_measured_once_what_was_counted_is_too_much(monkeypatch):
    """A look at all takes seconds, in which they take more."""
    measured = []
    _pretend(monkeypatch, lambda walled: [*range(1, 101)], lambda pid: measured.append(pid) or 90_000)
    assert _watch()._shared_kb(dict.fromkeys(range(1, 101), 300_000), 200_000) == 270_000
    assert measured == [1, 2, 3]


def test_what_is_handed_on_from_process_to_process_counts(monkeypatch):
    """Each begins, takes over all memory and ends before it is measured."""
    began = itertools.count(1)
    _pretend(monkeypatch, lambda walled: [next(began)], lambda pid: 300_000)
    assert _watch()._shared_kb({0: 300_000}, 200_000) == 300_000
    assert next(began) - 1 == watch.SHARED_LOOKS * (processes.ROUNDS + 1)


def _pretend(monkeypatch, others: Callable[[bool], list[int]], proportional_kb: Callable[[int], float]) -> None:
    """Has the processes be these, and no two have the same memory."""
    monkeypatch.setattr(processes, "others", others)
    monkeypatch.setattr(processes, "proportional_kb", proportional_kb)
    monkeypatch.setattr(processes, "resident_kb", lambda pid: 300_000)
    monkeypatch.setattr(processes, "parent", lambda pid: 0)
    monkeypatch.setattr(processes, "available_kb", lambda: 0)


def test_of_a_fork_that_ends_its_share_alone_counts(monkeypatch):
    looks, shared = _watch(), bytearray(b"1") * 200 * 2**20
    pids = [_fork(lambda: time.sleep(60)) for _ in range(4)]
    monkeypatch.setattr(processes, "others", lambda walled: pids)
    monkeypatch.setattr(processes, "is_ending", lambda pid: True)
    try:
        each_kb = {pid: processes.resident_kb(pid) for pid in pids}
        looks._not_yet_free_kb(each_kb)
        looks._shared_kb(each_kb, sum(each_kb.values()))
        for _ in range(watch.ENDING_LOOKS):
            counted_kb = looks._not_yet_free_kb(dict.fromkeys(pids, 0))
        one_kb = max(each_kb.values())  # and this process shares it, too: each has a fifth
        assert len(shared) / 1024 / 2 < counted_kb < 1.2 * one_kb < sum(each_kb.values()) / 2
    finally:
        _end(pids)


def test_memory_that_a_process_has_together_with_its_parent_counts_once_as_long_as_either_lives(monkeypatch):
    """As of a program that a notebook starts, until that runs: its process has the parent's memory (vfork)."""
    looks, size_kb, (told, tell) = _watch(), 300 * 2**10, os.pipe()
    parent = _fork(lambda: _hold(size_kb * 2**10, lambda: os.write(tell, b"%d" % _with_the_same_memory())))
    pids = [parent, int(os.read(told, 20))]
    each_kb, alive, measured = {pid: processes.resident_kb(pid) for pid in pids}, [*pids], processes.proportional_kb
    monkeypatch.setattr(processes, "others", lambda walled: [*alive])
    try:
        assert looks._of_each(processes.resident_kb) == {parent: each_kb[parent], pids[1]: 0}
        once_kb = processes.proportional_kb(parent)  # with its part of what the tests' own process has
        assert size_kb < looks._shared_kb(each_kb, size_kb) < 1.1 * once_kb < sum(each_kb.values())

        def measure_as_the_parent_ends(pid: int) -> int:
            found_kb = measured(pid)
            alive[:] = pids[1:]
            return found_kb

        monkeypatch.setattr(processes, "proportional_kb", measure_as_the_parent_ends)
        assert size_kb < looks._shared_kb(each_kb, size_kb) < 1.1 * once_kb and alive == pids[1:]
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        os.waitpid(parent, 0)
        os.close(told)
        os.close(tell)


def test_no_look_waits_for_a_process_that_becomes_another_program(monkeypatch):
    """Newer versions of Linux have whoever reads its files wait until the memory of its last program is given back."""
    # A machine that stands still for two seconds doesn't each time.
    assert any(_look_at_one_that_becomes_another_program(monkeypatch) for _ in range(3))


def _look_at_one_that_becomes_another_program(monkeypatch):
    """Whether that makes nobody wait for two seconds, or others are looked at meanwhile."""
    processor, size, reader = min(os.sched_getaffinity(0)), 400 * 2**20, Patience(walled=True)
    looks = _watch(reader)
    begin, go = os.pipe()

    def become() -> None:
        os.set_inheritable(begin, True)
        taken = mmap.mmap(-1, size, mmap.MAP_PRIVATE)
        taken.madvise(mmap.MADV_NOHUGEPAGE)
        ctypes.memset(ctypes.addressof(ctypes.c_char.from_buffer(taken)), 1, size)
        os.sched_setaffinity(0, {processor})
        os.read(begin, 1)
        os.execv("/bin/sleep", ["sleep", "60"])

    pids = [pid := _fork(become)]
    monkeypatch.setattr(processes, "others", lambda walled: [pid])
    monkeypatch.setattr(processes, "threads", lambda: [(pid, str(pid))])
    try:
        while processes.resident_kb(pid) < size / 1024:
            time.sleep(0.05)
        pids += [_fork(lambda: _spin(processor)) for _ in range(BUSY)]
        os.write(go, b"1")
        done, waited_s, reads = [], 0.0, 0
        while not done or processes.resident_kb(pid) > size / 2048:  # until it is the other program
            done, began = [], time.monotonic()
            asking = threading.Thread(target=_ask, args=(pid, done), daemon=True)
            asking.start()
            asking.join(0.2)
            while not done:
                looks.exceeded()
                reads += 1
            waited_s += time.monotonic() - began
        return waited_s < 2 or reads > 1
    finally:
        _end(pids)
        reader.end()


def test_a_notebook_stands_still_as_soon_as_memory_goes_while_its_processes_are_measured(monkeypatch):
    """To compare one with its parent may take a quarter of a second where that runs exec: 46 of them took 3.6 s."""
    sent, measured = [], []
    looks = _watch(signal_all=sent.append)
    monkeypatch.setattr(looks, "_unseen_kb", lambda *_: 0)
    monkeypatch.setattr(processes, "others", lambda walled: [101, 102, 103])
    monkeypatch.setattr(processes, "parent", lambda pid: 0)
    monkeypatch.setattr(processes, "session", lambda pid: 0)
    monkeypatch.setattr(processes, "available_kb", lambda: 2**29 if measured else 2**30)
    monkeypatch.setattr(processes, "resident_kb", lambda pid: measured.append({*sent}) or 10)
    assert looks.exceeded() is None
    assert measured[:3] == [set(), {signal.SIGSTOP}, {signal.SIGSTOP}] and sent[-1] == signal.SIGCONT


def _ask(pid, done):
    done.append(processes.stat(f"/proc/{pid}/stat"))


def _watch(patience=None, signal_all=lambda number: None):
    granted = {"memory_bytes": 2**40, "files": 0, "sessions": 9, "started": 9}
    reader = patience or Patience(walled=False)
    return watch.Watch(granted, int, True, processes, open_files, mappings, reader, signal_all)


def _fork(run):
    if (pid := os.fork()) == 0:
        run()
        os._exit(0)
    return pid


def _end(pids):
    """Kills all before it waits for the first: each ends sooner the fewer of them are busy."""
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    for pid in pids:
        os.waitpid(pid, 0)


def _hold(size, then=lambda: None):
    taken = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    taken.madvise(15)  # MADV_NOHUGEPAGE: each small page is given back by itself
    ctypes.memset(ctypes.addressof(ctypes.c_char.from_buffer(taken)), 1, size)
    then()
    time.sleep(60)


def _with_the_same_memory():
    """The number of a process that has all of this one's memory, and waits, as one does that vfork has made."""
    libc, room = ctypes.CDLL(None), ctypes.create_string_buffer(2**16)
    stack = ctypes.c_void_p(ctypes.addressof(room) + 2**15 & ~0xFF)
    return libc.clone(ctypes.cast(libc.pause, ctypes.c_void_p), stack, 0x100 | signal.SIGCHLD, None)  # CLONE_VM


def _spin(processor):
    os.sched_setaffinity(0, {processor})
    end = time.monotonic() + 60
    while time.monotonic() < end:
        pass
