"""`make mark`: one's own work graded with the hidden tests, only where it has changed, and nothing of it given away."""

import ast
import html
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import nbformat
import parses
import pytest

from attention.course import COURSE, PARTS
from dev import course_copy, handed_in
from grading.__main__ import main
from grading.core import cells, errors, limits, messages
from grading.core.course import Part
from grading.core.part_report import Line, Report
from grading.judge import execution
from grading.own_work import elapsed, mark, own_marks, self_marking, work_folder
from grading.own_work.own_marks import OwnMarks
from grading.pages import overview, wording

ONE, EIGHT = PARTS[1], PARTS[8]
RIGHT, HALF = "05-plain", "03-value-from-x"  # of part 1, as tests/answers calls them
REASONING = "Every query head has a key/value head of its own."


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course's folder of two parts, in which somebody has begun."""
    root = tmp_path_factory.mktemp("own") / "course"
    course_copy.new(root, ONE, EIGHT)
    work_folder.begin(root, COURSE)
    OwnMarks(root).prepare()
    return root


@pytest.fixture
def root(prepared: Path) -> Iterator[Path]:
    """The same with nothing worked on."""
    for part in (ONE, EIGHT):
        (prepared / "work" / COURSE.name / f"{part.stem}.ipynb").write_bytes(
            (prepared / "release" / COURSE.name / f"{part.stem}.ipynb").read_bytes()
        )
    (prepared / "work" / COURSE.name / self_marking.FILE).unlink(missing_ok=True)
    yield prepared


def work(root: Path, part: Part, answer: str | None, reasoning: str | None = None) -> Path:
    """Writes an answer into a notebook of work/, as JupyterLab would; None: as it was released."""
    path = work_folder.folder(root, COURSE) / f"{part.stem}.ipynb"
    notebook = nbformat.read(root / "release" / COURSE.name / path.name, as_version=4)
    by_id = {cell.id: cell for cell in notebook.cells}
    if answer is not None:
        text = (handed_in.ANSWERS / part.stem / f"{answer}.py").read_text(encoding="utf-8")
        by_id[f"{part.stem}-answer"].source = text
    if reasoning is not None:
        by_id[f"{part.stem}-reasoning"].source = reasoning
    nbformat.write(notebook, root / path.name)
    (root / path.name).replace(path)  # whole: somebody may be watching
    return path


def marked(root: Path) -> dict[int, float]:
    """What is graded now, by part, and what it earns."""
    own = OwnMarks(root)
    found = {part.number: own.mark(part).result.won for part in own.changed()}
    own.write_pages()
    return found


def test_before_make_lab_one_line_says_what_to_do(tmp_path: Path):
    course_copy.new(tmp_path, ONE)
    with pytest.raises(
        errors.CourseError, match=r"nothing to mark yet: python -m grading lab --course \S+ puts the notebooks into"
    ):
        OwnMarks(tmp_path)


def test_only_what_has_changed_is_graded_and_what_nobody_touched_never_is(root: Path):
    work(root, ONE, HALF)
    assert marked(root) == {1: 3}
    assert marked(root) == {}
    work(root, ONE, RIGHT)
    assert marked(root) == {1: 5}
    eight = work(root, EIGHT, "03-recursive")
    assert marked(root) == {8: 3}
    notebook = nbformat.read(eight, as_version=4)
    notebook.cells[0].metadata["seen"] = True
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [nbformat.v4.new_output("stream", text="ran")], 7
    nbformat.write(notebook, eight)
    assert marked(root) == {}, "run and saved is not changed"
    work(root, ONE, None)
    assert marked(root) == {1: 0}, "an answer that is taken back earns nothing any more"


def test_a_round_parses_what_it_grades_once_and_of_a_part_that_stays_its_file_and_its_graded_copy(
    root: Path, capsys: pytest.CaptureFixture
):
    words = ("word_of_part01", "word_of_part08")

    def rounds(**said: str) -> dict[str, int]:
        for part, word in zip((ONE, EIGHT), words, strict=True):
            path = work(root, part, None)
            notebook = nbformat.read(path, as_version=4)
            next(c for c in notebook.cells if c.id == f"{part.stem}-answer").source = f"{word} = {said[part.stem]}"
            nbformat.write(notebook, path)
        with parses.counted(*words) as found:
            assert main(["mark", "--course", str(root)]) == 0
        return found

    assert rounds(part01="1", part08="1") == dict.fromkeys(words, 1)
    assert rounds(part01="1", part08="2") == {words[0]: 2, words[1]: 1}


