"""What has arrived and what became of it, on the disk: a restart goes on where the service was, whatever ended it.

The journal decides who is next and when; marks are the gradebook's. If it is lost, all submissions that are still there
arrive once more, and those that were graded are found to be graded.
"""

import contextlib
import datetime
import os
import sqlite3
import time
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from grading.classroom.service.arrivals import Arrival, Key
from grading.core import errors, names

FILE = ".watch.db"
HOUR_S = 3600.0
# Submissions of a student in an hour on which our grader may fail before they count like those that were graded. Nobody
# should pay for our failures, but whoever knows how to bring one about would otherwise keep the workers busy for good.
FAILURES = 3
_SCHEMA = """
CREATE TABLE IF NOT EXISTS submission (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    place INTEGER NOT NULL, name BLOB NOT NULL, state BLOB NOT NULL, student BLOB NOT NULL, arrived REAL NOT NULL,
    made REAL, outcome TEXT NOT NULL, begun REAL, boot TEXT NOT NULL, begun_at REAL, seconds REAL, said TEXT NOT NULL,
    shown INTEGER NOT NULL, UNIQUE (name, state)
)"""


class Outcome(Enum):
    """What became of a submission."""

    WAITING = "waiting"
    GRADED = "graded"
    KEPT = "graded before, unchanged"
    REPLACED = "replaced by a newer one"
    LATE = "late; an earlier one was on time"
    GONE = "gone before it was graded"
    REFUSED = "not graded"
    ENDED = "not graded: it ended its worker"
    FAILED = "not graded: our failure"


COUNTED = (Outcome.GRADED, Outcome.ENDED)  # among the submissions of an hour
UNSENT = (Outcome.WAITING, Outcome.KEPT, Outcome.REFUSED)  # no worker came to an end with it


@dataclass(frozen=True)
class Entry:
    """One submission in the journal.

    number    in the order of arrival
    place     in line: that of an earlier one of the same student that it replaced, or its number
    arrived   when it was seen, in seconds since 1970; a clock that somebody may set
    made      when it was submitted, by the same clock; None if nobody knows
    begun     when its grading began, in seconds since the machine started, and `boot` which start that was
    begun_at  the same by the other clock
    seconds   from its arrival to its end
    shown     whether its feedback is where the student finds it
    """

    number: int
    place: int
    name: str
    state: str
    student: str
    arrived: float
    made: float | None = None
    outcome: Outcome = Outcome.WAITING
    begun: float | None = None
    boot: str = ""
    begun_at: float | None = None
    seconds: float | None = None
    said: str = ""
    shown: bool = False

    @property
    def key(self) -> Key:
        """What distinguishes it from all others."""
        return self.name, self.state

    def ago_s(self) -> float | None:
        """Seconds since its grading began, by a clock that nobody sets where there is one; None if it has not."""
        if self.begun is None:
            return None
        if self.boot == boot():
            return clock() - self.begun
        return max(0.0, time.time() - self.begun_at)


