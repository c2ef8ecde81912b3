"""A course that no one here wrote: nbgrader's own example, as `nbgrader quickstart` makes it, and three lines more.

Every submission earns here what `nbgrader autograde` gives it without us, and none can stop or harm another.
"""

import csv
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import busy
import graded_here
import nbformat
import parses
import pytest
from nbconvert.exporters import HTMLExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from nbgrader.apps import NbGraderAPI
from nbgrader.nbgraderformat import MetadataValidator
from nbgrader.utils import determine_grade
from traitlets.config import PyFileConfigLoader

from grading.__main__ import main
from grading.core import messages, names, plain_course
from grading.core.errors import CourseError
from grading.gradebook import course_folder, marks
from grading.judge import incoming, kernels
from grading.judge.plain_execution import NO_MARK, PlainJudge
from grading.submission import nbgrader_patches, notebook_file

THREE_LINES = """
from pathlib import Path
from grading.gradebook import configuration
configuration.wall_in(c, Path(__file__).parent)
"""
LIMIT_S = 4  # of a cell, set as nbgrader has it, so that the slow submission does not take 30 s
SQUARES = "    if n < 1:\n        raise ValueError(n)\n    return [i ** 2 for i in range(1, n + 1)]\n"
# The answers to problem 1, by cell; a cell that is not named stays as it was released.
ANSWERS = {
    "half-done": {"squares": f"def squares(n):\n{SQUARES}"},
    "wrong": {
        "squares": "def squares(n):\n    return [i ** 2 for i in range(n)]",
        "sum_of_squares": "def sum_of_squares(n):\n    return n * (n + 1) * (2 * n + 1) // 6",
        "sum_of_squares_equation": "$n^2$ <script>alert(1)</script>",
    },
    "warns": {
        "squares": f"import warnings\ndef squares(n):\n    warnings.warn('slow')\n{SQUARES}",
        "sum_of_squares": "def sum_of_squares(n):\n    return sum(squares(n))",
    },
    "loud": {  # a lost test, and stderr, which costs the points, after more text than is kept of a cell
        "squares": f"import sys\ndef squares(n):\n    print('x' * 1_200_000, flush=True)\n"
        f"    print(n, file=sys.stderr)\n{SQUARES}",
        "correct_squares": None,
        "sum_of_squares": "def sum_of_squares(n):\n    return n * (n + 1) * (2 * n + 1) // 6",
    },
}
EARNED = {"solved": 3, "untouched": 0, "half-done": 2, "wrong": 0.5, "warns": 0.5, "loud": 0.5}
SLOW = {"squares": "while True:\n    pass"}
KILLER = """
import contextlib, os, signal
for process in (-1, os.getppid(), 1):
    with contextlib.suppress(OSError):
        os.kill(process, signal.SIGKILL)
os._exit(9)
"""
SPY = """
import os, socket
from pathlib import Path
root, reached = Path({root!r}), []
theirs = root / "submitted/solved/ps1/problem1.ipynb"
for place in (root, root / "gradebook.db", root / "submitted", theirs, {engine!r}):
    if os.path.exists(place):
        reached.append(str(place))
for place in (root / "gradebook.db", theirs, Path({witness!r})):
    try:
        place.write_text("mine")
        reached.append(str(place))
    except OSError:
        pass
try:
    socket.create_connection(("127.0.0.1", {port}), timeout=2)
    reached.append("network")
except OSError:
    pass
print("reached", reached)
"""


