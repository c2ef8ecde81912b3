"""A graded class without grading: a gradebook and graded notebooks as the judge leaves them, made in a second or two.

The notebooks are the solved ones, with real outputs and real hidden tests in them; a student is what is changed in them.
"""

import json
from collections.abc import Callable
from pathlib import Path

from nbgrader.api import Gradebook

from grading import course, courses, messages

REPORT = "application/vnd.attention.report+json"


def entered(root: Path, students: dict[str, Callable[[course.Part, dict], dict | None]]) -> None:
    """Makes a course in `root` in which `students` are graded; each is called with a part and its notebook, and changes it.

    A student that returns None for a part has not handed it in, and has 0 points.
    """
    with courses.gradebook(root) as book:
        _assignment(book)
        for student, change in students.items():
            book.add_student(student)
            book.add_submission(course.ASSIGNMENT, student)
            folder = root / "autograded" / student / course.ASSIGNMENT
            folder.mkdir(parents=True)
            for part in course.PARTS.values():
                notebook = change(part, solved(part))
                found = reported(notebook) if notebook else {"marks": 0.0}
                grade = book.find_grade(f"{part.stem}-test", part.stem, course.ASSIGNMENT, student)
                grade.auto_score, grade.needs_manual_grade = found["marks"], False
                if notebook:
                    (folder / f"{part.stem}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
        book.db.commit()


def solved(part: course.Part) -> dict:
    """The solved notebook of a part, with a report that gives all points."""
    path = courses.REPOSITORY / "notebooks" / course.ASSIGNMENT / f"{part.stem}.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return report(notebook, part)


def report(notebook: dict, part: course.Part, lost: dict[str, str] | None = None, **changes: object) -> dict:
    """The notebook with a report in its test cell: `lost` are items that are lost, and what was found."""
    lost, names = lost or {}, list(messages.HINTS[part.number])
    each = part.automatic / len(names)
    items = [
        {"points": each, "won": 0.0 if name in lost else each, "what": name, "found": lost.get(name, ""), "mistake": ""}
        for name in names
    ]
    marks = float(sum(item["won"] for item in items))
    found = {"part": part.number, "points": float(part.automatic), "marks": round(marks, 6), "breach": None, "fault": None}
    found |= {"items": items, **changes}
    data = {"text/plain": "the report", "text/html": "<table><tr><td>the report</td></tr></table>", REPORT: found}
    cell(notebook, "-test")["outputs"] = [
        {"output_type": "display_data", "data": data, "metadata": {}},
        {"output_type": "execute_result", "data": {"text/plain": repr(found["marks"])}, "metadata": {}, "execution_count": 1},
    ]
    return notebook


def reported(notebook: dict) -> dict:
    """The report in a notebook's test cell, as data."""
    return cell(notebook, "-test")["outputs"][0]["data"][REPORT]


def cell(notebook: dict, ending: str) -> dict:
    """The cell of a notebook whose id ends so."""
    return next(each for each in notebook["cells"] if each["id"].endswith(ending))


def _assignment(book: Gradebook) -> None:
    book.add_assignment(course.ASSIGNMENT)
    for part in course.PARTS.values():
        where = (part.stem, course.ASSIGNMENT)
        book.add_notebook(*where)
        book.add_solution_cell(f"{part.stem}-answer", *where)
        book.add_grade_cell(f"{part.stem}-check", *where, max_score=0, cell_type="code")
        book.add_grade_cell(f"{part.stem}-test", *where, max_score=part.automatic, cell_type="code")
        if part.by_hand:
            book.add_solution_cell(f"{part.stem}-reasoning", *where)
            book.add_grade_cell(f"{part.stem}-reasoning", *where, max_score=part.by_hand, cell_type="markdown")
