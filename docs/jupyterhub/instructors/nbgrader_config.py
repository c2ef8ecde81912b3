"""nbgrader for instructors: the course's folder, a copy of this repository in their home that nobody else may read."""

import os
from pathlib import Path

c = get_config()  # noqa: F821  (given by traitlets)

# There lies a nbgrader_config.py of its own, with the judge, which is read after this one.
c.CourseDirectory.root = str(Path.home() / "attention")
c.CourseDirectory.student_id = "*"

# The course's secret, from which the hidden tests draw their data: the file holds nothing else.
secret = Path.home() / "attention-secret.txt"
if secret.exists():
    os.environ["ATTENTION_COURSE_SECRET"] = secret.read_text(encoding="utf-8").strip()
