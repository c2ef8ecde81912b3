"""When a submission was made: by the exchange's file system or an instructor's line, never by a file submitted."""

import datetime
import os
import shutil
import time
from pathlib import Path

import graded_here
import lean
import pytest
from nbgrader.apps import NbGraderAPI
from nbgrader.apps.zipcollectapp import ZipCollectApp
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeFactory

from attention import course
from attention.course import COURSE
from dev import handed_in
from dev.packages import REPOSITORY
from grading.classroom import class_run, merge
from grading.core import errors, files, limits
from grading.gradebook import course_folder, generate_assignment, snapshot
from grading.submission import exchange_collect, nbgrader_patches, times

ONE = course.PARTS[1]
FORGED, KNOWN = "2020-01-01 00:00:00 UTC", "2026-01-10 12:00:01.000000 UTC"
NOW = datetime.datetime.now(datetime.UTC).replace(tzinfo=None)


def _course(root: Path) -> None:
    lean.new(root, ONE)
    folder = root / "submitted" / "ada" / COURSE.name
    folder.mkdir(parents=True)
    lean.write(folder, ONE, handed_in.model(ONE))
    (folder / "timestamp.txt").write_text(FORGED)
    generate_assignment.register(root)


def _in_gradebook(root: Path) -> datetime.datetime | None:
    engine = snapshot.engine(course_folder.database(root))
    try:
        found = merge.before(engine, COURSE, "ada")["submitted_assignment"]
    finally:
        engine.dispose()
    return next(iter(found.values()))["timestamp"]


def _by_make_grade(root: Path) -> None:
    result = graded_here.grade_student(root, "ada", feedback=False)
    assert not result.error and not result.unmarked


def _by_nbgrader(root: Path) -> None:
    nbgrader_patches.guard()
    done = course_folder.api(root).autograde(COURSE.name, "ada", force=True)
    assert done["success"], done


@pytest.mark.parametrize("grade", [_by_make_grade, _by_nbgrader])
def test_a_submitted_file_does_not_say_when(grade, tmp_path: Path):
    _course(tmp_path)
    grade(tmp_path)
    assert _in_gradebook(tmp_path) is None
    times.note(tmp_path, "ada", KNOWN)
    grade(tmp_path)
    assert _in_gradebook(tmp_path) == datetime.datetime(2026, 1, 10, 12, 0, 1)
    graded = tmp_path / "autograded" / "ada" / COURSE.name / "timestamp.txt"
    assert graded.read_text(encoding="utf-8") == KNOWN
    (tmp_path / times.FILE).write_text("student,time\n", encoding="utf-8")
    grade(tmp_path)
    assert _in_gradebook(tmp_path) is None and not graded.exists()


def test_the_formgrader_shows_the_known_time_before_anything_is_graded(tmp_path: Path):
    nbgrader_patches.guard()
    _course(tmp_path)
    assert course_folder.api(tmp_path).get_submission(COURSE.name, "ada")["timestamp"] is None
    times.note(tmp_path, "ada", KNOWN)
    assert "2026-01-10" in course_folder.api(tmp_path).get_submission(COURSE.name, "ada")["timestamp"]


def test_another_time_is_a_reason_to_grade_again(tmp_path: Path):
    _course(tmp_path)
    for when, kept in ((KNOWN, False), (KNOWN, True), ("2026-01-11 12:00:00 UTC", False)):
        times.note(tmp_path, "ada", when)
        assert [result.kept for result in class_run.graded(tmp_path, ["ada"], workers=1, force=False)] == [kept]
    assert _in_gradebook(tmp_path) == datetime.datetime(2026, 1, 11, 12)
    (tmp_path / times.FILE).unlink()
    assert [result.kept for result in class_run.graded(tmp_path, ["ada"], workers=1, force=False)] == [False]
    assert _in_gradebook(tmp_path) is None


# --- times.csv


def test_times_of_students_who_have_no_folder_are_named_in_one_line(tmp_path: Path):
    (tmp_path / "submitted" / "ada").mkdir(parents=True)
    times.note(tmp_path, "ada", KNOWN)
    assert times.of_nobody(tmp_path) == []
    times.note_all(tmp_path, dict.fromkeys(["Ada", "bob\nby", *(f"nobody {n}" for n in range(20))], KNOWN))
    (line,) = times.of_nobody(tmp_path)
    assert "times.csv" in line and "has no Ada, bob\\nby, nobody 0," in line and line.endswith("and 12 more.")


def test_a_line_may_be_an_instructor_s_and_others_stay(tmp_path: Path):
    (tmp_path / "times.csv").write_text('student,time\n"Lovelace, Ada",2026-01-10 13:00:00 +0100\n\n', encoding="utf-8")
    times.note(tmp_path, "=ben", KNOWN)
    assert times.of(tmp_path, "Lovelace, Ada") == datetime.datetime(2026, 1, 10, 12)
    assert times.text(tmp_path, "=ben") == KNOWN and times.of(tmp_path, "cleo") is None
    assert "'=ben," in (tmp_path / "times.csv").read_text(encoding="utf-8")


