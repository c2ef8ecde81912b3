"""The commands as a user meets them: what they print, what they leave, and one clear line for what can be mended."""

import csv
import json
import shutil
import sys
from pathlib import Path

import lean
import pytest

import dev
from attention import course
from attention.course import COURSE
from dev import course_copy, handed_in, sample_class
from dev.__main__ import main as dev_main
from dev.packages import REPOSITORY
from grading.__main__ import main
from grading.core.errors import CourseError
from grading.gradebook import course_folder
from grading.submission import misplaced


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of what the commands need of the repository, in place of the real one."""
    for name in ("source", "release", "tests/answers"):
        shutil.copytree(REPOSITORY / name, tmp_path / name)
    course_folder.configure(tmp_path, REPOSITORY)
    monkeypatch.setattr("dev.__main__.REPOSITORY", tmp_path)
    monkeypatch.setattr(handed_in, "ANSWERS", tmp_path / "tests" / "answers")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_autograde_without_submissions_says_where_to_put_them(repository: Path, capsys: pytest.CaptureFixture):
    assert main(["autograde"]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "no submissions in submitted" in error and "submitted/STUDENT/attention/part01.ipynb" in error


def test_autograde_without_sources_says_so(repository: Path, capsys: pytest.CaptureFixture):
    folder = repository / "submitted" / "anna" / COURSE.name
    folder.mkdir(parents=True)
    handed_in.write(folder, course.PARTS[1], handed_in.model(course.PARTS[1]))
    shutil.rmtree(repository / "source")
    assert main(["autograde"]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and f"source/{COURSE.name}" in error


def test_autograde_with_a_broken_gradebook_says_so_and_keeps_it(repository: Path, capsys: pytest.CaptureFixture):
    folder = repository / "submitted" / "anna" / COURSE.name
    folder.mkdir(parents=True)
    handed_in.write(folder, course.PARTS[1], handed_in.model(course.PARTS[1]))
    (repository / "gradebook.db").write_text("not a database, but somebody's file")
    assert main(["autograde"]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "gradebook.db" in error
    assert (repository / "gradebook.db").read_text() == "not a database, but somebody's file"


def test_an_empty_submission_is_named_and_the_others_are_graded(repository: Path, capsys: pytest.CaptureFixture):
    for student in ("anna", "ben"):
        (repository / "submitted" / student / COURSE.name).mkdir(parents=True)
    folder = repository / "submitted" / "anna" / COURSE.name
    handed_in.equip(folder)
    for part in (course.PARTS[1], course.PARTS[13]):  # part 13 with all its samples, of which the demo below has fewer
        handed_in.write(folder, part, handed_in.model(part))
    assert main(["autograde", "--workers", "1"]) == 1
    printed = capsys.readouterr().out
    assert "ben: not graded. No notebook was submitted." in printed
    assert "ben, part01" not in printed  # neither as 0 points nor otherwise
    rows = list(csv.DictReader((repository / "marks.csv").open()))
    assert [(row["student"], row["part01"], row["part13"]) for row in rows] == [("anna", "5", "5")]


def test_notebooks_in_another_folder_are_not_passed_over(repository: Path, capsys: pytest.CaptureFixture):
    submitted = repository / "submitted"
    places = {"anna": "", "ben": COURSE.name.title(), "cleo": f"{COURSE.name}/{COURSE.name}", "dora": COURSE.name}
    for student, place in places.items():
        folder = submitted / student / place
        folder.mkdir(parents=True)
        lean.write(folder, course.PARTS[1], handed_in.model(course.PARTS[1]))
    (submitted / "eve" / "another-course").mkdir(parents=True)
    assert main(["autograde", "--workers", "1"]) == 1
    printed = capsys.readouterr().out
    for student in ("anna", "ben", "cleo"):
        why = misplaced.reason("submitted", student, places[student], COURSE)
        assert f"\n  {student}: not graded. {why}\n" in printed
        assert f"{student}, part01" not in printed  # no word of points: nothing is marked
    assert "eve" not in printed
    rows = list(csv.DictReader((repository / "marks.csv").open()))
    assert [(row["student"], row["part01"]) for row in rows] == [("dora", "5")]


def test_text_of_something_else_than_a_notebook_says_so(tmp_path: Path, capsys: pytest.CaptureFixture):
    path = tmp_path / "notes.txt"
    path.write_text("hello")
    assert dev_main(["text", str(path)]) == 1
    assert capsys.readouterr().err == f"text: {path}: this is not a notebook (JSONDecodeError).\n"


def test_text_shows_cells_with_their_roles_and_no_outputs(capsys: pytest.CaptureFixture):
    path = REPOSITORY / "notebooks" / COURSE.name / "part03.ipynb"
    assert dev_main(["text", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "=== part03-test code locked 10 points" in printed
    check = printed.split("=== part03-check")[1].split("===")[0]
    assert "check_part03(globals())" in check and "Part 3: the visible checks pass." not in printed
    assert "10 of 10 points" not in printed


def test_a_wrong_number_of_workers_is_refused(capsys: pytest.CaptureFixture):
    with pytest.raises(SystemExit) as stopped:
        dev_main(["demo", "--workers", "none"])
    assert stopped.value.code == 2
    assert "'none' is not a whole number of 1 or more" in capsys.readouterr().err


@pytest.fixture
def fewer_samples(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Part 13 of that copy has 2 samples of 400 rows, in all that the demo is made of."""
    for path in (*repository.glob("*/*/part13.ipynb"), *repository.glob("tests/answers/part13/*.py")):
        path.write_text(lean.fewer_samples(path.read_text(encoding="utf-8")), encoding="utf-8")
    for module in (course_copy, handed_in):
        monkeypatch.setattr(module, "REPOSITORY", repository)


