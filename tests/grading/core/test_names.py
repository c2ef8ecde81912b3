"""Names that others chose: who can be graded under which, how any is printed, and what a class with odd ones gets.

The class is graded once by the real pipeline and once by nbgrader's own command: honest students, students whose names
are unusual and fine, and folders whose names are bytes, markup, commands for a terminal or patterns.
"""

import csv
import io
import json
import logging
import os
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path

import lean
import pytest
from nbgrader.apps import NbGraderAPI
from nbgrader.exchange import ExchangeFactory

from attention import course
from attention.course import COURSE
from dev import handed_in
from dev.packages import REPOSITORY
from grading.classroom import class_run
from grading.core import names, spreadsheet
from grading.gradebook import course_folder, generate_assignment, marks
from grading.pages import class_data, class_report
from grading.submission import nbgrader_patches

ONE = course.PARTS[1]
FINE = ["anna", "[ab] c", "a", "-x", "Zoë", unicodedata.normalize("NFD", "Zoé"), "=x+1", "张伟", "ada.l@uni.example"]
REFUSED = {  # the name as bytes, and what is printed of it
    b"b\xfcrger": "b\\xfcrger",
    b"two\nlines": "two\\nlines",
    b"red\x1b[31m\x1b]0;owned\x07": "red\\x1b[31m\\x1b]0;owned\\x07",
    b"space ": "space\\x20",
    b" space": "\\x20space",
    b"<img src=x onerror=alert(1)>": "<img src=x onerror=alert(1)>",
    b"x\\x3cb\\x3e": "x\\x3cb\\x3e",
    b"it's": "it's",
    b"*": "*",
    "right\u202eleft".encode(): "right\\u202eleft",
    b"l" * 200: "l" * 79 + "…",
}


def _submit(root: Path, student: str | bytes) -> Path:
    folder = root / "submitted" / os.fsdecode(student) / COURSE.name
    folder.mkdir(parents=True)
    lean.write(folder, ONE, handed_in.model(ONE))
    return folder


def _course(root: Path) -> None:
    lean.new(root, ONE)
    for student in (*FINE, *REFUSED):
        _submit(root, student)
    odd = root / "submitted" / "anna" / COURSE.name
    for name in (b"n\xff.ipynb", b"n\x1b[2J.ipynb", b"d\xff.txt", b"d\x1b[2J.csv", b"[d].csv"):
        (odd / os.fsdecode(name)).write_text("{}")
    for name in (b"f\xff", b"f\x1b[2J", b"part01.ipynb.csv"):
        (odd / os.fsdecode(name)).mkdir()
        (odd / os.fsdecode(name) / "x.csv").write_text("1")


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[class_run.Graded], str]:
    """The class, graded by `make grade`: its folder, the results, and what was printed as a terminal would get it."""
    root = tmp_path_factory.mktemp("names")
    _course(root)
    screen = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", screen)
        results = class_run.grade_class(root, workers=1)
    screen.flush()
    return root, results, screen.buffer.getvalue().decode("utf-8")


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess]:
    """The class, graded by nbgrader's own commands; what `nbgrader autograde` said, and how it ended."""
    root = tmp_path_factory.mktemp("stock")
    _course(root)
    generate_assignment.register(root)
    commands = [["autograde"], ["generate_feedback", "--force"]]
    said = [
        subprocess.run(
            [sys.executable, "-m", "nbgrader", command[0], COURSE.name, *command[1:]],
            cwd=root,
            capture_output=True,
            timeout=300,
        )
        for command in commands
    ]
    return root, said[0]


def _listed(root: Path, step: str) -> set[str]:
    folders = (root / step).glob(f"*/{COURSE.name}/part01.*")
    return {folder.parent.parent.name for folder in folders}


def _in_gradebook(root: Path) -> dict[str, float | None]:
    with course_folder.gradebook(root) as book:
        return {row.student: row.parts[1] for row in marks.read(book, COURSE)}


# --- names


@pytest.mark.parametrize("name", [*FINE, "Ada Lovelace", "o’brien", "x" * 128, "a_b-c.d", "Lovelace, Ada (2)"])
def test_a_name_of_letters_and_usual_signs_is_fine(name: str):
    assert names.trouble(name) is None