def test_a_class_that_is_collected_at_once_is_written_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """For each of 1,000 students alone, all lines of the others were read and written again: ten seconds."""
    times.note(tmp_path, "ada", NOW)
    (tmp_path / "times.csv").write_text(f"student,time\nada,{KNOWN}\n", encoding="utf-8")
    written, write = [], files.write_whole
    monkeypatch.setattr(files, "write_whole", lambda path, *content: (written.append(path.name), write(path, *content)))
    many = {f"student{number}": NOW for number in range(1000)}
    for _ in range(2):
        times.note_all(tmp_path, {"ada": NOW, **many})
    assert written == ["times.csv", ".times.csv"]
    assert times.text(tmp_path, "ada") == KNOWN and times.of(tmp_path, "student999") == NOW


@pytest.mark.parametrize("noted", ["as it is", "damaged", "gone"])
def test_a_line_that_an_instructor_changed_stays_until_the_student_submits_again(noted: str, tmp_path: Path):
    """As for somebody who was ill, though the class is collected again."""
    times.note(tmp_path, "ada", NOW)
    times.note(tmp_path, "ada", NOW - datetime.timedelta(hours=1))
    (tmp_path / "times.csv").write_text(f"student,time\nada,{KNOWN}\n", encoding="utf-8")
    if noted == "damaged":
        (tmp_path / times.NOTED).write_bytes(b"\xff")
    elif noted == "gone":
        (tmp_path / times.NOTED).unlink()
    for student in ("ben", "ada"):
        times.note(tmp_path, student, NOW - datetime.timedelta(hours=1))
    assert (times.text(tmp_path, "ada") == KNOWN) == (noted == "as it is")
    for when in (NOW, NOW - datetime.timedelta(hours=1)):
        times.note(tmp_path, "ada", when)
        assert times.of(tmp_path, "ada") == when
    (tmp_path / "times.csv").unlink()
    times.note(tmp_path, "ada", NOW - datetime.timedelta(hours=1))
    assert times.of(tmp_path, "ada") == NOW - datetime.timedelta(hours=1)


@pytest.mark.parametrize(
    "line",
    ["ada,soon", "ada", "ada,12:00", "ada,2026-13-01 00:00 UTC", "ada,2026-01-01 00:00 ABC", "a,b,c", "ada,\x1b[2J"],
)
def test_a_line_that_is_none_is_named_in_one_line(line: str, tmp_path: Path):
    (tmp_path / "times.csv").write_text(f"student,time\n{line}\n", encoding="utf-8")
    with pytest.raises(errors.CourseError, match=r"times\.csv, line 2: .* Fix the line\.") as raised:
        times.of(tmp_path, "ada")
    assert str(raised.value).isprintable()


@pytest.mark.parametrize("content", [b"", b"name,when\n", b"\xff\xfe"])
def test_a_file_that_is_no_such_table_is_named_in_one_line(content: bytes, tmp_path: Path):
    (tmp_path / "times.csv").write_bytes(content)
    with pytest.raises(errors.CourseError, match=r"times\.csv"):
        times.of(tmp_path, "ada")


@pytest.mark.parametrize(
    "when", ["2026-07-10 12:00", "2026-07-10T12:00:00Z", "2026-07-10 14:00:00 Europe/Paris", "2026-07-10 10:00:00-0200"]
)
def test_a_time_may_be_written_in_any_usual_way(when: str, tmp_path: Path):
    (tmp_path / "times.csv").write_text(f"student,time\nada,{when}\n", encoding="utf-8")
    assert times.of(tmp_path, "ada") == datetime.datetime(2026, 7, 10, 12)


# --- the exchange


def _submitted(exchange: Path, claimed: datetime.datetime, student: str = "ada") -> Path:
    """What a student's process leaves in the exchange, made now, whatever it claims."""
    folder = exchange / "attention" / "inbound" / f"{student}+attention+{claimed:%Y-%m-%d %H:%M:%S.%f} UTC+r"
    folder.mkdir(parents=True)
    (folder / "part01.ipynb").write_text("{}")
    (folder / "timestamp.txt").write_text(FORGED)
    for path in (folder, *folder.iterdir()):
        os.utime(path, (0, 0))
    return folder


def _collect(root: Path, exchange: Path, **options: bool) -> None:
    root.mkdir(exist_ok=True)
    course_folder.configure(root, REPOSITORY)
    config = course_folder.config(root)
    config.Exchange.root = str(exchange)
    api = NbGraderAPI(config=config)
    api.coursedir.assignment_id = COURSE.name
    made = ExchangeFactory(config=config).Collect(coursedir=api.coursedir, parent=api, **options)
    made.start()


