"""The heap of a process that grades for a whole term: memory that was freed goes back to the system.

A result of a submission is some megabytes in hundreds of pieces. glibc keeps freed pieces for later, in holes between
others that are still used, so that the process grows with each class although it holds no more than before.
"""

import ctypes

EVERY = 25  # results: trimming takes some milliseconds, and 25 results leave a few MB behind


class Heap:
    """Counts results, and gives freed memory back after each `every` of them; does nothing where libc cannot."""

    def __init__(self, every: int = EVERY) -> None:
        self._every, self._results = every, 0
        # Of glibc alone. Others, such as musl, give freed pages back by themselves or not at all.
        self._trim = getattr(ctypes.CDLL(None), "malloc_trim", None)

    def result_done(self) -> None:
        """Says that one more result is put in place, and its memory freed."""
        self._results += 1
        if self._trim is not None and self._results % self._every == 0:
            self._trim(0)
