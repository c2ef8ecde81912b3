"""Notebooks that lie where no submission is looked for: they are reported, so that nobody goes ungraded unnoticed."""

import os
from pathlib import Path

from grading.core import limits, names
from grading.core.course import Course
from grading.submission import safe_walk

ARCHIVES = (".zip", ".7z", ".rar", ".tar", ".tgz", ".gz", ".bz2", ".xz")


def reason(submissions: str, course: Course) -> str:
    """What to report of them, and what to do; `submissions` is the path, as it is shown, of the students' folders."""
    where = f"{submissions}/STUDENT/{course.name}"
    return f"expected the notebooks in {where}, found them elsewhere, so they aren't graded. Move them there."


def is_archive(name: str) -> bool:
    """Whether a file's name is that of an archive, in which a student's notebooks may be."""
    return name.casefold().endswith(ARCHIVES)


def of_nobody(submitted: Path, course: Course) -> list[str]:
    """A line about each archive and notebook that lies among the students' folders, where it is nobody's."""
    try:
        with os.scandir(submitted) as entries:
            found = sorted(entry.name for entry in entries if not entry.is_dir())
    except OSError:
        return []
    wanted = [name for name in found if is_archive(name) or name.casefold().endswith(".ipynb")]
    place = names.path(submitted)
    said = f"this file is in no student's folder. Put notebooks into {place}/STUDENT/{course.name}."
    return [f"{place}/{names.printable(name, names.SHOWN)}: {said}" for name in wanted[: limits.NAMED]]


def is_beside(place: Path, course: Course) -> bool:
    """Whether notebooks lie in a student's folder itself, or in one of the course's name in other letters' case."""
    if safe_walk.is_folder(place / course.name):
        return False
    return _holds(place, course) or any(
        name.casefold() == course.name.casefold() and _holds(place / name, course) for name in _folders(place)
    )


def is_below(submission: Path, course: Course) -> bool:
    """Whether notebooks of a course lie in a folder within a submission, as an unpacked archive leaves them."""
    return any(_holds(submission / name, course) for name in _folders(submission))


def _holds(folder: Path, course: Course) -> bool:
    return any(safe_walk.is_there(folder / f"{stem}.ipynb") for stem in course.stems)


def _folders(place: Path) -> list[str]:
    """Names of the folders in one, without links; none where it can't be read."""
    try:
        with os.scandir(place) as found:
            return [entry.name for entry in found if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
