"""A class at once: every hand-in through nbgrader and the judge on Dask's workers, and into the gradebook here.

The parent reads hand-ins, sends them, and merges what comes back; it parses nothing that a student wrote. What has been
graded and is unchanged is left alone, so that a run that was stopped goes on where it was.
"""

import contextlib
import errno
import json
import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from distributed import KilledWorker
from nbgrader.api import MissingEntry
from sqlalchemy import Engine, make_url
from sqlalchemy.exc import DBAPIError

from grading import course, courses, crowd, definition, intake, marks, merge, names, packed, progress, rows, worker
from grading import times as handed_in

TRIES = 3  # of a hand-in that is replaced, or marked by hand, while it is graded
TICK_S = 0.5
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
CLOSED = (errno.EROFS, errno.EACCES, errno.EPERM)


@dataclass(frozen=True)
class Graded:
    """What became of one student: notices, parts we failed to mark, an error of ours, limits that struck, seconds.

    `kept` says that it was graded before and is unchanged.
    """

    student: str
    notices: list[intake.Notice] = field(default_factory=list)
    unmarked: list[str] = field(default_factory=list)
    error: str = ""
    seconds: float = 0.0
    struck: list[str] = field(default_factory=list)
    kept: bool = False


@dataclass(frozen=True)
class _Task:
    """A hand-in as it was sent: with the student's rows, and the hash of all that its marks depend on."""

    hand_in: packed.HandIn
    before: rows.Rows
    key: str
    tries: int = 1


def grade_class(
    root: Path, workers: int | None = None, scheduler: str | None = None, quiet: bool = False, force: bool = False
) -> list[Graded]:
    """Grades all hand-ins of the course in `root`, writes feedback and marks.csv, prints progress and the marks.

    Errors  CourseError if there is nothing to grade, the course cannot be read, or the disk is full.
    """
    students = courses.students(root)
    with _told(root), courses.alone(root):
        _register(root)
        results, started, shown = [], time.monotonic(), progress.Progress(len(students), quiet)
        try:
            for result in graded(root, students, workers, scheduler=scheduler, force=force, tick=shown.tick):
                results.append(result)
                bad = bool(result.error or result.unmarked)
                shown.add(line(result), failed=bad, kept=result.kept)
        except KeyboardInterrupt:
            done = sum(not result.error for result in results)
            raise KeyboardInterrupt(f"{done} of {len(students)} students are graded and kept.") from None
        finally:
            shown.end()
        with courses.gradebook(root) as book:
            table = marks.read(book)
        marks.write_csv(table, root / "marks.csv")
    if not quiet:
        print("\n" + marks.table(table))
    _print_notices(results, quiet)
    if not quiet:
        _print_summary(results, time.monotonic() - started)
        print(f"\nmarks      {courses.shown(root / 'marks.csv')}")
        print(f"feedback   {courses.shown(root / 'feedback')}/STUDENT/{course.ASSIGNMENT}/index.html and its pages")
    return results


def graded(
    root: Path,
    students: list[str],
    workers: int | None = None,
    feedback: bool = True,
    scheduler: str | None = None,
    force: bool = True,
    tick: Callable[[], None] = lambda: None,
) -> Iterator[Graded]:
    """The results of all students, in the order in which they are ready; `workers` at once, one a core by default.

    Without `force`, what is graded and unchanged is not graded again. `tick` is called about twice a second.
    Errors  CourseError if the workers are others than ours, or the scheduler is gone; OSError and DBAPIError if
            the disk is full or the gradebook cannot be written.
    """
    workers = max(1, min(workers or os.cpu_count() or 1, len(students)))
    merge.clean(root)
    with _opened(root) as engine, crowd.Crowd(workers, scheduler) as team:
        waiting = _Waiting(root, engine, definition.read(root, engine), feedback, force)
        todo, ready = deque(students), None
        while todo or ready or team.busy:
            while todo and team.room > 0:  # before the merging, so that no worker waits for it
                found = waiting.begin(todo.popleft())
                if isinstance(found, Graded):
                    yield found
                else:
                    waiting.send(team, found)
            if ready and (result := waiting.settle(team, *ready)) is not None:
                yield result
            tick()
            ready = team.next(TICK_S) if team.busy else None


def grade_student(root: Path, student: str, feedback: bool = True) -> Graded:
    """Grades one hand-in in this process, whether it is graded already or not."""
    with _opened(root) as engine:
        given = definition.read(root, engine)
        waiting = _Waiting(root, engine, given, feedback, force=True)
        found = waiting.begin(student)
        while isinstance(found, _Task):
            found = waiting.settled(found, worker.grade(given, found.hand_in, found.before, feedback))
        return found


