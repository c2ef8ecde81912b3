"""Course folders: nbgrader's view of one."""

import contextlib
import os
import re
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from jupyter_core.paths import jupyter_config_path
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError
from traitlets.config import Config
from traitlets.config.loader import FileConfigLoader, JSONFileConfigLoader, PyFileConfigLoader

from grading.core import errors, find_course, names
from grading.core.course import Course
from grading.core.find_course import CONFIGURATION
from grading.gradebook import engines, trouble
from grading.submission import kept_copies, misplaced

_AS_JSON = f"{Path(CONFIGURATION).stem}.json"
_ERROR = re.compile(r"[\w.]+(Error|Exception|Entry)\b")
_OF_DATABASE = re.compile(r"(?:sqlalchemy\.exc|nbgrader\.api)\.\w+: \([\w.]+Error\) (.*)")
_HAS_SUBMISSIONS = "Cannot modify existing assignment"  # nbgrader's, of notebooks that are not those it knows
_READ_OTHERWISE, _PATTERN = re.compile(r"\?|%[0-9A-Fa-f]{2}"), re.compile(r"[*\[]")
_COPY = """\
from pathlib import Path

HERE, LIKE = Path(__file__).resolve().parent, Path({like!r})
if not LIKE.is_file():
    raise FileNotFoundError(f"{{LIKE}} is not there any more, and this folder is configured like it")
c = get_config()
load_subconfig(str(LIKE))
c.CourseDirectory.root = str(HERE)
c.CourseDirectory.db_url = f"sqlite:///{{HERE / 'gradebook.db'}}?timeout={limit_s}"
"""
LOCK_LIMIT_S = 60  # how long a process waits for another's turn at the gradebook


def config(root: Path, assignment: str = "") -> Config:
    """The configuration of nbgrader that lies in a course's folder, next to source/, release/, submitted/ …

    With `assignment`, that one is meant wherever a folder holds several.

    Errors  CourseError if there is none.
    """
    if not (root / CONFIGURATION).is_file():
        raise errors.CourseError(
            f"{names.path(root)} is not a course: it holds no {CONFIGURATION}. Go to a course's folder, or name one."
        )
    _refuse_place(root, _READ_OTHERWISE)
    found = _loaded(PyFileConfigLoader, root, CONFIGURATION)
    found.CourseDirectory.root = str(root)
    if assignment:
        found.CourseDirectory.assignment_id = assignment
    if "db_url" not in found.CourseDirectory:
        found.CourseDirectory.db_url = f"sqlite:///{(root / 'gradebook.db').resolve()}?timeout={LOCK_LIMIT_S}"
    _refuse_no_address(found.CourseDirectory.db_url)
    return found


def _refuse_place(root: Path, signs: re.Pattern[str]) -> None:
    """CourseError for a folder that would be taken for another one, in which a second gradebook would be made."""
    place = str(root.resolve())
    if signs.search(place) or os.path.expandvars(place) != place:
        raise errors.CourseError(
            f"{names.printable(place)} can't hold a course: ?, *, [, $NAME and %20 mean something else where nbgrader "
            "and its gradebook read a path. Give the folder a name without them."
        )


def _refuse_no_address(url: object) -> None:
    """CourseError for what is not the address of a database that SQLAlchemy can open."""
    try:
        make_url(url).get_dialect()
    except ArgumentError as error:  # also where it knows no such database
        raise errors.CourseError(
            f"c.CourseDirectory.db_url in {CONFIGURATION} is not the address of a database: {error}. "
            'Write "postgresql://…" or "sqlite:///…".'
        ) from None


def config_with_jupyter_s(root: Path, assignment: str = "") -> Config:
    """As `config`, and below it what lies in Jupyter's configuration folders, where nbgrader's commands look as well.

    On a JupyterHub the exchange is named there. Errors as in `config`.
    """
    found = Config()
    for folder in reversed(jupyter_config_path()):
        for name, loader in ((CONFIGURATION, PyFileConfigLoader), (_AS_JSON, JSONFileConfigLoader)):
            if (Path(folder) / name).is_file():
                found.merge(_loaded(loader, Path(folder), name))
    found.merge(config(root, assignment))
    return found


