"""An nbgrader course as its authors wrote it, read from the notebooks in source/: a part per notebook.

A cell that nbgrader marks by running it is a test; one that it leaves to graders is a written answer. Nothing else of a
notebook says anything about its course.
"""

import json
from pathlib import Path

from traitlets.config import Config

from grading.core import names
from grading.core.course import Course, Part
from grading.core.errors import CourseError

SOURCE = "source"
# nbgrader's own settings for where a course's folders are, which is where the engine looks for them.
_FOLDERS = {f"{step}_directory": step for step in (SOURCE, "release", "submitted", "autograded", "feedback")}
_FOLDERS["directory_structure"] = str(Path("{nbgrader_step}", "{student_id}", "{assignment_id}"))


def refuse_other_folders(settings: Config) -> None:
    """Errors  CourseError, one line, if `c.CourseDirectory` puts a course's folders elsewhere than nbgrader does."""
    for name, usual in _FOLDERS.items():
        if (chosen := settings.get(name, usual)) != usual:
            raise CourseError(
                f"c.CourseDirectory.{name} is {chosen!r} in nbgrader_config.py, and only {usual!r} is graded. "
                "Take that line out, and name the folders so."
            )


def read(folder: Path, assignment: str = "") -> Course:
    """The course in a folder, with its one assignment, or with the one of this name.

    Errors  CourseError, one line: no assignment, several and no name, or a notebook that the engine cannot run.
    """
    found = sorted({path.parent.name for path in (folder / SOURCE).glob("[!.]*/[!.]*.ipynb")})
    where, listed = names.path(folder / SOURCE), ", ".join(map(names.printable, found))
    if not found:
        raise CourseError(f"there is no assignment in {where}. Put its notebooks into source/ASSIGNMENT/.")
    if assignment and assignment not in found:
        raise CourseError(f"there is no assignment {names.printable(assignment)} in {where}, but {listed}.")
    if not assignment and len(found) > 1:
        raise CourseError(f"{where} holds several assignments: {listed}. Say which one: --assignment {found[0]}.")
    name = assignment or found[0]
    paths = sorted((folder / SOURCE / name).glob("[!.]*.ipynb"))
    parts = tuple(_part(number, path) for number, path in enumerate(paths, start=1))
    return Course(name=name, title=name, label=name, parts=parts, plain=True)


def _part(number: int, path: Path) -> Part:
    """A notebook as a part: its cells that give points, and how many.

    Errors  CourseError if the file holds no notebook in Python.
    """
    try:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        kernel = notebook["metadata"].get("kernelspec", {})
        cells = [(cell, cell["metadata"].get("nbgrader") or {}) for cell in notebook["cells"]]
        tests = {meta["grade_id"]: float(meta["points"]) for cell, meta in cells if _is_test(cell, meta)}
        written = {meta["grade_id"]: float(meta["points"]) for cell, meta in cells if _is_written(cell, meta)}
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise CourseError(
            f"{names.path(path)} is not a notebook of nbgrader's present format ({type(error).__name__}: {error}). "
            "Open it in Jupyter and save it, or run `nbgrader update` on its folder."
        ) from error
    if (language := kernel.get("language", "python")) != "python":
        raise CourseError(f"{names.path(path)} is in {language}: only Python runs behind the walls.")
    stem = path.stem
    points = sum(tests.values()), sum(written.values())
    return Part(number, stem, stem, (), *points, stem=stem, tests=tuple(tests), written=tuple(written))


def _is_test(cell: dict, meta: dict) -> bool:
    return bool(meta.get("grade")) and not meta.get("solution") and cell["cell_type"] == "code"


def _is_written(cell: dict, meta: dict) -> bool:
    return bool(meta.get("task")) or (bool(meta.get("grade")) and not _is_test(cell, meta))
