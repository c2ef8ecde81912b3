"""Feedback in nbgrader's exchange, where a student's server fetches it: a page for each notebook of a submission.

nbgrader shows feedback once every notebook of a submission has a page. So those that wait have one, too, and so have
the parts whose marks are shown later; fetched again, each makes room for the page with the marks.
"""

import os
from pathlib import Path

from nbgrader.utils import notebook_hash

from grading.classroom.service.feedback_folder import FeedbackFolder
from grading.classroom.service.notes_left import NotesLeft
from grading.core.course import Course
from grading.pages import student_pages
from grading.submission import exchange_folder, safe_walk

WITHOUT_MARKS = b"<!-- without marks -->"  # stands in templates/waiting.html, after the page's head
HEAD_BYTES = 2**16  # of a page, in which that stands: one with marks may have 20 MB, and is asked about at each arrival


class ExchangeFeedback:
    """The feedback of one course's exchange."""

    def __init__(self, folder: FeedbackFolder, course: Course, parts: list[str]) -> None:
        """`parts` are those whose marks are shown; none: all."""
        self._folder, self._course, self._parts = folder, course, frozenset(parts or course.stems)
        self._notes = NotesLeft(os.geteuid())

    def give(self, source: Path, student: str, pages: Path) -> bool:
        """Shows a student's pages for the submission in `source`; False if they are another submission's.

        Errors  OSError if they can't be read or written, CourseError if the course's folder is another account's.
        """
        secret = exchange_folder.secret(source)
        if secret is None or exchange_folder.secret(pages) != secret:
            return False
        self._notes.has_marks(_owner(source), secret)
        for stem in self._stems:
            path = pages / f"{stem}.html"
            if not path.is_file():
                continue
            if stem in self._parts or stem in self._course.others:
                page = path.read_text(encoding="utf-8")
                self._put(secret, stem, page if self._shows_all else _alone(page))
            else:
                self._put(secret, stem, self._note(student, "later"))
        return True

    def prepare(self) -> None:
        """Makes the folder that nbgrader looks for, once the course is in the exchange.

        Errors  OSError if it can't be made, CourseError if the course's folder is another account's.
        """
        self._folder.prepare()

    def tell(self, source: Path, student: str, why: str, **about: object) -> None:
        """Shows what there is to say of the submission in `source` until it has marks: see templates/waiting.html.

        Errors  OSError if it can't be written, CourseError if the course's folder is another account's.
        """
        if (secret := exchange_folder.secret(source)) is None:
            return
        page = self._note(student, why, **about)
        for stem in self._stems:
            if safe_walk.is_there(source / f"{stem}.ipynb") and not self._has_marks(secret, stem):
                self._put(secret, stem, page)
        for old in self._notes.add(_owner(source), student, secret):
            self._take_back(old)

    def _take_back(self, secret: str) -> None:
        """Removes the pages of a submission that has no marks."""
        for stem in self._stems:
            if not self._has_marks(secret, stem):
                self._folder.remove(_name(secret, stem))

    @property
    def _stems(self) -> tuple[str, ...]:
        return (*self._course.stems, *self._course.others)

    @property
    def _shows_all(self) -> bool:
        return self._parts == frozenset(self._course.stems)

    def _note(self, student: str, why: str, **about: object) -> str:
        return student_pages.render("waiting.html", course=self._course, student=student, why=why, about=about)

    def _put(self, secret: str, stem: str, page: str) -> None:
        self._folder.put(_name(secret, stem), page)

    def _has_marks(self, secret: str, stem: str) -> bool:
        head = self._folder.head(_name(secret, stem), HEAD_BYTES)
        return head is not None and WITHOUT_MARKS not in head


def _owner(source: Path) -> int | None:
    """The account of a submission; one for all that have no name, because the system may give a student thousands."""
    number = exchange_folder.account(source)
    named = number in (None, os.geteuid()) or exchange_folder.name_of(number) is not None
    return number if named else exchange_folder.NOBODY


def _name(secret: str, stem: str) -> str:
    return f"{notebook_hash(secret=secret, notebook_id=stem)}.html"


def _alone(page: str) -> str:
    """A part's page without the list at its end, which has the marks of all parts."""
    before, _, after = page.rpartition("<nav ")
    return before + after.partition("</nav>")[2] if before else page
