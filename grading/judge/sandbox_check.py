"""Whether student code can be walled in here, as every command asks before it runs any."""

from pathlib import Path

from grading.core import errors, find_course
from grading.gradebook import course_folder
from grading.sandbox import bubblewrap, install


def stand(root: Path) -> None:
    """Makes sure that student code of the course in `root` can be walled in, unless its configuration wants no walls.

    Errors  CourseError if the walls cannot stand, or a library that each sandbox loads isn't installed.
    """
    config = course_folder.config(root)
    find_course.refuse_lacking(config)
    if config.Judge.get("sandbox") == "none":
        print('sandbox = "none": student code runs with your rights.')
        return
    install.walls()
    if reason := bubblewrap.available():
        raise errors.CourseError(str(reason))
