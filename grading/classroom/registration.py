"""What a class is graded with, once the gradebook knows the assignment as it stands in source/ and release/."""

import contextlib
import json
import os
from collections.abc import Callable
from pathlib import Path

from nbgrader.api import MissingEntry
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from grading.classroom import inputs
from grading.core import command_line, errors, names
from grading.core.course import Course
from grading.core.files import write_whole
from grading.gradebook import course_folder, generate_assignment

STAMP = ".registered.json"  # in autograded/


def current(
    root: Path, engine: Engine, assignment: str = "", first: Callable[[], None] = lambda: None
) -> tuple[inputs.Inputs, list[str]]:
    """The inputs of the course in `root`, and a line about each copy that was kept of a released notebook.

    Unless gradebook and release know the assignment as it stands, `first` is called, and it is entered there.
    Errors  CourseError as `generate_assignment.register`, OSError, DBAPIError.
    """
    stamp = root / "autograded" / STAMP
    with contextlib.suppress(OSError, ValueError, DBAPIError, MissingEntry):
        given = inputs.read(root, engine, assignment)
        if json.loads(stamp.read_text(encoding="utf-8")) == _stamped(root, assignment, given):
            return given, []
    first()
    kept = generate_assignment.register(root, assignment)
    given = inputs.read(root, engine, assignment)
    stamp.parent.mkdir(exist_ok=True)
    # Whole, because a full disk would otherwise leave an empty stamp, and with it nothing that asks for the secret.
    write_whole(stamp, json.dumps(_stamped(root, assignment, given)))
    return given, kept


def refuse_mistakes(root: Path, course: Course) -> None:
    """Lets nobody grade a class by mistake without the gradebook or the secret by which its marks were made.

    Errors  CourseError if the assignment was graded here before and the gradebook's file is gone, or if it was graded
            with a secret and none is set.
    """
    _refuse_without_gradebook(root)
    _refuse_without_secret(root, course)


def _refuse_without_gradebook(root: Path) -> None:
    file = course_folder.gradebook_file(root)
    if file is not None and not file.exists() and (root / "autograded" / STAMP).exists():
        raise errors.CourseError(
            f"the gradebook {names.path(file)} is gone, but a class was graded here before. Put it back, or all points "
            f"by hand are lost. To begin a new one: {command_line.spelled('grade', root, '--force')}."
        )


def _refuse_without_secret(root: Path, course: Course) -> None:
    if not course.secret or os.environ.get(course.secret):
        return
    with contextlib.suppress(OSError, ValueError, IndexError, TypeError):
        if json.loads((root / "autograded" / STAMP).read_text(encoding="utf-8"))[2]:
            raise errors.CourseError(
                f"{course.secret} is not set here, but the last marks were made with a secret. Set it again, so that "
                "all get the same tests: docs/instructors.md, Choose a secret. To grade everybody without it: "
                f"{command_line.spelled('grade', root, '--force')}."
            )


def _stamped(root: Path, assignment: str, given: inputs.Inputs) -> list:
    return [inputs.sources(root, assignment), given.digest, bool(given.secret)]
