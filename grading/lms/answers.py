"""Answers as plain files, for programs that compare them: a folder per part, in it a folder per student.

    answers/part05/ada/answer.py         the code of her answer and of her own cells
    answers/part09/ada/answer.md         her written answer
    answers/released/part05/answer.py    what everybody was given

docs/exports.md says how JPlag and compare50 read that.
"""

from pathlib import Path

import nbformat
from nbformat import NotebookNode

from grading.core import cells, errors, names
from grading.core.course import Course
from grading.core.errors import CourseError
from grading.core.files import new_name, write_whole
from grading.gradebook import course_folder
from grading.submission import intake, misplaced

RELEASED = "released"
LIST = ".exported"  # the files that an export wrote: the next one removes these, and no other


def write(root: Path, course: Course, to: Path, only: str | None = None) -> tuple[int, list[str]]:
    """Writes the answers of all submissions of the course in `root`; how many files, and a line about each left out.

    Files of an earlier export make way, with `only` those of that student; nothing else is ever removed.
    Errors  CourseError if there are no submissions, if `to` holds what no export wrote, or can't be written.
    """
    places = [place for place, holds in course_folder.places_of(root, course.name) if holds]
    folders = [place / course.name for place in places if only in (None, place.name)]
    if not folders:
        raise CourseError(f"there are no submissions of {course.name}{f' by {names.printable(only)}' if only else ''}.")
    with errors.naming_the_file(to):
        before = _listed(to)
        found, left_out = _found(root, course, folders)  # all of it, before anything is removed
        kept = [name for name in before if only is not None and name.split("/")[1:2] != [only]]
        _list(to, {*before, *found})  # first: a full disk may end this, and the next export must know what is ours
        for name in set(before) - set(kept):
            _remove(to, name)
        for name, text in found.items():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            write_whole(to / name, text + "\n")
        _list(to, {*kept, *found})
    return sum(not name.startswith(f"{RELEASED}/") for name in found), left_out


def _found(root: Path, course: Course, folders: list[Path]) -> tuple[dict[str, str], list[str]]:
    """What will be written, by path, and a line about each notebook that can't be read."""
    refused = {f: why for f in folders if (why := names.trouble(f.parent.name) or misplaced.linked(f))}
    found, left_out = {}, [f"{folder.parent.name}: {why}" for folder, why in refused.items()]
    for part in course.parts:
        released = root / "release" / course.name / f"{part.stem}.ipynb"
        if not released.is_file():
            continue
        found |= _texts(f"{RELEASED}/{part.stem}", nbformat.read(released, as_version=4))
        for folder in folders:
            path, student = folder / released.name, folder.parent.name
            if folder in refused:
                continue
            try:
                if released.name not in {entry.name for entry in folder.iterdir()}:
                    continue
                taken = intake.taken(path, released, course)
            except OSError as error:
                left_out.append(f"{student}, {part.stem}: it can't be read: {error.strerror}.")
                continue
            if taken.unreadable:
                left_out.append(f"{student}, {part.stem}: {' '.join(taken.findings)}")
            else:
                found |= _texts(f"{part.stem}/{student}", taken.notebook)
    return found, left_out


def _texts(folder: str, notebook: NotebookNode) -> dict[str, str]:
    """What somebody wrote in a notebook, by the path that it gets."""
    theirs = [cell for cell in notebook.cells if cells.is_editable(cell)]
    code = [cell.source for cell in theirs if cell.cell_type == "code" and cell.source.strip()]
    words = [cell.source for cell in theirs if cell.cell_type == "markdown" and cell.source.strip()]
    found = {f"{folder}/answer.py": "\n\n\n".join(code), f"{folder}/answer.md": "\n\n".join(words)}
    return {name: text for name, text in found.items() if text}


def _listed(to: Path) -> list[str]:
    """The files that an earlier export wrote into a folder.

    Errors  CourseError if it is not a folder, or holds anything and no such list.
    """
    if not to.exists():
        to.mkdir(parents=True)
    if not to.is_dir():
        raise CourseError(f"{names.path(to)} is not a folder. Name another one with --to.")
    if (to / LIST).is_file():
        return (to / LIST).read_text(encoding="utf-8").splitlines()
    new = new_name(to / LIST)  # which an export leaves that was killed as it wrote its first list
    if other := next((each for each in to.iterdir() if each != new), None):
        raise CourseError(
            f"{names.path(to)} holds {names.printable(other.name)}, which no export wrote. Name another one with --to."
        )
    return []


def _list(to: Path, written: set[str]) -> None:
    write_whole(to / LIST, "".join(f"{name}\n" for name in sorted(written)))


def _remove(to: Path, name: str) -> None:
    """Removes a file that an export wrote, and the folders that are empty then."""
    path = to / name
    if not path.resolve().is_relative_to(to.resolve()) or path.is_dir():
        return  # not ours any more
    path.unlink(missing_ok=True)
    for folder in path.parents:
        if folder == to or not folder.is_dir() or any(folder.iterdir()):
            return
        folder.rmdir()
