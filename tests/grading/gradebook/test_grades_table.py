"""nbgrader's own table of grades: a student's name is one cell of it, and no spreadsheet computes it."""

import csv
import errno
from pathlib import Path

import pytest
from nbgrader.apps.exportapp import ExportApp

from attention.course import COURSE
from dev.packages import REPOSITORY
from grading.core import files, spreadsheet
from grading.gradebook import course_folder

HONEST, ANOTHER_S, FORMULA = "ada", "ada,,,,100.0,0.0,100.0,100.0", "=SUM(1+1)"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course with submissions that earned nothing, in which commands are started."""
    course_folder.configure(tmp_path, REPOSITORY)
    monkeypatch.chdir(tmp_path)
    with course_folder.gradebook(tmp_path) as book:
        book.add_assignment(COURSE.name, duedate="2026-01-31 12:00:00")
        for student in (HONEST, ANOTHER_S, FORMULA):
            book.add_student(student)
        book.add_submission(COURSE.name, HONEST)
    return tmp_path


def exported(root: Path, **options: object) -> list[dict[str, str]]:
    """The lines that `nbgrader export` writes."""
    config = course_folder.config(root)
    config.ExportPlugin.update(options)
    command = ExportApp(config=config)
    command.init_plugin()
    with course_folder.gradebook(root) as book:
        command.plugin_inst.export(book)
    with Path(options.get("to", "grades.csv")).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def test_no_name_gives_a_line_that_is_another_s_or_a_cell_that_computes(root: Path):
    rows = exported(root)
    assert {row["student_id"]: row["score"] for row in rows} == {HONEST: "0", ANOTHER_S: "0", f"'{FORMULA}": "0"}
    assert not any(spreadsheet.computes(text) for row in rows for text in row.values())


def test_nbgrader_s_options_hold(root: Path):
    assert [row["student_id"] for row in exported(root, student=[HONEST], to="one.csv")] == [HONEST]
    assert exported(root, assignment=["other"]) == []


def test_a_full_disk_is_told_in_a_line_and_the_earlier_table_stays(root: Path, monkeypatch: pytest.MonkeyPatch):
    exported(root)
    before = (root / "grades.csv").read_bytes()

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files, "write_whole", full)
    with pytest.raises(SystemExit, match=r"^export: .*grades\.csv can't be read or written: No space left on device\."):
        exported(root)
    assert (root / "grades.csv").read_bytes() == before