class _Waiting:
    """The hand-ins that are being graded, from reading one to merging its marks."""

    def __init__(self, root: Path, engine: Engine, given: definition.Definition, feedback: bool, force: bool) -> None:
        self._root, self._engine, self._given, self._feedback, self._force = root, engine, given, feedback, force
        self._tasks: dict[str, _Task] = {}

    def begin(self, student: str, tries: int = 1) -> _Task | Graded:
        """A hand-in as it is to be sent, or what became of it where there is nothing to send."""
        if why := names.trouble(student):
            return Graded(student, error=why)
        folder = self._root / "submitted" / student / course.ASSIGNMENT
        try:
            hand_in = packed.read(student, folder, handed_in.text(self._root, student))
        except OSError as error:
            return Graded(student, error=f"the hand-in cannot be read: {error.strerror}.")
        if not hand_in.notebooks:
            found = intake.notices(student, folder, self._root / "release" / course.ASSIGNMENT)
            return Graded(student, found, error="no notebook was handed in.")
        before = merge.before(self._engine, student)
        key = f"{self._given.digest} {hand_in.digest}"
        if not self._force:
            notices = merge.noted(self._root, self._engine, student, key, self._feedback)
            if notices is not None:
                return Graded(student, notices, kept=True)
        return _Task(hand_in, before, key, tries)

    def send(self, team: crowd.Crowd, task: _Task) -> None:
        """Gives a task to the workers."""
        student = task.hand_in.student
        self._tasks[student] = task
        team.submit(student, worker.grade, self._given, task.hand_in, task.before, self._feedback)

    def settle(self, team: crowd.Crowd, student: str, found: object) -> Graded | None:
        """What became of a task; None if it is sent once more.

        Errors  as in `graded`.
        """
        task = self._tasks.pop(student)
        if isinstance(found, worker.Other):
            raise courses.CourseError(str(found))
        if isinstance(found, KilledWorker):
            if team.shared and task.tries == 1:  # it may only have waited behind another one there
                self.send(team, replace(task, tries=2))
                return None
            return Graded(student, error="every worker that graded it ended. Is it too large for their memory?")
        if isinstance(found, Exception):
            return Graded(student, error=f"{type(found).__name__}: {found}")
        again = self.settled(task, found)
        if isinstance(again, _Task):
            self.send(team, again)
            return None
        return again

    def settled(self, task: _Task, result: worker.Result) -> Graded | _Task:
        """What became of a result, merged; or the task to be done once more, because what was graded has changed."""
        student = result.student
        if result.after is None:
            return Graded(student, result.notices, error=result.error, seconds=result.seconds)
        try:
            merge.merge(self._root, self._engine, result, task.before, task.hand_in, task.key)
        except merge.Changed as changed:
            if task.tries < TRIES:
                return self.begin(student, task.tries + 1)
            return Graded(student, result.notices, error=f"{changed}, {TRIES} times. Grade again.")
        except OSError as error:
            if error.errno in FULL:
                raise
            return Graded(student, result.notices, error=f"its marks cannot be written: {error}")
        return Graded(student, result.notices, result.unmarked, result.error, result.seconds, result.struck)


def line(result: Graded) -> str:
    """A line about one student, with the student's name."""
    return f"{names.printable(result.student, names.SHOWN)}: {names.printable(outcome(result))}"


def outcome(result: Graded) -> str:
    """What became of one student, in a line."""
    if result.error:
        return f"not graded. {result.error}"
    if result.unmarked:
        return f"{', '.join(result.unmarked)} not marked: the marking program failed. Grade again."
    if result.kept:
        return "graded before, unchanged"
    seen = f", {len(result.notices)} to look at" if result.notices else ""
    return f"graded in {result.seconds:.0f} s{seen}"


def _register(root: Path) -> None:
    """Tells the gradebook about the assignment, unless it knows of it as it stands in source/ and release/."""
    stamp = root / "autograded" / ".registered.json"
    with _opened(root) as engine:
        with contextlib.suppress(OSError, ValueError, DBAPIError, MissingEntry):
            if json.loads(stamp.read_text(encoding="utf-8")) == _registered(root, engine):
                return
        courses.register(root)
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(json.dumps(_registered(root, engine)), encoding="utf-8")


def _registered(root: Path, engine: Engine) -> list[str]:
    return [definition.sources(root), definition.read(root, engine).digest]


@contextlib.contextmanager
def _told(root: Path) -> Iterator[None]:
    """Says in a line what cannot be written."""
    try:
        yield
    except (OSError, DBAPIError) as error:
        if isinstance(error, OSError) and error.errno not in FULL + CLOSED:
            raise
        reason = error.strerror if isinstance(error, OSError) else str(error.orig).strip().splitlines()[0]
        raise courses.CourseError(
            f"the course in {courses.shown(root)} cannot be written: {reason}. "
            "No mark is lost: mend that, and run this again to go on."
        ) from None


@contextlib.contextmanager
def _opened(root: Path) -> Iterator[Engine]:
    """The course's gradebook.

    Errors  CourseError if it cannot be reached.
    """
    url = courses.database(root)
    engine = rows.engine(url)
    try:
        engine.connect().close()
    except DBAPIError as error:
        shown, reason = make_url(url).render_as_string(), str(error.orig).strip().splitlines()[0]
        raise courses.CourseError(f"the gradebook {shown} cannot be opened: {reason}") from None
    try:
        yield engine
    finally:
        engine.dispose()


def _print_notices(results: list[Graded], quiet: bool) -> None:
    ordered = sorted(results, key=lambda result: result.student)
    lines = [line(r) for r in ordered if r.error or r.unmarked]
    if quiet:
        for each in lines:
            print(each)
        return
    lines = [names.printable(str(notice)) for result in ordered for notice in result.notices] + lines
    if lines:
        print("\nTo look at:")
        for each in lines:
            print(f"  {each}")


def _print_summary(results: list[Graded], seconds: float) -> None:
    failed = sum(bool(r.error or r.unmarked) for r in results)
    taken = {r.student: r.seconds for r in results if not (r.error or r.unmarked or r.kept)}
    struck, kept = {r.student: r.struck for r in results}, sum(r.kept for r in results)
    print("", *map(names.printable, progress.summary(seconds, taken, struck, kept, failed)), sep="\n")
