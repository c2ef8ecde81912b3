"""A notebook's scores are saved as nbgrader saves them, but with two questions, and all or none of them."""

import contextlib
import copy
from pathlib import Path

import pytest
import sqlalchemy
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from nbgrader import api, utils
from nbgrader.preprocessors import AssignLatePenalties as Late
from nbgrader.preprocessors import OverwriteCells as Overwrite
from nbgrader.preprocessors import SaveAutoGrades as Nbgraders
from traitlets.config import Config

from grading.gradebook import engines, preprocessors

WHERE = {"notebook": "part01", "assignment": "ps", "student": "ada"}


def cell(name: str, source: str, **what: object) -> NotebookNode:
    made = (new_markdown_cell if name in ("essay", "task") else new_code_cell)(source)
    flags = {"grade": False, "solution": False, "task": False, "locked": False, **what}
    made.metadata.nbgrader = NotebookNode(grade_id=name, schema_version=3, **flags)
    return made


def notebook() -> NotebookNode:
    """A cell of each kind that nbgrader saves something of; the answer is as it was released."""
    made = new_notebook(
        cells=[
            new_code_cell("own = 1"),
            cell("answer", "# YOUR CODE HERE", solution=True),
            cell("test", "1.5", grade=True, points=4),
            cell("failed", "assert False", grade=True, points=3),
            cell("essay", "Because.", grade=True, solution=True, points=2),
            cell("task", "Think.", task=True, points=1),
        ]
    )
    made.cells[1].metadata.nbgrader.checksum = utils.compute_checksum(made.cells[1])
    made.cells[2].outputs = [new_output("execute_result", data={"text/plain": "1.5"})]
    made.cells[3].outputs = [new_output("error", ename="AssertionError")]
    return made


@pytest.fixture
def address(tmp_path: Path) -> str:
    engines.keep_engines()
    url = f"sqlite:///{tmp_path / 'gradebook.db'}"
    with api.Gradebook(url) as book:
        book.add_assignment("ps")
        book.add_notebook("part01", "ps")
        book.add_solution_cell("answer", "part01", "ps")
        book.add_grade_cell("test", "part01", "ps", max_score=4, cell_type="code")
        book.add_grade_cell("failed", "part01", "ps", max_score=3, cell_type="code")
        book.add_grade_cell("essay", "part01", "ps", max_score=2, cell_type="markdown")
        book.add_solution_cell("essay", "part01", "ps")
        book.add_task_cell("task", "part01", "ps", max_score=1, cell_type="markdown")
        for student in ("ada", "bob"):
            book.add_student(student)
            book.add_submission("ps", student)
        book.find_grade("failed", "part01", "ps", "ada").manual_score = 1
        book.update_or_create_assignment("other", duedate="2026-01-31 12:00:00")
        for name in ("part01", "part02"):  # one has the name of another assignment's
            book.add_notebook(name, "other")
        book.update_or_create_submission("other", "ada", timestamp="2026-01-31 12:00:00")  # at the last moment
        book.db.commit()
    return url


def saved(by: type[Nbgraders], address: str, made: NotebookNode) -> None:
    by().preprocess(made, {"nbgrader": {**WHERE, "db_url": address}})


def held(address: str) -> list[tuple]:
    with api.Gradebook(address) as book:
        grades = [
            (g.student.id, g.name, g.auto_score, g.manual_score, g.needs_manual_grade) for g in book.db.query(api.Grade)
        ]
        comments = [(c.notebook.student.id, c.name, c.auto_comment) for c in book.db.query(api.Comment)]
    return sorted(grades, key=str) + sorted(comments, key=str)


