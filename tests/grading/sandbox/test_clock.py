"""Own time: what a process and its descendants computed and slept, whatever else the machine does."""

import contextlib
import os
import subprocess
import sys
import time
import types
from collections.abc import Iterator

import busy
import psutil
import pytest

from grading.sandbox.clock import LOOK_S, Clock, Deadline

# Computes for some seconds of processor time in some threads or processes at once, and prints how many seconds it took.
COMPUTES = """
import os, sys, time
for _ in range(int(sys.argv[2]) - 1):
    if os.fork() == 0:
        break
while time.process_time() < float(sys.argv[1]):
    pass
"""


def spent(seconds: float, processes: int = 1) -> tuple[float, float]:
    """Own time and wall time of a program that computes so long in each of its processes."""
    started = time.monotonic()
    with subprocess.Popen([sys.executable, "-S", "-c", COMPUTES, str(seconds), str(processes)]) as process:
        clock = Clock(lambda: process.pid)
        while process.poll() is None:
            clock.now()
            time.sleep(0.05)
    return clock.now(), time.monotonic() - started


@contextlib.contextmanager
def computing(seconds: float) -> Iterator[subprocess.Popen]:
    """A process that computes so long, or until the block ends, as it also does when the test fails."""
    with subprocess.Popen([sys.executable, "-S", "-c", COMPUTES, str(seconds), "1"]) as process:
        try:
            yield process
        finally:
            process.kill()


def computed_s(process: subprocess.Popen) -> float:
    used = psutil.Process(process.pid).cpu_times()
    return used.user + used.system


def test_waiting_for_a_processor_does_not_count():
    with busy.core(2), computing(600) as process:
        clock, started = Clock(lambda: process.pid), time.monotonic()

        def tells_what_was_computed() -> bool:  # and not all the time; a wait is only taken back once it is over
            own, computed, wall = clock.now(), computed_s(process), time.monotonic() - started
            return computed >= 1.0 and wall > 2.2 * computed and 0.9 * computed < own < 1.8 * computed

        busy.wait_for(tells_what_was_computed)


def test_the_processes_of_one_program_cannot_stop_its_clock_by_keeping_each_other_waiting():
    with busy.core(0):
        own, _ = spent(0.5, processes=8)
    assert own > 2.0  # what they computed together, but for what each did after the last look


def test_what_is_computed_to_serve_a_process_counts_also_while_that_waits(monkeypatch):
    began = time.monotonic_ns()
    waiting = lambda root: iter([((root, n), 0, time.monotonic_ns() - began) for n in (1, 2)])  # noqa: E731
    monkeypatch.setattr("grading.sandbox.clock._threads", waiting)
    clock, busy_until = Clock(lambda: 1), time.thread_time() + 0.3
    with clock.served():
        while time.thread_time() < busy_until:
            pass
    assert clock.now() == pytest.approx(0.3, abs=0.1)
    time.sleep(0.3)
    assert clock.now() == pytest.approx(0.3, abs=0.1)


def test_sleeping_counts():
    with subprocess.Popen(["sleep", "60"]) as process:
        assert_all_time_counts(Clock(lambda: process.pid))
        process.kill()


def assert_all_time_counts(clock: Clock) -> None:
    for _ in range(9):  # what the process has waited for until now may be told only now, and counts for nothing
        started, before = time.monotonic(), clock.now()
        time.sleep(1.0)
        own_s, wall_s = clock.now() - before, time.monotonic() - started
        if 0.7 < own_s < wall_s + 0.3:
            return
    pytest.fail(f"{own_s} of {wall_s} s")


def test_the_name_of_a_process_that_sleeps_cannot_say_that_it_runs():
    named = "import ctypes, time; ctypes.CDLL(None).prctl(15, b'a\\rState:\\tR'); print(flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-S", "-c", named], stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        clock = Clock(lambda: process.pid)
        time.sleep(0.3)
        assert_all_time_counts(clock)
        process.kill()


def test_without_a_process_all_time_counts():
    before = time.monotonic()
    clock, made = Clock(), time.monotonic()
    time.sleep(0.2)
    least = time.monotonic() - made
    assert 0.2 <= least <= clock.now() <= time.monotonic() - before


def test_a_clock_goes_on_while_processes_come_and_go():
    clock = Clock(os.getpid)
    for _ in range(150):  # sleeps, of which seventeen are half a second
        with subprocess.Popen(["true"]):
            clock.now()
        time.sleep(0.03)
        if clock.now() >= 0.5:
            break
    assert clock.now() >= 0.5


