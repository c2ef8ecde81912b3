"""A new gradebook is made apart and put into place whole; one that is there is never written over."""

import errno
import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from nbgrader.converters import GenerateAssignment

from attention import course
from attention.course import COURSE
from dev import course_copy
from dev.packages import REPOSITORY
from grading.classroom import inputs
from grading.core import errors
from grading.gradebook import course_folder, engines, generate_assignment, snapshot

ONE = course.PARTS[1]
ROWS = ("assignment", "notebook", "base_cell", "grade_cells", "solution_cells", "source_cell", "alembic_version")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    course_copy.new(tmp_path, ONE)
    return tmp_path


def contents(root: Path) -> tuple[dict, dict]:
    """What a gradebook is made of, and how many rows each table has."""
    connection = sqlite3.connect(root / "gradebook.db")
    schema = dict(connection.execute("SELECT name, sql FROM sqlite_master").fetchall())
    rows = {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in ROWS}
    connection.close()
    return schema, rows


def made_in_place(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generate_assignment, "_made_apart", lambda *_: False)
    generate_assignment.register(root)
    monkeypatch.undo()


@pytest.mark.parametrize("empty", [False, True], ids=["no file", "an empty file"])
def test_it_holds_what_nbgrader_makes_in_place(empty: bool, root: Path, monkeypatch: pytest.MonkeyPatch):
    made_in_place(root, monkeypatch)
    expected = contents(root)
    (root / "gradebook.db").unlink()
    if empty:
        (root / "gradebook.db").touch()
    generate_assignment.register(root)
    assert contents(root) == expected and expected[1]["source_cell"] > 5
    assert [path.name for path in root.iterdir() if path.name.startswith(".release-")] == []


def test_tables_of_which_nbgrader_has_noted_no_version_are_graded_as_the_newest(root: Path):
    generate_assignment.register(root)
    engine = snapshot.engine(f"sqlite:///{root / 'gradebook.db'}")
    noted = inputs.read(root, engine)
    with engine.begin() as connection:
        assert snapshot.version(connection) == engines.alembic_version()
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = 'older'")
        assert snapshot.version(connection) == "older"
        connection.exec_driver_sql("DROP TABLE alembic_version")
    assert inputs.read(root, engine).digest == noted.digest
    engine.dispose()


def test_an_assignment_is_entered_into_the_gradebook_that_is_there(root: Path):
    generate_assignment.register(root)
    with course_folder.gradebook(root) as book:
        book.add_student("anna")
    generate_assignment.register(root)
    with course_folder.gradebook(root) as book:
        assert [student.id for student in book.students] == ["anna"]


def test_a_gradebook_that_somebody_makes_meanwhile_is_kept(root: Path, monkeypatch: pytest.MonkeyPatch):
    generate = generate_assignment._generate

    def slowly(*given: object) -> None:
        generate(*given)
        if not (root / "gradebook.db").exists():
            with course_folder.gradebook(root) as book:
                book.add_student("anna")

    monkeypatch.setattr(generate_assignment, "_generate", slowly)
    generate_assignment.register(root)
    with course_folder.gradebook(root) as book:
        assert [student.id for student in book.students] == ["anna"]
        assert [notebook.name for notebook in book.find_assignment("attention").notebooks] == [ONE.stem]


def test_a_copy_that_fails_leaves_nothing_and_is_one_clear_line(root: Path, monkeypatch: pytest.MonkeyPatch):
    filled = generate_assignment._filled

    def fail(connection: sqlite3.Connection, apart: Path) -> bool:
        connection.execute("PRAGMA max_page_count = 30")  # as on a disk with no more room
        return filled(connection, apart)

    monkeypatch.setattr(generate_assignment, "_filled", fail)
    with pytest.raises(
        errors.CourseError, match=r"the gradebook .*gradebook\.db cannot be made: database or disk is full\.$"
    ):
        generate_assignment.register(root)
    connection = sqlite3.connect(root / "gradebook.db")
    assert connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
    connection.close()


def test_a_full_disk_is_no_fault_of_the_source_whichever_step_of_nbgrader_s_finds_it(
    root: Path, monkeypatch: pytest.MonkeyPatch
):
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(GenerateAssignment, "convert_notebooks", full)
    with pytest.raises(OSError, match="No space left on device") as raised:
        generate_assignment.register(root)
    assert raised.value.errno == errno.ENOSPC and raised.value.filename == str(root)


def test_only_what_is_thrown_away_goes_to_the_disk_late_and_has_no_journal_there(root: Path):
    with engines.unsynced(root / "apart"):
        (root / "apart").mkdir()
        for folder, pace, journal in ((root / "apart", 0, "memory"), (root, 2, "delete")):
            made = engines.create_engine(f"sqlite:///{folder / 'x.db'}")
            with made.connect() as connection:
                assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == pace
                assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == journal
            made.dispose()


def test_what_a_killed_run_left_is_removed_and_what_another_is_making_is_not(root: Path):
    for name, age_s in ((".release-killed", 7200), (".release-at-work", 60)):
        (root / name / COURSE.name).mkdir(parents=True)
        os.utime(root / name, (time.time() - age_s,) * 2)
    generate_assignment.register(root)
    assert [path.name for path in root.glob(".release-*")] == [".release-at-work"]


def test_what_nbgrader_logs_of_an_error_that_it_raises_is_not_on_the_screen():
    """70 lines of a traceback stood above the one line about a disk that was full."""
    ran = subprocess.run([sys.executable, "-c", LOGS], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert ran.stderr == "another error\n"


LOGS = """
from nbgrader.api import app_log
from attention.course import COURSE
from grading.gradebook import generate_assignment

class Logs:
    def __init__(self, config):
        pass

    def generate_assignment(self, *arguments, **settings):
        app_log.error("Rolling back session")
        return {"success": True}

generate_assignment.NbGraderAPI = Logs
generate_assignment._generate(None, COURSE)
app_log.error("another error")
"""
