"""A course's folder as commands find it: an assignment that isn't there is refused, whichever command names it."""

import json
import subprocess
from pathlib import Path

import pytest
from nbgrader.converters import GenerateAssignment

from attention import course
from attention.course import COURSE
from dev import course_copy, handed_in
from dev.packages import REPOSITORY
from grading import __main__ as commands
from grading.core.errors import CourseError
from grading.gradebook import course_folder, generate_assignment, nbgrader_log
from grading.pages import class_data, report_json


@pytest.mark.parametrize(
    "command", ["check", "mark", "report", "export canvas", "export answers", "lab", "autograde", "release"]
)
def test_a_wrong_assignment_is_refused_in_one_line_where_a_folder_holds_one(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    course_folder.configure(tmp_path, REPOSITORY)
    monkeypatch.setattr(subprocess, "call", lambda *_, **__: 0)  # JupyterLab, or it would start
    monkeypatch.setattr("grading.judge.sandbox_check.stand", lambda _: None)
    assert commands.main([*command.split(), "--course", str(tmp_path), "--assignment", "atention"]) == 1
    shown = capsys.readouterr()
    said = f"{command.split()[0]}: there is no assignment atention in this course, only attention.\n"
    assert (shown.out, shown.err) == ("", said)
    assert [path.name for path in tmp_path.iterdir()] == ["nbgrader_config.py"], "and nothing is begun"


def test_the_right_assignment_may_be_named(tmp_path: Path):
    course_folder.configure(tmp_path, REPOSITORY)
    assert course_folder.course(tmp_path, "attention") is course_folder.course(tmp_path)


@pytest.mark.parametrize("url", ["nonsense", "postgres://host/name", 5])
def test_what_is_no_address_of_a_database_is_told_in_a_line(url: object, tmp_path: Path):
    (tmp_path / course_folder.CONFIGURATION).write_text(f"c = get_config()\nc.CourseDirectory.db_url = {url!r}\n")
    with pytest.raises(
        CourseError, match=r"^c\.CourseDirectory\.db_url in nbgrader_config\.py is not the address [^\n]*$"
    ):
        course_folder.config(tmp_path)


@pytest.mark.parametrize(("code", "said"), [("", ""), ("'bye'", "'bye'")])
@pytest.mark.parametrize("command", [["grade", "--quiet"], ["report"], ["release"]])
def test_a_configuration_that_ends_the_process_is_told_in_a_line(
    command: list[str], code: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / course_folder.CONFIGURATION).write_text(f"import sys\nsys.exit({code})\n", encoding="utf-8")
    assert commands.main([*command, "--course", str(tmp_path)]) == 1
    assert f"cannot be read: it calls sys.exit({said}). Fix it.\n" in capsys.readouterr().err


def test_a_course_whose_module_ends_the_process_is_told_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "ends_at_once.py").write_text("raise SystemExit\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = "c = get_config()\nc.Course.found = 'ends_at_once:COURSE'\n"
    (tmp_path / course_folder.CONFIGURATION).write_text(found, encoding="utf-8")
    with pytest.raises(CourseError, match=r"cannot be imported: it calls sys\.exit\(\)\."):
        course_folder.course(tmp_path)


def test_what_a_configuration_prints_is_no_part_of_the_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    course_folder.configure(tmp_path, REPOSITORY)
    with (tmp_path / course_folder.CONFIGURATION).open("a", encoding="utf-8") as file:
        file.write("print('hello')\n")
    monkeypatch.setattr(class_data, "read", lambda folder: None)
    monkeypatch.setattr(report_json, "document", lambda data: {"students": []})
    assert commands.main(["report", "--json", "--course", str(tmp_path)]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out) == {"students": []} and "hello" in printed.err


@pytest.mark.parametrize(
    ("last", "said"), [("SystemExit", "nbgrader_config.py, or what it names, calls sys.exit(). Take that out."),
                       ("SystemExit: bye", "bye"), ("ValueError: no", "ValueError: no")]
)  # fmt: skip
def test_of_a_step_that_ended_the_process_the_reason_is_told(last: str, said: str):
    result = {"error": f"Traceback (most recent call last):\n{last}\n", "log": "[WARNING] 60.0 seconds late\n"}
    assert nbgrader_log.last_error(result) == said


def test_ctrl_c_while_nbgrader_makes_the_release_stops_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """nbgrader says "Canceled", as if the assignment were at fault."""

    def stopped(_: object) -> None:
        raise KeyboardInterrupt

    course_copy.new(tmp_path, COURSE.parts[0])
    monkeypatch.setattr(GenerateAssignment, "start", stopped)
    with pytest.raises(KeyboardInterrupt):
        generate_assignment.register(tmp_path)
    assert not list(tmp_path.glob(".release-*"))


@pytest.mark.parametrize("name", ["why?", "100%25", "$HOME", "[1]", "star*"])
@pytest.mark.parametrize("command", ["autograde", "mark"])
def test_a_folder_that_would_be_taken_for_another_is_refused_in_one_line(
    name: str, command: str, tmp_path: Path, capsys: pytest.CaptureFixture
):
    root = tmp_path / name
    course_copy.new(root, course.PARTS[1])
    for folder in (root / "submitted" / "anna" / COURSE.name, root / "work" / COURSE.name):
        folder.mkdir(parents=True)
        handed_in.write(folder, course.PARTS[1], handed_in.model(course.PARTS[1]))
    assert commands.main([command, "--course", str(root)]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and f"/{name}" in error and "can't hold a course" in error
    assert [path.name for path in tmp_path.iterdir()] == [name]  # in which /why would be a gradebook
