"""Submissions as they arrive in a folder that other programs fill."""

import os
import stat
from collections.abc import Container, Iterator
from pathlib import Path

from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from grading.classroom.service import refusals, stillness
from grading.classroom.service.arrivals import Arrival, Key
from grading.core import errors, messages, names
from grading.core.course import Course
from grading.submission import misplaced, safe_walk

STILL_S = 1.0  # how long one must have lain still


class Folder:
    """A folder with FOLDER/STUDENT/ASSIGNMENT/, which other programs fill; submitted/ itself may be it."""

    before_duedate = False
    folder = instructors = None

    def __init__(self, folder: Path, config: Config, course: Course, root: Path) -> None:
        self._folder, self._course, self._root = folder.resolve(), course, root
        self._directory, self._still = CourseDirectory(config=config), stillness.Still()

    def look(self, known: Container[Key]) -> Iterator[Arrival]:
        """The complete submissions that are not `known` yet; CourseError if the folder is gone."""
        there = stillness.listed(self._folder)
        found = [name for name in there if not name.startswith(".") and self._is_there(name)]
        wrong = {name: why for name in there if name not in found and (why := self._misplaced(name))}
        self._still.forget_all_but([*found, *wrong])
        for name in sorted(found):
            state = self._still.state(name, self._source(name), STILL_S)
            if state is not None and (name, state) not in known:
                yield self._arrival(name, state)
        for name, why in sorted(wrong.items()):
            state = self._still.state(name, self._folder / name, stillness.OTHERWISE_S)
            if state is not None and (name, why) not in known:
                yield Arrival(name, why, name, self._source(name), None, refusals.of_name(name, self._folder) or why)

    def again(self, name: str, state: str) -> Arrival | None:
        """A submission that `look` gave before; None if it is gone or has changed; CourseError if all are."""
        if self._is_there(name) and stillness.fingerprint(self._source(name)) == state:
            return self._arrival(name, state)
        if not stillness.listed(self._folder):  # as where another disk's place is, before that is mounted
            raise errors.CourseError(f"{names.whole_path(self._folder)} is empty. Mount it, or put back what it held.")
        return None

    def newer_waits(self, name: str) -> bool:
        """Whether a newer one is still to come: of each student there is one."""
        return False

    def take(self, arrival: Arrival) -> list[str]:
        """Copies a submission into submitted/, unless it lies there already; nobody knows when it was made."""
        place = self._root / "submitted" / arrival.student / self._course.name
        return [] if arrival.source.resolve() == place.resolve() else stillness.taken(self._directory, arrival, place)

    def _source(self, name: str) -> Path:
        return self._folder / name / self._course.name

    def _is_there(self, name: str) -> bool:
        """Whether a submission lies under a name; through a link it would be somebody else's, or the course's own."""
        return not os.path.islink(self._folder / name) and safe_walk.is_folder(self._source(name))

    def _misplaced(self, name: str) -> str:
        """Why what lies under a name is never graded, if somebody meant it to be; empty if nobody did."""
        source, place = self._source(name), misplaced.beside(self._folder / name, self._course)
        if os.path.islink(self._folder / name) and (place is not None or safe_walk.is_folder(source)):
            return messages.linked(names.whole_path(self._folder / name))
        if place is not None:
            return misplaced.reason(names.whole_path(self._folder), name, place, self._course)
        try:
            return messages.linked(names.whole_path(source)) if stat.S_ISLNK(os.lstat(source).st_mode) else ""
        except PermissionError as error:  # it is looked at again, and found once it is open
            return refusals.closed(names.whole_path(self._folder / name), error.strerror)
        except OSError:
            return ""

    def _arrival(self, name: str, state: str) -> Arrival:
        return Arrival(name, state, name, self._source(name), None, refusals.of_name(name, self._folder))
