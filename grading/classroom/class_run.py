"""A class at once: every submission through nbgrader and the judge on Dask's workers, and into the gradebook here.

The parent reads submissions, sends them, and merges what comes back; it parses nothing that a student wrote. What has
been graded and is unchanged is left alone, so that a run that was stopped goes on where it was.
"""

import contextlib
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from grading.classroom import (
    cluster,
    crash_notes,
    inputs,
    lock,
    memory_messages,
    merge,
    progress,
    registration,
    worker,
)
from grading.classroom.task_queue import Graded, TaskQueue
from grading.core import errors, find_course, limits, messages, names
from grading.core.course import Course
from grading.gradebook import course_folder, marks, trouble
from grading.submission import misplaced, notices, times

TICK_S = 0.5


def grade_class(
    root: Path,
    workers: int | None = None,
    scheduler: str | None = None,
    quiet: bool = False,
    force: bool = False,
    student: str | None = None,
    assignment: str = "",
) -> list[Graded]:
    """Grades all submissions of the course in `root`, writes feedback and marks.csv, prints progress and the marks.

    With `student` that submission alone is graded, whatever happened to it before; `assignment` says which one is
    meant where the folder holds several.

    Errors  CourseError if there is nothing to grade, the course cannot be read, or the disk is full, or, without
            `force`, if the gradebook or the secret of earlier marks is gone; as `register`.
    """
    course, students = course_folder.course(root, assignment), course_folder.students(root, student, assignment)
    with _as_course_error(root), lock.alone(root), cluster.Workers(_count(workers, students), scheduler) as team:
        if not quiet and (said := memory_messages.small_machine()):
            print(said)
        if not force:
            registration.refuse_mistakes(root, course)
        register(root, assignment, team)
        results, started, shown = [], time.monotonic(), progress.Progress(len(students), quiet)
        try:
            settings = {"force": force, "asked": student, "assignment": assignment, "team": team}
            for result in graded(root, students, tick=shown.tick, say=shown.say, **settings):
                results.append(result)
                shown.add(line(result), failed=bool(problem(result)), kept=result.kept)
        except KeyboardInterrupt:
            done = sum(not result.error for result in results)
            raise KeyboardInterrupt(f"{done} of {len(students)} students are graded and kept.") from None
        finally:
            shown.end()
        with course_folder.gradebook(root) as book:
            table = marks.read(book, course)
        marks.write_csv(table, course, root / "marks.csv")
    if not quiet:
        print("\n" + marks.table(table, course))
    _print_notices(root, results, course, quiet)
    if not quiet:
        _print_end(root, results, course, time.monotonic() - started)
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
    assignment: str = "",
    team: cluster.Workers | None = None,
) -> Iterator[Graded]:
    """The results of all students, in the order in which they are ready; `workers` at once, by default one per core.

    They are ended at the end, but for those of a `team` that is given.

    Without `force`, what is graded and unchanged is not graded again. `tick` is called about twice a second, `say`
    with a line about a submission that is set aside. One that has ended a run or a worker is graded last and alone,
    one that has ended two runs only if it is the one asked for.
    Errors  CourseError if the workers are others than ours, or the scheduler is gone; OSError and DBAPIError if
            the disk is full or the gradebook cannot be written.
    """
    course = course_folder.course(root, assignment)
    merge.clean(root, course.name)
    with contextlib.ExitStack() as at_end:
        engine = at_end.enter_context(course_folder.engine(root))
        notes = at_end.enter_context(crash_notes.Notes(root))
        team = team or at_end.enter_context(cluster.Workers(_count(workers, students), scheduler))
        given = inputs.read(root, engine, assignment)
        queue = TaskQueue(root, course, engine, given, feedback, force, notes, say, asked)
        todo, ready = deque(students), None
        while todo or ready or team.busy or queue.aside:
            while todo and team.room > 0:  # before the merging, so that no worker waits for it
                if (found := queue.begin_or_set_aside(team, todo.popleft())) is not None:
                    yield found
            if ready and (result := queue.settle(team, *ready)) is not None:
                yield result
            if not (todo or team.busy) and queue.aside and (found := queue.begin_alone(team)) is not None:
                yield found
            queue.note(team)
            tick()
            ready = team.next(TICK_S) if team.busy else None


