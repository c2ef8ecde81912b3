"""The submissions of one run on their way: read, sent to the workers, set aside, merged.

A submission that ended the last run, or a worker of this one, or whose notebook the system killed, is set aside: it is
graded once more, after all the others, and alone.
"""

import itertools
import pickle
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from distributed import KilledWorker
from sqlalchemy import Engine

from grading.classroom import cluster, crash_notes, inputs, memory_messages, merge, pickled_call, worker
from grading.classroom.heap import Heap
from grading.classroom.shared_files import SharedFiles
from grading.core import errors, messages, names
from grading.core.course import Course
from grading.gradebook import snapshot
from grading.submission import bundle, misplaced, notices, times
from grading.submission.notices import Notice

TRIES = 3  # of a submission that is replaced, or marked by hand, while it is graded


@dataclass(frozen=True)
class Graded:
    """What became of one student: notices, parts we failed to mark, an error of ours, limits that struck, seconds.

    `kept` says that it was graded before and is unchanged; `aside` why it was graded last and alone; `ended` that it
    ended its worker, or the system its notebook, even then; `failures` why we failed to mark parts, for an instructor
    alone.
    """

    student: str
    notices: list[Notice] = field(default_factory=list)
    unmarked: list[str] = field(default_factory=list)
    error: str = ""
    seconds: float = 0.0
    struck: list[str] = field(default_factory=list)
    kept: bool = False
    aside: str = ""
    failures: list[str] = field(default_factory=list)
    ended: bool = False


@dataclass(frozen=True)
class Task:
    """A submission as it was sent: with the student's rows, and the hash of all that its marks depend on."""

    submission: bundle.Submission
    before: snapshot.Rows
    key: str
    tries: int = 1
    ended: int = 0  # runs that ended while it was graded
    note: merge.Note = field(default_factory=dict)  # with the written answers that marks by hand may be about
    file: Path | None = None  # in which it waits for a worker of this machine


