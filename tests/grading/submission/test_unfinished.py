"""What nbgrader was writing when it was killed is written again by the next run, and nobody takes it for done."""

import gc
from pathlib import Path

import graded_class
import graded_here
import lean
import pytest
from nbgrader.converters import base

from attention import course
from attention.course import COURSE
from dev import handed_in
from grading.classroom import crash_notes, inputs
from grading.classroom.task_queue import Graded, Task, TaskQueue
from grading.core.course import Part
from grading.gradebook import course_folder, generate_assignment, marks, nbgrader_log
from grading.submission import unfinished

ONE = course.PARTS[1]


class Killed(BaseException):
    """The process ends here and now, as by kill -9: nothing is put in order."""


def kill(monkeypatch: pytest.MonkeyPatch, after: int, command: str, root: Path, *arguments: str) -> None:
    """Ends one of nbgrader's commands once it has converted so many notebooks."""
    convert, done = base.BaseConverter.convert_single_notebook, []

    def convert_single_notebook(self: base.BaseConverter, path: str) -> None:
        if len(done) == after:
            raise Killed
        done.append(path)
        convert(self, path)

    with monkeypatch.context() as patch:
        patch.setattr(base.BaseConverter, "convert_single_notebook", convert_single_notebook)
        result = getattr(course_folder.api(root), command)(COURSE.name, *arguments)
    assert not result["success"] and "Killed" in result["error"]
    gc.collect()  # as a process that is gone has no open file


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A course of part 1, to which anna has submitted."""
    lean.new(tmp_path, ONE)
    folder = tmp_path / "submitted" / "anna" / COURSE.name
    folder.mkdir(parents=True)
    lean.write(folder, ONE, handed_in.model(ONE))
    generate_assignment.register(tmp_path)
    return tmp_path


def test_pages_that_a_killed_run_left_out_are_made_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def as_it_is(part: Part, notebook: dict) -> dict:
        return notebook

    graded_class.entered(tmp_path, {"ada": as_it_is, "ben": as_it_is})
    kill(monkeypatch, 17, "generate_feedback", tmp_path)  # among ben's
    pages = [tmp_path / "feedback" / student / COURSE.name for student in ("ada", "ben")]
    assert [unfinished.begun(folder) for folder in pages] == [False, True]
    before = (pages[0] / "part01.html").stat().st_mtime_ns
    result = course_folder.api(tmp_path).generate_feedback(COURSE.name, force=False)
    assert result["success"], nbgrader_log.last_error(result)
    wanted = {"index.html", *(f"{stem}.html" for stem in COURSE.stems)}
    assert [{path.name for path in folder.iterdir()} for folder in pages] == [wanted, wanted]
    assert (pages[0] / "part01.html").stat().st_mtime_ns == before and not any(map(unfinished.begun, pages))


def test_whom_a_killed_run_was_grading_the_next_one_grades(root: Path, monkeypatch: pytest.MonkeyPatch):
    kill(monkeypatch, 0, "autograde", root, "anna")
    folder = root / "autograded" / "anna" / COURSE.name
    assert folder.exists() and unfinished.begun(folder)
    result = course_folder.api(root).autograde(COURSE.name, "anna", force=False)
    assert result["success"] and "was not finished" in result["log"]
    with course_folder.gradebook(root) as book:
        (row,) = marks.read(book, COURSE)
    assert row.parts[1] == 5 and not unfinished.begun(folder)


def test_one_notebook_that_a_killed_run_was_grading_the_next_one_grades(root: Path, monkeypatch: pytest.MonkeyPatch):
    configuration = root / course_folder.CONFIGURATION
    every = configuration.read_text(encoding="utf-8")
    configuration.write_text(f"{every}c.CourseDirectory.notebook_id = {ONE.stem!r}\n", encoding="utf-8")
    kill(monkeypatch, 1, "autograde", root, "anna")  # cleaned, and not yet marked
    folder = root / "autograded" / "anna" / COURSE.name
    assert (folder / f"{ONE.stem}.ipynb").exists()
    result = course_folder.api(root).autograde(COURSE.name, "anna", force=False)
    with course_folder.gradebook(root) as book:
        (row,) = marks.read(book, COURSE)
    assert result["success"] and row.parts[1] == 5
    assert unfinished.begun(folder)  # of the other notebooks nobody knows whether they were finished
    configuration.write_text(every, encoding="utf-8")
    result = course_folder.api(root).autograde(COURSE.name, "anna", force=False)
    assert result["success"] and "was not finished" in result["log"] and not unfinished.begun(folder)


def test_one_notebook_that_is_graded_again_leaves_no_mark(root: Path):
    graded_here.grade_student(root, "anna")
    with (root / course_folder.CONFIGURATION).open("a", encoding="utf-8") as file:
        file.write(f"c.CourseDirectory.notebook_id = {ONE.stem!r}\n")
    result = course_folder.api(root).autograde(COURSE.name, "anna", force=True)
    assert result["success"] and not unfinished.begun(root / "autograded" / "anna" / COURSE.name)


def test_a_class_run_does_not_take_for_done_what_a_killed_command_of_nbgrader_s_left(root: Path):
    def begun() -> Task | Graded:
        with course_folder.engine(root) as engine:
            settings = (inputs.read(root, engine), True, False, crash_notes.Notes(root))
            return TaskQueue(root, course_folder.course(root), engine, *settings).begin("anna")

    for step in ("feedback", "autograded"):
        graded_here.grade_student(root, "anna")
        assert isinstance(begun(), Graded)
        folder = root / step / "anna" / COURSE.name
        unfinished.begin(folder)
        assert isinstance(begun(), Task)
    graded_here.grade_student(root, "anna")
    assert isinstance(begun(), Graded) and not unfinished.begun(folder)


def test_what_another_run_is_writing_is_not_taken_for_unfinished(tmp_path: Path):
    folder = tmp_path / "anna" / COURSE.name
    with unfinished.begin(folder):
        assert not unfinished.begun(folder)
    assert unfinished.begun(folder)
    unfinished.end(folder)
    assert not unfinished.begun(folder)
