"""A gradebook that can't be used: each command says so in a line, and leaves it as it is."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from attention import course
from attention.course import COURSE
from dev import course_copy, handed_in
from grading import __main__ as commands
from grading.classroom import inputs
from grading.gradebook import course_folder, engines, generate_assignment, snapshot

ONE = course.PARTS[1]
COMMANDS = ["autograde", "report", "export gradescope"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    course_copy.new(tmp_path, ONE)
    folder = tmp_path / "submitted" / "anna" / COURSE.name
    folder.mkdir(parents=True)
    handed_in.write(folder, ONE, handed_in.model(ONE))
    generate_assignment.register(tmp_path)
    return tmp_path


def without(statement: str) -> Callable[[Path], None]:
    """What takes something away from a gradebook."""

    def take(path: Path) -> None:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute(statement)
        connection.close()

    return take


def damaged(path: Path) -> None:
    """Writes over all pages but the first two."""
    content = path.read_bytes()
    path.write_bytes(content[:8192] + b"\xa5" * (len(content) - 8192))


DAMAGED = "database disk image is malformed: the file is damaged, or isn't nbgrader's. Put back a copy of it"
OLDER = "an older nbgrader made it, or it is damaged. Run `nbgrader db upgrade`, or put back a copy of it"
HOW = {
    "damaged": (damaged, f"can't be used: {DAMAGED}, and run this again."),
    "without-a-table": (without("DROP TABLE grade"), f"lacks the table grade: {OLDER}, and run this again."),
    "without-a-column": (without("ALTER TABLE grade DROP COLUMN extra_credit"), f": {OLDER}"),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("how", HOW)
def test_a_gradebook_that_lacks_something_is_one_line_and_stays_as_it_is(
    how: str, command: str, root: Path, capsys: pytest.CaptureFixture
):
    take, said = HOW[how]
    take(root / "gradebook.db")
    before = (root / "gradebook.db").read_bytes()
    capsys.readouterr()
    assert commands.main([*command.split(), "--course", str(root)]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and said in error and str(root) in error
    assert (root / "gradebook.db").read_bytes() == before


@pytest.mark.parametrize("command", COMMANDS)
def test_a_gradebook_that_another_program_holds_is_told_from_one_that_is_none(
    command: str, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    text = (root / "nbgrader_config.py").read_text().replace(f"timeout={course_folder.LOCK_LIMIT_S}", "timeout=0.1")
    (root / "nbgrader_config.py").write_text(text)
    holder = sqlite3.connect(root / "gradebook.db", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    capsys.readouterr()
    assert commands.main([*command.split(), "--course", str(root)]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "is locked: another program is using it. Wait until it is done" in error
    holder.close()


def test_a_gradebook_whose_version_alembic_did_not_come_to_note_is_graded_as_the_newest(root: Path):
    without("DELETE FROM alembic_version")(root / "gradebook.db")
    engine = snapshot.engine(f"sqlite:///{root / 'gradebook.db'}")
    with engine.begin() as connection:
        assert snapshot.version(connection) == engines.alembic_version()
    assert inputs.read(root, engine).digest
    engine.dispose()


def test_a_gradebook_that_somebody_was_stopped_making_is_made(root: Path):
    (root / "gradebook.db").unlink()
    without("CREATE TABLE course (id VARCHAR(128) NOT NULL PRIMARY KEY)")(root / "gradebook.db")
    with course_folder.gradebook(root) as book:
        assert book.students == []
    generate_assignment.register(root)


def test_notebooks_that_came_or_went_once_there_were_submissions_are_one_line(
    root: Path, capsys: pytest.CaptureFixture
):
    with course_folder.gradebook(root) as book:
        book.update_or_create_student("anna")
        book.add_submission(COURSE.name, "anna")
    source, before = root / "source" / COURSE.name, (root / "gradebook.db").read_bytes()
    (source / f"{ONE.stem}.ipynb").rename(source / "warmup.ipynb")
    (source / "start.ipynb").write_bytes((source / "warmup.ipynb").read_bytes())  # which is no part
    assert commands.main(["autograde", "--course", str(root)]) == 1
    error = capsys.readouterr().err
    assert f"other notebooks than source/{COURSE.name}: warmup came and part01 went. nbgrader" in error
    assert error.count("\n") == 1 and (root / "gradebook.db").read_bytes() == before
    assert (root / "release" / COURSE.name / f"{ONE.stem}.ipynb").exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"grade_id": "part01-hint", "locked": True}, "part01-hint came"),
        ({"grade_id": "part01-why", "solution": True, "grade": True, "points": 2, "locked": False}, "part01-why came"),
        (None, "part01-check went"),
    ],
)
def test_cells_that_came_or_went_once_there_were_submissions_are_one_line(
    change: dict | None, said: str, root: Path, capsys: pytest.CaptureFixture
):
    with course_folder.gradebook(root) as book:
        book.update_or_create_student("anna")
        book.add_submission(COURSE.name, "anna")
    path = root / "source" / COURSE.name / f"{ONE.stem}.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    if change is None:
        notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"] != "part01-check"]
    else:
        role = {"schema_version": 3, "grade": False, "solution": False, "task": False, **change}
        cell = {"cell_type": "markdown", "id": role["grade_id"], "metadata": {"nbgrader": role}, "source": "Why?"}
        notebook["cells"].append(cell)
    path.write_text(json.dumps(notebook), encoding="utf-8")
    assert commands.main(["autograde", "--course", str(root)]) == 1
    error = capsys.readouterr().err
    assert f"other cells than source/{COURSE.name}/part01.ipynb: {said}. nbgrader can't change that." in error
    assert error.count("\n") == 1 and (root / "release" / COURSE.name / f"{ONE.stem}.ipynb").exists()
