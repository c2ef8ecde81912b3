"""A course folder of its own, with this course's sources and release: for the demo, the tests and the benchmarks."""

import shutil
from pathlib import Path

from traitlets.config import Config

from attention.course import COURSE
from dev.packages import REPOSITORY
from grading.gradebook import course_folder

# What a step of ours, made without nbgrader, has to know of its surroundings.
CONFIGURED = Config(Course={"found": "attention.course:COURSE"})


def new(root: Path) -> None:
    """Makes an empty course folder with this course's sources and release, replacing what a former one left."""
    for name in ("source", "release"):
        shutil.rmtree(root / name, ignore_errors=True)
        shutil.copytree(REPOSITORY / name / COURSE.name, root / name / COURSE.name)
    for name in ("submitted", "autograded", "feedback"):
        shutil.rmtree(root / name, ignore_errors=True)
    (root / "gradebook.db").unlink(missing_ok=True)
    (root / "submitted").mkdir(parents=True)
    course_folder.configure(root, REPOSITORY)
