"""Another course on the same engine: examples/optimisers, by the commands that grade this one, and in its process."""

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path

import graded_here
import nbformat
import pytest
import watched
from watched import EXAMPLE, HALF, RIGHT

from attention import course
from attention.course import COURSE
from dev import course_copy, handed_in
from dev.packages import REPOSITORY
from grading.__main__ import main
from grading.core import part_report
from grading.core.course import Course, Part
from grading.core.errors import CourseError
from grading.gradebook import course_folder, generate_assignment, marks

OLD_VELOCITY = {**RIGHT, **HALF}
IMPORTS = {**RIGHT, "part02": f"import sys\nprint('torch' in sys.modules)\n{RIGHT['part02']}"}
FORGED = {
    **RIGHT,
    "part01": "import gc\ndef sgd_step(*_):\n    for thing in gc.get_objects():\n        if hasattr(thing, 'item'):\n"
    "            thing.item = lambda *_: None\n    return 6.0",
}
EARNED = {"right": (6.0, 4.0), "old-velocity": (2.0, 4.0), "imports": (6.0, 0.0), "forged": (0.0, 4.0), "empty": (0, 0)}
ANSWERS = {"right": RIGHT, "old-velocity": OLD_VELOCITY, "imports": IMPORTS, "forged": FORGED, "empty": {}}


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example, with the release and the solved notebooks that the command makes of it."""
    root = tmp_path_factory.mktemp("example") / "optimisers"
    shutil.copytree(EXAMPLE, root, ignore=shutil.ignore_patterns("__pycache__"))
    assert main(["release", "--course", str(root)]) == 0
    return root


def submit(root: Path, student: str, answers: dict[str, str]) -> None:
    watched.write(root, root / "submitted" / student / watched.COURSE, answers)


@pytest.fixture(scope="module")
def graded(released: Path) -> Path:
    """The example with a class, graded."""
    for student, answers in ANSWERS.items():
        submit(released, student, answers)
    assert main(["autograde", "--course", str(released), "--workers", "2"]) == 0
    return released


def test_the_release_hides_solutions_and_tests_and_the_solutions_run(released: Path):
    for stem in RIGHT:
        given, solved = (
            (released / step / "optimisers" / f"{stem}.ipynb").read_text() for step in ("release", "notebooks")
        )
        assert "raise NotImplementedError" in given and "HIDDEN" not in given and "oracles" not in given
        assert "right." in solved


def test_each_answer_earns_what_it_should(graded: Path):
    rows = {row["student"]: row for row in csv.DictReader((graded / "marks.csv").open(encoding="utf-8"))}
    assert {s: (float(row["part01"]), float(row["part02"])) for s, row in rows.items()} == EARNED


def test_only_what_the_course_names_is_loaded_before_a_notebook_runs(graded: Path):
    found = json.loads((graded / "autograded" / "imports" / "optimisers" / "part02.ipynb").read_text(encoding="utf-8"))
    printed = [o["text"] for c in found["cells"] for o in c.get("outputs", []) if o["output_type"] == "stream"]
    assert "False\n" in ["".join(text) for text in printed]


def test_feedback_and_report_bear_the_course_s_name(graded: Path):
    assert main(["report", "--course", str(graded)]) == 0
    for page in (graded / "report.html", graded / "feedback" / "right" / "optimisers" / "index.html"):
        shown = page.read_text(encoding="utf-8")
        assert "Two optimisers" in shown and "attention" not in shown.lower()


def test_marks_go_to_a_platform_under_the_course_s_name(graded: Path, tmp_path: Path):
    people = tmp_path / "people.csv"
    people.write_text("student,login\n" + "".join(f"{student},{student}\n" for student in ANSWERS), encoding="utf-8")
    to = tmp_path / "canvas.csv"
    assert main(["export", "canvas", "--course", str(graded), "--roster", str(people), "--to", str(to)]) == 0
    assert "Optimisers part 01,Optimisers part 02,Optimisers total" in to.read_text(encoding="utf-8")


def test_students_check_themselves(released: Path, capsys: pytest.CaptureFixture):
    assert main(["check", "--course", str(released), str(released / "notebooks" / "optimisers")]) == 0
    assert "2 of 2 parts pass" in capsys.readouterr().out


def test_one_process_grades_two_courses_by_turns(graded: Path, tmp_path: Path):
    course_copy.new(tmp_path, course.PARTS[3])
    folder = tmp_path / "submitted" / "right" / COURSE.name
    folder.mkdir(parents=True)
    handed_in.write(folder, course.PARTS[3], handed_in.model(course.PARTS[3]))
    generate_assignment.register(tmp_path)
    for _ in range(2):
        for root, stem in ((tmp_path, "part03"), (graded, "part01")):
            result = graded_here.grade_student(root, "right")
            assert (result.error, result.unmarked) == ("", [])
            page = root / "feedback" / "right" / course_folder.course(root).name / "index.html"
            assert course_folder.course(root).title in page.read_text(encoding="utf-8")
            with course_folder.gradebook(root) as book:
                (row,) = [row for row in marks.read(book, course_folder.course(root)) if row.student == "right"]
            part = course_folder.course(root).part_of(stem)
            assert row.parts[part.number] == part.automatic


def test_a_folder_that_is_no_course_is_told_in_a_line(tmp_path: Path, capsys: pytest.CaptureFixture):
    assert main(["autograde", "--course", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "no nbgrader_config.py" in error


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("c = get_config()\nc.Nothing = nowhere\n", "NameError"),
        ("c = (", "SyntaxError"),
        ("import no_such_package\n", "no_such_package"),
    ],
)
def test_a_configuration_that_cannot_be_read_is_told_in_a_line(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture
):
    (tmp_path / "nbgrader_config.py").write_text(text, encoding="utf-8")
    assert main(["check", "--course", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and said in error and "nbgrader_config.py" in error


def test_a_course_whose_module_fails_is_told_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "failing_course.py").write_text("COURSE = 1 / 0\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "nbgrader_config.py").write_text("c = get_config()\nc.Course.found = 'failing_course:COURSE'\n")
    assert main(["check", "--course", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "ZeroDivisionError" in error


def test_a_course_without_sources_is_not_released_and_keeps_its_release(
    released: Path, tmp_path: Path, capsys: pytest.CaptureFixture
):
    root = tmp_path / "optimisers"
    shutil.copytree(released, root)
    shutil.rmtree(root / "source")
    assert main(["release", "--course", str(root)]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "source/optimisers is not there" in error
    assert (root / "release" / "optimisers" / "part01.ipynb").exists()


def test_a_copy_of_a_course_that_has_gone_grades_nothing_without_walls(tmp_path: Path, capsys: pytest.CaptureFixture):
    original, copied = tmp_path / "original", tmp_path / "copy"
    for folder in (original, copied):
        folder.mkdir()
    (original / "nbgrader_config.py").write_text("c = get_config()\nc.Course.found = 'attention.course:COURSE'\n")
    course_folder.configure(copied, original)
    assert course_folder.course(copied) == COURSE
    (original / "nbgrader_config.py").unlink()
    assert main(["autograde", "--course", str(copied)]) == 1
    assert "is not there any more" in capsys.readouterr().err


@pytest.mark.parametrize("stems", [("a", "a"), ("week-1", "b")])
def test_parts_that_could_not_be_told_apart_are_refused(stems: tuple[str, str]):
    parts = [Part(n, "", "", (), 1, stem=stem) for n, stem in enumerate(stems, start=1)]
    with pytest.raises(CourseError, match="names of their own"):
        Course("c", "C", "C", tuple(parts))


def test_a_course_may_leave_a_part_out(tmp_path: Path):
    root = tmp_path / "optimisers"
    shutil.copytree(EXAMPLE, root, ignore=shutil.ignore_patterns("__pycache__", "part01.ipynb"))
    file = root / "optimisers" / "course.py"
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join(line for line in lines if "Part(1, " not in line), encoding="utf-8")

    def run(*arguments: str) -> str:
        command = [sys.executable, "-m", "grading", *arguments, "--course", str(root)]
        ran = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    run("release")
    shutil.copytree(root / "notebooks", root / "submitted" / "right")
    run("autograde")
    (row,) = csv.DictReader((root / "marks.csv").open(encoding="utf-8"))
    assert list(row)[:3] == ["student", "part02", "total"] and row["total"] == "4"
    page = (root / "feedback" / "right" / "optimisers" / "part02.html").read_text(encoding="utf-8")
    assert "Adam&#39;s bias correction" in page
    assert json.loads(run("report", "--json"))["students"][0]["unread"] == [2]
    shutil.copytree(root / "notebooks", root / "work")
    said = run("mark")
    assert "part 2: 4 of 6" in said and "0/2 written answer, by what you ticked in written-answers.md" in said
    assert (root / "work" / "optimisers" / "written-answers.md").read_text(encoding="utf-8").count("- [ ]") == 2


def test_a_course_that_is_wrong_about_its_parts_says_so_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    made = "from grading.core.course import Course, Part\nCOURSE = Course('c', 'C', 'C', (Part(0, '', '', (), 1),))\n"
    (tmp_path / "wrong_course.py").write_text(made, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "nbgrader_config.py").write_text("c = get_config()\nc.Course.found = 'wrong_course:COURSE'\n")
    assert main(["check", "--course", str(tmp_path)]) == 1
    said = "check: the parts of c must be numbered from 1 on, in their order, each number once.\n"
    assert capsys.readouterr().err == said


def test_a_report_of_an_earlier_version_is_no_missing_report():
    old = nbformat.v4.new_output("display_data", data={"application/vnd.something-else.report+json": {"part": 3}})
    with pytest.raises(ValueError, match="grade again"):
        part_report.read(nbformat.v4.new_code_cell(outputs=[old]))


@pytest.mark.parametrize(
    "name", ["", "nothing.here:COURSE", ".here:COURSE", "attention.course:NOTHING", "attention.course:PARTS"]
)
def test_a_configuration_that_names_no_course_is_told_in_a_line(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture
):
    (tmp_path / "nbgrader_config.py").write_text(f"c = get_config()\nc.Course.found = {name!r}\n", encoding="utf-8")
    assert main(["check", "--course", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "c.Course.found" in error
