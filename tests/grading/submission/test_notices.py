"""What an instructor reads about a submission before it is graded."""

import json
from pathlib import Path

import pytest

from attention import course
from attention.course import COURSE
from dev.packages import REPOSITORY
from grading.classroom import class_run
from grading.classroom.task_queue import Graded
from grading.core import messages
from grading.submission import misplaced, notices

RELEASE = REPOSITORY / "release" / COURSE.name
FOUR = course.PARTS[4].stem


@pytest.mark.parametrize("name", [f"{FOUR}.ipynb.txt", f"{FOUR}.IPYNB", f"{FOUR} (1).ipynb", f"{FOUR}.ipynb.json"])
def test_a_notebook_under_another_name_is_named_next_to_the_part_that_is_missing(name: str, tmp_path: Path):
    (tmp_path / name).write_bytes((RELEASE / f"{FOUR}.ipynb").read_bytes())
    (tmp_path / "weights.txt").write_text("1 2 3")
    told = [(notice.part, notice.text) for notice in notices.found("anna", tmp_path, RELEASE, COURSE)]
    parts = ", ".join(part.stem for part in course.PARTS.values())
    assert told == [(parts, messages.FILE_MISSING), (name, messages.FILE_EXTRA)]


def test_a_file_that_is_left_out_is_told_once_and_so_is_one_that_is_named_like_a_notebook(tmp_path: Path):
    for name in ("run.exe", f"{FOUR}.ipynb.exe"):
        (tmp_path / name).write_bytes(b"")
    told = [(notice.part, notice.text) for notice in notices.of_files("anna", tmp_path, COURSE)]
    assert told == [(f"{FOUR}.ipynb.exe", messages.FILE_EXTRA), ("run.exe", messages.FILE_LEFT_OUT)]


@pytest.mark.parametrize("name", ["abgabe.zip", "Part.ZIP", "all.tar.gz", "mine.7z"])
def test_an_archive_is_reported_with_what_to_do(name: str, tmp_path: Path):
    (tmp_path / name).write_bytes(b"PK")
    told = [(notice.part, notice.text) for notice in notices.of_files("anna", tmp_path, COURSE)]
    assert told == [(name, messages.FILE_ARCHIVE)]


def test_an_archive_and_a_notebook_among_the_students_folders_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "submitted" / "folder.zip" / "another-course").mkdir(parents=True)
    for name in ("b.zip", "a\x1b.ipynb", "list.csv", ".DS_Store"):
        (tmp_path / "submitted" / name).write_bytes(b"")
    class_run._print_notices(tmp_path, [], COURSE, quiet=False)
    said = f"this file is in no student's folder. Put notebooks into submitted/STUDENT/{COURSE.name}."
    assert capsys.readouterr().out.splitlines() == [
        "",
        "To look at:",
        rf"  submitted/a\x1b.ipynb: {said}",
        f"  submitted/b.zip: {said}",
    ]
    class_run._print_notices(tmp_path, [], COURSE, quiet=True)
    class_run._print_notices(tmp_path / "elsewhere", [], COURSE, quiet=False)
    assert capsys.readouterr().out == ""


def test_a_student_s_folder_with_nothing_to_grade_in_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    for place in ("ben", "eve/another-course", "flo", "gil", ".hidden"):
        (tmp_path / "submitted" / place).mkdir(parents=True)
    (tmp_path / "submitted" / "flo" / "work.zip").write_bytes(b"PK")
    (tmp_path / "submitted" / "gil" / f"{FOUR}.ipynb").write_text("{}")  # reported as misplaced
    (tmp_path / "submitted" / "hal").symlink_to("hal")  # as an archive may hold
    assert misplaced.of_nobody(Path("submitted"), COURSE) == [
        f"submitted/{name}: nothing to grade here. Put notebooks into submitted/{name}/{COURSE.name}."
        for name in ("ben", "flo")
    ]


@pytest.mark.parametrize("place", ["", COURSE.name.title(), f"{COURSE.name}/unpacked"])
def test_where_misplaced_notebooks_were_found_is_said(place: str, tmp_path: Path):
    folder = tmp_path / "a\x1b" / place
    folder.mkdir(parents=True)
    (folder / f"{FOUR}.ipynb").write_text("{}")
    beside, below = (
        misplaced.beside(tmp_path / "a\x1b", COURSE),
        misplaced.below(tmp_path / "a\x1b" / COURSE.name, COURSE),
    )
    found = beside if beside is not None else f"{COURSE.name}/{below}"
    assert found == place and (beside is None) == ("/" in place)
    there = rf"submitted/a\x1b/{place}".rstrip("/")
    assert misplaced.reason("submitted", "a\x1b", found, COURSE) == (
        rf"Expected the notebooks in submitted/a\x1b/{COURSE.name}, found them in {there}. Move them to be graded."
    )


@pytest.mark.parametrize("place", ["", COURSE.name.title(), f"{COURSE.name}/unpacked"])
def test_where_a_missing_part_lies_is_said_of_a_student_whose_other_parts_are_graded(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture
):
    right = tmp_path / "submitted" / "ada" / COURSE.name
    for folder, stems in ((right, COURSE.stems[1:]), (right.parent / place, COURSE.stems[:3])):
        folder.mkdir(parents=True, exist_ok=True)
        for stem in stems:
            (folder / f"{stem}.ipynb").write_text("{}")
    class_run._print_notices(tmp_path, [Graded("ada"), Graded("ben", error="No.")], COURSE, quiet=False)
    there = f"ada/{place}".rstrip("/")
    assert f"  ada, {COURSE.stems[0]}: found in {there}. Move it to ada/{COURSE.name} and grade again." in (
        capsys.readouterr().out.splitlines()
    )


def test_a_missing_part_that_lies_in_many_places_gets_one_line(tmp_path: Path):
    for n in range(20):
        folder = tmp_path / "ada" / COURSE.name / f"copy {n:02}"
        folder.mkdir(parents=True)
        (folder / f"{FOUR}.ipynb").write_text("{}")
    (line,) = misplaced.strays(tmp_path, ["ada"], COURSE)
    assert line.startswith(f"ada, {FOUR}: found in ada/{COURSE.name}/copy 00. ")


def test_a_notebook_of_raw_cells_gets_one_line(tmp_path: Path):
    notebook = json.loads((RELEASE / f"{FOUR}.ipynb").read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        cell.update(cell_type="raw")
    (tmp_path / f"{FOUR}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    (text,) = [notice.text for notice in notices.found("anna", tmp_path, RELEASE, COURSE) if notice.part == FOUR]
    count = len(notebook["cells"])
    assert text.startswith(f"the types of {count} cells were changed ({FOUR}, ") and "and others)" in text
