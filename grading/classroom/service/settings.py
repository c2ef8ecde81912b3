"""What an instructor may set of the service: `c.Watch.…` in nbgrader_config.py, and options of the command."""

from pathlib import Path

from traitlets import Bool, Float, Integer, List, TraitError, Unicode
from traitlets.config import Config, Configurable

from grading.core import errors
from grading.core.course import Course


class Watch(Configurable):
    """The settings of the service, read once, when it starts."""

    folder = Unicode("", help="take submissions from FOLDER/STUDENT/ASSIGNMENT/, not from nbgrader's exchange").tag(
        config=True
    )
    release = Bool(False, help="put the feedback into the exchange at once, not when the instructor releases it").tag(
        config=True
    )
    parts = List(Unicode(), help="notebooks whose marks are shown at once, as part01; empty: all").tag(config=True)
    an_hour = Integer(0, min=0, help="submissions graded per student and hour; 0: no limit").tag(config=True)
    quiet_minutes = Float(0, min=0, help="minutes before the deadline in which marks stay hidden").tag(config=True)
    port = Integer(8765, min=0, max=65535, help="port of the status page, on this machine only; 0: a free one").tag(
        config=True
    )
    workers = Integer(0, min=0, help="submissions graded at once; 0: one per core").tag(config=True)


def read(config: Config, course: Course, **options: object) -> Watch:
    """The settings of a course's configuration; an option that is given and not None has the last word.

    Errors  CourseError, one line, for an invalid setting.
    """
    known = Watch.class_trait_names(config=True)
    if unknown := sorted(set(config.get("Watch", {})) - set(known)):
        listed = ", ".join(sorted(known))
        raise errors.CourseError(
            f"nbgrader_config.py sets c.Watch.{unknown[0]}, but there is no such setting. There are {listed}."
        )
    if "parts" in config.get("Watch", {}) and not isinstance(config.Watch.parts, list):
        raise errors.CourseError('c.Watch.parts in nbgrader_config.py must be a list, such as ["part01", "part02"].')
    try:
        found = Watch(config=config)
        for name, value in options.items():
            if value is not None:
                setattr(found, name, value)
    except TraitError as error:
        raise errors.CourseError(f"c.Watch in nbgrader_config.py, or an option: {str(error).splitlines()[0]}") from None
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
