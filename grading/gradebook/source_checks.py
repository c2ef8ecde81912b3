"""What would harm students or their marks if a release were made of it: refused by whoever hands notebooks out.

That is `python -m grading release`, `nbgrader generate_assignment` and the Formgrader's button. `make grade` hands
nothing out: it goes on with the source as it is.
"""

import contextlib
import fnmatch
import functools
import math
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from pathlib import Path

import nbformat
from nbgrader.converters import GenerateAssignment
from nbgrader.converters.base import NbGraderException

from grading.core import cells, errors, find_course, names
from grading.core.course import Course, Part

_handed_out: ContextVar[bool] = ContextVar("handed_out", default=True)


@contextlib.contextmanager
def left_out() -> Iterator[None]:
    """In this block a release is made of whatever stands in source/."""
    token = _handed_out.set(False)
    try:
        yield
    finally:
        _handed_out.reset(token)


@functools.cache
def guard() -> None:
    """Lets nbgrader make no release that `refuse` refuses; a second call changes nothing."""
    convert = GenerateAssignment.convert_notebooks

    def convert_notebooks(self: GenerateAssignment) -> None:
        if _handed_out.get():
            try:
                course = find_course.if_any(self.config, self.coursedir.assignment_id)
                for source in map(Path, self.assignments):
                    if course and source.name == course.name:  # another assignment is nbgrader's alone
                        refuse(course, source, self.coursedir.notebook_id)
            except errors.CourseError as error:
                self.log.error("%s", error)
                raise NbGraderException(str(error)) from None
            except (OSError, ValueError, LookupError, TypeError, AttributeError):
                pass  # a notebook that can't be read: nbgrader says what is wrong with it
        convert(self)

    GenerateAssignment.convert_notebooks = convert_notebooks


def refuse(course: Course, source: Path, pattern: str = "*") -> None:
    """Looks at the notebooks of this pattern, which is nbgrader's for their names without the suffix.

    Errors  CourseError, one line, for a notebook that is none of the course's or gives other points, and for a test
            that students would read.
    """
    parts = [part for part in course.parts if fnmatch.fnmatchcase(part.stem, pattern)]
    if not course.plain:  # one for nbgrader alone takes its parts from the notebooks, and may show its tests
        _refuse_other_notebooks(course, source, pattern)
        _refuse_shown_tests(parts, source)
    _refuse_other_points(parts, source)


def _refuse_other_notebooks(course: Course, source: Path, pattern: str) -> None:
    """Errors  CourseError, one line, for a notebook that the course doesn't know: a submission with it isn't graded."""
    for path in sorted(source.glob("[!.]*.ipynb")):
        if fnmatch.fnmatchcase(path.stem, pattern) and path.stem not in (*course.stems, *course.others):
            said = "is neither a part of the course nor one of its `others`. Name it there, or move it elsewhere."
            raise errors.CourseError(f"{names.path(path)} {said}")


def _refuse_shown_tests(parts: Iterable[Part], source: Path) -> None:
    """Errors  CourseError, one line, for a test of which nbgrader hides nothing from students."""
    for part in parts:
        path = source / f"{part.stem}.ipynb"
        for name in part.tests:
            if (test := cells.source_in(path, name)) and cells.HIDDEN not in test:
                said = f"students would read this test. Put it between `### {cells.HIDDEN}` and `### END HIDDEN TESTS`."
                raise errors.CourseError(f"{names.path(path)}, cell {name}: {said}")


def _refuse_other_points(parts: Iterable[Part], source: Path) -> None:
    """Errors  CourseError, one line, if the cells of a notebook give other points than the course says of its part.

    Grading would find that out submission by submission, and mark none whose points nbgrader has no room for.
    """
    for part in parts:
        path = source / f"{part.stem}.ipynb"
        if path.exists():
            marked = [cell.metadata.get("nbgrader", {}) for cell in nbformat.read(path, as_version=4).cells]
            graded = {cell["grade_id"]: cell["points"] for cell in marked if cell.get("grade") or cell.get("task")}
            if wrong := _other_points(part, graded):
                raise errors.CourseError(f"{names.path(path)}: {wrong}")


def _other_points(part: Part, graded: dict[str, float]) -> str:
    """In which cell a notebook gives other points than its part has; empty for none."""
    for ids, wanted in ((part.tests, part.automatic), (part.written, part.by_hand)):
        found = sum(graded.get(name, 0) for name in ids)
        if not math.isclose(found, wanted):
            said = f"cell {', '.join(ids)}: expected {wanted:g} points, as part {part.number} of the course has it"
            return f"{said}, got {found:g}. Change one of the two."
    others = [name for name, points in graded.items() if points and name not in (*part.tests, *part.written)]
    return f"cell {others[0]} gives points that part {part.number} of the course doesn't have." if others else ""
