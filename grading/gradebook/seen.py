"""A mark is for the answer that its grader saw, and takes the place of no mark that they didn't see.

A page of the Formgrader stays open for minutes. Meanwhile the student may submit again, or another grader may mark the
same answer. nbgrader would save the mark all the same: for an answer that nobody has read, or over the other grader's.
So our page sends with each value the version of the answer that it shows, and the values that it has seen there.
"""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from nbgrader.api import BaseCell, Comment, Grade
from sqlalchemy import select, update
from tornado.web import HTTPError

from grading.core import cells

if TYPE_CHECKING:
    from nbgrader.server_extensions.formgrader.base import BaseApiHandler

CONFLICT = 409  # HTTP's status; the page's script knows it
FIELDS = {Grade: ("manual_score", "extra_credit"), Comment: ("manual_comment",)}  # of an answer, which go together


def version(source: str) -> str:
    """What tells an answer from others; spaces and ends of lines don't count."""
    return hashlib.sha256(" ".join(source.split()).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def look(handler: "BaseApiHandler", sent: object) -> None:
    """Refuses a request from a page that is out of date. What doesn't come from our page is saved, as in nbgrader.

    Errors  tornado's HTTPError with the status CONFLICT if the page doesn't show what is there now.
    """
    if not isinstance(sent, dict) or "answer" not in sent:
        return
    (name,), kind = handler.path_args, Grade if "manual_score" in sent else Comment
    row = handler.gradebook.db.get(kind, name)
    now = {field: getattr(each, field) for each in _locked(handler, row) for field in FIELDS[type(each)]}
    unseen = "seen" in sent and any(value not in sent["seen"][field] for field, value in now.items())
    if unseen or version(_answer(handler, row)) != sent["answer"]:
        raise HTTPError(CONFLICT, "the page is older than the answer or the mark that it would change")


def _locked(handler: "BaseApiHandler", row: Grade | Comment) -> list[Grade | Comment]:
    """The mark and the comment of the answer that one of them is about, as they are in the gradebook now.

    From here until nbgrader commits, or `engines.on_finish` undoes it, no other process puts a new answer in place.
    """
    session, found = handler.gradebook.db, []
    named = select(BaseCell.id).where(BaseCell.name == row.name)  # nbgrader has one for the mark, one for the comment
    for kind in FIELDS:
        same = (kind.notebook_id == row.notebook_id, kind.cell_id.in_(named))
        session.execute(update(kind).where(*same).values(id=kind.id).execution_options(synchronize_session=False))
        found += session.query(kind).filter(*same).populate_existing()
    return found


def _answer(handler: "BaseApiHandler", row: Grade | Comment) -> str:
    """The written answer that a mark or comment is about, as it is in the graded notebook now."""
    submission, folder = row.notebook.assignment, handler.coursedir
    graded = folder.format_path(folder.autograded_directory, submission.student_id, submission.name)
    return cells.source_in(Path(graded) / f"{row.notebook.name}.ipynb", row.name)
