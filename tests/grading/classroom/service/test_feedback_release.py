"""Feedback that was held back is shown, whatever keeps somebody else's from being shown."""

import os
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from nbgrader.utils import notebook_hash

from attention.course import COURSE
from grading.classroom.service.arrivals import Arrival
from grading.classroom.service.feedback_release import FeedbackRelease
from grading.classroom.service.journal import Journal, Outcome
from grading.submission import extra_files


def test_pages_of_one_that_can_t_be_shown_keep_no_other_s_from_being_shown(tmp_path: Path):
    journal, stem = Journal(tmp_path), COURSE.stems[0]
    for student in ("ada", "ben", "cleo"):
        source, pages = tmp_path / student, tmp_path / "feedback" / student / COURSE.name
        for folder in (source, pages):
            folder.mkdir(parents=True)
            (folder / extra_files.SECRET).write_text(f"the secret of {student}")
        (pages / f"{stem}.html").write_text(f"the page of {student}")
        made = datetime.now(UTC).replace(tzinfo=None)
        entry, _ = journal.arrived(Arrival(student, "", student, source, made))
        journal.change(entry, outcome=Outcome.GRADED)
    exchange = tmp_path / "exchange"
    in_the_way = exchange / "feedback" / f"{notebook_hash(secret='the secret of ada', notebook_id=stem)}.html"
    in_the_way.mkdir(parents=True)
    again = lambda name, state: Arrival(name, state, name, tmp_path / name)  # noqa: E731
    source = SimpleNamespace(folder=exchange, instructors=frozenset({os.geteuid()}), again=again)
    settings = SimpleNamespace(release=True, parts=[])
    released = FeedbackRelease(tmp_path, COURSE, settings, source, journal, SimpleNamespace(quiet_until=lambda: None))
    with pytest.raises(IsADirectoryError):
        released.show_held()
    shown = sorted(path.read_text(encoding="utf-8") for path in (exchange / "feedback").iterdir() if path.is_file())
    assert shown == ["the page of ben", "the page of cleo"]
    assert {entry.student for entry in journal.entries.values() if entry.shown} == {"ben", "cleo"}
    journal.close()
