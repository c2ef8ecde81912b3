"""Written answers that have been read stay read when their student is graded again, if they are the same.

nbgrader keeps a mark by hand, but asks for each to be looked at again, whatever has changed: after a correction of one
hidden test a whole class's written answers would wait for their graders, and exports would leave them out.
"""

import contextlib
import hashlib
import json
from pathlib import Path

from nbgrader.api import Gradebook

from grading.core import cells
from grading.core.course import Course
from grading.gradebook import snapshot
from grading.submission import in_memory

Digests = dict[str, str]  # of written answers with their points, by "notebook/cell"


def keep(book: Gradebook, course: Course, graded: Path, before: snapshot.Rows, was: Digests) -> Digests:
    """Takes back nbgrader's wish to see a mark by hand again where answer and mark are what they were. Where a part is
    no longer submitted, whose mark nbgrader keeps without a word, somebody must look.

    Returns the digests of the answers in the folder of graded notebooks; none of a course for nbgrader alone.
    before  the student's rows as they were before nbgrader graded
    was     the answers that were marked then
    """
    now, rows = _digests(course, graded), before.get("grade", {})
    marked = {i: rows[i]["needs_manual_grade"] for i in rows if rows[i]["manual_score"] is not None}
    if marked and not course.plain:
        (student,) = before["student"]
        written = {f"{part.stem}/{name}" for part in course.parts for name in part.written}
        for notebook in book.find_submission(course.name, student).notebooks:
            for grade in notebook.grades:
                key = f"{notebook.name}/{grade.name}"
                if grade.id not in marked or key not in written:
                    continue
                if key not in now:
                    grade.needs_manual_grade = marked[grade.id] or key in was
                elif not marked[grade.id] and was.get(key) == now[key]:
                    grade.needs_manual_grade = False
        book.db.commit()
    return now


def _digests(course: Course, graded: Path) -> Digests:
    found: Digests = {}
    for part in () if course.plain else (part for part in course.parts if part.written):
        with contextlib.suppress(FileNotFoundError):  # not submitted
            # Of a submission with an unmarked part the files are gone already, but what was in them is held.
            notebook = in_memory.parsed(graded / f"{part.stem}.ipynb")
            for name in part.written:
                said = json.dumps([part.by_hand, cells.source_of(notebook, name)])
                found[f"{part.stem}/{name}"] = hashlib.sha256(said.encode()).hexdigest()
    return found
