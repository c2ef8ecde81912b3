"""Notebooks that lie where no submission is looked for: they are reported, so that nobody goes ungraded unnoticed."""

import os
from pathlib import Path

from grading.core import limits, messages, names
from grading.core.course import Course
from grading.submission import safe_walk

ARCHIVES = (".zip", ".7z", ".rar", ".tar", ".tgz", ".gz", ".bz2", ".xz")


def reason(submissions: str, student: str, place: str, course: Course) -> str:
    """What to report of them, and what to do.

    `submissions` is the path, as it is shown, of the students' folders; `place` is where they lie in the student's.
    """
    of_student = f"{submissions}/{names.short(student)}"
    there = names.printable(f"{of_student}/{place}".rstrip("/"), names.SHOWN + len(of_student))
    return f"Expected the notebooks in {of_student}/{course.name}, found them in {there}. Move them to be graded."


def linked(submission: Path) -> str | None:
    """Why a submission is not graded whose folder, or whose student's folder, is a link; None for any other.

    An archive that a student packed may hold a link to somebody else's folder, whose marks they would then get.
    """
    link = next((place for place in (submission.parent, submission) if os.path.islink(place)), None)
    return link and messages.linked(f"{names.path(link.parent)}/{link.name}")


def is_archive(name: str) -> bool:
    """Whether a file's name is that of an archive, in which a student's notebooks may be."""
    return name.casefold().endswith(ARCHIVES)


def is_called_a_notebook(name: str) -> bool:
    """Whether a file's name is a notebook's, if need be before what a browser added, as in "part01.ipynb.txt"."""
    return ".ipynb" in name.casefold()


def of_nobody(submitted: Path, course: Course) -> list[str]:
    """A line about each archive and notebook that lies among the students' folders, where it is nobody's, and about
    each of these folders with no folder in it, in which nobody would look for anything.
    """
    try:
        with os.scandir(submitted) as entries:
            found = sorted((entry.name, _leads_to_folder(entry)) for entry in entries if entry.name[0] != ".")
    except OSError:
        return []
    place, files, empty = names.path(submitted), [], []
    for name, is_folder in found:
        if is_folder and _folders(submitted / name) == [] and not _holds(submitted / name, course):
            empty.append(name)
        elif not is_folder and (is_archive(name) or name.casefold().endswith(".ipynb")):
            files.append(name)
    said = f"this file is in no student's folder. Put notebooks into {place}/STUDENT/{course.name}."
    lines = [f"{place}/{names.short(name)}: {said}" for name in files[: limits.NAMED]]
    for name in empty[: limits.NAMED]:
        folder = f"{place}/{names.short(name)}"
        lines.append(f"{folder}: nothing to grade here. Put notebooks into {folder}/{course.name}.")
    return lines


def beside(place: Path, course: Course) -> str | None:
    """The folder within a student's in which notebooks lie instead of in the right one: "" for the student's itself, or
    one of the course's name in other letters' case; None where there are none.
    """
    if safe_walk.is_folder(place / course.name):
        return None
    return next((near for near in ("", *_alike(place, course)) if _holds(place / near, course)), None)


def strays(submitted: Path, students: list[str], course: Course) -> list[str]:
    """A line about each of these students' parts that are missing, and lie one folder higher or lower."""
    lines = []
    for student in students:
        place, said = submitted / student, names.short(student)
        missing = [stem for stem in course.stems if not safe_walk.is_there(place / course.name / f"{stem}.ipynb")]
        for near in _near(place, course) if missing else ():
            if found := [stem for stem in missing if safe_walk.is_there(place / near / f"{stem}.ipynb")]:
                there = names.short(f"{student}/{near}".rstrip("/"))
                move = f"Move it to {said}/{course.name} and grade again."
                lines.append(f"{said}, {', '.join(found)}: found in {there}. {move}")
                missing = [stem for stem in missing if stem not in found]  # one line about each, however many copies
    return lines


def _near(place: Path, course: Course) -> list[str]:
    """Where a student's notebooks may lie, if not in the course's folder: around it, in it, or in one called alike."""
    inner = [name for name in sorted(_folders(place / course.name) or []) if not name.startswith(".")]
    return ["", *_alike(place, course), *(f"{course.name}/{name}" for name in inner[: limits.FILES])]


def _alike(place: Path, course: Course) -> list[str]:
    """The folders in a student's that have the course's name in other letters' case."""
    folders, name = sorted(_folders(place) or []), course.name
    return [folder for folder in folders if folder.casefold() == name.casefold() and folder != name]


def under_other_names(submission: Path, course: Course) -> list[str]:
    """The notebooks in a submission that are called like none of the course's, as a browser names a second copy."""
    try:
        found = sorted(os.listdir(submission))
    except OSError:
        return []
    known = {f"{stem}.ipynb" for stem in course.stems}
    return [
        name
        for name in found
        if is_called_a_notebook(name[1:]) and name not in known and not course.is_other(name)  # no .ipynb_checkpoints
    ]


def below(submission: Path, course: Course) -> str | None:
    """The folder within a submission in which notebooks of a course lie, as an unpacked archive leaves them."""
    return next((name for name in sorted(_folders(submission) or []) if _holds(submission / name, course)), None)


def _holds(folder: Path, course: Course) -> bool:
    return any(safe_walk.is_there(folder / f"{stem}.ipynb") for stem in course.stems)


def _leads_to_folder(entry: os.DirEntry) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself, or where this account may not look
        return False


def _folders(place: Path) -> list[str] | None:
    """Names of the folders in one, without links; None where it can't be read."""
    try:
        with os.scandir(place) as found:
            return [entry.name for entry in found if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return None