def test_pages_show_marks_and_findings_and_no_line_of_a_hidden_test(root: Path):
    work(root, ONE, HALF)
    work(root, EIGHT, "01-neighbouring-heads", REASONING)
    marked(root)
    own = OwnMarks(root)
    index = own.pages.read_text(encoding="utf-8")
    pages = [path.read_text(encoding="utf-8") for path in own.pages.parent.glob("*.html")]
    assert "part01.html" in index and "part08.html" in index and len(pages) == 3
    for part in (ONE, EIGHT):
        test = next(
            c for c in nbformat.read(root / "source" / COURSE.name / f"{part.stem}.ipynb", 4).cells if cells.is_test(c)
        )
        hidden = [line.strip() for line in test.source.partition(cells.HIDDEN)[2].splitlines()]
        assert not [line for line in hidden if len(line) > 20 and any(line in page for page in pages)]
    shown = mark.table(own)
    assert "shape_W_V_h" in shown and "3 of 5" in shown and "oracles" not in shown


def test_the_index_lists_what_begun_parts_lost_and_calls_the_others_not_begun_yet(tmp_path: Path):
    course_copy.new(tmp_path, ONE, EIGHT)
    work_folder.begin(tmp_path, COURSE)
    OwnMarks(tmp_path).prepare()
    work(tmp_path, ONE, HALF)
    assert marked(tmp_path) == {1: 3}
    index = OwnMarks(tmp_path).pages.read_text(encoding="utf-8")
    first, _, rest = index.partition("What to look at first")[2].partition("What was not graded")
    assert "part01.html" in first and "2 points missing" in first and "more part" not in first
    assert not [part.title for part in PARTS.values() if part is not ONE and part.title in first]
    ungraded, _, table = rest.partition("All parts")
    assert "parts 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 and 14: not begun yet." in ungraded
    assert table.count("not begun yet") == 13 and "points so far" in index
    assert "instructor" not in index and "submitted" not in index