@pytest.mark.parametrize("name", REFUSED)
def test_a_name_that_is_none_is_refused_with_what_to_do(name: bytes):
    why = names.trouble(os.fsdecode(name))
    assert "this folder in submitted/" in why and why.endswith("grade again.")
    assert why.isprintable()


@pytest.mark.parametrize("sign", list("<>&\"'`\\/%#?*$\0\x7f\x85\u2028\ufeff\ud800"))
def test_signs_that_a_page_an_address_or_a_shell_would_read_are_refused(sign: str):
    assert names.trouble(f"a{sign}b") is not None


@pytest.mark.parametrize("sign", list("\u034f\u1160\u180b\u180f\u3164\ufe0f\uffa0\U000e0100\u200b\u200d\u202e\u2066"))
def test_a_sign_that_nobody_sees_makes_no_other_student_of_a_name(sign: str):
    assert names.trouble("anna") is None
    assert f"has {sign.encode('unicode_escape').decode()} in it" in names.trouble(f"anna{sign}")


@pytest.mark.parametrize("name", REFUSED)
def test_a_printed_name_holds_nothing_that_a_terminal_obeys(name: bytes):
    shown = names.printable(os.fsdecode(name), names.SHOWN)
    assert shown == REFUSED[name] and shown.isprintable()
    shown.encode("utf-8")


def test_a_link_that_leads_to_itself_is_named_as_it_is(tmp_path: Path):
    (tmp_path / "a").symlink_to("a")
    assert names.path(tmp_path / "a") == str(tmp_path / "a")


def test_a_log_holds_nothing_that_a_terminal_obeys_and_keeps_its_lines(caplog: pytest.LogCaptureFixture):
    nbgrader_patches.guard()
    logging.getLogger("nbgrader").error("in %s:\n\tat %s", "red\x1b[31m", "b\udcfcrger")
    assert caplog.records[-1].getMessage() == "in red\\x1b[31m:\n\tat b\\xfcrger"


# --- a class with odd names, by `make grade`


def test_everybody_with_a_name_is_graded_whatever_the_others_are_called(graded: tuple):
    root, _, _ = graded
    assert _in_gradebook(root) == dict.fromkeys(FINE, 5.0)
    assert _listed(root, "autograded") == _listed(root, "feedback") == set(FINE)


def test_a_name_that_is_none_gets_one_line_and_is_an_error(graded: tuple):
    _, results, printed = graded
    failed = {os.fsencode(result.student): result.error for result in results if result.error}
    assert failed.keys() == REFUSED.keys()
    for name, shown in REFUSED.items():
        assert f"  {shown}: not graded. {failed[name]}\n" in printed


def test_nothing_that_a_terminal_obeys_is_printed(graded: tuple):
    assert names.printable_lines(graded[2]) == graded[2]


def test_files_with_odd_names_are_reported_and_stop_nobody(graded: tuple):
    root, results, _ = graded
    told = {notice.part for result in results if result.student == "anna" for notice in result.notices}
    assert {"n\\xff.ipynb", "n\\x1b[2J.ipynb", "d\\xff.txt", "d\\x1b[2J.csv", "f\\xff/x.csv", "f\\x1b[2J/x.csv"} <= told
    assert (root / "autograded" / "anna" / COURSE.name / "[d].csv").exists()


def test_a_second_run_keeps_what_is_graded_and_refuses_the_same_names(graded: tuple, capsys: pytest.CaptureFixture):
    results = class_run.grade_class(graded[0], workers=1, quiet=True)
    assert {result.student for result in results if result.kept} == set(FINE)
    assert len(capsys.readouterr().out.splitlines()) == len(REFUSED)


def test_the_class_report_shows_names_that_are_none_and_why_they_are_not_graded(graded: tuple):
    found = class_data.read(graded[0])
    page = class_report.page(found, "today")
    page.encode("utf-8")
    assert "b\\xfcrger" in page and "not UTF-8 text" in page
    assert "<img" not in page.split("</style>")[-1].replace('<img src="data:', "")