def test_the_demo_marks_each_pretend_student_as_its_name_says(
    repository: Path, fewer_samples: None, capsys: pytest.CaptureFixture
):
    assert dev_main(["demo"]) == 0
    printed = capsys.readouterr().out
    rows = {row["student"]: row for row in csv.DictReader((repository / "demo" / "marks.csv").open())}
    automatic = {part.stem: part.automatic for part in course.PARTS.values()}
    marks = {student: {stem: float(row[stem]) for stem in automatic} for student, row in rows.items()}
    assert marks["model-answers"] == marks["unusual-style"] == automatic
    assert set(marks["untouched-release"].values()) == set(marks["rule-breaker"].values()) == {0.0}
    assert marks["half-done"] == {p.stem: p.automatic if p.number <= 7 else 0 for p in course.PARTS.values()}
    named = {f"part{n:02d}": float(name[:2]) for n, name in sample_class.USUAL_MISTAKES.items()}
    assert marks["usual-mistakes"] == named
    lost = {"part02", "part04"}  # what is damaged in the others, graded all the same, costs nothing
    assert marks["damaged-submission"] == {stem: 0 if stem in lost else full for stem, full in automatic.items()}
    assert rows["untouched-release"]["written_to_read"] == "0" and rows["model-answers"]["written_to_read"] == "6"
    for stem in lost | {"part06"}:
        assert f"damaged-submission, {stem}: " in printed
    pages = repository / "demo" / "feedback" / "model-answers" / COURSE.name
    assert sorted(page.stem for page in pages.glob("*.html")) == ["index", *sorted(automatic)]


def test_a_part_that_the_sample_class_has_no_answer_to_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delitem(sample_class.UNUSUAL_STYLE, 14)
    said = r"no answers for part 14\. Name three of .*tests/answers/part14 in dev/sample_class\.py"
    with pytest.raises(CourseError, match=said):
        sample_class.build(tmp_path)


def test_the_sample_class_goes_without_the_parts_that_an_author_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for number in (2, 4, 6, 8):  # those that are damaged
        monkeypatch.delitem(course.PARTS, number)
    sample_class.build(tmp_path)
    for student in ("damaged-submission", "model-answers"):
        written = {path.stem for path in tmp_path.glob(f"submitted/{student}/*/*.ipynb")}
        assert written == {part.stem for part in course.PARTS.values()}


def test_a_command_that_needs_a_part_which_an_author_left_out_says_so_in_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    monkeypatch.delitem(course.PARTS, 13)
    monkeypatch.delitem(sys.modules, "dev.gpu", raising=False)
    monkeypatch.delattr(dev, "gpu", raising=False)
    assert dev_main(["gpu"]) == 1
    assert capsys.readouterr().err == "gpu: the course has no part 13, without which this can't be done.\n"


def test_the_sample_class_is_built_of_notebooks_that_can_be_opened(tmp_path: Path):
    students = sample_class.build(tmp_path)
    assert len(students) == 7
    for path in tmp_path.glob("submitted/*/*/*.ipynb"):
        if path.parent.parent.name != "damaged-submission":
            assert json.loads(path.read_text())["nbformat"] == 4
