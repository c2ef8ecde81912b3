"""The example course's configuration of nbgrader: the course's name, and the judge plugged in."""

from pathlib import Path

from grading.gradebook import configuration

c = get_config()  # noqa: F821  (given by traitlets)
c.CourseDirectory.course_id = "optimisers"
configuration.plug_in(c, "optimisers.course:COURSE", Path(__file__).parent)
