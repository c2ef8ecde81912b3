"""Marks for Gradescope: a results.json per student, as its autograders write one.

Its form: https://gradescope-autograders.readthedocs.io/en/latest/specs/. The total is ours, late penalties taken off;
a written answer that waits for its grader is a test without a score, so Gradescope shows it and counts nothing for it.
"""

import json
from pathlib import Path

from grading.core import names
from grading.core.errors import CourseError
from grading.core.files import write_whole

WAITS = "This written answer waits for its grader."
MISSING = "No notebook of this part was submitted."
UNMARKED = "This part is not graded yet: our grader failed, not your answer."


def results(course: dict, student: dict) -> dict:
    """The results of one student of a marks document; `course` is what the document says about the course."""
    about = {part["part"]: part for part in course["parts"]}
    tests = [test for part in student["parts"] for test in _tests(about[part["part"]], part)]
    unmarked = [part["part"] for part in student["parts"] if part["state"] == "unmarked"]
    said = [f"{student['total']:g} of {course['points']:g} points{'' if student['complete'] else ' so far'}."]
    said += [UNMARKED] if unmarked else []
    return {
        "score": student["total"],
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "output": "\n".join([*said, *(f"{n['about']}: {n['text']}" for n in student["notices"])]),
        "tests": tests,
    }


def write(document: dict, to: Path, only: str | None = None) -> tuple[list[Path], list[str]]:
    """Writes STUDENT.json into the folder `to` for each student of a marks document; with `only` theirs as `to`.

    Returns the files, and a line about each student whose file can't be written.
    Errors  CourseError for a student without marks, or if nobody has any.
    """
    students = [each for each in document["students"] if only in (None, each["student"])]
    if not students:
        raise CourseError(f"there are no marks of {names.printable(only)}." if only else "nobody has marks yet.")
    written, failed = [], []
    for each in students:
        path = to if only else to / f"{each['student']}.json"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, json.dumps(results(document["course"], each), indent=1) + "\n")
            written.append(path)
        except OSError as error:
            failed.append(f"{each['student']}: {names.path(path)} can't be written: {error.strerror}.")
    return written, failed


def _tests(about: dict, part: dict) -> list[dict]:
    """What Gradescope calls tests: the items of a part, or the part as a whole, and its written answer."""
    title, tested = f"Part {part['part']}: {about['title']}", about["points"] - about["by_hand"]
    tests = []
    if part["items"]:
        for number, item in enumerate(part["items"], start=1):
            shown = _test(f"{part['part']}.{number}", f"{title} · {item['what']}", item["won"], item["points"])
            tests.append({**shown, "output": item["found"]})
        earned = sum(item["won"] for item in part["items"])
        if set_by_hand := round(part["tests"] - earned, 3):
            shown = _test(f"{part['part']}", f"{title} · set by your instructor", set_by_hand, 0)
            tests.append(shown)
    else:
        shown = _test(f"{part['part']}", title, part["tests"], tested)
        why = {"missing": MISSING, "unmarked": UNMARKED}.get(part["state"], part["breach"] or part["fault"])
        tests.append({**shown, "output": why})
    if about["by_hand"]:
        shown = _test(f"{part['part']}.w", f"{title} · written answer", part["written"], about["by_hand"])
        tests.append(shown if part["written"] is not None else {**shown, "output": WAITS})
    if part["late"]:
        tests.append(_test(f"{part['part']}.l", f"{title} · late", -part["late"], 0))
    return tests


def _test(number: str, name: str, score: float | None, best: float) -> dict:
    """A test; without a score nothing is counted."""
    scored = {} if score is None else {"score": score, "max_score": best}
    return {"number": number, "name": name, "visibility": "visible", **scored}
