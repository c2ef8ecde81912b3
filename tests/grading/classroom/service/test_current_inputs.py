"""What the service grades with, where the database that knows it is away."""

from pathlib import Path

import pytest
from sqlalchemy.exc import DBAPIError

from attention.course import COURSE
from grading.classroom.service import current_inputs
from grading.gradebook import course_folder, snapshot

AWAY = "postgresql+psycopg://127.0.0.1:1/nobody"


def test_a_database_that_is_away_is_an_error_that_passes_and_nothing_is_released_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / course_folder.CONFIGURATION).write_text(f"c = get_config()\nc.CourseDirectory.db_url = {AWAY!r}\n")
    monkeypatch.setattr(current_inputs.registration, "current", lambda *_: pytest.fail("released without a gradebook"))
    given = current_inputs.CurrentInputs(tmp_path, COURSE, snapshot.engine(AWAY), "", print)
    with pytest.raises(DBAPIError, match="Connection refused"):
        given.renew()
    assert given.inputs is None