def test_what_is_saved_is_what_nbgrader_saves(address: str):
    before = held(address)
    saved(preprocessors.SaveAutoGrades, address, notebook())
    ours = held(address)
    assert ours != before and ("ada", "test", 1.5, None, False) in ours and ("ada", "answer", "No response.") in ours
    with api.Gradebook(address) as book:
        book.remove_submission("ps", "ada")
        book.add_submission("ps", "ada")
        book.find_grade("failed", "part01", "ps", "ada").manual_score = 1
        book.db.commit()
    assert held(address) == before
    saved(Nbgraders, address, notebook())
    assert held(address) == ours


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The first words of what gradebooks are asked from here on, and their commits."""
    found, opened = [], api.Gradebook.__init__

    def open_and_listen(book: api.Gradebook, *args: object) -> None:
        opened(book, *args)
        sqlalchemy.event.listen(book.engine, "before_cursor_execute", lambda *words: found.append(words[2].split()[0]))
        sqlalchemy.event.listen(book.engine, "commit", lambda _: found.append("COMMIT"))

    monkeypatch.setattr(api.Gradebook, "__init__", open_and_listen)
    return found


def test_grades_and_comments_are_asked_for_once_each_and_saved_together(address: str, asked: list[str]):
    saved(preprocessors.SaveAutoGrades, address, notebook())
    assert asked.count("SELECT") == 2
    assert asked.count("COMMIT") == 1


def test_where_a_cell_cannot_be_saved_nothing_is(address: str):
    before, made = held(address), notebook()
    made.cells[-1].metadata.nbgrader.grade_id = "of nobody"
    with pytest.raises(api.MissingEntry):
        saved(preprocessors.SaveAutoGrades, address, made)
    assert held(address) == before


def test_marks_of_a_student_or_a_notebook_that_nobody_knows_are_told_as_nbgrader_tells_it(address: str):
    for wrong in ({"student": "eve"}, {"notebook": "part02"}, {"assignment": "unknown"}):
        for by in (preprocessors.SaveAutoGrades, Nbgraders):
            with pytest.raises(api.MissingEntry):
                by().preprocess(notebook(), {"nbgrader": {**WHERE, **wrong, "db_url": address}})


@pytest.fixture
def released(address: str) -> str:
    """The gradebook with the released text of each cell; of another assignment's notebook of this name with others."""
    with api.Gradebook(address) as book:
        for made in notebook().cells[1:]:
            name, kind = made.metadata.nbgrader.grade_id, made.cell_type
            for assignment, text in (("other", "of another"), ("ps", made.source)):
                checksum = utils.compute_checksum(NotebookNode({**made, "source": text}))
                text = {"source": text, "checksum": checksum, "locked": name in ("test", "failed")}
                book.add_source_cell(name, "part01", assignment, cell_type=kind, **text)
        book.add_grade_cell("test", "part01", "other", max_score=9, cell_type="code")
    return address


def changed() -> NotebookNode:
    """A notebook in which everything of each cell was changed."""
    made = notebook()
    made.cells.insert(2, cell("of nobody", "own", solution=True))
    for each in made.cells[1:]:
        each.source += " # changed"
        each.metadata.nbgrader.update(locked=not each.metadata.nbgrader.locked, points=7, checksum="changed")
    made.cells[-1].cell_type = "code"
    return made


def test_the_cells_that_are_put_in_are_those_that_nbgrader_puts_in_and_are_asked_for_once(
    released: str, asked: list[str]
):
    made, where = changed(), {"nbgrader": {**WHERE, "db_url": released}}
    ours, _ = preprocessors.OverwriteCells().preprocess(copy.deepcopy(made), where)
    assert asked.count("SELECT") == 1
    assert ours == Overwrite().preprocess(made, where)[0]
    assert [each.metadata.nbgrader.get("points") for each in ours.cells[3:]] == [4, 3, 2, 7]
    assert "changed" in ours.cells[1].source and "changed" not in ours.cells[3].source


def test_cells_of_a_notebook_that_nobody_knows_are_not_put_in(address: str):
    with pytest.raises(api.MissingEntry):
        preprocessors.OverwriteCells().preprocess(
            notebook(), {"nbgrader": {**WHERE, "notebook": "part02", "db_url": address}}
        )


