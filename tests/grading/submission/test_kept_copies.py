"""No command writes over a notebook with an answer in it without a copy."""

import shutil
from pathlib import Path

import nbformat
import pytest

from attention.course import COURSE, PARTS
from dev import course_copy
from dev.packages import REPOSITORY
from grading.classroom import class_run
from grading.gradebook import course_folder, release
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


@pytest.mark.parametrize("command", ["release", "register", "grade"])
def test_an_answer_in_release_is_kept_by_each_command_that_makes_it_again(command, root: Path, capsys):
    notebook = root / "release" / COURSE.name / f"{PART.stem}.ipynb"
    work = answered(notebook)
    folder = root / "submitted" / "somebody" / COURSE.name
    folder.mkdir(parents=True)
    shutil.copyfile(REPOSITORY / "release" / COURSE.name / f"{PART.stem}.ipynb", folder / f"{PART.stem}.ipynb")
    if command == "release":
        (line,) = release.make(root, root, solve=False)
    elif command == "register":
        (line,) = course_folder.register(root)
    else:
        class_run.grade_class(root, workers=1)
        line = capsys.readouterr().out
    assert copies(root) == [work] and "held other answers" in line
    assert ANSWERED not in notebook.read_text(encoding="utf-8")
    assert not (root / ".release").exists()


def test_a_release_that_nobody_touched_is_made_again_without_copies(root: Path):
    assert course_folder.register(root) == [] and release.make(root, root, solve=False) == []
    assert copies(root) == []


def test_a_notebook_that_the_new_release_has_not_is_kept(root: Path):
    made = root / "made"
    made.mkdir()
    old = root / "release" / COURSE.name / "my-notes.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("mine")]), old)
    notes = old.read_bytes()
    ((path, copy), *_) = kept_copies.replace(made, old.parent, root)
    assert path == old and copy.read_bytes() == notes


def test_two_copies_within_a_second_do_not_touch_each_other(tmp_path: Path):
    path = tmp_path / "part01.ipynb"
    for n in range(3):
        path.write_text(str(n))
        kept_copies.keep(path, tmp_path)
    assert sorted(copies(tmp_path)) == [b"0", b"1", b"2"]
