"""What the service is doing, for whoever looks: the queue, what was done last, and counts. Names, but no marks."""

import datetime
import threading
import time
from collections.abc import Container, Iterable
from dataclasses import dataclass, field, replace

from grading.classroom.service.journal import Entry
from grading.classroom.service.waiting_line import Place
from grading.core import names

LAST = 50  # submissions that are done and still shown


@dataclass(frozen=True)
class Waiting:
    """A submission in line: its place, and the seconds until its feedback is expected, or when it may be graded."""

    student: str
    arrived: float
    place: int
    expected_s: float | None = None
    not_before: float | None = None
    alone: bool = False


@dataclass(frozen=True)
class AtWork:
    """A submission that is being graded."""

    student: str
    arrived: float
    since: float


@dataclass(frozen=True)
class Done:
    """A submission that has come to its end: what became of it, and how long after it arrived."""

    student: str
    arrived: float
    outcome: str
    said: str
    seconds: float | None


@dataclass(frozen=True)
class Status:
    """A moment of the service.

    trouble   what keeps it from going on, in a line that may hold names; empty: nothing
    kind      the same in words without any
    counts    by outcome, since it started
    looked    when it last looked for submissions, by `time.monotonic`
    """

    title: str
    workers: int
    started: float
    ready: bool = False
    trouble: str = ""
    kind: str = ""
    waiting: tuple[Waiting, ...] = ()
    at_work: tuple[AtWork, ...] = ()
    done: tuple[Done, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    looked: float = field(default_factory=time.monotonic)

    def of(self, student: str) -> "Status":
        """The same as far as one student may see it: places in line, but nobody else's name."""
        mine = {
            name: tuple(each for each in getattr(self, name) if each.student == student)
            for name in ("waiting", "at_work", "done")
        }
        return replace(self, trouble=self.kind, **mine)


class Board:
    """The status as of now, which one thread writes and others read."""

    def __init__(self, status: Status) -> None:
        self._lock, self._status = threading.Lock(), status
        self._times: list[float] = []  # seconds from arrival to feedback, since the last look of the metrics

    def read(self) -> Status:
        """The newest status."""
        with self._lock:
            return self._status

    def write(self, **changes: object) -> None:
        """Changes what is named."""
        with self._lock:
            self._status = replace(self._status, **changes)

    def show(self, places: Iterable[Place], work: dict[str, Entry], aside: Container[str]) -> None:
        """Puts up who waits in which place, and who is at work or set aside, by student."""
        line = [
            Waiting(names.short(p.entry.student), p.entry.arrived, p.number, p.expected_s, p.not_before) for p in places
        ]
        for entry in work.values():
            if entry.student in aside:
                line.append(Waiting(names.short(entry.student), entry.arrived, len(line) + 1, alone=True))
        busy = [entry for entry in work.values() if entry.student not in aside]
        at_work = tuple(AtWork(names.short(entry.student), entry.arrived, entry.begun_at) for entry in busy)
        self.write(waiting=tuple(line), at_work=at_work)

    def add(self, done: Done, counted: str) -> None:
        """Adds one that is done, counted under its outcome."""
        with self._lock:
            counts = {**self._status.counts, counted: self._status.counts.get(counted, 0) + 1}
            self._status = replace(self._status, done=(done, *self._status.done)[:LAST], counts=counts)
            if done.seconds is not None:
                self._times.append(done.seconds)

    def new_times(self) -> list[float]:
        """Seconds from arrival to end, of those done since this was asked last."""
        with self._lock:
            found, self._times = self._times, []
            return found


def in_utc(seconds: float) -> str:
    """A moment as people read it."""
    return f"{datetime.datetime.fromtimestamp(seconds, datetime.UTC):%Y-%m-%d %H:%M:%S}"
