"""The watch that the keeper keeps over a notebook's processes: their memory, sessions and number.

This file stands alone, as all that is within the walls.
"""

import contextlib
import functools
import os
import signal
import time
from collections.abc import Callable, Iterator
from types import ModuleType

USUAL_PAUSE_S, LEAST_PAUSE_S = 0.5, 0.02  # between two looks
GROWS_KB_S = 4 * 2**20  # as fast as processes take memory: one took 1 to 3 GiB/s, several together little more
LOOKS_SHARE = 0.1  # of the time, that the looks may take
SHARED_LOOKS = 3  # before one that can't be exact counts; in a later one more forks share what was one process's
STILL_SHARE = 0.25  # of its limit, by which the machine's free memory may fall before a notebook stands still
AGAIN_SHARE = 1 / 16  # of its limit, by which that falls before one looks at who took it
ENDING_LOOKS = 4  # in a row that must see that something ends: usually it takes less than the time between two


class Watch:
    """Looks at a notebook's processes, and says when next: the sooner, the less memory is left for it to run ahead."""

    def __init__(
        self,
        granted: dict,
        count_started: Callable[[], int],
        walled: bool,
        processes: ModuleType,
        open_files: ModuleType,
        mappings: ModuleType,
        patience: object,
        signal_all: Callable[[int], None],
    ) -> None:
        self._granted, self._count_started, self._walled = granted, count_started, walled
        self._signal_all = signal_all
        self._processes, self._patience, self.pause_s = processes, patience, LEAST_PAUSE_S
        self._files = open_files.OpenFiles(granted, processes, patience)
        self._mappings = mappings.Mappings(processes, patience)
        self._largest_kb = 0  # the memory of the largest process that was seen
        self._before_kb: dict[int, int] = {}  # of each process, at the last look; of one that ends, before
        self._ending_kb = [0] * ENDING_LOOKS  # what those that ended had that were not gone, at the last looks
        self._has_stopped = False  # them, ever

    def exceeded(self) -> str | None:
        """The limit that all processes of a notebook together exceed, or None."""
        began = time.monotonic()
        limit_kb = self._granted["memory_bytes"] / 1024
        still_kb, used_kb = limit_kb * STILL_SHARE, 0
        with self._stopping(still_kb) as stop_where_memory_goes:
            each_kb = self._of_each(self._processes.resident_kb, stop_where_memory_goes)
            self._largest_kb = max(self._largest_kb, *each_kb.values(), 0)
            if self._walled:
                used_kb = self._unseen_kb(each_kb, stop_where_memory_goes)
                if stop_where_memory_goes() > still_kb:  # they may have taken it since they were measured
                    each_kb = self._of_each(self._processes.resident_kb, stop_where_memory_goes)
        # Forks share pages. Count every page of each, and only if that is too much each page once, which takes longer.
        resident_kb = used_kb + sum(each_kb.values())
        if resident_kb > limit_kb:
            resident_kb = used_kb + self._shared_kb(each_kb, limit_kb)
        ended = time.monotonic()
        left_s = (limit_kb - resident_kb) / GROWS_KB_S
        # Soon before any cell may hide its files, and while some may hold what a process had that ends meanwhile.
        is_plain = not self._walled or (self._files.none and not self._ending_kb[-1])
        soon_s = left_s if is_plain else LEAST_PAUSE_S
        self.pause_s = min(USUAL_PAUSE_S, max(LEAST_PAUSE_S, soon_s, (ended - began) / LOOKS_SHARE))
        if resident_kb > limit_kb:
            return "memory"
        if self._walled and len({*map(self._processes.session, each_kb)} - {0}) > self._granted["sessions"]:
            return "sessions"
        if self._walled and self._count_started() > self._granted["started"]:
            return "processes started"
        return None

    def _shared_kb(self, before_kb: dict[int, int], limit_kb: float) -> float:
        """The memory of all processes, each page counted once; at least the limit if they grow by more meanwhile.

        While a process forks, its reader waits, and busy processes on the same processor can make that long: then it
        counts with all that it shares. And what was one process's when that was measured is soon that of forks, too,
        which count again. So a look that finds too much in such a way is taken again.
        """
        taken = Taken(self._processes, self._walled, before_kb, limit_kb)
        there, waited, counted_kb = before_kb.keys(), set(), {}

        def with_shared_kb(pid: int) -> int:
            waited.add(pid)
            return self._processes.resident_kb(pid)

        def measured(pid: int) -> float:
            if (least_kb := taken.least_kb(stop_where_memory_goes())) > limit_kb:
                return least_kb
            if is_exact(counted_kb) and sum(counted_kb.values()) > limit_kb:
                return 0  # the others can't make it less, and take memory meanwhile
            read = functools.partial(self._processes.proportional_kb, pid)
            counted_kb[pid] = self._patience.read(pid, read, functools.partial(with_shared_kb, pid))
            return counted_kb[pid]

        def is_exact(found_kb: dict[int, float]) -> bool:
            return not waited and found_kb.keys() <= there

        with self._stopping(limit_kb * STILL_SHARE) as stop_where_memory_goes:
            for _ in range(SHARED_LOOKS):
                waited.clear()
                counted_kb.clear()
                found_kb = self._of_each(measured)
                if is_exact(found_kb) or taken.is_too_much or sum(found_kb.values()) <= limit_kb:
                    break
                there = found_kb.keys()
                self._patience.wait()
        self._before_kb |= {pid: kb for pid, kb in found_kb.items() if kb}  # forks that end give back their share alone
        return sum(found_kb.values())

    @contextlib.contextmanager
    def _stopping(self, most_kb: float) -> Iterator[Callable[[], int]]:
        """Gives what stops all processes, until the end of the block, once so much of the machine's memory has gone.

        It tells how much has gone since.

        Forks that write to what they share take memory, and none of them grows. Where there are many, or all have many
        open files, a look takes seconds.
        Whoever is being forked as all are stopped is born stopped, and does not hear that they go on: Linux keeps no
        signal for it that its parent ignores, as SIGCONT is by default. So all hear it again at each later look,
        because a fork may take as long as it likes.
        """
        if self._has_stopped:
            self._signal_all(signal.SIGCONT)
        free_kb, stopped = self._processes.available_kb(), False

        def stop_where_memory_goes() -> int:
            nonlocal stopped
            gone_kb = free_kb - self._processes.available_kb()
            stopped = stopped or self._walled and gone_kb > most_kb
            if stopped:  # each time, because Linux continues stopped ones whose parent ends, as one may that was ending
                self._signal_all(signal.SIGSTOP)
            return gone_kb

        try:
            yield stop_where_memory_goes
        finally:
            if stopped:
                self._has_stopped = True
                self._signal_all(signal.SIGCONT)

    def _of_each(
        self, measured: Callable[[int], float], meanwhile: Callable[[], object] = lambda: None
    ) -> dict[int, float]:
        """`measured` of each process, and of those with the same memory of one: as of each that vfork has made.

        Each comparison may wait for a moment, so `meanwhile` is called before it.
        Whether it is the same is asked first: it may have its own by the time that is measured, but not the reverse.
        """
        counted_kb: dict[int, float] = {}
        same: dict[int, int] = {}  # for a process with the memory of another one: that one

        def once(pid: int) -> float:
            meanwhile()
            other = self._processes.parent(pid) if counted_kb else 0
            compare = functools.partial(self._processes.has_memory_of, pid, other)
            if other in counted_kb.keys() | same.keys() and self._patience.read(pid, compare, bool):
                same[pid] = same.get(other, other)
                return 0
            counted_kb[pid] = measured(pid)
            return counted_kb[pid]

        found_kb = self._processes.of_each(once, self._walled)
        for pid in same.keys() & found_kb.keys():
            if same[pid] not in found_kb:  # it has ended, and its memory is there
                found_kb[pid] = counted_kb.pop(same[pid], 0)
        return found_kb

    def _unseen_kb(self, each_kb: dict[int, int], meanwhile: Callable[[], object]) -> int:
        """Memory that the notebook may hold and that Linux counts for no process; calls `meanwhile` over and over."""
        shown_kb = self._processes.unread_kb([*each_kb]) + self._mappings.noted_kb(len(each_kb))
        return shown_kb + self._files.kept_kb(self._largest_kb, meanwhile) + self._not_yet_free_kb(each_kb)

    def _not_yet_free_kb(self, each_kb: dict[int, int]) -> int:
        """Memory of processes that are ending or becoming other programs, until Linux has it back.

        That takes no time, unless the notebook has busy processes on the same processor, which take their turns.
        """
        before_kb, self._before_kb = self._before_kb, {**each_kb}
        ending = [pid for pid, kb in each_kb.items() if kb < before_kb.get(pid, 0) and self._processes.is_ending(pid)]
        self._before_kb |= {pid: before_kb[pid] for pid in ending}
        self._ending_kb = [*self._ending_kb[1:], sum(before_kb[pid] for pid in ending)]
        return min(self._ending_kb)


