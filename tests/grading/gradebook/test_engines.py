"""A gradebook that is opened often is the same gradebook every time."""

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy
from nbgrader import api

from dev.packages import REPOSITORY
from grading.gradebook import course_folder, engines


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new gradebook, which takes nbgrader a while to make."""
    course_folder.config(REPOSITORY)  # has nbgrader make new ones as `engines` does
    path = tmp_path_factory.mktemp("empty") / "gradebook.db"
    api.Gradebook(f"sqlite:///{path}").close()
    return path


@pytest.fixture
def address(empty: Path, tmp_path: Path) -> str:
    shutil.copyfile(empty, tmp_path / "gradebook.db")
    engines.keep_engines()
    return f"sqlite:///{tmp_path / 'gradebook.db'}"


def opened_gradebooks() -> list[str]:
    opened = [
        os.readlink(f"/proc/self/fd/{name}")
        for name in os.listdir("/proc/self/fd")
        if os.path.exists(f"/proc/self/fd/{name}")
    ]
    return [path for path in opened if path.endswith("gradebook.db")]


def test_gradebooks_of_one_address_share_an_engine_and_see_what_the_others_wrote(address: str):
    with api.Gradebook(address) as first:
        first.add_student("ada")
    with api.Gradebook(address) as second:
        assert second.engine is first.engine
        assert [student.id for student in second.students] == ["ada"]


def test_a_new_gradebook_starts_no_program(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(subprocess, "Popen", None)
    with api.Gradebook(f"sqlite:///{tmp_path / 'new.db'}") as book:
        assert book.db.execute(api.text("SELECT version_num FROM alembic_version")).scalar()


def test_a_new_gradebook_has_the_version_that_alembic_would_tell_nbgrader():
    asking = "from nbgrader import api; print(api.get_alembic_version())"
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # nbgrader looks for Alembic there
    told = subprocess.check_output([sys.executable, "-c", asking], env={**os.environ, "PATH": path}, text=True)
    assert engines.alembic_version() == told.strip()


def test_a_closed_gradebook_keeps_no_file_open(address: str):
    with api.Gradebook(address):
        assert opened_gradebooks()
    assert not opened_gradebooks()


def test_while_notebooks_are_converted_a_gradebook_stays_connected(address: str):
    with engines.held_open():
        with api.Gradebook(address) as book:
            assert book.students == []
            connected = opened_gradebooks()
        with api.Gradebook(address), api.Gradebook(address) as again:
            assert opened_gradebooks() == connected
            again.add_student("ada")
    assert not opened_gradebooks()
    with api.Gradebook(address) as book:
        assert [student.id for student in book.students] == ["ada"]


@pytest.mark.parametrize("within", [contextlib.nullcontext, engines.held_open])
def test_a_gradebook_that_was_replaced_by_another_file_is_read_anew_and_written_to(
    within: Callable[[], contextlib.AbstractContextManager], address: str, empty: Path, tmp_path: Path
):
    with within():
        with api.Gradebook(address) as book:
            book.add_student("ada")
        (tmp_path / "gradebook.db").unlink()
        shutil.copyfile(empty, tmp_path / "gradebook.db")
        with api.Gradebook(address) as book:
            assert book.students == []
            book.add_student("bob")
    with api.Gradebook(address) as book:
        assert [student.id for student in book.students] == ["bob"]


def test_while_a_gradebook_is_held_open_its_tables_and_course_are_looked_for_once(address: str):
    asked = []
    with engines.held_open():
        with api.Gradebook(address, "attention") as book:
            sqlalchemy.event.listen(book.engine, "before_cursor_execute", lambda *words: asked.append(words[2]))
        with api.Gradebook(address, "attention") as again:
            assert asked == []
            assert again.db.query(api.Course).filter_by(id="attention").one()
        with api.Gradebook(address, "another"):  # which has to be entered
            assert any("INSERT INTO course" in question for question in asked)


def _submitted(address: str, notebooks: list[str]) -> None:
    """Enters an assignment with these notebooks, each with a cell of 2 points, and Ada's submission of it."""
    with api.Gradebook(address) as book:
        book.add_assignment("attention")
        for name in notebooks:
            book.add_notebook(name, "attention")
            book.add_grade_cell("cell", name, "attention", max_score=2, cell_type="code")
        book.add_student("ada")
        book.add_submission("attention", "ada")


def test_who_asks_for_one_notebook_of_a_submission_after_another_is_soon_told_of_all(address: str):
    names, asked = [f"part{number:02d}" for number in range(1, 9)], []
    _submitted(address, names)
    with engines.held_open():
        api.Gradebook(address).close()
        with api.Gradebook(address) as book:
            sqlalchemy.event.listen(book.engine, "before_cursor_execute", lambda *words: asked.append(words[2]))
            for name in names:  # as nbgrader does for those that are missing
                found = book.find_submission_notebook(name, "attention", "ada")
                assert found.name == name
                for grade in found.grades:
                    grade.auto_score = 1
                book.db.commit()
            assert len([question for question in asked if question.startswith("SELECT")]) < 2 * len(names)
            with pytest.raises(api.MissingEntry):
                book.find_submission_notebook("part99", "attention", "ada")
            with pytest.raises(api.MissingEntry):
                book.find_submission_notebook("part01", "attention", "bob")
    with api.Gradebook(address) as book:
        assert book.find_submission("attention", "ada").score == len(names)


def test_a_notebook_that_came_after_the_others_were_asked_for_is_found_too(address: str):
    _submitted(address, ["part01", "part02"])
    with engines.held_open():
        api.Gradebook(address).close()
        with api.Gradebook(address) as book:
            for name in ("part01", "part02"):
                book.find_submission_notebook(name, "attention", "ada")
            later = book.add_notebook("part03", "attention")
            submission = book.find_submission("attention", "ada")
            book.db.add(api.SubmittedNotebook(notebook=later, assignment=submission))
            book.db.commit()
            assert book.find_submission_notebook("part03", "attention", "ada").notebook is later


def test_a_forked_process_has_an_engine_of_its_own(address: str, monkeypatch: pytest.MonkeyPatch):
    ours = engines.create_engine(address)
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert engines.create_engine(address) is not ours