class TaskQueue:
    """The submissions that are being graded, from reading one to merging its marks."""

    def __init__(
        self,
        root: Path,
        course: Course,
        engine: Engine,
        given: inputs.Inputs,
        feedback: bool,
        force: bool,
        notes: crash_notes.Notes,
        say: Callable[[str], None] = lambda line: None,
        asked: str | None = None,
        runs: int = crash_notes.LIMIT,
    ) -> None:
        """`runs` is how many runs a submission may end before it is graded only if it is asked for by name."""
        self._root, self._course, self._engine, self._given = root, course, engine, given
        self._feedback, self._force = feedback, force
        self._notes, self._say, self._asked, self._runs = notes, say, asked, runs
        self._tasks: dict[str, Task] = {}
        self._unnoted: list[Task] = []
        self._numbers = itertools.count()
        self.aside: dict[str, str] = {}  # who is still to be graded, alone, and why
        self._alone: dict[str, str] = {}  # who has been sent alone, and why
        self._passed: set[str] = set()  # who has been sent while others were set aside
        self._heap = Heap()
        self._shared = SharedFiles(given, course.name)

    def begin_or_set_aside(self, team: cluster.Workers, student: str) -> Graded | None:
        """Sends a submission to the workers, or sets it aside; what became of it, where there is nothing to send."""
        found = self.begin(student)
        if isinstance(found, Graded):
            return self._settled(found)
        if found.ended and student != self._asked:
            if found.ended >= self._runs:
                return Graded(student, error=messages.ended_runs(names.printable(student)))
            self._set_aside(student, messages.ENDED_RUN)
            return None
        if (times := self._notes.killed(student, found.submission.digest)) and student != self._asked:
            self._set_aside(student, memory_messages.killed_before(times))
            return None
        self.send(team, found)
        return None

    def begin_alone(self, team: cluster.Workers) -> Graded | None:
        """Sends the next of those set aside; only when nobody else is at work."""
        student = next(iter(self.aside))
        self._alone[student] = self.aside.pop(student)
        self._passed.clear()
        found = self.begin(student)
        if isinstance(found, Graded):
            return self._settled(found)
        self.send(team, found)
        return None

    def may_pass(self, student: str) -> bool:
        """Whether a student may be graded before those set aside: not twice, or they would wait as long as one student
        submits.
        """
        return not self.aside or student not in self._passed

    def note(self, team: cluster.Workers) -> None:
        """Notes who is at work, unless there is nobody yet who could work on it."""
        if self._unnoted and team.manned:
            for task in self._unnoted:
                self._notes.begun(task.submission.student, task.submission.digest)
            self._unnoted.clear()

    def _set_aside(self, student: str, why: str) -> None:
        self.aside[student] = why
        self._say(f"{names.short(student)}: {messages.set_aside(why)}")

    def _settled(self, result: Graded) -> Graded:
        """A result that stands, with why it was set aside."""
        self._notes.settled(result.student)
        self._heap.result_done()
        return replace(result, aside=self._alone.pop(result.student, ""))

    def begin(self, student: str, tries: int = 1) -> Task | Graded:
        """A submission as it is sent, or what became of it where there is nothing to send."""
        if why := names.trouble(student):
            return Graded(student, error=why)
        submitted = self._root / "submitted"
        folder, where = submitted / student / self._course.name, names.path(submitted)
        if why := misplaced.linked(folder):
            return Graded(student, error=why)
        if (place := misplaced.beside(submitted / student, self._course)) is not None:
            return Graded(student, error=misplaced.reason(where, student, place, self._course))
        try:
            submission = bundle.read(student, folder, self._course, times.text(self._root, student))
        except OSError as error:
            return Graded(student, error=_unreadable(error, folder))
        if submission.notebooks.isdisjoint(self._course.stems):
            found = notices.of_files(student, folder, self._course)
            why = messages.no_part(self._course.stems[0]) if submission.notebooks else messages.NO_NOTEBOOK
            place = misplaced.below(folder, self._course)
            if place is not None:
                why = misplaced.reason(where, student, f"{self._course.name}/{place}", self._course)
            return Graded(student, found, error=why)
        before = merge.before(self._engine, self._course, student)
        key = f"{self._given.digest} {submission.digest}"
        note = merge.read_note(self._root, self._course, student)
        if not self._force:
            noted = merge.noted(note, self._root, self._course, self._engine, student, key, self._feedback)
            if noted is not None:
                return Graded(student, noted, kept=True)
        ended = self._notes.ended(student, submission.digest)
        return Task(submission, before, key, tries, ended, note)

    def send(self, team: cluster.Workers, task: Task, whole: bool = False) -> None:
        """Gives a task to the workers; `whole` with all that they have been given before."""
        student, rest = task.submission.student, (task.before, self._feedback, merge.written(task.note))
        file = team.folder and team.folder / f"{next(self._numbers)}.submission"
        self._tasks[student] = task = replace(task, file=file)
        if self.aside:
            self._passed.add(student)
        self._unnoted.append(task)
        self.note(team)
        given = self._given
        if file is not None:
            with file.open("wb") as opened:
                pickle.dump(task.submission, opened, pickle.HIGHEST_PROTOCOL)
            team.submit(student, worker.from_file, file, worker.grade, given.in_file(team.folder), *rest)
        else:
            team.share(given.archived, inputs.keep, given.archived, given.archive)
            team.submit(student, worker.grade, given if whole else given.without_archive(), task.submission, *rest)

    def settle(self, team: cluster.Workers, student: str, found: object) -> Graded | None:
        """What became of a task; None if it is sent once more.

        Errors  as in `class_run.graded`.
        """
        task = self._tasks.pop(student)
        if task.file is not None:
            task.file.unlink(missing_ok=True)
        self._unnoted = [other for other in self._unnoted if other is not task]
        if isinstance(found, worker.OtherProgram):
            raise errors.CourseError(str(found))
        if isinstance(found, pickled_call.UNREADABLE):
            raise errors.CourseError(messages.unreadable(f"{type(found).__name__}: {found}"))
        if isinstance(found, inputs.NotKept):  # it has joined since they were shared
            self.send(team, task, whole=True)
            return None
        if isinstance(found, KilledWorker):
            self._notes.lost(student)
            if self._alone.pop(student, None):  # its note stays: the next run sets it aside
                return Graded(student, error=messages.ENDED_WORKERS, ended=True)
            self._set_aside(student, messages.ENDED_WORKER)
            return None
        if isinstance(found, Exception):
            return self._settled(Graded(student, error=f"{type(found).__name__}: {found}"))
        if found.killed and student not in self._alone:
            self._set_aside(student, memory_messages.KILLED_AMONG_OTHERS)
            return None
        self._notes.settling = student
        again = self.settled(task, found)
        self._notes.settling = None
        if isinstance(again, Task):
            self.send(team, again)
            return None
        if found.killed:
            times = self._notes.was_killed(student, task.submission.digest)
            why, aside = memory_messages.killed_alone(names.printable(student), times), self._alone.pop(student)
            return replace(again, error=why, aside=aside, ended=True)
        return self._settled(again)

    def settled(self, task: Task, result: worker.Result) -> Graded | Task:
        """What became of a result, merged; or the task to be done once more, because what was graded has changed."""
        student = result.student
        if result.after is None:
            return Graded(student, result.notices, error=result.error, seconds=result.seconds)
        try:
            was, sent, place = task.before, task.submission, (self._root, self._course, self._engine)
            merge.merge(*place, result, was, sent, task.key, self._shared, task.note)
        except merge.Changed as changed:
            if task.tries < TRIES:
                return self.begin(student, task.tries + 1)
            return Graded(student, result.notices, error=f"{changed}, {TRIES} times. Grade again.")
        except OSError as error:
            if error.errno in errors.FULL:
                raise
            return Graded(student, result.notices, error=f"its marks cannot be written: {error}")
        return Graded(
            student,
            result.notices,
            result.unmarked,
            result.error,
            result.seconds,
            result.struck,
            failures=result.failures,
        )


def _unreadable(error: OSError, folder: Path) -> str:
    """Why a submission is not graded, whose folder, or a file in it, could not be read."""
    closed = names.path(Path(error.filename or folder))
    return f"{closed} cannot be read: {error.strerror}. Make it readable for this account, and grade again."
