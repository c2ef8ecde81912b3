"""Notebooks that hold nothing to grade: released with the parts, and never read, run or reported in a submission."""

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import graded_here
import pytest
from nbformat import v4

from attention import course
from attention.course import COURSE
from dev import handed_in
from dev.packages import REPOSITORY
from grading.classroom import inputs
from grading.core import limits
from grading.core.course import Part
from grading.core.errors import CourseError
from grading.gradebook import course_folder, generate_assignment, marks, release, snapshot
from grading.own_work import table
from grading.submission import bundle, extra_files, notices

ONE = course.PARTS[1]
START = "start.ipynb"
COPY = "part01-Copy1.ipynb"
RELEASE = Path("release") / COURSE.name


def page(text: str = "# Welcome") -> str:
    """A first page, with a cell of code."""
    cells = [v4.new_markdown_cell(text, id="start"), v4.new_code_cell("print(6 * 7)", id="start-code")]
    return json.dumps(v4.new_notebook(cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "P"}}))


def _notebook(path: Path) -> None:
    cell = {"cell_type": "code", "metadata": {}, "source": "while True: pass", "outputs": [], "execution_count": 1}
    test = {**cell, "id": "part01-test", "metadata": {"nbgrader": {"grade_id": "part01-test", "points": 100}}}
    path.write_text(json.dumps({"cells": [cell, test], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))


def _huge(path: Path) -> None:
    path.touch()
    os.truncate(path, 2**34)


def _folder(path: Path) -> None:
    path.mkdir()
    for n in range(limits.ENTRIES + 10):  # as many as are ever looked at in a submission, and more
        (path / f"{n:06}.csv").touch()
    (path / "evil.html").write_text("<script>")


# What may lie under the name of a first page in a submission.
LEFT = {
    "as released": lambda path: path.write_text(page()),
    "a hostile notebook": _notebook,
    "no notebook": lambda path: path.write_bytes(b"\xff{"),
    "huge": _huge,
    "a link out": lambda path: path.symlink_to("/etc/passwd"),
    "a link nowhere": lambda path: path.symlink_to("nowhere"),
    "a link to itself": lambda path: path.symlink_to(START),
    "a pipe": os.mkfifo,
    "a folder": _folder,
    "lacking": lambda path: None,
}
HOSTILE = pytest.mark.parametrize("leave", LEFT.values(), ids=LEFT)


def submit(root: Path, student: str, leave: Callable[[Path], object]) -> Path:
    """Part 1 solved, data next to it, and something as a first page."""
    folder = root / "submitted" / student / COURSE.name
    folder.mkdir(parents=True)
    handed_in.write(folder, ONE, handed_in.model(ONE))
    (folder / "data.csv").write_text("1")
    leave(folder / START)
    return folder


def small(root: Path, *others: str) -> Path:
    """A course of part 1 and a first page, registered."""
    source = root / "source" / COURSE.name
    source.mkdir(parents=True)
    shutil.copy(REPOSITORY / "source" / COURSE.name / f"{ONE.stem}.ipynb", source)
    handed_in.equip(source)
    for name in others:
        (source / name).write_text(page())
    course_folder.configure(root, REPOSITORY)
    generate_assignment.register(root)
    return root


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course in which two students of each kind are graded: with a hostile first page, and without one."""
    root = small(tmp_path_factory.mktemp("others"), START)
    submit(root, "hostile", _notebook)
    submit(root, "without", LEFT["lacking"])
    for student in ("hostile", "without"):
        result = graded_here.grade_student(root, student)
        assert not result.error and not result.unmarked
    return root


def test_it_is_released_and_solved_like_the_parts(tmp_path: Path):
    root = small(tmp_path / "course", START)
    release.make(root, tmp_path / "made")
    given, solved = (
        json.loads((tmp_path / "made" / step / COURSE.name / START).read_text()) for step in ("release", "notebooks")
    )
    assert [cell["id"] for cell in given["cells"]] == ["start", "start-code"]
    assert given["cells"][1]["outputs"] == []
    assert "".join(solved["cells"][1]["outputs"][0]["text"]) == "42\n"


def test_the_gradebook_knows_the_parts_alone(graded: Path):
    with course_folder.gradebook(graded) as book:
        assert [notebook.name for notebook in book.find_assignment(COURSE.name).notebooks] == [ONE.stem]
        for student in ("hostile", "without"):
            submission = book.find_submission(COURSE.name, student)
            assert [notebook.name for notebook in submission.notebooks] == [ONE.stem]
            assert submission.score == ONE.points


def test_a_mark_is_the_same_with_and_without_it(graded: Path):
    with course_folder.gradebook(graded) as book:
        hostile, without = (replace(row, student="") for row in marks.read(book, COURSE))
    assert hostile == without and hostile.parts[1] == ONE.points


def test_it_is_neither_run_nor_copied_nor_shown(graded: Path):
    for step in ("autograded", "feedback"):
        found = {path.name for path in (graded / step / "hostile" / COURSE.name).rglob("*")}
        assert found and not found & {START, "start.html"}
    assert "start.html" not in (graded / "feedback" / "hostile" / COURSE.name / "index.html").read_text(
        encoding="utf-8"
    )


def test_one_can_be_added_and_changed_when_there_are_submissions(graded: Path, tmp_path: Path):
    root = tmp_path / "course"
    shutil.copytree(graded, root, symlinks=True)
    course_folder.configure(root, REPOSITORY)
    (root / "source" / COURSE.name / START).write_text(page("# Another welcome"))
    generate_assignment.register(root)
    assert "Another welcome" in (root / RELEASE / START).read_text()
    (root / "source" / COURSE.name / START).unlink()
    generate_assignment.register(root)
    with course_folder.gradebook(root) as book:
        assert book.find_submission(COURSE.name, "hostile").score == ONE.points


@pytest.mark.parametrize("was_entered", [False, True])
def test_whoever_submits_what_is_neither_a_part_nor_one_of_these_is_graded(was_entered: bool, tmp_path: Path):
    """Such as JupyterLab's copy of a part, which a gradebook of an earlier release may know."""
    root = small(tmp_path)
    source = root / "source" / COURSE.name
    shutil.copy(source / f"{ONE.stem}.ipynb", source / COPY)
    if was_entered:
        _enter(root, Path(COPY).stem)
    for _ in range(1 + was_entered):  # with submissions, too
        generate_assignment.register(root)
        folder = root / "submitted" / "ada" / COURSE.name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copy(root / RELEASE / COPY, submit(root, "ada", LEFT["lacking"]))
        result = graded_here.grade_student(root, "ada")
        assert not result.error and not result.unmarked
        assert [notice.part for notice in result.notices] == [COPY]
    with course_folder.gradebook(root) as book:
        assert marks.read(book, COURSE)[0].parts[1] == ONE.points
        known = {notebook.name for notebook in book.find_assignment(COURSE.name).notebooks}
    assert known == {ONE.stem, *([Path(COPY).stem] if was_entered else [])}


def _enter(root: Path, name: str) -> None:
    """Enters a notebook with a test into the gradebook, as a release did that took whatever lay in source/; and a
    submission, after which nbgrader lets none go."""
    with course_folder.gradebook(root) as book:
        book.add_notebook(name, COURSE.name)
        book.add_grade_cell(f"{ONE.stem}-test", name, COURSE.name, max_score=5, cell_type="code")
        book.add_student("ada")
        book.add_submission(COURSE.name, "ada")


def test_a_submission_is_not_graded_again_because_it_changed(graded: Path, tmp_path: Path):
    root = tmp_path / "course"
    shutil.copytree(graded, root, symlinks=True)
    course_folder.configure(root, REPOSITORY)

    def digest() -> str:
        engine = snapshot.engine(course_folder.database(root))
        try:
            return inputs.read(root, engine).digest
        finally:
            engine.dispose()

    before = digest()
    (root / RELEASE / START).write_text(page("# Another welcome"))
    assert digest() == before
    (root / RELEASE / f"{ONE.stem}.ipynb").write_text(page())
    assert digest() != before


@HOSTILE
def test_whatever_is_left_under_its_name_gets_no_notice_and_is_not_sent(
    leave: Callable[[Path], object], tmp_path: Path
):
    folder = submit(tmp_path, "ada", leave)
    sent = bundle.read("ada", folder, COURSE)
    assert [name for name, _ in sent.entries] == ["data.csv", f"{ONE.stem}.ipynb"]
    assert extra_files.admitted(folder, COURSE) == ([str(folder / "data.csv")], [])
    sent.write(tmp_path / "sent")
    others = ", ".join(part.stem for part in COURSE.parts if part is not ONE)
    for place in (folder, tmp_path / "sent"):
        found = notices.found("ada", place, REPOSITORY / RELEASE, COURSE)
        assert [notice.part for notice in found] == [others]  # the parts that are missing


@pytest.mark.parametrize("name", ["Start.ipynb", "start2.ipynb", "sub/start.ipynb/x.csv"])
def test_no_other_name_is_passed_over(name: str, tmp_path: Path):
    folder = submit(tmp_path, "ada", LEFT["lacking"])
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("x")
    assert name in [notice.part for notice in notices.found("ada", folder, REPOSITORY / RELEASE, COURSE)]


def test_check_passes_over_it(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    places = []
    for name, text in ((f"{ONE.stem}.ipynb", json.dumps(handed_in.released(ONE))), (START, page())):
        places.append(tmp_path / name)
        places[-1].write_text(text, encoding="utf-8")
    table.show(COURSE, places)
    shown = capsys.readouterr().out
    assert ONE.title in shown and START not in shown and "0 of 1 part" in shown
    with pytest.raises(CourseError, match="holds no visible checks"):
        table.show(COURSE, [tmp_path / START])


def test_a_notebook_is_a_part_or_none():
    with pytest.raises(CourseError, match="part01 of attention is a part"):
        replace(COURSE, others=("part01",))
    assert all(isinstance(part, Part) and part.stem not in COURSE.others for part in COURSE.parts)
