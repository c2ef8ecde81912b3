"""Who is being graded right now, noted on the disk, so that the next run knows during whose grading this one ended.

A submission has a note from when it is sent to a worker until it is settled. Whatever ends the run in between, kill -9
and a power cut included, leaves the note. Its count says how many runs ended that way with these very files: after one,
the submission is graded last and alone; after LIMIT, not at all until it changes or is asked for by name.

A note also stays of a submission whose notebook the system has killed although nothing else was being graded. It ended
no run, so each later run tries it again: last and alone, so that it takes nobody else along.
"""

import contextlib
import json
import os
import time
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from grading.core import errors, limits
from grading.core.files import write_whole

LIMIT = 2  # runs that one submission may end
NAME = ".at-work.json"
# Exceptions that end a run and say nothing about whoever's result was being merged.
INNOCENT = (KeyboardInterrupt, GeneratorExit, errors.CourseError, OSError, DBAPIError)


@dataclass(frozen=True)
class Note:
    """What a note says of the files with this digest: how many runs they ended, and in how many they were killed."""

    digest: str
    ended: int = 0
    killed: int = 0


class Notes:
    """The notes of one course, kept by one run; leaving the block in order takes back those that mean nothing."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._found: dict[str, Note | None] = {}  # an earlier run's notes
        self._since: dict[str, float] = {}
        self.settling: str | None = None  # whose result is being merged

    def __enter__(self) -> "Notes":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """After Ctrl-C or an error of ours, suspects only submissions at work for longer than one may take."""
        suspect = None if kind is None or issubclass(kind, INNOCENT) else self.settling
        for student, since in list(self._since.items()):
            # A submission whose notebooks may take 30 min together has either used that up by now or is stuck.
            if student != suspect and time.monotonic() - since <= limits.STUDENT_LIMIT_S:
                self._take_back(student)

    def ended(self, student: str, digest: str) -> int:
        """How many runs ended while this submission was being graded; 0 for one that has changed since."""
        return self._of(student, digest).ended

    def killed(self, student: str, digest: str) -> int:
        """In how many runs in a row the system killed this submission although nothing else was being graded."""
        return self._of(student, digest).killed

    def _of(self, student: str, digest: str) -> Note:
        if student not in self._found:
            self._found[student] = _read(self._path(student))
        found = self._found[student]
        return found if found is not None and found.digest == digest else Note(digest)

    def begun(self, student: str, digest: str) -> None:
        """Notes that a submission is at work: if nothing else is ever written, it has ended one run more.

        Errors  OSError if the disk is full or closed.
        """
        self._since[student] = time.monotonic()
        found = self._of(student, digest)
        _write(self._path(student), replace(found, ended=found.ended + 1))

    def settled(self, student: str) -> None:
        """Forgets a submission: it has come to an end, good or bad."""
        self._since.pop(student, None)
        self._found[student] = None
        _remove(self._path(student))

    def was_killed(self, student: str, digest: str) -> int:
        """Notes that the system has killed it once more, alone; in how many runs in a row it has.

        Errors  OSError if the disk is full or closed.
        """
        self._since.pop(student, None)
        note = Note(digest, killed=self.killed(student, digest) + 1)
        self._found[student] = note
        _write(self._path(student), note)
        return note.killed

    def lost(self, student: str) -> None:
        """Leaves the note of a submission that has ended its worker and won't be tried again in this run."""
        self._since.pop(student, None)

    def _take_back(self, student: str) -> None:
        """Puts the note back as an earlier run left it."""
        found = self._found.get(student)
        with contextlib.suppress(OSError):  # then it is a suspect, at the price of being graded last
            if found is None:
                _remove(self._path(student))
            else:
                _write(self._path(student), found)

    def _path(self, student: str) -> Path:
        return self._root / "autograded" / student / NAME


def _read(path: Path) -> Note | None:
    """A note; None if there is none."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        note = json.loads(path.read_text(encoding="utf-8"))
        return Note(str(note["submission"]), int(note["ended"]), int(note.get("killed", 0)))
    return None


def _write(path: Path, note: Note) -> None:
    """Writes a note so that it is there whole or not at all, after a power cut too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    said = {"submission": note.digest, "ended": note.ended, "killed": note.killed}
    try:
        write_whole(path, json.dumps(said), durable=True)
    except OSError:
        _remove_empty(path.parent)
        raise
    for folder in (path.parent, path.parent.parent):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    _remove_empty(path.parent)


def _remove_empty(folder: Path) -> None:
    with contextlib.suppress(OSError):  # that of a student who has been graded is not empty
        folder.rmdir()
