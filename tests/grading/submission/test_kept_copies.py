"""No command writes over a notebook with an answer in it without a copy."""

import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbgrader.apps import NbGraderAPI

from attention.course import COURSE, PARTS
from dev import course_copy
from dev.packages import REPOSITORY
from grading.classroom import class_run
from grading.core import limits
from grading.gradebook import course_folder, generate_assignment, release
from grading.submission import kept_copies

PART = PARTS[1]
ANSWERED = "W_Q = my(answer)"


def answered(path: Path) -> bytes:
    """Writes an answer into a notebook, as somebody who works in release/ would."""
    notebook = nbformat.read(path, as_version=4)
    next(cell for cell in notebook.cells if cell.id == f"{PART.stem}-answer").source = ANSWERED
    nbformat.write(notebook, path)
    return path.read_bytes()


def copies(root: Path) -> list[bytes]:
    """What lies in work/earlier/."""
    return [path.read_bytes() for path in sorted((root / kept_copies.FOLDER).rglob("*.ipynb"))]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A course's folder with one part."""
    course_copy.new(tmp_path, PART)
    return tmp_path


@pytest.mark.parametrize("command", ["release", "register", "grade", "the Formgrader's button", "nbgrader"])
def test_an_answer_in_release_is_kept_by_each_command_that_makes_it_again(command, root: Path, capsys):
    notebook = root / "release" / COURSE.name / f"{PART.stem}.ipynb"
    work = answered(notebook)
    folder = root / "submitted" / "somebody" / COURSE.name
    folder.mkdir(parents=True)
    shutil.copyfile(REPOSITORY / "release" / COURSE.name / f"{PART.stem}.ipynb", folder / f"{PART.stem}.ipynb")
    if command == "release":
        (line,) = release.make(root, root, solve=False)
    elif command == "register":
        (line,) = generate_assignment.register(root)
    elif command == "nbgrader":
        words = [sys.executable, "-m", "nbgrader", "generate_assignment", COURSE.name, "--force", "--create"]
        line = subprocess.run(words, cwd=root, capture_output=True, text=True, check=True).stderr
    elif command == "the Formgrader's button":
        line = generated(root)["log"]
    else:
        class_run.grade_class(root, workers=1)
        line = capsys.readouterr().out
    assert copies(root) == [work] and "held other answers" in line
    assert ANSWERED not in notebook.read_text(encoding="utf-8")
    assert not list(root.glob(".release*")) and not list((root / "release").glob(".*"))


def generated(root: Path, **settings: str) -> dict:
    """What nbgrader says when the Formgrader's button has it make the release again."""
    config = course_folder.config(root)
    config.CourseDirectory.update(settings)
    return NbGraderAPI(config=config).generate_assignment(COURSE.name)  # which forces by itself


def test_a_release_that_nobody_touched_is_made_again_without_copies(root: Path):
    assert generate_assignment.register(root) == [] and release.make(root, root, solve=False) == []
    assert generated(root)["success"]
    assert copies(root) == [] and not list((root / "release").glob(".*"))


def test_nbgrader_makes_one_notebook_again_and_no_copy_of_the_others(tmp_path: Path):
    course_copy.new(tmp_path, PART, PARTS[2])
    one, two = (tmp_path / "release" / COURSE.name / f"{part.stem}.ipynb" for part in (PART, PARTS[2]))
    work, others = answered(one), two.read_bytes().replace(b"YOUR CODE HERE", b"mine")
    two.write_bytes(others)
    assert generated(tmp_path, notebook_id=PART.stem)["success"]
    assert copies(tmp_path) == [work] and two.read_bytes() == others


def test_a_release_that_nbgrader_fails_to_make_is_as_it_was(root: Path):
    notebook = root / "release" / COURSE.name / f"{PART.stem}.ipynb"
    work = answered(notebook)
    (root / "source" / COURSE.name / f"{PART.stem}.ipynb").write_text("{}", encoding="utf-8")
    assert not generated(root)["success"]
    assert notebook.read_bytes() == work and copies(root) == [] and not list((root / "release").glob(".*"))


