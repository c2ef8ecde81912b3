"""An assignment entered into the gradebook as it stands in source/, and its release generated: nbgrader's own step.

A new gradebook is made apart and put into place whole; one that is there is never written over.
"""

import contextlib
import logging
import os
import re
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from nbgrader.apps import NbGraderAPI
from tornado.log import app_log
from traitlets.config import Config

from grading.core import errors, names
from grading.core.course import Course
from grading.gradebook import course_folder, engines, nbgrader_log, source_checks, trouble
from grading.submission import kept_copies

_OF_DATABASE = re.compile(r"(?:sqlalchemy\.exc|nbgrader\.api)\.\w+: \([\w.]+Error\) (.*)")
_OF_FILE = re.compile(r"OSError: \[Errno (\d+)\] ")
_HAS_SUBMISSIONS = "Cannot modify existing assignment"  # nbgrader's, of notebooks that are not those it knows
_OF_CELLS = re.compile(r"Cannot add or remove cells for notebook '(.+?)' because there are submissions")
_APART, _LEFT_S = ".release-", 3600.0  # how folders are named in which a release is made, within minutes
_PATTERN = re.compile(r"[*\[]")


def register(root: Path, assignment: str = "") -> list[str]:
    """Tells the gradebook of `root` about the assignment as it stands in source/; the release is generated again.

    What somebody wrote into released notebooks is kept as a copy; returns a line about each.
    Errors  CourseError with nbgrader's last words if it cannot, or if the gradebook's file is none; OSError if the disk
            is full.
    """
    course_folder.refuse_place(root, _PATTERN)
    path, settings = course_folder.gradebook_file(root), course_folder.config(root)
    course = course_folder.course(root, assignment)
    for left in root.glob(f"{_APART}*/"):  # of a run that was killed; another one may be at work
        with contextlib.suppress(FileNotFoundError):
            if time.time() - left.stat().st_mtime > _LEFT_S:
                shutil.rmtree(left, ignore_errors=True)
    # And then in place of the old one: nbgrader would remove that first, answers and all.
    made = Path(tempfile.mkdtemp(prefix=_APART, dir=root.resolve()))
    settings.CourseDirectory.release_directory = made.name
    try:
        is_new = path is not None and not (path.exists() and path.stat().st_size)
        if not (is_new and _made_apart(settings, course, made / path.name, path)):
            _generate(settings, course)
        return kept_copies.lines(kept_copies.replace(made / course.name, root / "release" / course.name, root))
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _generate(settings: Config, course: Course) -> None:
    with source_checks.left_out(), _without_tracebacks():
        result = NbGraderAPI(config=settings).generate_assignment(course.name, force=True, create=True)
    if not result["success"]:
        if nbgrader_log.was_stopped(result):
            raise KeyboardInterrupt
        said, url = nbgrader_log.last_error(result), settings.CourseDirectory.db_url
        source = Path(settings.CourseDirectory.root, "source", course.name)
        if _HAS_SUBMISSIONS in result.get("log", ""):
            raise errors.CourseError(trouble.other_notebooks(url, source, course))
        if of_cells := _OF_CELLS.search(said):
            raise errors.CourseError(trouble.other_cells(url, source / f"{of_cells[1]}.ipynb", course))
        if of_database := _OF_DATABASE.match(said):
            raise errors.CourseError(trouble.unusable(url, of_database[1]))
        if (of_file := _OF_FILE.match(said)) and int(of_file[1]) in errors.FULL:
            raise OSError(int(of_file[1]), os.strerror(int(of_file[1])), settings.CourseDirectory.root)
        where = "/".join(filter(None, ("source", course.name, nbgrader_log.notebook(result))))
        raise errors.CourseError(f"{where} could not be released: {said}")


@contextlib.contextmanager
def _without_tracebacks() -> Iterator[None]:
    """Keeps off the screen what nbgrader logs of an error of the database before it raises it; a server's log has it.

    It logs by tornado's logger, and what has no handler at all Python prints.
    """
    silent = logging.NullHandler()
    app_log.addHandler(silent)
    try:
        yield
    finally:
        app_log.removeHandler(silent)


def _made_apart(settings: Config, course: Course, apart: Path, path: Path) -> bool:
    """Makes a new gradebook apart and puts it into place whole; False if somebody else has begun one there meanwhile.

    nbgrader waits for the disk after each of its 300 entries, in all for a second or more; apart it needn't.

    Errors  CourseError as in `register`, and if the file can't be written.
    """
    elsewhere = Config(settings)
    elsewhere.CourseDirectory = Config(settings.CourseDirectory)  # a Config copies no deeper
    elsewhere.CourseDirectory.db_url = f"sqlite:///{apart}"
    with engines.unsynced(apart.parent):
        _generate(elsewhere, course)
    try:
        opened = sqlite3.connect(path, timeout=course_folder.LOCK_LIMIT_S, isolation_level=None)
        with contextlib.closing(opened) as connection:
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
