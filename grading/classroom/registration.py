"""What a class is graded with, once the gradebook knows the assignment as it stands in source/ and release/."""

import contextlib
import json
from collections.abc import Callable
from pathlib import Path

from nbgrader.api import MissingEntry
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from grading.classroom import inputs
from grading.gradebook import generate_assignment


def current(
    root: Path, engine: Engine, assignment: str = "", first: Callable[[], None] = lambda: None
) -> tuple[inputs.Inputs, list[str]]:
    """The inputs of the course in `root`, and a line about each copy that was kept of a released notebook.

    Unless gradebook and release know the assignment as it stands, `first` is called, and it is entered there.
    Errors  CourseError as `generate_assignment.register`, OSError, DBAPIError.
    """
    stamp = root / "autograded" / ".registered.json"
    with contextlib.suppress(OSError, ValueError, DBAPIError, MissingEntry):
        given = inputs.read(root, engine, assignment)
        if json.loads(stamp.read_text(encoding="utf-8")) == [inputs.sources(root, assignment), given.digest]:
            return given, []
    first()
    kept = generate_assignment.register(root, assignment)
    given = inputs.read(root, engine, assignment)
    stamp.parent.mkdir(exist_ok=True)
    stamp.write_text(json.dumps([inputs.sources(root, assignment), given.digest]), encoding="utf-8")
    return given, kept