def test_a_notebook_that_the_new_release_has_not_is_kept(root: Path):
    made = root / "made"
    made.mkdir()
    old = root / "release" / COURSE.name / "my-notes.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("mine")]), old)
    notes = old.read_bytes()
    kept = dict(kept_copies.replace(made, old.parent, root))
    assert kept[old].read_bytes() == notes


def test_two_copies_within_a_second_do_not_touch_each_other(tmp_path: Path):
    path = tmp_path / "part01.ipynb"
    for n in range(3):
        path.write_text(str(n))
        kept_copies.keep(path, tmp_path)
    assert sorted(copies(tmp_path)) == [b"0", b"1", b"2"]


def test_a_file_of_ones_own_next_to_the_notebooks_is_kept(root: Path):
    (root / "release" / COURSE.name / "my_notes.py").write_text("mine = 1")
    (line,) = generate_assignment.register(root)
    (copy,) = (root / kept_copies.FOLDER).rglob("my_notes*.py")
    assert copy.read_text() == "mine = 1" and "my_notes.py" in line


def test_what_a_stopped_run_of_nbgrader_left_is_kept_the_next_time(root: Path):
    notebook = root / "release" / COURSE.name / f"{PART.stem}.ipynb"
    work = answered(notebook)
    shutil.copytree(notebook.parent, notebook.parent.with_name(f".{COURSE.name}.old"))
    shutil.copyfile(REPOSITORY / "release" / COURSE.name / notebook.name, notebook)
    assert generated(root)["success"]
    assert copies(root) == [work] and not list((root / "release").glob(".*"))


@pytest.mark.parametrize("step", ["copytree", "rename", "rmtree"])
def test_stopped_at_any_step_nothing_is_lost_and_the_next_run_goes_on(step, tmp_path: Path, monkeypatch):
    made, target = tmp_path / "made", tmp_path / "release" / "a"
    for folder, text in ((made, "new"), (target, "mine")):
        folder.mkdir(parents=True)
        cell = nbformat.v4.new_code_cell(text, id="answer")
        nbformat.write(nbformat.v4.new_notebook(cells=[cell]), folder / "one.ipynb")
    work = (target / "one.ipynb").read_bytes()

    def stop(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(*(Path, step) if step == "rename" else (kept_copies.shutil, step), stop)
        with pytest.raises(OSError):
            kept_copies.replace(made, target, tmp_path)
    assert work in [path.read_bytes() for path in tmp_path.rglob("one*.ipynb")]
    kept_copies.replace(made, target, tmp_path)
    assert work in copies(tmp_path) and b"new" in (target / "one.ipynb").read_bytes()
    assert sorted(path.name for path in target.parent.iterdir()) == ["a"]


def test_a_release_that_is_a_link_is_replaced_where_it_lies(tmp_path: Path):
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "one.txt").write_text("new")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "release").symlink_to("elsewhere")
    kept_copies.replace(tmp_path / "made", tmp_path / "release", tmp_path)
    assert (tmp_path / "elsewhere" / "one.txt").read_text() == "new" and (tmp_path / "release").is_symlink()


def test_what_is_larger_than_any_that_is_graded_is_kept_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    large, small = tmp_path / "large.ipynb", tmp_path / "small.ipynb"
    small.write_text('{"cells": []}')
    large.write_text('{"cells": []}' + " " * 100)
    assert not kept_copies.holds_work(large, small)
    monkeypatch.setattr(limits, "NOTEBOOK_BYTES", 50)
    monkeypatch.setattr(kept_copies.json, "loads", lambda _: pytest.fail("it was read"))
    assert kept_copies.holds_work(large, small) and kept_copies.holds_work(small, large)


def test_what_is_nested_too_deep_to_be_read_is_kept(tmp_path: Path):
    deep = tmp_path / "deep.ipynb"
    deep.write_text("[" * 100_000 + "]" * 100_000)
    assert kept_copies.holds_work(deep, deep)