class Taken:
    """What processes have taken since a look at them began that counts what they share, as far as it is sure.

    Some go on although they were stopped: one call may fill all of a process's memory.
    """

    def __init__(self, processes: ModuleType, walled: bool, before_kb: dict[int, int], limit_kb: float) -> None:
        """What each process had at first, all that it shares included."""
        self._processes, self._walled, self._limit_kb = processes, walled, limit_kb
        self._known_kb, self._first = {**before_kb}, before_kb.keys()
        self._looked, self._gone_kb, self._least_kb = time.monotonic(), 0, 0

    @property
    def is_too_much(self) -> bool:
        """Whether that is more than the limit."""
        return self._least_kb > self._limit_kb

    def least_kb(self, gone_kb: int) -> int:
        """What they have at least: what they have taken, and what the largest had that was there at first.

        It is looked at again after a while, or once more of the machine's memory has gone. None of what a process takes
        is another's that was there. What the preloaded process may share with the largest doesn't count.
        """
        is_due = time.monotonic() - self._looked > USUAL_PAUSE_S
        if not self.is_too_much and (is_due or gone_kb - self._gone_kb > self._limit_kb * AGAIN_SHARE):
            alive, known_kb = self._processes.others(self._walled), self._known_kb
            now_kb = {pid: self._processes.status_kb(pid, "RssAnon:", "VmSwap:") for pid in alive}
            known_kb.update((pid, min(kb, known_kb.get(pid, kb))) for pid, kb in now_kb.items())
            largest_kb = max((known_kb[pid] for pid in alive if pid in self._first), default=0)
            shared_kb = self._processes.resident_kb(os.getppid()) if self._walled else largest_kb
            taken_kb = sum(kb - known_kb[pid] for pid, kb in now_kb.items())
            self._least_kb = taken_kb + max(0, largest_kb - shared_kb)
            self._looked, self._gone_kb = time.monotonic(), gone_kb
        return self._least_kb