def test_where_our_grader_fails_the_other_parts_keep_their_marks_and_only_that_one_is_graded_again(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    work(root, EIGHT, "03-modulo")
    work(root, ONE, HALF)
    marked(root)
    work(root, ONE, RIGHT)
    with monkeypatch.context() as patched:
        patched.setattr(execution, "run_test", lambda *_: 1 / 0)
        assert main(["mark", "--course", str(root)]) == 1
    said = capsys.readouterr().out
    assert "part 1: not graded, our grader failed" in said and "3 of 5" in said
    index = OwnMarks(root).pages.read_text(encoding="utf-8")
    assert "part 1: not graded yet: our grader failed, not your answer. Mark your work again." in index
    assert "instructor" not in index and "part 8: " not in index
    assert marked(root) == {1: 5}


def test_a_part_that_nbgrader_cannot_grade_is_not_said_to_be_not_begun(tmp_path: Path, monkeypatch, capsys):
    course_copy.new(tmp_path, ONE)
    work_folder.begin(tmp_path, COURSE)
    work(tmp_path, ONE, HALF)
    fails = {"success": False, "error": "OSError: No space left on device", "log": ""}
    with monkeypatch.context() as patched:
        patched.setattr(own_marks.NbGraderAPI, "autograde", lambda *_, **__: fails)
        assert main(["mark", "--course", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert "not graded, OSError: No space left on device" in said and "not graded: run this again" in said
    own = OwnMarks(tmp_path)
    shown = overview.ungraded(own.results(), {ONE.stem}, wording.ALONE)
    assert {"parts": "part 1", "why": wording.ALONE.not_marked} in shown


def test_criteria_appear_once_an_answer_is_written_and_ticks_count_everywhere(root: Path, capsys):
    work(root, EIGHT, "03-recursive")
    assert marked(root)[8] == 3 and not OwnMarks(root).self_marks.exists()
    assert _written(root) == (0, False)
    work(root, EIGHT, "03-recursive", REASONING)
    assert main(["mark", "--course", str(root)]) == 0
    assert "tick what your written answers meet" in capsys.readouterr().out
    assert _written(root) == (0, True), "written, and nothing ticked yet"
    file = OwnMarks(root).self_marks
    file.write_text(file.read_text(encoding="utf-8").replace("[ ]", "[x]", 1), encoding="utf-8")
    assert main(["mark", "--course", str(root)]) == 0
    said = capsys.readouterr().out
    assert "4 of 5" in said and "[1/" not in said, "a tick grades nothing again"
    assert "<strong>4</strong> of 5" in (OwnMarks(root).pages.parent / "part08.html").read_text(encoding="utf-8")
    work(root, EIGHT, "03-modulo", REASONING)
    assert marked(root)[8] == 4, "what is ticked stays when the code is graded again"


@pytest.mark.parametrize(
    ("criteria", "said"),
    [({EIGHT: None}, "by what you ticked in written-answers.md"), ({}, "for a grader: there are no criteria that")],
)
def test_a_written_answer_without_criteria_is_left_to_a_grader(criteria: dict, said: str, root: Path, monkeypatch):
    monkeypatch.setattr(self_marking, "of_course", lambda *_: criteria)
    report = Report(EIGHT.number, 3, 3.0, (Line(3, 3, "item"),))
    result = SimpleNamespace(report=report, unmarked=False, part=EIGHT, by_hand=None, answered=True)
    (line,) = mark._found(OwnMarks(root), result)
    assert line.startswith(f"0/2 written answer, {said}")


def _written(root: Path) -> tuple[float, bool]:
    """What the JSON says of part 8's written answer: its points, and whether there is one."""
    part = OwnMarks(root).document()["students"][0]["parts"][7]
    return part["written"], part["answered"]


def test_a_newer_course_grades_everything_again(root: Path):
    work(root, ONE, RIGHT)
    marked(root)
    path = root / "source" / COURSE.name / f"{ONE.stem}.ipynb"
    before = path.read_bytes()
    path.write_bytes(before.replace(b"The projections of one head", b"The projections of a single head", 1))
    try:
        own = OwnMarks(root)
        own.prepare()
        assert ONE in own.changed()
    finally:
        path.write_bytes(before)
        OwnMarks(root).prepare()


def test_stopped_while_a_part_is_graded_it_says_so_and_the_next_run_grades_it_again(root: Path, monkeypatch, capsys):
    work(root, ONE, RIGHT)
    assert marked(root) in ({}, {1: 5})
    work(root, ONE, HALF)

    def stopped(*_: object, **__: object) -> dict:  # what nbgrader makes of Ctrl-C: an error like any other
        path = root / own_marks.FOLDER / "autograded" / own_marks.STUDENT / COURSE.name / f"{ONE.stem}.ipynb"
        path.unlink()
        return {"success": False, "error": "Traceback …\nKeyboardInterrupt", "log": "[ERROR] Canceled"}

    with monkeypatch.context() as patched:
        patched.setattr(own_marks.NbGraderAPI, "autograde", stopped)
        assert main(["mark", "--course", str(root)]) == 130
    assert "stopped" in capsys.readouterr().err
    work(root, ONE, RIGHT)
    assert marked(root) == {1: 5}, "even though it was graded like this before"


def test_an_answer_that_python_refuses_is_told_with_the_line_everywhere_and_earns_what_it_did(root: Path, capsys):
    work(root, ONE, "00-does-not-parse")
    source = (handed_in.ANSWERS / ONE.stem / "00-does-not-parse.py").read_text(encoding="utf-8")
    with pytest.raises(SyntaxError) as refused:
        ast.parse(source)
    assert main(["mark", "--course", str(root), "--json"]) == 0
    shown = capsys.readouterr()
    told = f"the answer cell could not be run. Python says about line {refused.value.lineno}: {refused.value.msg}."
    part = json.loads(shown.out)["students"][0]["parts"][0]
    assert part["mark"] == 0 and {item["found"] for item in part["items"]} == {told}
    page = (OwnMarks(root).pages.parent / "part01.html").read_text(encoding="utf-8")
    assert html.unescape(page).count(told) == len(part["items"]) and "is not there" not in page
    assert " ".join(shown.err.split()).count(told) == 1, "the table says it once"


def test_an_answer_that_stops_before_it_defines_a_name_is_told_where_it_stopped(root: Path):
    work(root, ONE, "03-error-before-the-value")
    marked(root)
    (lost,) = [item for item in OwnMarks(root).results()[0].report.items if not item.won]
    assert lost.found == messages.never_defined("shape_W_V_h", "the answer cell", "NameError", 3)


def test_a_written_answer_that_is_taken_back_keeps_no_points(root: Path):
    work(root, EIGHT, "03-recursive", REASONING)
    marked(root)
    file = OwnMarks(root).self_marks
    file.write_text(file.read_text(encoding="utf-8").replace("[ ]", "[x]"), encoding="utf-8")
    OwnMarks(root).count_ticks()
    assert OwnMarks(root).results()[7].won == 5
    work(root, EIGHT, "03-recursive")
    assert marked(root)[8] == 3


def test_a_notebook_that_is_gone_is_told_and_a_wrong_course_gets_no_offer_about_walls(root: Path, tmp_path, capsys):
    notebook = work(root, ONE, HALF)
    marked(root)
    notebook.unlink()
    main(["mark", "--course", str(root)])
    assert "the notebook is gone" in capsys.readouterr().out
    assert main(["mark", "--course", str(tmp_path)]) == 1
    assert "is not a course" in (said := capsys.readouterr().err) and "sandbox" not in said


DAMAGED = {
    "empty": (b"", "release/attention/part01.ipynb", "they are in work/earlier/."),
    "too large": (b" " * (limits.NOTEBOOK_BYTES + 1), "MB are allowed", "Clear its outputs and save it."),
    "too long": (json.dumps({"cells": [{}] * (limits.CELLS + 1)}).encode(), "cells, and", "Delete cells"),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_a_damaged_notebook_is_told_with_what_helps_who_has_nobody_to_ask(kind: str, root: Path, capsys):
    content, *told = DAMAGED[kind]
    work(root, ONE, HALF).write_bytes(content)
    assert main(["mark", "--course", str(root), "--json"]) == 0
    shown = capsys.readouterr()
    pages = {name: (OwnMarks(root).pages.parent / name).read_text("utf-8") for name in ("index.html", "part01.html")}
    told_by = {"the JSON": shown.out, "the table": shown.err, **pages}
    for what, text in told_by.items():
        text = " ".join(html.unescape(re.sub("<[^>]*>", "", text)).split())
        assert all(piece in text for piece in told) and "Ask for" not in text, what
    assert "0 of 5" in shown.err


def test_a_damaged_note_only_costs_time(root: Path):
    (root / own_marks.FOLDER / own_marks.NOTE).write_text('{"sources": ', encoding="utf-8")
    own = OwnMarks(root)
    own.prepare()
    assert "sources" in json.loads((root / own_marks.FOLDER / own_marks.NOTE).read_text(encoding="utf-8"))


def test_two_at_once_are_refused_in_one_line(root: Path, capsys):
    with OwnMarks(root).alone():
        assert main(["mark", "--course", str(root)]) == 1
    assert "is grading" in capsys.readouterr().err


def test_where_walls_cannot_stand_it_says_so_and_offers_to_go_on_without(root: Path, monkeypatch, capsys):
    def refused(_: Path) -> None:
        raise errors.CourseError("the sandbox is refused.")

    work(root, ONE, HALF)
    monkeypatch.setattr(mark.sandbox_check, "stand", refused)
    assert main(["mark", "--course", str(root)]) == 1
    said = capsys.readouterr().err
    assert "the sandbox is refused." in said and f"python -m grading mark --course {root} --no-sandbox" in said
    assert main(["mark", "--course", str(root), "--no-sandbox"]) == 0
    assert "3 of 5" in capsys.readouterr().out


def test_a_terminal_says_which_part_runs_and_since_when(root: Path, monkeypatch, capsys):
    monkeypatch.setattr(elapsed, "REDRAW_S", 0.05)
    monkeypatch.setattr(elapsed, "QUIET_S", 0.0)
    work(root, ONE, HALF)
    marked(root)  # so that what follows is a change
    for answer, points, terminal in ((RIGHT, 5, True), (HALF, 3, False)):
        work(root, ONE, answer)
        monkeypatch.setattr(sys.stdout, "isatty", lambda terminal=terminal: terminal, raising=False)
        assert main(["mark", "--course", str(root)]) == 0
        said = capsys.readouterr().out
        assert f"[1/1] part 1: {points} of 5\n" in said
        assert bool(re.search(r"\[1/1\] part 1: running for \d+ s, of 15 min at most", said)) == terminal


def test_watching_grades_whatever_is_saved_until_it_is_stopped(root: Path):
    work(root, ONE, HALF)
    command = [sys.executable, "-m", "grading", "mark", "--watch", "--course", str(root)]
    settings = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "env": {**os.environ}}
    with subprocess.Popen(command, **settings) as watching:
        try:
            assert "3 of 5" in _until(watching, "Stop with Ctrl-C")
            time.sleep(0.1)  # for a file system that knows no finer times
            work(root, ONE, RIGHT)
            assert "part 1: 5 of 5" in _until(watching, "part 1:")
            time.sleep(0.1)
            work(root, ONE, "00-imports-sympy")
            line = _until(watching, "part 1:")
            assert line.count("\n") == 1 and "part 1: 0 of 5. Answer, line 2, `from sympy" in line, "a log says why"
            watching.send_signal(signal.SIGTERM)
            assert "Your marks are kept" in watching.stdout.read()
            assert watching.wait(120) == 0
        finally:
            watching.kill()


def _until(process: subprocess.Popen, text: str) -> str:
    seen = ""
    for line in process.stdout:
        seen += line
        if text in line:
            return seen
    raise AssertionError(f"ended before it said {text!r}: {seen}")
