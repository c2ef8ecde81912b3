"""A busy machine for tests: one core with other processes that compute all the time; and how much patience it takes."""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

LOOP = 500_000
USUAL_LOOP_S = 0.025


@contextlib.contextmanager
def core(processes: int, apart: bool = False) -> Iterator[None]:
    """Keeps this process, and all that it starts meanwhile, on one core that some others keep busy.

    `apart`: each in a session of its own, of which Linux may give each as much of the core as it gives a sandbox; of
    one session it takes what runs on other cores into account.
    """
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    loop = [sys.executable, "-S", "-c", "while True: pass"]
    others = [subprocess.Popen(loop, start_new_session=apart) for _ in range(processes)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()
        os.sched_setaffinity(0, before)


def patience(seconds: float) -> float:
    """Seconds by the wall clock that something may take which takes so many on an idle machine."""
    return seconds * max(1.0, os.getloadavg()[0] / os.cpu_count())


def wait_for(condition: Callable[[], object], limit_s: float = 120.0) -> object:
    """What the condition gives as soon as it gives something."""
    end = time.monotonic() + limit_s
    while not (found := condition()):
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)
    return found


def within(spent_s: float, seconds: float) -> bool:
    """Whether what was computed for `spent_s` took no longer than it may, `seconds` on a usual processor.

    How slow this one is gets measured only where that matters: measuring takes longer than most of what is asked about.
    """
    return spent_s < seconds or spent_s < computing(seconds)


def computing(seconds: float) -> float:
    """Seconds of computing that something may take here and now which takes so many on a usual processor.

    A slow one, or one whose core is shared, takes longer for the same work; how much longer, a loop tells.
    """
    return seconds * max(1.0, min(_loop_s() for _ in range(3)) / USUAL_LOOP_S)


def _loop_s() -> float:
    started, total = time.thread_time(), 0
    for number in range(LOOP):
        total += number * number
    return time.thread_time() - started
