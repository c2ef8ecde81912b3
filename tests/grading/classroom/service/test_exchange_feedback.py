"""Pages in the exchange of submissions that have no marks: those of the latest, and none of another's."""

import os
from pathlib import Path

from attention.course import COURSE
from grading.classroom.service import notes_left
from grading.classroom.service.exchange_feedback import ExchangeFeedback
from grading.classroom.service.feedback_folder import FeedbackFolder
from grading.submission import extra_files


def test_who_submits_without_end_has_pages_of_the_latest_alone(tmp_path: Path):
    released, shown = (
        _released(tmp_path),
        tmp_path / "feedback",
    )
    first, pages = _submitted(tmp_path, "first"), _submitted(tmp_path, "pages", "first")
    (pages / f"{COURSE.stems[0]}.html").write_text("the marks")
    assert released.give(first, "eve", pages)
    (with_marks,) = shown.iterdir()
    for number in range(notes_left.MOST_OF_STUDENT + 5):
        source = _submitted(tmp_path, f"secret {number}")
        before = {*shown.iterdir()}
        released.tell(source, "eve", "replaced")
        last = {*shown.iterdir()} - before
    assert len(last) == len(COURSE.stems)
    assert last < {*shown.iterdir()} and len([*shown.iterdir()]) == notes_left.MOST_OF_STUDENT * len(last) + 1
    assert with_marks.read_text(encoding="utf-8") == "the marks"


def test_of_a_page_with_marks_however_large_only_the_beginning_is_read(tmp_path: Path):
    source = _submitted(tmp_path, "first")
    released, (stem, *_) = (
        _released(tmp_path),
        COURSE.stems,
    )
    (source / f"{stem}.html").write_text("the marks")
    assert released.give(source, "eve", source)
    (shown,) = (tmp_path / "feedback").iterdir()
    with shown.open("r+b") as page:
        page.truncate(2**40)  # of which a file system keeps nothing, and no reader comes to the end
    released.tell(source, "eve", "replaced")
    assert shown.stat().st_size == 2**40


def _released(course: Path) -> ExchangeFeedback:
    return ExchangeFeedback(FeedbackFolder(course, frozenset({os.geteuid()})), COURSE, [])


def _submitted(root: Path, name: str, secret: str = "") -> Path:
    folder = root / name
    folder.mkdir()
    (folder / extra_files.SECRET).write_text(secret or name)
    for stem in COURSE.stems:
        (folder / f"{stem}.ipynb").write_text("{}")
    return folder
