"""Course folders: nbgrader's view of one."""

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from jupyter_core.paths import jupyter_config_path
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from sqlalchemy import Engine, make_url
from sqlalchemy.exc import ArgumentError
from traitlets.config import Config
from traitlets.config.loader import FileConfigLoader, JSONFileConfigLoader, PyFileConfigLoader

from grading.core import errors, find_course, names
from grading.core.course import Course
from grading.core.find_course import CONFIGURATION
from grading.gradebook import snapshot, trouble
from grading.submission import misplaced

_AS_JSON = f"{Path(CONFIGURATION).stem}.json"
_READ_OTHERWISE = re.compile(r"\?|%[0-9A-Fa-f]{2}")
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
    refuse_place(root, _READ_OTHERWISE)
    found = _loaded(PyFileConfigLoader, root, CONFIGURATION)
    found.CourseDirectory.root = str(root)
    if assignment:
        found.CourseDirectory.assignment_id = assignment
    if "db_url" not in found.CourseDirectory:
        found.CourseDirectory.db_url = f"sqlite:///{(root / 'gradebook.db').resolve()}?timeout={LOCK_LIMIT_S}"
    _refuse_no_address(found.CourseDirectory.db_url)
    return found


def refuse_place(root: Path, signs: re.Pattern[str]) -> None:
    """Refuses a folder that would be taken for another one, in which a second gradebook would be made.

    signs    what is read otherwise in a path

    Errors  CourseError for a path with one of these `signs`, or with $NAME in it.
    """
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
    except errors.RAISED as error:
        shown = names.path(folder / name)
        raise errors.CourseError(f"{shown} cannot be read: {errors.raised(error)}. Fix it.") from error


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


@contextlib.contextmanager
def engine(root: Path) -> Iterator[Engine]:
    """An engine for the gradebook's rows, as `snapshot` reads and writes them; its connections are closed at the end.

    Errors  CourseError if the gradebook cannot be reached.
    """
    url = database(root)
    trouble.look(url)
    made = snapshot.engine(url)
    try:
        yield made
    finally:
        made.dispose()


def students(root: Path, only: str | None = None, assignment: str = "") -> list[str]:
    """The students with a folder submitted/STUDENT/ASSIGNMENT, or notebooks next to it; with `only` that one alone.

    Errors  CourseError if there is none, or submitted/ can't be read.
    """
    asked = course(root, assignment)
    places = places_of(root, asked.name)
    found = [place.name for place, holds in places if holds or misplaced.beside(place, asked) is not None]
    if not found:
        raise errors.CourseError(
            f"there are no submissions in {names.path(root / 'submitted')}. "
            f"Put them into submitted/STUDENT/{asked.name}/{asked.stems[0]}.ipynb and so on."
        )
    if only is not None and only not in found:
        raise errors.CourseError(f"there is no folder {names.path(root / 'submitted' / only / asked.name)}.")
    return found if only is None else [only]


def places_of(root: Path, assignment: str) -> list[tuple[Path, bool]]:
    """What may be a student's in submitted/, sorted, each with whether it may hold a submission of an assignment.

    Errors  CourseError if submitted/ can't be read.
    """
    submitted = root / "submitted"
    with errors.naming_the_file(submitted):
        listed = sorted(os.listdir(submitted)) if submitted.is_dir() else []
    places = [submitted / name for name in listed if not name.startswith(".")]
    return [(place, _may_hold(place, assignment)) for place in places]


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