def test_the_table_of_marks_computes_nothing_in_a_spreadsheet(graded: tuple):
    with (graded[0] / "marks.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["student"] for row in rows} == {"'=x+1", "'-x", *FINE} - {"=x+1", "-x"}
    assert {row["part01"] for row in rows} == {"5"}


# --- the same class by nbgrader's own commands


def test_nbgrader_s_own_command_grades_all_others_and_ends_with_an_error(stock: tuple):
    root, said = stock
    assert _in_gradebook(root) == dict.fromkeys(FINE, 5.0)
    assert _listed(root, "autograded") == _listed(root, "feedback") == set(FINE)
    assert said.returncode == 1


def test_nbgrader_s_own_command_says_who_is_not_graded_and_why_and_nothing_that_a_terminal_obeys(stock: tuple):
    printed = stock[1].stderr.decode("utf-8") + stock[1].stdout.decode("utf-8")
    for name, shown in REFUSED.items():
        assert f"{shown}: not graded. {names.trouble(os.fsdecode(name))}" in printed
    assert names.printable_lines(printed) == printed and "Traceback" not in printed


@pytest.mark.parametrize("student", ["[ab] c", "a"])
def test_the_formgrader_s_button_grades_a_student_with_brackets_in_the_name_and_nobody_else(student: str, stock: tuple):
    root, _ = stock
    before = {path: path.stat().st_mtime_ns for path in (root / "autograded").glob(f"*/{COURSE.name}/*.ipynb")}
    assert course_folder.api(root).autograde(COURSE.name, student, force=True)["success"]
    changed = {path.parent.parent.name for path, time in before.items() if path.stat().st_mtime_ns != time}
    assert changed == {student}


def test_the_formgrader_lists_no_name_that_its_pages_would_run(stock: tuple):
    nbgrader_patches.guard()
    root, _ = stock
    listed = NbGraderAPI(config=course_folder.config(root)).get_submitted_students(COURSE.name)
    assert listed == set(FINE)
    shown = course_folder.api(root).get_submissions(COURSE.name)
    assert {each["student"] for each in shown} == set(FINE)


# --- tables


@pytest.mark.parametrize("sign", list("=+-@\t\r\n") + ["＝", " =", "  +"])
def test_a_text_that_a_spreadsheet_would_compute_is_made_text(sign: str):
    assert spreadsheet.computes(f"{sign}SUM(A1)")
    assert spreadsheet.cell(f"{sign}SUM(A1)") == f"'{sign}SUM(A1)"
    assert spreadsheet.original(spreadsheet.cell(f"{sign}SUM(A1)")) == f"{sign}SUM(A1)"


def test_numbers_stay_numbers():
    assert spreadsheet.lines([["-x", -1.5, 5.0, 0, None, "'"]]) == "'-x,-1.5,5,0,,'\n"
    assert not any(map(spreadsheet.computes, ["-1.50", "+3", "-0,5", "x=1", ""]))


@pytest.mark.parametrize("text", ['x;=1+1,"\n\t=2', "a\tb", " a", 'say "a"'])
def test_a_text_begins_no_other_cell_whatever_separates_the_cells(text: str):
    line = spreadsheet.lines([[text, 1]])
    for separator in ",;\t":
        assert next(csv.reader(io.StringIO(line, newline=""), delimiter=separator))[0].startswith(text)


# --- the exchange


def test_the_exchange_collects_nobody_under_a_name_that_is_none(tmp_path: Path):
    root, inbound = tmp_path / "course", tmp_path / "exchange" / "attention" / "inbound"
    _submit(root, "nobody")
    shutil.rmtree(root / "submitted")
    for name in (b"anna+attention+2026-01-02 03:04:05 UTC+r", b"<b>+attention+2026-01-02 03:04:05 UTC+r"):
        (inbound / os.fsdecode(name)).mkdir(parents=True)
    (inbound / os.fsdecode(b"b\xfc+attention+2026-01-02 03:04:05 UTC+r")).mkdir()
    (inbound / "cleo+attention+soon+r").mkdir()
    course_folder.configure(root, REPOSITORY)
    config = course_folder.config(root)
    config.Exchange.root = str(tmp_path / "exchange")
    api = NbGraderAPI(config=config)
    api.coursedir.assignment_id = COURSE.name
    collect = ExchangeFactory(config=config).Collect(coursedir=api.coursedir, parent=api)
    collect.start()
    assert json.dumps(sorted(os.listdir(root / "submitted"))) == '["anna"]'
