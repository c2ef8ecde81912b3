"""Marks as JSON, for other programs: a course, its students, and of each part what earned its points.

docs/exports.md describes the document, docs/schemas/marks-1.json its form. A field may be added in a version; none
changes its meaning or goes away without a new one.
"""

from collections.abc import Iterable
from pathlib import Path

from nbgrader.api import Gradebook

from grading.core import names
from grading.core.course import Course
from grading.gradebook import results
from grading.gradebook.results import Result
from grading.submission.notices import Notice

SCHEMA, VERSION = "grading.marks", 1


def document(
    book: Gradebook,
    course: Course,
    root: Path,
    students: Iterable[str],
    notices: Iterable[Notice] = (),
    problems: dict[str, str] | None = None,
) -> dict:
    """The marks of students of the course in `root`; with them what an instructor should look at, and why somebody
    could not be graded."""
    found = results.of_class(book, course)
    said: dict[str, list[dict]] = {}
    for notice in notices:
        said.setdefault(notice.student, []).append({"about": notice.part, "text": notice.text})
    shown = []
    for name in students:
        parts = found.get(name) or [Result(part) for part in course.parts]
        graded = root / "autograded" / name / course.name
        one = _student(name, [results.with_report(part, graded) for part in parts], course.plain)
        shown.append({**one, "problem": (problems or {}).get(name, ""), "notices": said.get(name, [])})
    return {"schema": SCHEMA, "version": VERSION, "course": _course(course), "students": shown}


def _course(course: Course) -> dict:
    parts = [
        {"part": p.number, "notebook": p.stem, "title": p.title, "points": p.points, "by_hand": p.by_hand}
        for p in course.parts
    ]
    return {"name": course.name, "title": course.title, "points": course.points, "parts": parts}


def _student(name: str, found: list[Result], plain: bool) -> dict:
    name = names.printable(name) if names.trouble(name) else name
    complete = all(result.whole for result in found)
    return {
        "student": name,
        "total": _rounded(results.total(found)),
        "complete": complete,
        "parts": [_part(result, plain) for result in found],
    }


def _part(result: Result, plain: bool) -> dict:
    """`state`: marked; unread, its written answer waits; unmarked, our grader failed or nobody was graded; missing."""
    report, state = result.report, "marked"
    if result.unmarked:
        state = "unmarked"
    elif not result.here:
        state = "missing"
    elif result.unread:
        state = "unread"
    known = result.here and result.part.written and not plain  # only releases of ours have a known stub
    counts = report is not None and not (result.unmarked or report.breach or report.fault)
    return {
        "part": result.part.number,
        "state": state,
        "mark": None if result.mark is None else _rounded(result.mark),
        "tests": None if result.automatic is None else _rounded(result.automatic),
        "written": None if result.by_hand is None else _rounded(result.by_hand),
        **({"answered": result.answered} if known else {}),
        "late": _rounded(result.late),
        "breach": report.breach if report else "",
        "fault": report.fault if report else "",
        "items": [
            {"what": i.what, "points": i.points, "won": _rounded(i.won), "found": i.found, "mistake": i.mistake}
            for i in (report.items if counts else ())
        ],
    }


def _rounded(number: float) -> float:
    return round(float(number), 6)
