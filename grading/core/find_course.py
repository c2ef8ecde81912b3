"""The course that a configuration names: a value that a package holds, or what is read from a folder."""

import importlib.util
import sys
from pathlib import Path

from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from grading.core import names, plain_course
from grading.core.course import Course
from grading.core.errors import RAISED, CourseError, raised

CONFIGURATION = "nbgrader_config.py"


def early(root: Path) -> tuple[Course, bool] | None:
    """The course of a folder, and whether its notebooks run within walls; None if that cannot be known yet.

    It is found before nbgrader is imported, so that the course's libraries can load meanwhile. Whoever grades reads the
    configuration again once nbgrader is there: that guards nbgrader, and reports what is wrong.
    """
    try:
        config = PyFileConfigLoader(CONFIGURATION, path=str(root)).load_config()
        return of(config), config.Judge.get("sandbox") != "none"
    except RAISED:  # it is raised again where the course is needed
        return None


def of(config: Config, assignment: str = "") -> Course:
    """The course that a configuration names; of a folder with several assignments, the one of this name.

    Errors  CourseError if it names none, or one that is not there.
    """
    name = config.Course.get("found", "")
    if isinstance(name, Course):  # read from a folder that is not here
        return name
    if folder := config.Course.get("folder", ""):
        plain_course.refuse_other_folders(config.CourseDirectory)
        return plain_course.read(Path(folder), assignment or config.CourseDirectory.get("assignment_id", ""))
    module, _, attribute = str(name).partition(":")
    try:
        course = getattr(importlib.import_module(module), attribute, None)
    except CourseError:  # it is there, and says what is wrong with its parts
        raise
    except RAISED as error:
        raise CourseError(
            f"c.Course.found = {name!r} in nbgrader_config.py cannot be imported: {raised(error)}. "
            'Write c.Course.found = "PACKAGE.MODULE:NAME".'
        ) from error
    if (below := config.Course.get("below", "")) and (other := _other_place(Path(below), module)):
        raise CourseError(
            f"{module} in {names.path(Path(below))} differs from the package of that name in {names.path(other)}, "
            "which this process has already imported. Rename one of them, or use one at a time."
        )
    if not isinstance(course, Course):
        raise CourseError(
            f"c.Course.found = {name!r} in nbgrader_config.py is not a Course but {type(course).__name__}."
        )
    return course


def if_any(config: Config, assignment: str = "") -> Course | None:
    """The same, or None where a configuration names no course: its assignments are nbgrader's alone."""
    return of(config, assignment) if "found" in config.Course else None


def refuse_lacking(config: Config) -> None:
    """Errors  CourseError, one line, if the course's libraries name one that isn't installed: no notebook would run."""
    course = if_any(config)
    for name in course.libraries.modules if course is not None else ():
        if importlib.util.find_spec(name.partition(".")[0]) is None:
            said = "isn't installed here. Install it, or take it out of the course's `libraries`."
            raise CourseError(f"the library {names.printable(name)} of {course.name} {said}")


def _other_place(below: Path, module: str) -> Path | None:
    """The folder from which Python took a package of this name, if another package of that name lies `below`."""
    package = module.partition(".")[0]
    ours, file = below / package, getattr(sys.modules[package], "__file__", None)
    if not ours.is_dir() or file is None or Path(file).resolve().parent == ours.resolve():
        return None
    taken = Path(file).resolve().parent
    codes = ({path.relative_to(root): path.read_bytes() for path in root.rglob("*.py")} for root in (ours, taken))
    return taken if next(codes) != next(codes) else None
