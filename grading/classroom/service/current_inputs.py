"""What all submissions are graded with, as it stands now: an instructor may change it while the service runs."""

import datetime
import time
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import Engine

from grading.classroom import registration
from grading.classroom.inputs import Inputs
from grading.core import errors, names
from grading.core.course import Course
from grading.gradebook import course_folder, snapshot

RENEW_EVERY_S = 1.0  # it takes 0.04 s


class CurrentInputs:
    """The inputs and the due date of one course."""

    inputs: Inputs | None = None
    due: datetime.datetime | None = None  # in UTC, without a time zone, as nbgrader has it
    changed = False  # since `taken` was called

    def __init__(self, root: Path, course: Course, engine: Engine, assignment: str, say: Callable[[str], None]) -> None:
        self._root, self._course, self._engine, self._assignment, self._say = root, course, engine, assignment, say
        self._next_look = float("-inf")
        self._file = course_folder.gradebook_file(root)  # where there is one

    def check(self) -> None:
        """Checks that the gradebook is where it was: else a new one would be made there, without anybody's marks.

        Errors  CourseError if it is not.
        """
        if (
            self._file is not None
            and self.inputs is not None
            and not (self._file.exists() and self._file.stat().st_size)
        ):
            raise errors.CourseError(f"the gradebook {names.whole_path(self._file)} is gone. Put it back.")

    def renew(self) -> None:
        """Reads it, and tells the gradebook of a new release first.

        Errors  CourseError if the course can't be read; OSError, DBAPIError.
        """
        if self._file is None:  # asked first: where the database is away, nbgrader says no more than that it failed
            with self._engine.connect():
                pass
        found, kept = registration.current(self._root, self._engine, self._assignment)
        for line in kept:
            self._say(line)
        with self._engine.begin() as connection:
            rows = snapshot.shared(connection, self._course.name)["assignment"].values()
        self.changed |= self.inputs is not None and found.digest != self.inputs.digest
        self.inputs, self.due = found, next((row["duedate"] for row in rows), None)
        self._next_look = time.monotonic() + RENEW_EVERY_S

    def renew_in_time(self) -> None:
        """As `renew`, unless that was a moment ago."""
        if time.monotonic() >= self._next_look:
            self.renew()

    def taken(self) -> Inputs:
        """The inputs, for a queue that is made with them."""
        self.changed = False
        return self.inputs
