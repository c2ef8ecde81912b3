"""What runs on a worker: one submission, graded by nbgrader and the judge in a folder and on a gradebook of its own.

It takes bytes and gives bytes: of the course's disk, gradebook and other submissions a worker sees nothing.
"""

import asyncio
import contextlib
import functools
import importlib
import os
import pickle
import platform
import secrets
import shutil
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from distributed.gc import disable_gc_diagnosis
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from traitlets.config import Config

from grading.classroom import inputs, read_answers
from grading.core import errors, find_course
from grading.core.course import Course
from grading.gradebook import engines, nbgrader_log, snapshot
from grading.judge import limits_reached, save_marks
from grading.sandbox import bubblewrap
from grading.sandbox.kept_sandboxes import SANDBOXES
from grading.submission import bundle, in_memory, nbgrader_patches, notices, times
from grading.submission.notices import Notice

AS_GIVEN = "as given"  # in place of a file's content: that of the same file in the inputs
File = tuple[int, bytes | str | None]  # mode and content of a file; of a folder None
_one_at_a_time = threading.Lock()  # nbgrader changes the working folder, and a hidden test runs in one kernel's name


class OtherProgram(Exception):
    """This worker's code, packages or limits differ from the parent's; one line says how."""


@dataclass(frozen=True)
class Result:
    """What became of a submission: its rows after grading, and the files to put in place by path."""

    student: str
    notices: list[Notice] = field(default_factory=list)
    unmarked: list[str] = field(default_factory=list)
    error: str = ""
    after: snapshot.Rows | None = None
    graded: dict[str, File] = field(default_factory=dict)
    digest: str = ""  # of the graded files' contents, by which a note knows them again
    feedback: dict[str, File] = field(default_factory=dict)
    struck: list[str] = field(default_factory=list)
    killed: bool = False  # whether the system killed a notebook of it
    failures: list[str] = field(default_factory=list)  # why parts are unmarked, for an instructor alone
    seconds: float = 0.0
    written: read_answers.Digests = field(default_factory=dict)


async def prepare(walled: bool, course: Course) -> None:
    """Does ahead of time what this process's first submission would have to wait for; the worker goes on meanwhile."""
    await asyncio.to_thread(_prepare, walled, course)


def _prepare(walled: bool, course: Course) -> None:
    """Starts the sandbox, and imports what nbgrader is configured with, for the run and for the pages."""
    if not _one_at_a_time.acquire(blocking=False):  # a submission is there already
        return
    try:
        if not walled or bubblewrap.available() is None:  # else each submission says why not
            SANDBOXES.of_course(course, walled)
        for name in ("grading.judge.execution", "grading.pages.student_pages"):
            importlib.import_module(name)
    finally:
        _one_at_a_time.release()


def grade(
    given: inputs.Inputs,
    submission: bundle.Submission,
    before: snapshot.Rows,
    feedback: bool = True,
    read: read_answers.Digests | None = None,
) -> Result:
    """Grades one submission; whatever goes wrong with it is reported in the result, so that others go on.

    `read` are the written answers that stand in the notebooks by which marks were given by hand.

    Errors  OtherProgram if this worker's code, packages or limits are not the parent's; inputs.NotKept if it lacks the
            archive.
    """
    disable_gc_diagnosis(force=True)  # Dask's, which the collector calls: a strike of `marking.budget` in it is lost
    try:
        asked = find_course.of(given.config)
    except errors.CourseError as error:
        raise OtherProgram(
            f"a worker on {platform.node()} can't load the course: {error} Put the course's folder on its PYTHONPATH."
        ) from None
    ours = inputs.current_program(asked, given.packages)
    differing = [name for name in sorted({*ours, *given.program}) if ours.get(name) != given.program.get(name)]
    if differing:
        here, there = ([f"{n} {which.get(n, 'nothing')}" for n in differing] for which in (ours, given.program))
        raise OtherProgram(
            f"a worker on {platform.node()} has {', '.join(here)}, but here is {', '.join(there)}. "
            "Install the same on all workers."
        )
    given = given.with_archive()
    refused = None if given.config.Judge.get("sandbox") == "none" else bubblewrap.available()
    if refused is not None:
        return Result(submission.student, error=f"on {platform.node()}: {refused.line}")
    with _one_at_a_time, _folder() as root:
        started = time.monotonic()
        try:
            result = _grade(root, asked, given, submission, before, feedback, read or {})
        except Exception as error:  # noqa: BLE001  (told, and the exit status says it; the others go on)
            result = Result(submission.student, error=f"{type(error).__name__}: {error}")
        return replace(result, seconds=time.monotonic() - started)


