"""The course's configuration of nbgrader, read by each of its commands: the course's name, and the judge plugged in.

What you want otherwise goes below the last line: settings there win.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)] if str(HERE) not in sys.path else []

from grading.gradebook import configuration

c = get_config()  # noqa: F821  (given by traitlets)
c.CourseDirectory.course_id = "attention"
configuration.plug_in(c, "attention.course:COURSE", HERE)
