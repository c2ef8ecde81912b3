"""Written answers in the Formgrader: model answer, criteria to tick, who else wrote the same, comments used before.

Plugged in as a preprocessor of the exporter that makes the Formgrader's pages. Ticks are the first lines of nbgrader's
own comment, as a list of things to do in Markdown, and their sum is nbgrader's own score: so the student's page shows
them, they can be changed later, and nothing else is kept anywhere.
"""

import json
import re
from pathlib import Path

from markupsafe import Markup
from nbformat import NotebookNode
from nbgrader.api import Assignment, BaseCell, Comment, Gradebook, Notebook, SubmittedAssignment, SubmittedNotebook
from nbgrader.preprocessors import NbGraderPreprocessor

from grading.core import cells, find_course
from grading.core.course import Course
from grading.gradebook import course_folder, seen
from grading.marking import criteria
from grading.pages import feedback

_HERE = Path(__file__).parent
_STYLE, _SCRIPT = (
    Markup((_HERE / "lab" / f"written_answers.{end}").read_text(encoding="utf-8")) for end in ("css", "js")
)
_TICK = re.compile(r"- \[[ xX]\] ")
_COMMENTS = 30  # of those used before that are offered
_SAME = 50  # students who wrote the same that are named


class ShowCriteria(NbGraderPreprocessor):
    """Adds to the Formgrader's page what marking its written answers needs."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """Leaves the notebook as it is; what was found goes into the resources, for the template."""
        if "submission_id" not in resources:  # a page for somebody else
            return nb, resources
        course = find_course.of(self.config, resources["assignment_id"])
        part = next((part for part in course.parts if part.stem == resources["notebook_id"]), None)
        if part is None or not part.written:
            return nb, resources
        root = Path(resources["metadata"]["path"]).resolve().parents[2]  # of autograded/STUDENT/COURSE
        with course_folder.gradebook(root) as book:
            found = [
                _cell(book, root, course, resources, cell) for cell in nb.cells if cells.name_of(cell) in part.written
            ]
        if found:
            resources["written_answers"] = {"style": _STYLE, "script": _SCRIPT, "data": _embedded(found)}
        return nb, resources


def _cell(book: Gradebook, root: Path, course: Course, resources: dict, cell: NotebookNode) -> dict:
    """What there is about one written answer."""
    name, stem = cell.metadata.nbgrader["grade_id"], resources["notebook_id"]
    asked = criteria.read(cells.source_in(root / "source" / course.name / f"{stem}.ipynb", name))
    points = float(cell.metadata.nbgrader["points"])
    return {
        "cell": name,
        "version": seen.version(cell.source),
        "points": points,
        "answer": feedback.markdown(asked.answer, {}, lower=3) if asked else "",
        "note": feedback.markdown(asked.note, {}, lower=3) if asked else "",
        "items": [{"text": item, "shown": feedback.markdown(item, {})} for item in asked.items] if asked else [],
        "same": _same(book, root, course, resources, cell),
        "comments": _comments(book, course, stem, name),
    }


def _same(book: Gradebook, root: Path, course: Course, resources: dict, cell: NotebookNode) -> list[dict]:
    """Other submissions with the same answer, by their ids; spaces and ends of lines don't count."""
    stem, name, wanted = resources["notebook_id"], cell.metadata.nbgrader["grade_id"], cell.source.split()
    if not wanted:
        return []
    rows = (
        book.db.query(SubmittedAssignment.student_id, SubmittedNotebook.id)
        .select_from(SubmittedNotebook)
        .join(Notebook, SubmittedNotebook.notebook)
        .join(SubmittedAssignment, SubmittedNotebook.assignment)
        .join(Assignment, SubmittedAssignment.assignment)
        .filter(Assignment.name == course.name, Notebook.name == stem)
        .order_by(SubmittedNotebook.id)
    )
    found = []
    for student, submission in rows:
        path = root / "autograded" / student / course.name / f"{stem}.ipynb"
        if submission != resources["submission_id"] and cells.source_in(path, name).split() == wanted:
            found.append({"submission": submission})
    return found[:_SAME]


def _comments(book: Gradebook, course: Course, stem: str, name: str) -> list[str]:
    """What graders wrote about this answer of others', the most frequent first, without what was ticked."""
    rows = (
        book.db.query(Comment.manual_comment)
        .join(SubmittedNotebook, Comment.notebook)
        .join(Notebook, SubmittedNotebook.notebook)
        .join(Assignment, Notebook.assignment)
        .join(BaseCell, Comment.cell)
        .filter(Assignment.name == course.name, Notebook.name == stem, BaseCell.name == name)
    )
    count: dict[str, int] = {}
    for (comment,) in rows:
        if text := _without_ticks(comment or ""):
            count[text] = count.get(text, 0) + 1
    return sorted(count, key=lambda text: (-count[text], text))[:_COMMENTS]


def _without_ticks(comment: str) -> str:
    return "\n".join(line for line in comment.splitlines() if not _TICK.match(line)).strip()


def _embedded(found: list[dict]) -> Markup:
    """Data as JSON that no page can take for the end of its script."""
    return Markup(json.dumps(found).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))