def from_file(file: Path, grade: Callable[..., Result], given: inputs.Inputs, *arguments: object) -> Result:
    """Grades a submission that the parent has left in a file: Dask would hold it several times over."""
    with file.open("rb") as opened:
        submission = pickle.load(opened)
    return grade(given, submission, *arguments)


def _grade(
    root: Path,
    asked: Course,
    given: inputs.Inputs,
    submission: bundle.Submission,
    before: snapshot.Rows,
    feedback: bool,
    read: read_answers.Digests,
) -> Result:
    student, assignment = submission.student, asked.name
    submitted = root / "submitted" / student / assignment
    nbgrader_patches.guard()
    engines.keep_engines()
    given.write(root)
    submission.write(submitted)
    if submission.time is not None:
        times.note(root, student, submission.time)
    url = f"sqlite:///{root / inputs.GRADEBOOK}"
    engine = _engine(os.getpid(), url)
    with contextlib.ExitStack() as at_end:
        for each in (engines.unsynced(root), _secret(asked.secret, given.secret), in_memory.once()):
            at_end.enter_context(each)
        reached = at_end.enter_context(limits_reached.collected())
        at_end.callback(engine.dispose)
        noticed = notices.found(student, submitted, root / "release" / assignment, asked)
        with engine.begin() as connection:
            snapshot.add(connection, before)
        api = _api(given.config, root, url)
        result = api.autograde(assignment, student, force=True, create=True)
        if not result["success"]:
            return Result(student, noticed, error=nbgrader_log.last_error(result), killed=reached.killed)
        graded, error = root / "autograded" / student / assignment, ""
        with Gradebook(url, given.config.CourseDirectory.get("course_id", "")) as book:
            left = () if asked.plain else save_marks.unmarked(book, assignment, student)  # it may know more than parts
            written = read_answers.keep(book, asked, graded, before, read)
        if not (unmarked := [name for name in left if name in asked.stems]) and feedback:
            result = api.generate_feedback(assignment, student, force=True)
            error = "" if result["success"] else f"no feedback: {nbgrader_log.last_error(result)}"
        with engine.begin() as connection:
            after = snapshot.of_student(connection, assignment, student)
    found, pages = files(graded), files(root / "feedback" / student / assignment)
    noted = reached.lines, reached.killed, reached.failures
    rest = without_given(found, given, assignment), digest(found), pages, *noted
    return Result(student, noticed, unmarked, error, after, *rest, written=written)


def _api(asked: Config, root: Path, url: str) -> NbGraderAPI:
    """nbgrader, with this folder and this gradebook."""
    config = Config(asked)
    config.CourseDirectory.root, config.CourseDirectory.db_url = str(root), url
    return NbGraderAPI(config=config)


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    """A new folder, whose name is the same each time: so SQLAlchemy compiles a gradebook's queries once a process."""
    root = Path(tempfile.gettempdir()).resolve() / f"student-{_name(os.getpid())}"
    root.mkdir(mode=0o700)
    try:
        yield root
    finally:
        for place, folders, _ in os.walk(root):  # a submission may hold folders that not even their owner may change
            for path in (Path(place, name) for name in folders):
                if not path.is_symlink():
                    path.chmod(0o700)
        shutil.rmtree(root)


_name = functools.cache(lambda _: secrets.token_hex(4))
_engine = functools.lru_cache(1)(lambda _, url: snapshot.engine(url))


@contextlib.contextmanager
def _secret(name: str, secret: str):
    """The course's secret in the environment variable of this name, where the oracles look for it; "": it has none."""
    if not name:
        yield
        return
    before = os.environ.get(name)
    os.environ[name] = secret
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def without_given(found: dict[str, File], given: inputs.Inputs, assignment: str) -> dict[str, File]:
    """The files, without the content of those that nbgrader has copied from the sources: the parent has it."""
    known = given.contents()

    def is_given(name: str, content: bytes | None) -> bool:
        return content is not None and known.get(f"source/{assignment}/{name}") == content

    return {name: (mode, AS_GIVEN if is_given(name, content) else content) for name, (mode, content) in found.items()}


def digest(found: dict[str, File], left_out: Collection[str] = ()) -> str:
    """A hash of files' names and contents; their modes, and folders, don't count."""
    counted = ((name, content) for name, (_, content) in found.items() if name not in left_out)
    return bundle.digest((name, content) for name, content in counted if content is not None)


def files(folder: Path) -> dict[str, File]:
    """Everything below a folder, and the folder itself as "."; nothing of a folder that is not there."""
    if not folder.exists():
        return {}
    out: dict[str, File] = {}
    for path in (folder, *sorted(folder.rglob("*"))):
        mode = stat.S_IMODE(path.stat().st_mode)
        out[str(path.relative_to(folder))] = (mode, None if path.is_dir() else path.read_bytes())
    return out