class Journal:
    """The entries of a course in `root`, each written before it counts."""

    def __init__(self, root: Path) -> None:
        """Errors  CourseError if the file can't be opened; a damaged one is moved away, and `moved` says where."""
        self.moved: Path | None = None
        path = root / FILE
        try:
            self._connection = _opened(path)
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise errors.CourseError(
                    f"{names.path(path)} can't be opened: {error}. Fix that, and start again."
                ) from None
            self.moved = path.with_name(f"{FILE}.damaged-{time.time_ns()}")
            path.rename(self.moved)
            self._connection = _opened(path)
        rows = self._connection.execute("SELECT * FROM submission ORDER BY number")
        self.entries: dict[Key, Entry] = {}
        self._of: dict[str, list[Key]] = {}  # each student's keys
        self._worked: dict[str, dict[int, Entry]] = {}  # each student's that a worker was at, by number: few of those
        self._waiting: dict[Key, Entry] = {}  # few, of all that a student may have written in months
        for entry in map(_entry, rows):
            self._put(entry)
            if entry.outcome is Outcome.WAITING:  # what was at work when the service ended waits again
                self.wait_again(entry)

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()

    def arrived(self, arrival: Arrival, outcome: Outcome = Outcome.WAITING) -> tuple[Entry, list[Entry]]:
        """Notes a submission; one that waits replaces those of the same student that wait, and takes their place.

        Returns its entry, and those that it replaces.
        Errors  sqlite3.Error if it can't be written; then it has not arrived.
        """
        waits = outcome is Outcome.WAITING
        earlier = [e for e in self.waiting() if waits and e.student == arrival.student and e.begun is None]
        place = min((entry.place for entry in earlier), default=None)
        made = seconds(arrival.made)
        with self._connection as connection:
            sql = "INSERT INTO submission VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, NULL, '', NULL, NULL, ?, 0)"
            texts = (*arrival.key, arrival.student)
            values = (place or 0, *map(os.fsencode, texts), time.time(), made, outcome.value, arrival.refused)
            number = connection.execute(sql, values).lastrowid
            if place is None:
                connection.execute("UPDATE submission SET place = number WHERE number = ?", (number,))
            for entry in earlier:
                replaced = (Outcome.REPLACED.value, entry.number)
                connection.execute("UPDATE submission SET outcome = ? WHERE number = ?", replaced)
        for entry in earlier:
            self._put(replace(entry, outcome=Outcome.REPLACED))
        entry = Entry(number, place or number, *texts, *values[4:6], outcome, said=arrival.refused)
        self._put(entry)
        return entry, earlier

    def change(self, entry: Entry, **changes: object) -> Entry:
        """Notes what is new about an entry.

        Errors  sqlite3.Error if it can't be written; then nothing is changed.
        """
        columns = ", ".join(f"{name} = ?" for name in changes)
        values = [value.value if isinstance(value, Outcome) else value for value in changes.values()]
        with self._connection as connection:
            connection.execute(f"UPDATE submission SET {columns} WHERE number = ?", (*values, entry.number))
        changed = replace(self.entries[entry.key], **changes)
        self._put(changed)
        return changed

    def begun(self, entry: Entry) -> Entry:
        """Notes that its grading begins now."""
        return self.change(entry, begun=clock(), boot=boot(), begun_at=time.time())

    def wait_again(self, entry: Entry) -> None:
        """Puts back in line what was begun; on the disk it waits all the while."""
        self._note_work(tried := self.entries[entry.key])
        self._put(replace(tried, begun=None))

    def of(self, student: str) -> list[Entry]:
        """All submissions of a student, in the order of arrival."""
        return [self.entries[key] for key in self._of.get(student, ())]

    def waiting(self) -> list[Entry]:
        """The submissions that are not graded yet, in line."""
        return sorted(self._waiting.values(), key=lambda entry: (entry.place, entry.number))

    def free_in_s(self, student: str, an_hour: int) -> float:
        """Seconds until one more submission of a student may be graded; 0 for now, and without a limit always."""
        if not an_hour:
            return 0.0
        counted: dict[bool, list[float]] = {True: [], False: []}
        for entry in self._worked.get(student, {}).values():
            if (ago := entry.ago_s()) is not None and ago < HOUR_S:
                counted[entry.outcome in COUNTED].append(ago)
        agos = sorted(counted[True] + sorted(counted[False])[FAILURES:])
        return HOUR_S - agos[an_hour - 1] if len(agos) >= an_hour else 0.0

    def _put(self, entry: Entry) -> None:
        if entry.key not in self.entries:
            self._of.setdefault(entry.student, []).append(entry.key)
        self.entries[entry.key] = entry
        if entry.outcome is Outcome.WAITING:
            self._waiting[entry.key] = entry
        else:
            self._waiting.pop(entry.key, None)
        if entry.outcome not in UNSENT:
            self._note_work(entry)

    def _note_work(self, entry: Entry) -> None:
        if entry.begun is not None:
            self._worked.setdefault(entry.student, {})[entry.number] = entry


def seconds(when: datetime.datetime | None) -> float | None:
    """A moment in UTC, without a time zone as nbgrader has it, in seconds since 1970."""
    return None if when is None else when.replace(tzinfo=datetime.UTC).timestamp()


def clock() -> float:
    """Seconds by a clock that nobody sets, and that goes on while the machine sleeps."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def boot() -> str:
    """Which start of the machine that clock counts from; another text for each process where nobody knows."""
    with contextlib.suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return f"process {os.getpid()}"


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    try:
        connection.execute(_SCHEMA)
        (state,) = connection.execute("PRAGMA quick_check").fetchone()
        if state != "ok":
            raise sqlite3.DatabaseError(state)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _entry(row: tuple) -> Entry:
    number, place, name, state, student, *times, outcome, begun, began_in, begun_at, seconds, said, shown = row
    texts = map(os.fsdecode, (name, state, student))  # which a file system may have as bytes that are no text
    return Entry(number, place, *texts, *times, Outcome(outcome), begun, began_in, begun_at, seconds, said, bool(shown))