def _loaded(loader: type[FileConfigLoader], folder: Path, name: str) -> Config:
    """What a file of settings says; CourseError, one line, if it can't be read."""
    try:
        return loader(name, path=str(folder)).load_config()
    except errors.CourseError:
        raise
    except Exception as error:
        shown = names.path(folder / name)
        raise errors.CourseError(f"{shown} cannot be read: {type(error).__name__}: {error}. Fix it.") from error


def configure(root: Path, like: Path) -> None:
    """Configures a folder like the course in `like`, but with a gradebook of its own, whatever that one's is."""
    text = _COPY.format(like=str((like / CONFIGURATION).resolve()), limit_s=LOCK_LIMIT_S)
    (root / CONFIGURATION).write_text(text, encoding="utf-8")


def course(root: Path, assignment: str = "") -> Course:
    """The course that is graded in `root`; where it holds several assignments, the one of this name.

    Errors  CourseError if its configuration names none that is there, or another one than asked for.
    """
    found = find_course.of(config(root, assignment))
    if assignment not in ("", found.name):
        raise errors.CourseError(
            f"there is no assignment {names.printable(assignment)} in this course, only {found.name}."
        )
    return found


def own(root: Path, assignment: str = "") -> Course:
    """The course in `root`, for what needs the reports that hidden tests write.

    Errors  CourseError as in `course`, and for a course of which nbgrader alone is known.
    """
    found = course(root, assignment)
    if found.plain:
        raise errors.CourseError(
            f"{found.name} was written for nbgrader alone: its tests leave marks but no reports, which this command "
            "needs. docs/authors.md says how a test writes one."
        )
    return found


def database(root: Path) -> str:
    """The gradebook's address: c.CourseDirectory.db_url, or gradebook.db in the course's folder.

    A process waits there for its turn rather than fail.
    """
    return config(root).CourseDirectory.db_url


def api(root: Path) -> NbGraderAPI:
    """nbgrader's own interface to the course in `root`."""
    return NbGraderAPI(config=config(root))


@contextlib.contextmanager
def gradebook(root: Path) -> Iterator[Gradebook]:
    """The gradebook of the course in `root`, closed at the end.

    Errors  CourseError if it can't be used, now or within.
    """
    settings = config(root)  # also has nbgrader make new gradebooks as `engines` does
    url = settings.CourseDirectory.db_url
    trouble.look(url)
    with trouble.as_course_error(url), Gradebook(url, settings.CourseDirectory.get("course_id", "")) as book:
        yield book


def register(root: Path, assignment: str = "") -> list[str]:
    """Tells the gradebook of `root` about the assignment as it stands in source/; the release is generated again.

    What somebody wrote into released notebooks is kept as a copy; returns a line about each.
    Errors  CourseError with nbgrader's last words if it cannot, or if the gradebook's file is none.
    """
    _refuse_place(root, _PATTERN)
    path, settings, assignment = gradebook_file(root), config(root), course(root, assignment).name
    # And then in place of the old one: nbgrader would remove that first, answers and all.
    made = Path(tempfile.mkdtemp(prefix=".release-", dir=root.resolve()))
    settings.CourseDirectory.release_directory = made.name
    try:
        is_new = path is not None and not (path.exists() and path.stat().st_size)
        if not (is_new and _made_apart(settings, assignment, made / path.name, path)):
            _generate(settings, assignment)
        return kept_copies.told(kept_copies.replace(made / assignment, root / "release" / assignment, root))
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _generate(settings: Config, assignment: str) -> None:
    result = NbGraderAPI(config=settings).generate_assignment(assignment, force=True, create=True)
    if not result["success"]:
        if result.get("error", "").rstrip().endswith("\nKeyboardInterrupt"):  # nbgrader takes a Ctrl-C for its failure
            raise KeyboardInterrupt
        said, url = last_error(result), settings.CourseDirectory.db_url
        if _HAS_SUBMISSIONS in result.get("log", ""):
            source = Path(settings.CourseDirectory.root, "source", assignment)
            raise errors.CourseError(trouble.other_notebooks(url, source, find_course.of(settings, assignment)))
        if of_database := _OF_DATABASE.match(said):
            raise errors.CourseError(trouble.unusable(url, of_database[1]))
        raise errors.CourseError(f"source/{assignment} could not be released: {said}")


