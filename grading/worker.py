"""What runs on a worker: one hand-in, graded by nbgrader and the judge in a folder and on a gradebook of its own.

It takes bytes and gives bytes: of the course's disk, gradebook and other hand-ins a worker sees nothing.
"""

import contextlib
import os
import platform
import sqlite3
import stat
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from sqlalchemy import Engine, event
from traitlets.config import Config

from grading import (
    books,
    course,
    courses,
    definition,
    gate,
    intake,
    limits,
    messages,
    oracles,
    outcomes,
    packed,
    reports,
    rows,
    times,
    walls,
)

File = tuple[int, bytes | None]  # mode and content of a file; of a folder None
_one_at_a_time = threading.Lock()  # nbgrader changes the working folder, and a hidden test runs in one kernel's name


class Other(Exception):
    """This worker is not the program that the parent is; one line says what differs."""


@dataclass(frozen=True)
class Result:
    """What became of a hand-in: its rows after grading, and the files to put in place by path."""

    student: str
    notices: list[intake.Notice] = field(default_factory=list)
    unmarked: list[str] = field(default_factory=list)
    error: str = ""
    after: rows.Rows | None = None
    graded: dict[str, File] = field(default_factory=dict)
    feedback: dict[str, File] = field(default_factory=dict)
    struck: list[str] = field(default_factory=list)
    seconds: float = 0.0


def grade(given: definition.Definition, hand_in: packed.HandIn, before: rows.Rows, feedback: bool = True) -> Result:
    """Grades one hand-in; whatever goes wrong with it is told in the result, so that others go on.

    Errors  Other if this worker's code, packages or limits are not the parent's.
    """
    ours = definition.current_program()
    differing = [name for name in sorted({*ours, *given.program}) if ours.get(name) != given.program.get(name)]
    if differing:
        here, there = ([f"{n} {which.get(n, 'nothing')}" for n in differing] for which in (ours, given.program))
        raise Other(f"a worker has {', '.join(here)}, but here is {', '.join(there)}. Install the same on all workers.")
    refused = None if given.config.Judge.get("sandbox") == "none" else walls.available()
    if refused is not None:
        return Result(hand_in.student, error=f"on {platform.node()}: {refused.line}")
    with _one_at_a_time, tempfile.TemporaryDirectory(prefix="student-") as folder:
        started = time.monotonic()
        try:
            result = _grade(Path(folder).resolve(), given, hand_in, before, feedback)
        except Exception as error:  # noqa: BLE001  (told, and the exit status says it; the others go on)
            result = Result(hand_in.student, error=f"{type(error).__name__}: {error}")
        return Result(**{**vars(result), "seconds": time.monotonic() - started})


def _grade(
    root: Path, given: definition.Definition, hand_in: packed.HandIn, before: rows.Rows, feedback: bool
) -> Result:
    student, submitted = hand_in.student, root / "submitted" / hand_in.student / course.ASSIGNMENT
    gate.guard()
    books.keep_engines()
    given.write(root)
    hand_in.write(submitted)
    if hand_in.time is not None:
        times.note(root, student, hand_in.time)
    url = f"sqlite:///{root / definition.GRADEBOOK}"
    config = Config(given.config)
    config.CourseDirectory.root, config.CourseDirectory.db_url = str(root), url
    notices = intake.notices(student, submitted, root / "release" / course.ASSIGNMENT)
    engine = rows.engine(url)
    with _unsynced(root), _secret(given.secret), contextlib.ExitStack() as at_end:
        at_end.callback(engine.dispose)
        with engine.begin() as connection:
            rows.add(connection, before)
        api = NbGraderAPI(config=config)
        result = api.autograde(course.ASSIGNMENT, student, force=True, create=True)
        if not result["success"]:
            return Result(student, notices, error=courses.last_error(result))
        with Gradebook(url, course.ASSIGNMENT) as book:
            unmarked = outcomes.unmarked(book, student)
        graded = root / "autograded" / student / course.ASSIGNMENT
        error = ""
        if feedback and not unmarked:
            result = api.generate_feedback(course.ASSIGNMENT, student, force=True)
            error = "" if result["success"] else f"no feedback: {courses.last_error(result)}"
        with engine.begin() as connection:
            after = rows.of_student(connection, student)
    pages = root / "feedback" / student / course.ASSIGNMENT
    return Result(student, notices, unmarked, error, after, files(graded), files(pages), _struck(graded))


@contextlib.contextmanager
def _unsynced(root: Path):
    """Lets SQLite leave writing to the system's own pace: a gradebook below `root` need not survive a power cut."""

    def connect(connection: object, _: object) -> None:
        if isinstance(connection, sqlite3.Connection):
            _, _, file = connection.execute("PRAGMA database_list").fetchone()
            if Path(file).is_relative_to(root):
                connection.execute("PRAGMA synchronous=OFF")

    event.listen(Engine, "connect", connect)
    try:
        yield
    finally:
        event.remove(Engine, "connect", connect)


@contextlib.contextmanager
def _secret(secret: str):
    """The course's secret where the oracles look for it."""
    before = os.environ.get(oracles.SECRET)
    os.environ[oracles.SECRET] = secret
    try:
        yield
    finally:
        if before is None:
            del os.environ[oracles.SECRET]
        else:
            os.environ[oracles.SECRET] = before


def files(folder: Path) -> dict[str, File]:
    """Everything below a folder, and the folder itself as "."; nothing of a folder that is not there."""
    if not folder.exists():
        return {}
    out: dict[str, File] = {}
    for path in (folder, *sorted(folder.rglob("*"))):
        mode = stat.S_IMODE(path.stat().st_mode)
        out[str(path.relative_to(folder))] = (mode, None if path.is_dir() else path.read_bytes())
    return out


def _struck(graded: Path) -> list[str]:
    """The limits that ended a notebook or cut its code short, a line each, in our own words."""
    ended = {messages.kernel_ended(struck) for struck in (*limits.Struck, None)}
    ended.add(messages.cell_never_ends(limits.CELL_LIMIT_S))
    late = messages.out_of_time(limits.CALL_LIMIT_S)
    out = []
    for path in sorted(graded.glob("*.ipynb")):
        found = {}
        for cell in nbformat.read(path, as_version=4).cells:
            if any(output.get("ename") == "CellTimeoutError" for output in cell.get("outputs", [])):
                found[messages.cell_stopped(limits.CELL_LIMIT_S)] = None
            report = reports.read(cell) if course.is_test(cell) else None
            if report is not None and report.fault in ended:
                found[report.fault] = None
            if report is not None and any(late.rstrip(".") in item.found for item in report.items):
                found[late] = None
        out += [f"{path.stem}: {text}" for text in found]
    return out
