"""Reads of a process's files that Linux may have wait: for a fork of it, or for the end of the program it had before.

Among busy processes on one processor that takes seconds, for as long as the notebook likes, and nobody would see what
its other processes take meanwhile. So each such read is left to a thread, and where that waits, the look goes on
without it. Like the watch, which asks for them, this file stands alone.
"""

import contextlib
import threading
from collections.abc import Callable
from concurrent import futures

WAIT_S = 0.25  # before one looks whether a read waits; one that waits for a processor alone is waited for
MOST = 32  # reads that are left waiting at once; then no more is begun
ASLEEP = "D"  # the state of a thread that waits within Linux


class Patience:
    """Reads, each of one process, of which those that Linux has wait are left alone until they are done."""

    def __init__(self, walled: bool) -> None:
        self._threads = futures.ThreadPoolExecutor(MOST, "read") if walled else None  # else it forks kernels
        self._waiting: dict[int, futures.Future] = {}

    def read(self, pid: int, reading: Callable[[], object], otherwise: Callable[[], object]) -> object:
        """What `reading` gives, or what `otherwise` does as long as a read of this process waits.

        Errors  whatever `reading` raises.
        """
        if self._threads is None:
            return reading()
        self._waiting = {other: asked for other, asked in self._waiting.items() if not asked.done()}
        if pid in self._waiting or len(self._waiting) == MOST:
            return otherwise()
        readers: list[int] = []

        def run() -> object:
            readers.append(threading.get_native_id())
            return reading()

        try:
            asked = self._threads.submit(run)
        except RuntimeError:  # no more threads may start, so that none is there that doesn't wait
            return otherwise()
        while not asked.done():
            with contextlib.suppress(TimeoutError):
                return asked.result(WAIT_S)
            if readers and _state(readers[0]) == ASLEEP:
                self._waiting[pid] = asked
                return otherwise()
        return asked.result()

    def wait(self) -> None:
        """Waits a moment for the reads that wait, of processes that may soon have forked or be another program."""
        futures.wait(self._waiting.values(), WAIT_S)

    def end(self) -> None:
        """Waits for the reads of processes that have ended, all of which go on."""
        if self._threads is not None:
            self._threads.shutdown()


def _state(thread: int) -> str:
    """What a thread of this process does."""
    with open(f"/proc/self/task/{thread}/stat", encoding="ascii", errors="replace") as file:
        return file.read().rpartition(")")[2].split()[0]
