"""Course folders: nbgrader's view of one, and the standing errors that a user can mend."""

import contextlib
import os
import platform
import re
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from nbgrader.converters import GenerateSolution
from nbgrader.utils import capture_log
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from grading import course, names

REPOSITORY = Path(__file__).resolve().parent.parent
_ERROR = re.compile(r"[\w.]+(Error|Exception|Entry)\b")
LOCK_LIMIT_S = 60  # how long a process waits for another's turn at the gradebook


class CourseError(Exception):
    """Something that the user can fix; the text is one line that says what is wrong, where, and what to do.

    Where commands do it, they follow, a line each.
    """


def config(root: Path) -> Config:
    """The course's configuration of nbgrader for the folder `root`, which holds source/, release/, submitted/ …"""
    found = PyFileConfigLoader("nbgrader_config.py", path=str(REPOSITORY)).load_config()
    found.CourseDirectory.root = str(root)
    if root.resolve() != REPOSITORY or "db_url" not in found.CourseDirectory:  # the demo's marks go nowhere else
        found.CourseDirectory.db_url = f"sqlite:///{(root / 'gradebook.db').resolve()}?timeout={LOCK_LIMIT_S}"
    return found


def database(root: Path) -> str:
    """The gradebook's address: c.CourseDirectory.db_url, or gradebook.db in the course's folder.

    A process waits there for its turn rather than fail.
    """
    return config(root).CourseDirectory.db_url


@contextlib.contextmanager
def alone(root: Path) -> Iterator[None]:
    """Sees to it that one run at a time grades the course in `root`; the system forgets it when the process ends.

    Errors  CourseError if another run does.
    """
    import fcntl  # which Windows has not

    with (root / ".autograde.lock").open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.seek(0)
            other = file.read().strip() or "another run"
            raise CourseError(f"{other} is grading {shown(root)} already. Wait until it is done, or stop it.") from None
        file.truncate(0)
        file.write(f"process {os.getpid()} on {platform.node()}")
        file.flush()
        yield


def api(root: Path) -> NbGraderAPI:
    """nbgrader's own interface to the course in `root`."""
    return NbGraderAPI(config=config(root))


@contextlib.contextmanager
def gradebook(root: Path) -> Iterator[Gradebook]:
    """The gradebook of the course in `root`, closed at the end."""
    url = database(root)  # also sets PATH, without which a new gradebook cannot be made
    with Gradebook(url, course_id=course.ASSIGNMENT) as book:
        yield book


def new(root: Path) -> None:
    """Makes an empty course folder with this course's sources and release, replacing what a former one left."""
    for name in ("source", "release"):
        shutil.rmtree(root / name, ignore_errors=True)
        shutil.copytree(REPOSITORY / name / course.ASSIGNMENT, root / name / course.ASSIGNMENT)
    for name in ("submitted", "autograded", "feedback"):
        shutil.rmtree(root / name, ignore_errors=True)
    (root / "gradebook.db").unlink(missing_ok=True)
    (root / "submitted").mkdir(parents=True)


def register(root: Path) -> None:
    """Tells the gradebook of `root` about the assignment as it stands in source/; the release is generated anew.

    Errors  CourseError with nbgrader's last words if it cannot.
    """
    if (root / "gradebook.db").exists() and not is_gradebook(root / "gradebook.db"):
        raise CourseError(f"{shown(root / 'gradebook.db')} is no gradebook. Move it away, or put back a copy of it.")
    result = api(root).generate_assignment(course.ASSIGNMENT, force=True, create=True)
    if not result["success"]:
        raise CourseError(f"source/{course.ASSIGNMENT} could not be released: {last_error(result)}")


def solve(root: Path) -> None:
    """Executes the source notebooks of `root` into notebooks/.

    Errors  CourseError with nbgrader's last words if it cannot.
    """
    interface = api(root)
    interface.coursedir.assignment_id = course.ASSIGNMENT
    converter = GenerateSolution(coursedir=interface.coursedir, parent=interface)
    converter.force = True
    result = capture_log(converter)
    if not result["success"]:
        raise CourseError(f"source/{course.ASSIGNMENT} could not be executed: {last_error(result)}")


def last_error(result: dict) -> str:
    """The line of nbgrader's log or traceback that says most: the last that names an error."""
    lines = [line.strip() for line in f"{result.get('error', '')}\n{result.get('log', '')}".splitlines()]
    named = [line for line in lines if _ERROR.match(line) and not line.startswith("nbgrader.converters.base.")]
    return (named or [line for line in lines if line] or ["no reason given"])[-1]


def students(root: Path, only: str | None = None) -> list[str]:
    """The students with a folder submitted/STUDENT/attention, in order; with `only` that one alone.

    Errors  CourseError if there is none.
    """
    folders = sorted((root / "submitted").glob(f"*/{course.ASSIGNMENT}"))
    names = [folder.parent.name for folder in folders if folder.is_dir() and not folder.parent.name.startswith(".")]
    if not names:
        raise CourseError(
            f"there are no hand-ins in {shown(root / 'submitted')}. "
            f"Put them into submitted/STUDENT/{course.ASSIGNMENT}/part01.ipynb and so on."
        )
    if only is not None and only not in names:
        raise CourseError(f"there is no folder {shown(root / 'submitted' / only / course.ASSIGNMENT)}.")
    return names if only is None else [only]


def shown(path: Path) -> str:
    """A path as the user would write it: relative to where they are, if it lies below."""
    with contextlib.suppress(ValueError):
        return names.printable(str(path.resolve().relative_to(Path.cwd())))
    return names.printable(str(path))


def is_gradebook(path: Path) -> bool:
    """Whether a file is an SQLite database that can be opened."""
    try:
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("select count(*) from sqlite_master")
        return True
    except sqlite3.Error:
        return False
