"""Answers as plain files, for programs that compare them: a folder a part, in it a folder a student.

    answers/part05/ada/answer.py         the code of her answer and of her own cells
    answers/part09/ada/answer.md         her written answer
    answers/released/part05/answer.py    what everybody was given

docs/exports.md says how JPlag and compare50 read that.
"""

import shutil
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from grading.core import cells, names
from grading.core.course import Course
from grading.core.errors import CourseError
from grading.submission import intake

RELEASED = "released"


def write(root: Path, course: Course, to: Path, only: str | None = None) -> tuple[int, list[str]]:
    """Writes the answers of all submissions of the course in `root`; how many files, and a line about each left out.

    The folder `to` is made again if it is one of ours; nothing else is ever removed.
    Errors  CourseError if there are no submissions, or `to` is a folder of somebody else's.
    """
    folders = sorted(folder for folder in (root / "submitted").glob(f"*/{course.name}") if folder.is_dir())
    folders = [folder for folder in folders if only in (None, folder.parent.name)]
    if not folders:
        raise CourseError(f"there are no submissions of {course.name}{f' by {names.printable(only)}' if only else ''}.")
    _empty(to, course)
    written, left_out = 0, []
    for part in course.parts:
        released = root / "release" / course.name / f"{part.stem}.ipynb"
        if not released.is_file():
            continue
        _write(to / RELEASED / part.stem, nbformat.read(released, as_version=4))
        for folder in folders:
            path, student = folder / released.name, folder.parent.name
            if names.trouble(student) or not path.exists():
                continue
            taken = intake.taken(path, released, course)
            if taken.unreadable:
                left_out.append(f"{student}, {part.stem}: {taken.unreadable}")
                continue
            written += _write(to / part.stem / student, taken.notebook)
    left_out += [f"{folder.parent.name}: {why}" for folder in folders if (why := names.trouble(folder.parent.name))]
    return written, left_out


def _empty(to: Path, course: Course) -> None:
    """Removes what an earlier export wrote.

    Errors  CourseError if there is anything else in the folder.
    """
    if not to.exists():
        return
    ours = {*course.stems, RELEASED}
    if not to.is_dir() or (other := next((path for path in to.iterdir() if path.name not in ours), None)):
        what = f"holds {names.printable(other.name)}, which" if to.is_dir() else "is a file, and"
        raise CourseError(f"{names.path(to)} {what} no export has written. Name another folder with --to.")
    for path in to.iterdir():
        shutil.rmtree(path)


def _write(folder: Path, notebook: NotebookNode) -> int:
    """Writes what somebody wrote in a notebook; how many files."""
    theirs = [cell for cell in notebook.cells if not cells.is_ours(cell.metadata.get("nbgrader", {}))]
    found = {
        "answer.py": "\n\n\n".join(cell.source for cell in theirs if cell.cell_type == "code" and cell.source.strip()),
        "answer.md": "\n\n".join(
            cell.source for cell in theirs if cell.cell_type == "markdown" and cell.source.strip()
        ),
    }
    folder.mkdir(parents=True)
    kept = {name: text for name, text in found.items() if text}
    for name, text in kept.items():
        (folder / name).write_text(text + "\n", encoding="utf-8")
    return len(kept)