def line(result: Graded) -> str:
    """A line about one student, with the student's name."""
    return f"{names.short(result.student)}: {names.printable(outcome(result))}"


def problem(result: Graded) -> str:
    """Why a student isn't graded, or not all of their parts, in a line; empty if all is well."""
    if result.error:
        return f"not graded. {result.error}"
    return f"{', '.join(result.unmarked)} not graded: our grader failed. Grade again." if result.unmarked else ""


def outcome(result: Graded) -> str:
    """What became of one student, in a line."""
    if said := problem(result):
        return said
    if result.kept:
        return "graded before, unchanged"
    seen = f", {len(result.notices)} to look at" if result.notices else ""
    return f"graded in {result.seconds:.0f} s{seen}"


def _count(workers: int | None, students: list[str]) -> int:
    """How many workers grade so many students: those asked for, by default one per core where memory allows."""
    return max(1, min(workers or limits.workers(), len(students)))


def register(root: Path, assignment: str = "", team: cluster.Workers | None = None) -> None:
    """Tells the gradebook about the assignment, unless it knows of it as it stands in source/ and release/.

    Then nobody's marks stand, so the workers start meanwhile.
    Errors  CourseError if it can't be entered.
    """

    def start() -> None:
        config = course_folder.config(root, assignment)
        team.start(worker.prepare, config.Judge.get("sandbox") != "none", find_course.of(config))

    with course_folder.engine(root) as engine:
        for text in registration.current(root, engine, assignment, start if team is not None else lambda: None)[1]:
            print(text)


@contextlib.contextmanager
def _as_course_error(root: Path) -> Iterator[None]:
    """Turns what can't be written into a line.

    Errors  CourseError for a full disk, a file that this account may not write, and a failure of the database.
    """
    try:
        yield
    except (OSError, DBAPIError) as error:
        if isinstance(error, OSError) and error.errno not in errors.FULL + errors.CLOSED:
            raise
        is_file, place = isinstance(error, OSError), f"the course in {names.path(root)}"
        if is_file and error.errno in errors.CLOSED and isinstance(error.filename, str):
            place = names.path(Path(error.filename))
        raise errors.CourseError(
            f"{place} cannot be written: {error.strerror if is_file else trouble.reason(error)}. "
            "No mark is lost: fix that, and run this again to go on."
        ) from None


def _print_notices(root: Path, results: list[Graded], course: Course, quiet: bool) -> None:
    ordered = sorted(results, key=lambda result: result.student)
    lines = [line(r) for r in ordered if problem(r)]
    lines += map(names.printable, dict.fromkeys(text for r in ordered for text in r.failures))  # once for all students
    if quiet:
        for each in lines:
            print(each)
        return
    asides = [f"{names.printable(r.student)}: {messages.was_aside(r.aside)}" for r in ordered if r.aside]
    seen = [notice for result in ordered for notice in notices.joined(result.notices, course.stems)]
    shown = [names.printable(str(notice)) for notice in seen]
    taken = [result.student for result in ordered if not result.error]
    strays = misplaced.strays(root / "submitted", taken, course)
    strays += [*misplaced.of_nobody(root / "submitted", course), *times.of_nobody(root)]
    lines = [*shown, *strays, *asides, *lines]
    if lines:
        print("\nTo look at:")
        for each in lines:
            print(f"  {each}")


def _print_summary(results: list[Graded], seconds: float) -> None:
    failed = sum(bool(problem(r)) for r in results)
    taken = {r.student: r.seconds for r in results if not (problem(r) or r.kept)}
    struck, kept = {r.student: r.struck for r in results}, sum(r.kept for r in results)
    print("", *map(names.printable_lines, progress.summary(seconds, taken, struck, kept, failed)), sep="\n")


def _print_end(root: Path, results: list[Graded], course: Course, seconds: float) -> None:
    _print_summary(results, seconds)
    print(f"\nmarks      {names.path(root / 'marks.csv')}")
    pages = "NOTEBOOK.html" if course.plain else "index.html and its pages"
    print(f"feedback   {names.path(root / 'feedback')}/STUDENT/{course.name}/{pages}")