def test_a_cell_whose_points_the_gradebook_does_not_know_is_told_as_nbgrader_tells_it(released: str):
    made = notebook()
    made.cells[1].metadata.nbgrader.update(grade=True, points=1)
    for by in (preprocessors.OverwriteCells, Overwrite):
        with pytest.raises(api.MissingEntry):
            by().preprocess(copy.deepcopy(made), {"nbgrader": {**WHERE, "db_url": released}})


@pytest.fixture
def empty(address: str) -> str:
    """The gradebook with a second notebook, which has no cell that nbgrader knows, and its submission by ada alone."""
    with api.Gradebook(address) as book:
        book.add_notebook("part02", "ps")
        book.remove_submission("ps", "ada")
        book.add_submission("ps", "ada")
    return address


def test_a_notebook_without_cells_is_saved_where_it_was_submitted_and_else_told(empty: str):
    for student, where in (("ada", contextlib.nullcontext()), ("eve", pytest.raises(api.MissingEntry))):
        with where:
            preprocessors.SaveAutoGrades().preprocess(
                new_notebook(), {"nbgrader": {**WHERE, "notebook": "part02", "student": student, "db_url": empty}}
            )


def test_into_a_notebook_without_cells_none_are_put(empty: str):
    where = {"nbgrader": {**WHERE, "notebook": "part02", "db_url": empty}}
    made, _ = preprocessors.OverwriteCells().preprocess(new_notebook(cells=[new_code_cell("own = 1")]), where)
    assert [each.source for each in made.cells] == ["own = 1"]


def test_a_task_that_a_submission_calls_graded_has_the_points_that_nbgrader_gives_it(released: str):
    made, where = notebook(), {"nbgrader": {**WHERE, "db_url": released}}
    made.cells[-1].metadata.nbgrader.update(grade=True, points=7)
    for by in (preprocessors.OverwriteCells, Overwrite):
        assert by().preprocess(copy.deepcopy(made), where)[0].cells[-1].metadata.nbgrader.points == 1


@pytest.mark.parametrize("before", [None, 0.0, 2.0])
@pytest.mark.parametrize("handed_in", [None, "2026-01-31 11:59:59", "2026-01-31 12:00:00", "2026-01-31 12:00:01"])
@pytest.mark.parametrize("due", [None, "2026-01-31 12:00:00"])
def test_a_penalty_is_the_one_that_nbgrader_notes(address: str, due: str | None, handed_in: str | None, before: float):
    found = []
    for by in (preprocessors.AssignLatePenalties, Late):
        with api.Gradebook(address) as book:
            book.update_or_create_assignment("ps", duedate=due)
            book.update_or_create_submission("ps", "ada", timestamp=handed_in)
            book.find_grade("test", "part01", "ps", "ada").auto_score = 3.0
            book.find_submission_notebook("part01", "ps", "ada").late_submission_penalty = before
            book.db.commit()
        by(config=Config(LateSubmissionPlugin={"penalty_method": "zero"})).preprocess(
            notebook(), {"nbgrader": {**WHERE, "db_url": address}}
        )
        with api.Gradebook(address) as book:
            found.append(book.find_submission_notebook("part01", "ps", "ada").late_submission_penalty)
    late = None not in (due, handed_in) and handed_in > due
    assert found == [4.0 if late else None] * 2  # all points: 3 by the test, and 1 by hand


@pytest.mark.parametrize("assignment", ["ps", "other"])
def test_a_submission_in_time_is_asked_for_once(address: str, asked: list[str], assignment: str):
    where = {**WHERE, "assignment": assignment, "db_url": address}
    preprocessors.AssignLatePenalties().preprocess(notebook(), {"nbgrader": where})
    assert (asked.count("SELECT"), asked.count("COMMIT")) == (1, 0)


def test_a_submission_that_nobody_knows_is_told_as_nbgrader_tells_it(address: str):
    with pytest.raises(api.MissingEntry):
        preprocessors.AssignLatePenalties().preprocess(
            notebook(), {"nbgrader": {**WHERE, "student": "eve", "db_url": address}}
        )
