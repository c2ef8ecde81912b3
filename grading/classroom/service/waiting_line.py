"""The line of those that wait: who is next, from when on, and when to expect feedback."""

import statistics
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from grading.classroom.service.journal import Entry, Journal

USUAL_S = 5.0  # for a submission, until some were graded
LAST = 20  # submissions whose times say how long the next ones take


@dataclass(frozen=True)
class Place:
    """A submission that waits: its place from 1 on, seconds until feedback is expected, and until it may be graded."""

    entry: Entry
    number: int
    expected_s: float
    free_in_s: float

    @property
    def not_before(self) -> float | None:
        """From when on it may be graded, in seconds since 1970; None for now."""
        return time.time() + self.free_in_s if self.free_in_s else None


class Line:
    """The entries of a journal that wait and are not at work."""

    def __init__(self, journal: Journal, an_hour: int, workers: int) -> None:
        self._journal, self._an_hour, self._workers = journal, an_hour, workers
        self._took_s: deque[float] = deque([USUAL_S], maxlen=LAST)

    def took(self, seconds: float) -> None:
        """Notes how long one was at work."""
        self._took_s.append(seconds)

    def next_ones(self) -> Iterator[Entry]:
        """The entries that may be graded now, in order; each is looked at when it is asked for."""
        for entry in self._journal.waiting():
            if entry.begun is None and not self._journal.free_in_s(entry.student, self._an_hour):
                yield entry

    def places(self) -> Iterator[Place]:
        """All that wait, in order; a student who has used up an hour's submissions keeps the place, and others pass."""
        usual, before = statistics.median(self._took_s), 0
        entries = self._journal.waiting()
        at_work = any(entry.begun is not None for entry in entries)
        for number, entry in enumerate((entry for entry in entries if entry.begun is None), start=1):
            free_s = self._journal.free_in_s(entry.student, self._an_hour)
            rounds = before // self._workers + 1 + at_work
            yield Place(entry, number, max(free_s, rounds * usual), free_s)
            before += not free_s
