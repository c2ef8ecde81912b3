"""Own time: what a notebook's processes computed and slept, less what they waited for a processor.

A limit by the wall clock makes a student pay for a busy machine; a limit on processor time never ends code that
sleeps. Own time counts both, and leaves out what others took. Of an interval it is the larger of

    what all threads together computed, and the judge to read what they sent,
    the interval, less what the WAITERS threads that waited longest together waited for a processor.

The first term keeps the clock going for code whose own processes wait for one another. In the second, the waits of all
threads would add up to any sleep: a hundred that wake at the same moment wait for one another, and compute next to
nothing. One alone would make a clock go on where a thread waits to take over from another that has waited, as when a
cell prints. Threads on a processor wait for one another no longer than they compute together, so that code that keeps
its threads waiting on purpose slows its clock WAITERS + 1 times at most. Linux tells both for each
thread, in nanoseconds, in /proc/PID/task/TID/schedstat (its source's Documentation/scheduler/sched-stats.rst); a wait
only once it is over, so that what was counted of it until then is taken back. Where Linux tells nothing, own time is
time by the wall clock.
"""

import contextlib
import heapq
import os
import time
from collections.abc import Callable, Iterator

WAITERS = 2  # a cell's thread, and the one that sends what it printed
LOOK_S = 0.5  # how often /proc is looked at while something is waited for; shorter waits count by the wall clock
STALE_S = 0.02  # how old an answer may be, so that a flood of messages does not ask each time
AHEAD_S = 1.0  # how much later than the time the counts may have been read
REMEMBERED = 10_000  # threads, after which those that ended are forgotten


class Clock:
    """The own time of a process and of all that descends from it."""

    def __init__(self, root: Callable[[], int | None] = lambda: None) -> None:
        """`root` gives the process's number, or None as long as there is none: then all time counts."""
        self._root = root
        self._seen: dict[tuple[int, int], tuple[int, int]] = {}
        self._own_s, self._looked = 0.0, time.monotonic()
        self._doubtful_s = 0.0  # of own time: what may turn out to have been a wait
        self._ahead_s = 0.0  # waits whose time is still to come
        self._waits = False  # whether nothing has run since, though something could: then it is no own time yet
        self._served_s = 0.0  # computed for it by whoever looks at this clock, since the last look

    def now(self) -> float:
        """Seconds of own time since this clock was made; less than before where a wait is over that was counted."""
        self._look()
        return self.at_last_look()

    def at_last_look(self) -> float:
        """The same as of the last look at /proc, without another one."""
        return self._own_s - (self._doubtful_s if self._waits else 0.0)

    @contextlib.contextmanager
    def served(self) -> Iterator[None]:
        """What this thread computes in the block counts as the process's own: who sends much to read has it read."""
        began = time.thread_time()
        try:
            yield
        finally:
            self._served_s += time.thread_time() - began

    def _look(self) -> None:
        root, at = self._root(), time.monotonic()
        passed_s = at - self._looked
        if passed_s < STALE_S:
            return
        self._looked = at
        ran_ns, waits_ns, longest_ns = 0, [], 0
        for thread, ran, waited in _threads(root) if root is not None else ():
            before = self._seen.get(thread, (0, 0))
            ran_before, waited_before = before if before[0] <= ran else (0, 0)  # else its number was given away again
            ran_ns += ran - ran_before
            waits_ns.append(waited - waited_before)
            longest_ns = max(longest_ns, ran - ran_before + waited - waited_before)
            self._seen[thread] = ran, waited
        if len(self._seen) > REMEMBERED:
            self._seen = {thread: counts for thread, counts in self._seen.items() if _is_alive(thread)}
        served_s, self._served_s = self._served_s, 0.0
        ran_s, waited_s = served_s + ran_ns / 1e9, sum(heapq.nlargest(WAITERS, waits_ns)) / 1e9
        own_s = max(ran_s, passed_s - waited_s)
        waited_before_s = max(0.0, longest_ns / 1e9 - passed_s)  # more than this interval has room for
        taken_back_s = min(waited_before_s, self._doubtful_s)
        # The counts are read a little after the time: what is too much here is missing next time.
        self._ahead_s = min(AHEAD_S, self._ahead_s + waited_before_s - taken_back_s)
        early_s = min(self._ahead_s, own_s - ran_s)
        self._ahead_s -= early_s
        own_s -= early_s
        self._own_s += own_s - taken_back_s
        self._waits = root is not None and ran_ns == 0 and _could_run(root)
        self._doubtful_s = own_s - ran_s + (self._doubtful_s if self._waits else 0.0)


class Deadline:
    """A limit on own time, from now on.

    Its first LOOK_S count by the wall clock, so that what is answered soon costs no look at /proc. Where a busy machine
    has the first look come later than that, what was waited for a processor until then doesn't count.
    """

    def __init__(self, clock: Clock, limit_s: float) -> None:
        self._clock, self._limit_s, self._started, self._began = clock, limit_s, time.monotonic(), None
        self._least_s = clock.at_last_look()  # of own time when this began

    def spent(self) -> float:
        """Seconds of own time so far."""
        passed_s = time.monotonic() - self._started
        if self._began is None:
            if passed_s < LOOK_S:
                return passed_s
            own_s = self._clock.now()
            self._began = max(own_s - passed_s, min(self._least_s, own_s))
        return self._clock.now() - self._began

    def left(self) -> float:
        """Seconds of own time that are left, 0 once it has passed."""
        return max(0.0, self._limit_s - self.spent())

    def pause(self) -> float:
        """Seconds that one may wait before looking again, 0 once it has passed."""
        return min(self.left(), LOOK_S)


def _threads(root: int) -> Iterator[tuple[tuple[int, int], int, int]]:
    """Each thread of a process and of its descendants: its numbers, and the nanoseconds it ran and waited to run."""
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        for tid in _listed(f"/proc/{pid}/task"):
            ran, waited = _ran_and_waited_ns(pid, tid)
            waiting += [int(child) for child in _text(f"/proc/{pid}/task/{tid}/children").split()]
            yield (pid, int(tid)), ran, waited


def _ran_and_waited_ns(pid: int, tid: int | str) -> tuple[int, int]:
    """The nanoseconds that a thread ran and waited to run; none of either where Linux doesn't tell."""
    ran, waited, *_ = [int(number) for number in _text(f"/proc/{pid}/task/{tid}/schedstat").split()] or [0, 0]
    return ran, waited


def _could_run(root: int) -> bool:
    """Whether a thread of a process or of its descendants runs, or waits for a processor."""
    # Not in its `stat`, which has whoever reads it wait for a process that runs exec. No name holds the end of a line.
    return any("\nState:\tR" in _text(f"/proc/{pid}/task/{tid}/status") for (pid, tid), _, _ in _threads(root))


def _is_alive(thread: tuple[int, int]) -> bool:
    return os.path.exists(f"/proc/{thread[0]}/task/{thread[1]}")


def _listed(folder: str) -> list[str]:
    """The names in a folder of /proc; none where the process has ended."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _text(path: str) -> str:
    """What a file in /proc says; nothing where the process has ended, or the system keeps no such file."""
    try:
        # A process's name may be any bytes: also a "\r", of which Python would make the end of a line.
        with open(path, encoding="ascii", errors="replace", newline="\n") as file:
            return file.read()
    except OSError:
        return ""
