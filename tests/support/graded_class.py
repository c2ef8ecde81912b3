"""A graded class without grading: a gradebook and graded notebooks as the judge leaves them, made in a second or two.

The notebooks are the solved ones, with real outputs and hidden tests in them; a student is what is changed in them.
"""

import json
from collections.abc import Callable
from pathlib import Path

from nbgrader.api import Gradebook, SubmittedAssignment

from attention import course
from attention.course import COURSE
from attention.hints import HINTS
from dev.packages import REPOSITORY
from grading.core import part_report
from grading.core.course import Part
from grading.gradebook import course_folder


def entered(root: Path, students: dict[str, Callable[[Part, dict], dict | None]]) -> None:
    """Makes a course in `root` with graded students; each is called with a part and its notebook, and changes it.

    A student that returns None for a part has not handed it in, and has 0 points.
    """
    course_folder.configure(root, REPOSITORY)
    with course_folder.gradebook(root) as book:
        assigned(book)
        for student, change in students.items():
            submitted(book, student)
            folder = root / "autograded" / student / COURSE.name
            folder.mkdir(parents=True)
            for part in course.PARTS.values():
                notebook = change(part, solved(part))
                found = reported(notebook) if notebook else {"marks": 0.0}
                grade = book.find_grade(f"{part.stem}-test", part.stem, COURSE.name, student)
                grade.auto_score, grade.needs_manual_grade = found["marks"], False
                if notebook:
                    (folder / f"{part.stem}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
        book.db.commit()


def solved(part: Part) -> dict:
    """The solved notebook of a part, with a report that gives all points."""
    path = REPOSITORY / "notebooks" / COURSE.name / f"{part.stem}.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return report(notebook, part)


def report(notebook: dict, part: Part, lost: dict[str, str] | None = None, breach: str = "") -> dict:
    """The notebook with a report in its test cell: `lost` are items that are lost, and what was found."""
    lost, names = lost or {}, list(HINTS[part.number])
    each = part.automatic / len(names)
    items = [part_report.Line(each, 0.0 if name in lost else each, name, lost.get(name, "")) for name in names]
    marks = 0.0 if breach else round(sum(item.won for item in items), 6)
    found = part_report.Report(part.number, float(part.automatic), marks, tuple(items), breach, task=part.task)
    result = {
        "output_type": "execute_result",
        "data": {"text/plain": repr(marks)},
        "metadata": {},
        "execution_count": 1,
    }
    cell(notebook, "-test")["outputs"] = [json.loads(json.dumps(found.output())), result]
    return notebook


def reported(notebook: dict) -> dict:
    """The report in a notebook's test cell, as data."""
    return cell(notebook, "-test")["outputs"][0]["data"][part_report.MIME]


def cell(notebook: dict, ending: str) -> dict:
    """The cell of a notebook whose id ends so."""
    return next(each for each in notebook["cells"] if each["id"].endswith(ending))


def assigned(book: Gradebook) -> None:
    """Tells a gradebook about the assignment and its cells."""
    book.add_assignment(COURSE.name)
    for part in course.PARTS.values():
        where = (part.stem, COURSE.name)
        book.add_notebook(*where)
        for each in solved(part)["cells"]:
            role = each["metadata"]["nbgrader"]
            if role["solution"]:
                book.add_solution_cell(role["grade_id"], *where)
            if role["grade"]:
                points, kind = role["points"], each["cell_type"]
                book.add_grade_cell(role["grade_id"], *where, max_score=points, cell_type=kind)


def submitted(book: Gradebook, student: str) -> SubmittedAssignment:
    """Tells a gradebook that a student submitted all parts; nothing is marked yet."""
    book.add_student(student)
    return book.add_submission(COURSE.name, student)
