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
from pathlib import Path

from nbgrader.api import MissingEntry
from sqlalchemy import Engine, make_url
from sqlalchemy.exc import DBAPIError

from grading import (
    at_work,
    course,
    courses,
    crowd,
    definition,
    marks,
    merge,
    messages,
    names,
    progress,
    rows,
    waiting,
    worker,
)
from grading.waiting import Graded, Task, Waiting

TICK_S = 0.5
CLOSED = (errno.EROFS, errno.EACCES, errno.EPERM)


def grade_class(
    root: Path,
    workers: int | None = None,
    scheduler: str | None = None,
    quiet: bool = False,
    force: bool = False,
    student: str | None = None,
) -> list[Graded]:
    """Grades all hand-ins of the course in `root`, writes feedback and marks.csv, prints progress and the marks.

    With `student` that submission alone is graded, whatever happened to it before.

    Errors  CourseError if there is nothing to grade, the course cannot be read, or the disk is full.
    """
    students = courses.students(root, student)
    with _told(root), courses.alone(root):
        _register(root)
        results, started, shown = [], time.monotonic(), progress.Progress(len(students), quiet)
        try:
            for result in graded(
                root, students, workers, scheduler=scheduler, force=force, tick=shown.tick, say=shown.say, asked=student
            ):
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
    say: Callable[[str], None] = lambda line: None,
    asked: str | None = None,
) -> Iterator[Graded]:
    """The results of all students, in the order in which they are ready; `workers` at once, one a core by default.

    Without `force`, what is graded and unchanged is not graded again. `tick` is called about twice a second, `say`
    with a line about a submission that is set aside. One that has ended a run or a worker is graded last and alone,
    one that has ended two runs only if it is the one asked for.
    Errors  CourseError if the workers are others than ours, or the scheduler is gone; OSError and DBAPIError if
            the disk is full or the gradebook cannot be written.
    """
    workers = max(1, min(workers or os.cpu_count() or 1, len(students)))
    merge.clean(root)
    with _opened(root) as engine, at_work.Notes(root) as notes, crowd.Crowd(workers, scheduler) as team:
        line_up = Waiting(root, engine, definition.read(root, engine), feedback, force, notes, say, asked)
        todo, ready = deque(students), None
        while todo or ready or team.busy or line_up.aside:
            while todo and team.room > 0:  # before the merging, so that no worker waits for it
                if (found := line_up.begin_or_set_aside(team, todo.popleft())) is not None:
                    yield found
            if ready and (result := line_up.settle(team, *ready)) is not None:
                yield result
            if not (todo or team.busy) and line_up.aside and (found := line_up.begin_alone(team)) is not None:
                yield found
            line_up.note(team)
            tick()
            ready = team.next(TICK_S) if team.busy else None


def grade_student(root: Path, student: str, feedback: bool = True) -> Graded:
    """Grades one hand-in in this process, whether it is graded already or not."""
    with _opened(root) as engine:
        given = definition.read(root, engine)
        line_up = Waiting(root, engine, given, feedback, True, at_work.Notes(root))
        found = line_up.begin(student)
        while isinstance(found, Task):
            found = line_up.settled(found, worker.grade(given, found.hand_in, found.before, feedback))
        return found


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
        if isinstance(error, OSError) and error.errno not in waiting.FULL + CLOSED:
            raise
        reason = error.strerror if isinstance(error, OSError) else str(error.orig).strip().splitlines()[0]
        raise courses.CourseError(
            f"the course in {courses.shown(root)} cannot be written: {reason}. "
            "No mark is lost: fix that, and run this again to go on."
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
    asides = [f"{names.printable(r.student)}: {messages.was_aside(r.aside)}" for r in ordered if r.aside]
    lines = [names.printable(str(notice)) for result in ordered for notice in result.notices] + asides + lines
    if lines:
        print("\nTo look at:")
        for each in lines:
            print(f"  {each}")


def _print_summary(results: list[Graded], seconds: float) -> None:
    failed = sum(bool(r.error or r.unmarked) for r in results)
    taken = {r.student: r.seconds for r in results if not (r.error or r.unmarked or r.kept)}
    struck, kept = {r.student: r.struck for r in results}, sum(r.kept for r in results)
    print("", *map(names.printable, progress.summary(seconds, taken, struck, kept, failed)), sep="\n")
