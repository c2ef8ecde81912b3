"""Pages in the exchange of submissions that have no marks: those of the latest, and none of another's."""

import os
from pathlib import Path

import pytest

from attention.course import COURSE
from grading.classroom.service import notes_left
from grading.classroom.service.exchange_feedback import ExchangeFeedback
from grading.classroom.service.feedback_folder import FeedbackFolder
from grading.submission import exchange_folder, extra_files


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


def test_accounts_without_a_name_have_pages_as_if_they_were_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    released, shown = _released(tmp_path), tmp_path / "feedback"
    monkeypatch.setattr(exchange_folder, "account", lambda folder: 10**6 + int(folder.name))
    monkeypatch.setattr(exchange_folder, "name_of", lambda number: None)
    monkeypatch.setattr(notes_left, "MOST_OF_OWNER", 3)
    for number in range(6):
        released.tell(_submitted(tmp_path, f"{number}"), f"student {number}", "replaced")
    assert len([*shown.iterdir()]) == 3 * len(COURSE.stems)


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