def _noted(root: Path) -> float:
    """How many seconds ago a submission was made, as far as is known."""
    return (datetime.datetime.now(datetime.UTC).replace(tzinfo=None) - times.of(root, "ada")).total_seconds()


def test_the_exchange_s_time_is_that_of_the_last_change_whatever_name_and_files_claim(tmp_path: Path):
    began = time.monotonic()
    _submitted(tmp_path / "exchange", NOW - datetime.timedelta(days=3))
    (tmp_path / "course").mkdir()
    _collect(tmp_path / "course", tmp_path / "exchange")
    assert 0 <= _noted(tmp_path / "course") <= time.monotonic() - began + 1


def test_an_honest_claim_is_kept_to_the_microsecond(tmp_path: Path):
    claimed = datetime.datetime.now(datetime.UTC).replace(tzinfo=None) - datetime.timedelta(seconds=20)
    _submitted(tmp_path / "exchange", claimed)
    (tmp_path / "course").mkdir()
    _collect(tmp_path / "course", tmp_path / "exchange")
    assert times.of(tmp_path / "course", "ada") == claimed


def test_a_file_that_is_replaced_after_it_was_submitted_makes_it_later(tmp_path: Path):
    claimed = NOW - datetime.timedelta(days=1)
    folder = _submitted(tmp_path, claimed)
    seen = folder.stat().st_ctime
    time.sleep(0.05)
    (folder / "part01.ipynb").write_text("{ }")
    os.utime(folder / "part01.ipynb", (0, 0))
    changed = times.in_exchange(folder, claimed).replace(tzinfo=datetime.UTC).timestamp()
    assert changed > seen + 0.04


def test_a_file_that_is_replaced_while_a_class_is_collected_makes_it_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    claimed = datetime.datetime.now(datetime.UTC).replace(tzinfo=None)
    folder = _submitted(tmp_path / "exchange", claimed)

    def change(_: object) -> None:  # when the times are known, and nothing is copied yet
        monkeypatch.setattr(times, "SLACK_S", 0.05)
        time.sleep(0.1)
        (folder / "part01.ipynb").write_text("{ }")

    monkeypatch.setattr(exchange_collect.Collect, "init_dest", change)
    _collect(tmp_path / "course", tmp_path / "exchange")
    copied = tmp_path / "course" / "submitted" / "ada" / COURSE.name / "part01.ipynb"
    assert copied.read_text() == "{ }"
    assert (times.of(tmp_path / "course", "ada") - claimed).total_seconds() >= 0.1


def _filled(folder: Path) -> None:
    for number in range(limits.ENTRIES):
        (folder / f"{number}.txt").touch()


@pytest.mark.parametrize("hide", [_filled, shutil.rmtree])
def test_what_can_t_be_seen_whole_was_changed_just_now(hide, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = _submitted(tmp_path, NOW)
    hide(folder)
    began = time.time() + 1000
    monkeypatch.setattr(times.time, "time", lambda: began)
    changed = times.in_exchange(folder, NOW).replace(tzinfo=datetime.UTC).timestamp()
    assert abs(changed - began) < 0.001


def test_before_the_due_date_means_before_it_by_the_trusted_time(tmp_path: Path):
    root = tmp_path / "course"
    lean.new(root, ONE)
    generate_assignment.register(root)
    with course_folder.gradebook(root) as book:
        book.update_or_create_assignment(COURSE.name, duedate=NOW - datetime.timedelta(days=1))
    _submitted(tmp_path / "exchange", NOW - datetime.timedelta(days=2))
    _collect(root, tmp_path / "exchange", before_duedate=True)
    with course_folder.gradebook(root) as book:
        due = book.find_assignment(COURSE.name).duedate
    assert times.of(root, "ada") > due


def test_a_zip_of_a_platform_s_gives_the_time_in_its_file_names(tmp_path: Path):
    nbgrader_patches.guard()
    root = tmp_path
    lean.new(root, ONE)
    archive = root / "downloaded" / COURSE.name / "archive"
    archive.mkdir(parents=True)
    lean.write(archive, ONE, handed_in.model(ONE))
    (archive / "part01.ipynb").rename(archive / "ada_2026-01-10 12:00:01_part01.ipynb")
    config = course_folder.config(root)
    pattern = r".+/(?P<student_id>[a-z]+)_(?P<timestamp>[^_]+)_(?P<file_id>.+)"
    config.FileNameCollectorPlugin.named_regexp = pattern
    app = ZipCollectApp(config=config)
    app.coursedir = CourseDirectory(config=config)
    app.coursedir.assignment_id = COURSE.name
    app.init_plugins()
    app.extract_archive_files()
    app.process_extracted_files()
    assert times.text(root, "ada") == KNOWN