def test_a_wait_counts_as_none_however_often_one_looks_while_it_lasts():
    numbers = {"ran": 0, "waited": 0, "state": "R"}
    wall = types.SimpleNamespace(passed_s=0.0, monotonic=lambda: wall.passed_s)  # or a busy machine's would count here

    def text(path: str) -> str:
        if path.endswith("schedstat"):
            return f"{numbers['ran']} {numbers['waited']} 1"
        return f"Name:\tpython\nState:\t{numbers['state']} (it)\n" if path.endswith("status") else ""

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("grading.sandbox.clock._text", text)
        patch.setattr("grading.sandbox.clock._listed", lambda _: ["7"])
        patch.setattr("grading.sandbox.clock.time", wall)
        clock = Clock(lambda: 7)
        for _ in range(10):  # a wait of half a second, of which Linux says nothing yet
            wall.passed_s += 0.05
            assert clock.now() < 0.1
        numbers["waited"], numbers["ran"] = int(0.5e9), int(1e6)
        wall.passed_s += 0.03
        assert clock.now() < 0.1
        numbers["state"] = "S"
        before = clock.now()
        for _ in range(10):  # the same while it sleeps
            wall.passed_s += 0.05
            now = clock.now()
        assert now - before == pytest.approx(0.5)


def test_threads_that_wait_for_one_another_cannot_hide_the_sleep_between():
    numbers, wall = {"ran": 0, "waited": 0}, types.SimpleNamespace(passed_s=0.0, monotonic=lambda: wall.passed_s)

    def text(path: str) -> str:
        if path.endswith("schedstat"):
            return f"{numbers['ran']} {numbers['waited']} 1"
        return "Name:\tpython\nState:\tS (sleeping)\n" if path.endswith("status") else ""

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("grading.sandbox.clock._text", text)
        patch.setattr("grading.sandbox.clock._listed", lambda _: map(str, range(7, 107)))
        patch.setattr("grading.sandbox.clock.time", wall)
        clock = Clock(lambda: 7)
        for _ in range(20):  # a hundred threads wake at once: each computes 0.2 ms, 20 ms after the first
            numbers["ran"], numbers["waited"] = numbers["ran"] + 200_000, numbers["waited"] + 10_000_000
            wall.passed_s += 0.5
            clock.now()
        assert clock.now() == pytest.approx(20 * (0.5 - 2 * 0.01))


def test_a_deadline_passes_after_as_much_own_time():
    with busy.core(2), computing(60) as process:
        end, started, used_s = Deadline(Clock(lambda: process.pid), 2.0), time.monotonic(), 0.0
        while (pause := end.pause()) > 0:
            assert used_s < 2.8
            time.sleep(pause)
            used_s = computed_s(process)
        wall = time.monotonic() - started
    assert wall > 3.0
    assert used_s > 0.8  # the first LOOK_S count by the wall clock
    assert end.left() == 0


@pytest.mark.parametrize(
    ("ran_s", "waited_s", "state", "spent_s"), [(0.1, 29.9, "S", 0.1), (0, 0, "R", 0), (30, 0, "S", 30)]
)
def test_a_wait_before_the_first_look_is_none_of_a_deadline_s_time(
    ran_s: float, waited_s: float, state: str, spent_s: float, monkeypatch: pytest.MonkeyPatch
):
    """As where nobody gets a processor for half a minute, the judge neither."""
    numbers = {"ran": 0.0, "waited": 0.0, "state": "S"}
    wall = types.SimpleNamespace(passed_s=0.0, monotonic=lambda: wall.passed_s)

    def text(path: str) -> str:
        if path.endswith("schedstat"):
            return f"{numbers['ran'] * 1e9:.0f} {numbers['waited'] * 1e9:.0f} 1"
        return f"Name:\tpython\nState:\t{numbers['state']} (it)\n" if path.endswith("status") else ""

    monkeypatch.setattr("grading.sandbox.clock._text", text)
    monkeypatch.setattr("grading.sandbox.clock._listed", lambda _: ["7"])
    monkeypatch.setattr("grading.sandbox.clock.time", wall)
    clock = Clock(lambda: 7)
    wall.passed_s = 5.0
    clock.now()
    end = Deadline(clock, 20.0)
    wall.passed_s += 30.0
    numbers |= {"ran": ran_s, "waited": waited_s, "state": state}
    assert end.spent() == pytest.approx(spent_s)


def test_a_short_wait_costs_no_look_at_the_processes(monkeypatch: pytest.MonkeyPatch):
    clock = Clock(os.getpid)
    monkeypatch.setattr(Clock, "now", lambda _: pytest.fail("looked"))
    end = Deadline(clock, 20.0)
    assert 0 < end.pause() <= LOOK_S and end.left() > 19