def submit(root: Path, student: str, answers: dict[str, str | None]) -> None:
    """Puts the released problem 1 with these answers into a student's folder."""
    notebook = nbformat.read(root / "release" / "ps1" / "problem1.ipynb", as_version=4)
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        cell.source = answers.get(name, cell.source) or ""
    deleted = {name for name, source in answers.items() if source is None}
    notebook.cells = [c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade_id") not in deleted]
    folder = root / "submitted" / student / "ps1"
    folder.mkdir(parents=True)
    nbformat.write(notebook, folder / "problem1.ipynb")


def nbgrader(folder: Path, *arguments: str) -> None:
    """nbgrader's own command, in a process into which nothing of ours has been put."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # it starts programs of its own
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"PATH": path}
    command = [sys.executable, "-m", "nbgrader", *arguments]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example course with a class, graded by nbgrader alone."""
    place = tmp_path_factory.mktemp("stock")
    nbgrader(place, "quickstart", "course101")
    root = place / "course101"
    nbgrader(root, "generate_assignment", "ps1")
    shutil.copytree(root / "source" / "ps1", root / "submitted" / "solved" / "ps1")
    for student, answers in {"untouched": {}, **ANSWERS}.items():
        submit(root, student, answers)
    nbgrader(root, "autograde", "ps1")
    return root


@pytest.fixture(scope="module")
def listener() -> Iterator[socket.socket]:
    """A server on this machine that a submission may try to reach."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


@pytest.fixture(scope="module")
def walled(stock: Path, listener: socket.socket, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same course and class with three lines more, and with those who would stop or harm others."""
    root = tmp_path_factory.mktemp("walled") / "course101"
    shutil.copytree(stock, root, ignore=shutil.ignore_patterns("autograded", "feedback", "gradebook.db", "release"))
    shutil.copytree(stock / "release", root / "release")
    with (root / "nbgrader_config.py").open("a", encoding="utf-8") as file:
        file.write(f"{THREE_LINES}c.Execute.timeout = {LIMIT_S}\n")
    submit(root, "slow", SLOW)
    submit(root, "killer", {"squares": KILLER})
    engine, witness = str(Path(plain_course.__file__).parents[1]), str(root.parent / "witness")
    facts = {"root": str(root), "engine": engine, "witness": witness, "port": listener.getsockname()[1]}
    submit(root, "spy", {"squares": SPY.format(**facts)})
    whole = (root / "submitted" / "solved" / "ps1" / "problem1.ipynb").read_bytes()
    cell = {"cell_type": "code", "metadata": {"nbgrader": "mine"}, "source": 1}
    odd = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()
    submit(root, "damaged", {})
    for name, content in (("problem1", whole[:700]), ("problem2", odd)):
        (root / "submitted" / "damaged" / "ps1" / f"{name}.ipynb").write_bytes(content)
    assert main(["autograde", "--course", str(root), "--workers", "2"]) == 0
    return root


def grades(root: Path, student: str) -> dict[tuple[str, str], tuple[float, bool]]:
    """A student's marks by notebook and cell, and whether they wait for a grader, as the gradebook has them."""
    with course_folder.gradebook(root) as book:
        notebooks = book.find_submission("ps1", student).notebooks
        return {(n.name, g.name): (g.score, g.needs_manual_grade) for n in notebooks for g in n.grades}


@pytest.mark.parametrize("student", EARNED)
def test_a_submission_earns_what_nbgrader_gives_it_cell_by_cell(student: str, stock: Path, walled: Path):
    assert grades(walled, student) == grades(stock, student)
    assert sum(score for score, _ in grades(stock, student).values()) == EARNED[student]


def test_the_table_of_marks_has_nbgrader_s_totals(walled: Path):
    rows = {row["student"]: row for row in csv.DictReader((walled / "marks.csv").open(encoding="utf-8"))}
    assert {student: float(rows[student]["total"]) for student in EARNED} == EARNED
    assert {rows[s]["total"] for s in rows.keys() - EARNED.keys()} == {"0"}
    assert (rows["solved"]["problem1"], rows["solved"]["written_to_read"]) == ("3", "2")


def graded(root: Path, student: str, name: str) -> str:
    """The text of a graded cell's outputs."""
    path = root / "autograded" / student / "ps1" / "problem1.ipynb"
    found = [
        c for c in nbformat.read(path, as_version=4).cells if c.metadata.get("nbgrader", {}).get("grade_id") == name
    ]
    return json.dumps(found[0].outputs)


def test_a_spy_reaches_no_gradebook_no_submission_and_no_network(walled: Path, listener: socket.socket):
    assert "reached []" in graded(walled, "spy", "squares")
    assert not (walled.parent / "witness").exists()
    with pytest.raises(BlockingIOError):
        listener.accept()


def test_a_loop_without_end_costs_its_own_cell_and_one_that_kills_costs_its_own_notebook(walled: Path):
    assert "CellTimeoutError" in graded(walled, "slow", "squares")
    assert "NameError" in graded(walled, "slow", "correct_squares")
    assert "the kernel that ran your code ended" in graded(walled, "killer", "sum_of_squares_uses_squares")


def test_a_damaged_notebook_has_no_points_and_each_run_says_why(walled: Path, capsys: pytest.CaptureFixture):
    assert "0 points" in graded(walled, "damaged", "correct_squares")
    tests = [grades(walled, "damaged")["problem1", name] for name in ("correct_squares", "squares_invalid_input")]
    assert tests == [(0.0, False)] * 2
    assert main(["autograde", "--course", str(walled), "--workers", "1"]) == 0
    told = capsys.readouterr().out
    assert "damaged, problem1: the file is not JSON" in told and "damaged, problem2: the cells of this" in told
    assert "10 unchanged since they were graded" in told


def test_each_notebook_has_a_feedback_page_on_which_no_script_of_a_student_runs(walled: Path):
    page = (walled / "feedback" / "wrong" / "ps1" / "problem1.html").read_text(encoding="utf-8")
    assert "sum_of_squares" in page and "AssertionError" in page and "alert(1)" in page
    assert "<script>alert" not in page


def test_a_notebook_is_parsed_once_and_its_page_is_what_nbgrader_makes_of_the_file(walled: Path):
    with parses.counted("warnings.warn('slow')") as found:
        assert not graded_here.grade_student(walled, "warns").error
    assert found.total() == 1
    page = walled / "feedback" / "warns" / "ps1" / "problem1.html"
    ours, config = page.read_bytes(), course_folder.config(walled)
    config.GenerateFeedback.exporter_class = HTMLExporter
    assert NbGraderAPI(config=config).generate_feedback("ps1", "warns", force=True)["success"]
    assert page.read_bytes() == ours


def test_a_failure_of_ours_is_no_mark(walled: Path, monkeypatch: pytest.MonkeyPatch):
    def ours(_: object) -> None:
        raise RuntimeError("the machine's memory had run out")

    monkeypatch.setattr(kernels.KernelManager, "raise_if_ours", ours)
    submit(walled, "new", {"squares": KILLER})
    assert "memory had run out" in graded_here.grade_student(walled, "new").error
    with course_folder.gradebook(walled) as book:
        assert "new" not in {row.student for row in marks.read(book, course_folder.course(walled))}


def test_a_course_that_names_none_of_ours_is_nbgrader_s_own_in_a_process_that_grades_ours(stock: Path, tmp_path: Path):
    nbgrader_patches.guard()
    root, student = tmp_path / "course101", "n" * (names.LONGEST + 1)  # a name that ours refuses
    shutil.copytree(stock, root, ignore=shutil.ignore_patterns("autograded", "gradebook.db", "submitted"))
    shutil.copytree(stock / "submitted" / "wrong", root / "submitted" / student)
    config = PyFileConfigLoader("nbgrader_config.py", path=str(root)).load_config()
    config.CourseDirectory.root, config.CourseDirectory.db_url = str(root), f"sqlite:///{root / 'gradebook.db'}"
    api = NbGraderAPI(config=config)
    assert api.generate_assignment("ps1", force=True)["success"]
    assert api.get_submitted_students("ps1") == {student}
    assert api.autograde("ps1", student)["success"]
    with api.gradebook as book:
        assert book.find_submission("ps1", student).score == EARNED["wrong"]


@pytest.mark.parametrize("command", ["check", "report"])
def test_what_needs_reports_of_tests_says_so_in_a_line(command: str, walled: Path, capsys: pytest.CaptureFixture):
    assert main([command, "--course", str(walled)]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "written for nbgrader alone" in error


# What is read from a folder.


def notebook(path: Path, metadata: dict | None = None, *cells: tuple[str, dict]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    made = [{"cell_type": kind, "metadata": {"nbgrader": meta}, "source": ""} for kind, meta in cells]
    path.write_text(json.dumps({"cells": made, "metadata": metadata or {}}), encoding="utf-8")


def test_cells_that_run_are_tests_and_what_graders_read_is_written(tmp_path: Path):
    cells = [
        ("code", {"grade_id": "week-1-test", "grade": True, "solution": False, "points": 1.5}),
        ("code", {"grade_id": "free", "grade": True, "solution": True, "points": 2}),
        ("markdown", {"grade_id": "words", "grade": True, "solution": True, "points": 3}),
        ("markdown", {"grade_id": "task", "task": True, "points": 4}),
        ("code", {"grade_id": "answer", "grade": False, "solution": True}),
    ]
    notebook(tmp_path / "source" / "ps1" / "week-1.ipynb", None, *cells)
    course = plain_course.read(tmp_path)
    (part,) = course.parts
    assert (course.name, course.plain, part.stem, part.tests) == ("ps1", True, "week-1", ("week-1-test",))
    assert (part.written, part.automatic, part.by_hand) == (("free", "words", "task"), 1.5, 9.0)


def test_of_several_assignments_one_is_named(tmp_path: Path, capsys: pytest.CaptureFixture):
    (tmp_path / "nbgrader_config.py").write_text(f"c = get_config(){THREE_LINES}", encoding="utf-8")
    for name in ("ps1", "ps2"):
        notebook(tmp_path / "source" / name / "problem.ipynb")
    assert main(["autograde", "--course", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "ps1, ps2" in error and "--assignment ps1" in error
    assert course_folder.course(tmp_path, "ps2").name == "ps2"


@pytest.mark.parametrize(
    ("file", "asked", "said"),
    [
        (None, "", "no assignment in"),
        ("{}", "", "not a notebook"),
        ("[", "", "not a notebook"),
        ('{"cells": [], "metadata": {"kernelspec": {"language": "R"}}}', "", "only Python"),
        ('{"cells": [], "metadata": {}}', "ps9", "no assignment ps9"),
    ],
)
def test_a_folder_that_cannot_be_graded_is_told_in_a_line(file: str | None, asked: str, said: str, tmp_path: Path):
    if file is not None:
        notebook(tmp_path / "source" / "ps1" / "problem.ipynb")
        (tmp_path / "source" / "ps1" / "problem.ipynb").write_text(file, encoding="utf-8")
    with pytest.raises(CourseError, match=said) as told:
        plain_course.read(tmp_path, asked)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(("name", "value"), [("submitted_directory", "in"), ("directory_structure", "{student_id}")])
def test_folders_that_are_elsewhere_are_told_in_a_line(
    name: str, value: str, tmp_path: Path, capsys: pytest.CaptureFixture
):
    notebook(tmp_path / "source" / "ps1" / "problem.ipynb")
    text = f"c = get_config()\nc.CourseDirectory.{name} = {value!r}{THREE_LINES}"
    (tmp_path / "nbgrader_config.py").write_text(text, encoding="utf-8")
    assert main(["autograde", "--course", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and f"c.CourseDirectory.{name}" in error


def test_the_output_that_nbgrader_takes_for_a_mark_is_kept_when_there_is_no_room_left():
    room = incoming.Room(outputs_are_marks=True)
    room.next_cell()
    flood = {"msg_type": "stream", "header": {}, "content": {"name": "stdout", "text": "x" * 2_000_000}}
    mark = {"msg_type": "execute_result", "header": {}, "content": {"data": {"text/plain": "0.5"}, "metadata": {}}}
    assert room.admits(flood) and room.admits(mark) and not room.admits({**mark})
    assert mark["content"]["data"] == {"text/plain": "0.5"} and messages.OUTPUT_CUT in flood["content"]["text"]


# What a student writes that would stop nbgrader, or keep it at work for hours.

TEST = {"grade_id": "test", "grade": True, "solution": False, "locked": True, "task": False, "points": 2}
TEST |= {"schema_version": 3, "cell_type": "code"}


def taken_as_it_is(folder: Path, *cells: dict, **content: object) -> nbformat.NotebookNode:
    """What is read of a file with these cells, where a test was released."""
    path = folder / "problem.ipynb"
    whole = {"cells": [*cells], "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **content}
    path.write_text(json.dumps(whole), encoding="utf-8")
    released = new_notebook(cells=[new_markdown_cell("# Problem"), new_code_cell("1", metadata={"nbgrader": TEST})])
    return notebook_file.read_as_it_is(path, released)


def test_of_each_cell_whose_id_another_one_has_no_line_is_printed(tmp_path: Path):
    cells = [{"cell_type": "code", "metadata": {}, "source": "x", "outputs": [], "execution_count": None}] * 9
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        for each in (cells, [cell | {"id": "same"} for cell in cells]):
            assert len({cell.id for cell in taken_as_it_is(tmp_path, *each).cells}) == 9
    assert [str(each.message) for each in warned if each.category.__module__.startswith("nbformat")] == []


@pytest.mark.parametrize(
    "hostile",
    [
        {"metadata": {"tags": [{"tag": n} for n in range(2_000)]}},  # 20 s, and four times that for twice as many
        {"outputs": [{}] * 20_000},  # 8 s and 1 GB
    ],
)
def test_pieces_that_nothing_grades_are_not_compared_with_what_a_notebook_may_hold(hostile: dict, tmp_path: Path):
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "source": ["x =", " 1"], "outputs": []}
    started = time.thread_time()
    (found,) = taken_as_it_is(tmp_path, {**cell, **hostile}).cells
    assert busy.within(time.thread_time() - started, 3.0)
    assert (found.source, found.outputs, found.metadata) == ("x = 1", [], {})


def test_of_an_attachment_a_few_forms_are_kept_for_each_is_compared_with_what_one_may_be(tmp_path: Path):
    started = time.thread_time()
    held = {"image/png": "x", **{f"k{n}": "" for n in range(300_000)}}  # 4 s, and a minute for as many as fit
    (found,) = taken_as_it_is(tmp_path, TEXT | {"attachments": {"a": held}}).cells
    assert busy.within(time.thread_time() - started, 3.0)
    assert found.attachments["a"]["image/png"] == "x" and len(found.attachments["a"]) <= notebook_file.FORMS


HALF = "\ud800"  # of a pair that stands for one character: JSON may hold it, and no file
TEXT, CODE = ({"cell_type": kind, "metadata": {}, "source": "x"} for kind in ("markdown", "code"))


@pytest.mark.parametrize(
    ("cell", "minor"),
    [(CODE | {"id": name}, 5) for name in (HALF, "", "a b", "a" * 65, 1, True)]
    + [(CODE | {"metadata": {"tags": [tag, "kept"]}}, 5) for tag in (HALF, "", "a,b")]
    + [(TEXT | {"attachments": held}, 5) for held in ({HALF: {"image/png": "x"}}, {"a": {"image/png": HALF}})]
    + [(CODE | {"language": HALF}, 5), *((CODE, minor) for minor in (-1, True, None, {}))],
)
def test_nothing_that_a_file_says_keeps_the_notebook_from_being_written_and_so_ungraded(
    cell: dict, minor: object, tmp_path: Path
):
    found = taken_as_it_is(tmp_path, cell, nbformat_minor=minor)
    assert nbformat.writes(found).encode("utf-8")
    found.cells[0].pop("language", None)  # which a strict look refuses, and nobody reads
    nbformat.validate(nbformat.reads(nbformat.writes(found).encode("utf-8"), as_version=4))
    assert found.cells[0].source == "x"
    assert "tags" not in cell["metadata"] or "kept" in found.cells[0].metadata.tags


@pytest.mark.parametrize("level", [200_000_000, -1, 0, "12", 3])
def test_a_heading_of_an_older_form_has_at_most_six_signs_whatever_its_level(level: object, tmp_path: Path):
    heading = {"cell_type": "heading", "level": level, "metadata": {}, "source": "Mine"}
    old = {"cells": None, "worksheets": [{"cells": [heading]}], "nbformat": 3, "nbformat_minor": 0}
    (found,) = taken_as_it_is(tmp_path, **old).cells
    assert found.source == ("### Mine" if level == 3 else "# Mine")


@pytest.mark.parametrize("version", [{}, {"nbformat": 1}, {"nbformat": 2, "nbformat_minor": 0}])
def test_a_notebook_without_its_version_is_unreadable_or_read_and_never_an_error_of_ours(version: dict, tmp_path: Path):
    path, released = tmp_path / "problem.ipynb", new_notebook(cells=[new_code_cell("1", metadata={"nbgrader": TEST})])
    path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": "x"}], **version}), encoding="utf-8")
    try:
        assert [cell.source for cell in notebook_file.read_as_it_is(path, released).cells] == ["x"]
    except notebook_file.Unreadable as error:
        assert error.why


def test_the_cells_of_further_worksheets_are_no_way_around_the_limit_on_cells(tmp_path: Path):
    cell = {"cell_type": "code", "metadata": {}, "input": "1", "outputs": [], "language": "python"}
    sheets = [{"cells": [cell]}, {"cells": [cell] * 600}]
    assert len(taken_as_it_is(tmp_path, cells=None, worksheets=sheets, nbformat=3, nbformat_minor=0).cells) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"schema_version": 99},
        {"schema_version": "x"},
        {"points": None},
        {"grade": False, "task": True},
        {"cell_type": []},
    ],
)
@pytest.mark.parametrize("kind", ["code", "markdown", "raw"])
def test_how_a_cell_is_marked_the_release_says(change: dict, kind: str, tmp_path: Path):
    mine = {"cell_type": kind, "metadata": {"nbgrader": {**TEST, **change}}, "source": "mine"}
    strange = {"cell_type": kind, "metadata": {"nbgrader": {**TEST, "grade_id": "strange"}}, "source": ""}
    found = taken_as_it_is(tmp_path, mine, mine, strange, {**strange, "metadata": {"nbgrader": {"grade": True}}})
    MetadataValidator().validate_nb(found)
    assert [cell.metadata.get("nbgrader") for cell in found.cells] == [TEST, None, None, None]
    assert found.cells[0].cell_type == "code" and found.cells[0].source == "mine"


@pytest.mark.parametrize("data", [{"text/html": "1"}, {"text/plain": ""}, {"text/plain": "1e9"}, {"text/plain": "1"}])
def test_a_test_whose_outputs_stop_nbgrader_has_no_points(data: dict):
    shown = new_output("execute_result", data=data, execution_count=1)
    cell = new_code_cell("1", metadata={"nbgrader": TEST}, outputs=[shown])
    PlainJudge().see_to_a_mark(cell)
    assert determine_grade(cell) == ((1.0, 2.0) if data == {"text/plain": "1"} else (0, 2.0))
    assert [output.get("ename") for output in cell.outputs][:-1] == ([] if data == {"text/plain": "1"} else [NO_MARK])
