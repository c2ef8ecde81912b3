"""Mappings of memory, on each of which Linux keeps notes that count for no process.

Like the watch, which asks for them, this file stands alone.
"""

import functools
import time
from types import ModuleType

# Linux's notes on a mapping: one of 232 bytes, and for each process that it came through by fork some 160 more.
MAPPING_BYTES, INHERITED_BYTES = 256, 160
USUAL_NOTES_KB = 64 * 2**10  # by which the whole machine's notes may grow meanwhile before mappings are counted
COUNTING_S = 0.2  # of the keeper's computing, that one count of them may take: 400,000 usual ones


class Mappings:
    """The memory that Linux may take to note the mappings of a notebook's processes, look by look."""

    def __init__(self, processes: ModuleType, patience: object) -> None:
        self._processes, self._patience = processes, patience
        self._notes_kb = float("inf")  # the least that Linux had of its own at any look

    def noted_kb(self, count: int) -> int:
        """What Linux may note on the mappings of so many processes, at most what the machine's own notes have grown by.

        That growth is cheap to read, and usually shows that nothing needs counting. Where Linux takes long to write
        paths, all of it may be this notebook's: a file in 20,000 folders, one in another, takes it 0.2 s for one line.
        """
        notes_kb = self._processes.lines_of("/proc/meminfo", "SUnreclaim:") or 0
        self._notes_kb = min(self._notes_kb, notes_kb)
        if (grown_kb := notes_kb - self._notes_kb) < USUAL_NOTES_KB:
            return 0
        # The process's time, not a thread's: others than this one read.
        end, each = time.process_time() + COUNTING_S, MAPPING_BYTES + count * INHERITED_BYTES

        def of_one_kb(pid: int) -> int:
            lines, pieces = 0, self._processes.line_counts(f"/proc/{pid}/maps")
            while lines * each <= grown_kb * 1024 and time.process_time() < end:
                if (more := next(pieces, None)) is None:
                    return lines * each // 1024
                lines += more
            return grown_kb

        def measured(pid: int) -> int:
            return self._patience.read(pid, functools.partial(of_one_kb, pid), int)

        return min(grown_kb, sum(self._processes.of_each(measured, walled=True).values()))
