"""What an instructor may set of the service: `c.Watch.…` in nbgrader_config.py, and options of the command."""

from pathlib import Path

from traitlets import Bool, Float, Integer, List, TraitError, Unicode
from traitlets.config import Config, Configurable
from traitlets.config.loader import LazyConfigValue

from grading.core import errors, names
from grading.core.course import Course

_COUNT = "a whole number of 0 or more"


class Watch(Configurable):
    """The settings of the service, read once, when it starts; `must` says in an error what a value must be."""

    folder = Unicode("", help="take submissions from FOLDER/STUDENT/ASSIGNMENT/, not from nbgrader's exchange").tag(
        config=True, must="a text in quotes"
    )
    release = Bool(False, help="put the feedback into the exchange at once, not when the instructor releases it").tag(
        config=True, must="True or False"
    )
    parts = List(Unicode(), help="notebooks whose marks are shown at once, such as part01; empty: all").tag(
        config=True, must='a list, such as ["part01", "part02"]'
    )
    an_hour = Integer(0, min=0, help="submissions graded per student per hour; 0: no limit").tag(
        config=True, must=_COUNT
    )
    quiet_minutes = Float(0, min=0, help="minutes before the deadline in which marks stay hidden").tag(
        config=True, must="a number of 0 or more"
    )
    port = Integer(8765, min=0, max=65535, help="port of the status page, on this machine only; 0: a free one").tag(
        config=True, must="a whole number from 0 to 65535"
    )
    workers = Integer(0, min=0, help="submissions graded at once; 0: one per core").tag(config=True, must=_COUNT)


def read(config: Config, course: Course, **options: object) -> Watch:
    """The settings of a course's configuration; an option that is given and not None has the last word.

    Errors  CourseError, one line, for an invalid setting.
    """
    found, known = Watch(), sorted(Watch.class_trait_names(config=True))
    if other := next((key for key in config if key != "Watch" and key.lower() == "watch"), ""):
        raise errors.CourseError(f"nbgrader_config.py sets c.{other}, but there is no such section. Write c.Watch.")
    for name, value in config.get("Watch", {}).items():
        if name not in known:
            raise errors.CourseError(
                f"nbgrader_config.py sets c.Watch.{name}, but there is no such setting. There are {', '.join(known)}."
            )
        if isinstance(value, LazyConfigValue):  # c.Watch.parts.append("part01")
            value = value.get_value(getattr(found, name))
        _set(found, name, value, f"c.Watch.{name} in nbgrader_config.py")
    for name, value in options.items():
        if value is not None:
            _set(found, name, value, f"--{name}")
    if wrong := [stem for stem in found.parts if stem not in course.stems]:
        stems = ", ".join(course.stems)
        raise errors.CourseError(f"c.Watch.parts names {wrong[0]}, but the parts of {course.name} are {stems}.")
    if found.folder and found.release:
        raise errors.CourseError("c.Watch.release needs nbgrader's exchange, and c.Watch.folder takes its place.")
    if found.folder and not Path(found.folder).is_dir():
        raise errors.CourseError(
            f"c.Watch.folder, or --folder: {found.folder} is not a folder. Make it, or name another."
        )
    return found


def _set(found: Watch, name: str, value: object, where: str) -> None:
    """Sets one setting; CourseError, which says `where` it was set, if its value is invalid."""
    try:
        setattr(found, name, value)
    except TraitError:
        must = found.trait_metadata(name, "must")
        raise errors.CourseError(f"{where} must be {must}, not {names.short(repr(value))}.") from None