def _made_apart(settings: Config, assignment: str, apart: Path, path: Path) -> bool:
    """Makes a new gradebook apart and puts it into place whole; False if somebody else has begun one there meanwhile.

    nbgrader waits for the disk after each of its 300 entries, in all for a second or more; apart it needn't.

    Errors  CourseError as in `register`, and if the file can't be written.
    """
    elsewhere = Config(settings)
    elsewhere.CourseDirectory = Config(settings.CourseDirectory)  # a Config copies no deeper
    elsewhere.CourseDirectory.db_url = f"sqlite:///{apart}"
    with engines.unsynced(apart.parent):
        _generate(elsewhere, assignment)
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=LOCK_LIMIT_S, isolation_level=None)) as connection:
            return _filled(connection, apart)
    except sqlite3.Error as error:
        raise errors.CourseError(f"the gradebook {names.path(path)} cannot be made: {error}.") from error


def _filled(connection: sqlite3.Connection, apart: Path) -> bool:
    """Copies a database into one with nothing in it, at once or not at all; False if there is something in it."""
    connection.execute("ATTACH ? AS apart", [str(apart)])
    connection.execute("BEGIN IMMEDIATE")
    if connection.execute("SELECT count(*) FROM main.sqlite_master").fetchone() != (0,):
        return False
    found = connection.execute("SELECT type, name, sql FROM apart.sqlite_master WHERE sql IS NOT NULL").fetchall()
    for kind, name, sql in sorted(found, key=lambda each: each[0] != "table"):  # an index after its table
        connection.execute(sql)
        if kind == "table":
            connection.execute(f'INSERT INTO main."{name}" SELECT * FROM apart."{name}"')
    connection.execute("COMMIT")
    return True


def last_error(result: dict) -> str:
    """The line of nbgrader's log or traceback that says most: the last that names an error."""
    lines = [line.strip() for line in f"{result.get('error', '')}\n{result.get('log', '')}".splitlines()]
    named = [line for line in lines if _ERROR.match(line) and not line.startswith("nbgrader.converters.base.")]
    return (named or [line for line in lines if line] or ["no reason given"])[-1]


def students(root: Path, only: str | None = None, assignment: str = "") -> list[str]:
    """The students with a folder submitted/STUDENT/ASSIGNMENT, or notebooks next to it; with `only` that one alone.

    Errors  CourseError if there is none, or submitted/ can't be read.
    """
    asked, submitted = course(root, assignment), root / "submitted"
    with errors.of_files(submitted):
        listed = sorted(os.listdir(submitted)) if submitted.is_dir() else []
    places = [submitted / name for name in listed if not name.startswith(".")]
    found = [path.name for path in places if _may_hold(path, asked.name) or misplaced.is_beside(path, asked)]
    if not found:
        raise errors.CourseError(
            f"there are no submissions in {names.path(root / 'submitted')}. "
            f"Put them into submitted/STUDENT/{asked.name}/{asked.stems[0]}.ipynb and so on."
        )
    if only is not None and only not in found:
        raise errors.CourseError(f"there is no folder {names.path(root / 'submitted' / only / asked.name)}.")
    return found if only is None else [only]


def _may_hold(place: Path, name: str) -> bool:
    """Whether a folder of this name is in a student's; also where nobody can tell, which is reported in its turn."""
    try:
        return stat.S_ISDIR(os.stat(place / name).st_mode)
    except PermissionError:
        return True
    except OSError:
        return False


def gradebook_file(root: Path) -> Path | None:
    """The file of the gradebook, whether it is there or not; None for a gradebook that lies in no file of its own.

    Errors  CourseError if the file is there and can't be used.
    """
    address = database(root)
    url = make_url(address)
    path = Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None
    if path is not None and path.exists():
        trouble.look(address)
    return path
