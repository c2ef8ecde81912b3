"""A course folder of its own, with this course's sources and release: for the demo, the tests and the benchmarks."""

import shutil
from pathlib import Path

from traitlets.config import Config

from attention.course import COURSE
from dev.packages import REPOSITORY
from grading.core.course import Part
from grading.gradebook import course_folder
from grading.gradebook.configuration import KERNEL_ARGUMENTS

# What a step of ours, made without nbgrader, has to know of its surroundings.
CONFIGURED = Config(Course={"found": "attention.course:COURSE"}, Execute={"extra_arguments": KERNEL_ARGUMENTS[:]})


def new(root: Path, *parts: Part) -> None:
    """Makes an empty course folder with this course's sources and release, replacing what a former one left.

    With parts, all other notebooks are left out: nbgrader looks at each part of a course for each student.
    """
    wanted = [part.stem for part in parts] or [*COURSE.stems, *COURSE.others]
    left_out = [f"{stem}.ipynb" for stem in (*COURSE.stems, *COURSE.others) if stem not in wanted]
    for name in ("source", "release"):
        shutil.rmtree(root / name, ignore_errors=True)
        folder = root / name / COURSE.name
        shutil.copytree(REPOSITORY / name / COURSE.name, folder, ignore=shutil.ignore_patterns(*left_out))
    for name in ("submitted", "autograded", "feedback"):
        shutil.rmtree(root / name, ignore_errors=True)
    (root / "gradebook.db").unlink(missing_ok=True)
    (root / "submitted").mkdir(parents=True)
    course_folder.configure(root, REPOSITORY)
