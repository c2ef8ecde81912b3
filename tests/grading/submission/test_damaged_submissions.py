"""What students submit is not always a notebook: each kind of damage costs what it should, and nobody else anything.

One class, graded once by the real pipeline; each student is a kind of damage to part 1, beside a sound part 4.
"""

import copy
import json
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import graded_here
import lean
import nbformat
import pytest
from kernel_runs import inside

from attention import course
from attention.course import COURSE
from dev import handed_in
from dev.packages import REPOSITORY
from grading.classroom import class_run
from grading.core import cells, limit_messages, messages
from grading.core.course import Part
from grading.gradebook import course_folder, generate_assignment, marks
from grading.judge import save_marks
from grading.pages import wording
from grading.sandbox import host, kernel_handle
from grading.submission import notices, unreadable
from grading.submission.clean_copy import clean_copy

ONE, TWO, FOUR = (course.PARTS[number] for number in (1, 2, 4))
SOUND = lean.leaned(handed_in.model(ONE))
STOP_S = 3  # the limit of a cell in this class; the slowest that ends by itself prints 100 MB, in half a second


def _cell(notebook: dict, ending: str) -> dict:
    return next(cell for cell in notebook["cells"] if cell["id"] == f"part01{ending}")


def _without(ending: str) -> dict:
    out = copy.deepcopy(SOUND)
    out["cells"].remove(_cell(out, ending))
    return out


def _changed(ending: str, **changes: object) -> dict:
    out = copy.deepcopy(SOUND)
    _cell(out, ending).update(changes)
    return out


def _with_meta(ending: str, **changes: object) -> dict:
    out = copy.deepcopy(SOUND)
    _cell(out, ending)["metadata"]["nbgrader"].update(changes)
    return out


def _added(source: str, at: int | None = None) -> dict:
    out = copy.deepcopy(SOUND) if at else _changed("-answer", source=STUB)
    cell = {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": None}
    out["cells"].insert(len(out["cells"]) if at is None else at, cell)
    return out


def _copied(ending: str, **changes: object) -> dict:
    out = copy.deepcopy(SOUND)
    out["cells"].append({**copy.deepcopy(_cell(out, ending)), **changes})
    return out


def _stripped() -> dict:
    """As some other programs save it: without any of nbgrader's metadata."""
    out = copy.deepcopy(SOUND)
    for cell in out["cells"]:
        cell["metadata"] = {}
    return out


def _without_ids(notebook: dict) -> dict:
    return notebook | {"cells": [{k: v for k, v in cell.items() if k != "id"} for cell in notebook["cells"]]}


def _forged_test() -> dict:
    """No answer, and in place of the test cell the student's own, which displays full marks and claims to be graded."""
    out = lean.leaned(copy.deepcopy(handed_in.released(ONE)))
    forged = {**out["cells"].pop(out["cells"].index(_cell(out, "-test"))), "id": "part01-tests", "source": "5.0"}
    forged["metadata"] = {"nbgrader": {**forged["metadata"]["nbgrader"], "grade_id": "part01-tests"}}
    full = {"output_type": "execute_result", "data": {"text/plain": "5.0"}, "metadata": {}, "execution_count": 1}
    out["cells"].append({**forged, "outputs": [full]})
    return out


ANSWER = "".join(_cell(SOUND, "-answer")["source"])
STUB = "".join(_cell(handed_in.released(ONE), "-answer")["source"])
# Each student: what stands in part01.ipynb, the marks of part 1, and a notice that must be given, or none at all.
KINDS: dict[str, tuple[object, float, str | None]] = {
    "sound": (SOUND, 5, None),
    "not-json": (b"<html>502 Bad Gateway</html>", 0, unreadable.for_instructor(messages.not_json(1))),
    "empty": (b"", 0, unreadable.for_instructor(messages.EMPTY)),
    "not-text": (b"\xff\xfe\x00\x01", 0, unreadable.for_instructor(messages.NOT_TEXT)),
    "no-cells": (
        b'{"metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
        0,
        unreadable.for_instructor(messages.NO_CELLS),
    ),
    "a-list": (b"[1, 2, 3]", 0, unreadable.for_instructor(messages.NO_CELLS)),
    "nested-deeply": (b"[" * 200_000, 0, unreadable.for_instructor(messages.NOT_JSON_DEEP)),
    "lists-without-end": (
        json.dumps(SOUND)[:-1].encode() + b', "mine": [' + b"[]," * 2_000_000 + b"0]}",
        0,
        unreadable.for_instructor(messages.NOT_JSON_WIDE, unreadable.Fix.NO_OUTPUTS),
    ),
    "fifty-megabytes": (
        b'{"cells": [' + b" " * 50 * 2**20 + b"]}",
        0,
        unreadable.for_instructor(messages.too_large(50 * 2**20, 20 * 2**20), unreadable.Fix.NO_OUTPUTS),
    ),
    "a-folder": (None, 0, unreadable.for_instructor(messages.NOT_A_FILE)),
    "a-link": (Path("part04.ipynb"), 0, unreadable.for_instructor(messages.NOT_A_FILE)),
    "test-deleted": (_without("-test"), 5, messages.TEST_DELETED),
    "test-deleted-without-an-answer": (_forged_test(), 0, messages.TEST_DELETED),
    "test-copied": (_copied("-test", source="raise ValueError"), 5, None),
    "test-rewritten": (_changed("-test", source="# mine\n5.0"), 5, messages.OTHER_RELEASE),
    "test-made-text": (_changed("-test", cell_type="markdown"), 5, messages.types_changed(["part01-test"])),
    "points-changed": (_with_meta("-test", points=500), 5, messages.POINTS_CHANGED),
    "answer-deleted": (_without("-answer"), 0, messages.ANSWER_DELETED),
    "answer-not-written": (_changed("-answer", source=STUB), 0, None),
    "answer-at-the-end": (_added(ANSWER), 5, None),
    "answer-copied-and-worked-on": (_copied("-answer", source=ANSWER + "\nprint('done')"), 5, None),
    "setup-rewritten": (_changed("-setup", source="H = 3"), 5, messages.OTHER_RELEASE),
    "older-release": (_changed("", source="# 1 · An older title (4 points)"), 5, messages.OTHER_RELEASE),
    "another-part-s": (lean.leaned(handed_in.model(TWO)), 0, messages.OTHER_PART % "part02"),
    "metadata-lost": (_stripped(), 5, None),
    "metadata-and-ids-lost": (_without_ids(_stripped()), 5, messages.ANSWER_DELETED),
    "byte-order-mark": (b"\xef\xbb\xbf" + json.dumps(SOUND).encode(), 5, None),
    "other-kernel": (
        SOUND | {"metadata": {"kernelspec": {"name": "ir", "language": "R", "display_name": "R"}}},
        5,
        None,
    ),
    "scratch-cell-raises": (_added("1 / 0", at=3), 5, None),
    "warns": (_added("np.array([1.0]) / 0", at=5), 5, None),
    "never-ends": (_changed("-answer", source="while True:\n    pass\n" + ANSWER), 0, None),
    "never-ends-and-cannot-be-stopped": (
        _changed("-answer", source="while True:\n    try:\n        while True: pass\n    except BaseException: pass"),
        0,
        None,
    ),
    "prints-much": (_changed("-answer", source="print('x' * 100_000_000)\n" + ANSWER), 5, None),
    "exits-after-the-answer": (_changed("-answer", source=ANSWER + "\nexit()"), 5, None),
    "ends-the-kernel": (_changed("-answer", source=ANSWER + "\nimport os; os._exit(1)"), 0, None),
    "missing": (b"", 0, None),
    "extra-notebook": (SOUND, 5, None),
}


def _write(folder: Path, content: object) -> None:
    path = folder / "part01.ipynb"
    match content:
        case bytes():
            path.write_bytes(content)
        case None:
            path.mkdir()
        case Path():
            path.symlink_to(content)
        case dict():
            path.write_text(json.dumps(content), encoding="utf-8")


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, marks.Row], dict[str, class_run.Graded], Path]:
    """The class, graded: rows of marks and results by student."""
    root = tmp_path_factory.mktemp("class")
    lean.new(root, ONE, TWO, FOUR)  # of part 2 nobody submits anything
    for student, (content, _, _) in KINDS.items():
        folder = root / "submitted" / student / COURSE.name
        folder.mkdir(parents=True)
        lean.write(folder, FOUR, handed_in.model(FOUR))
        _write(folder, content)
    (root / "submitted" / "missing" / COURSE.name / "part01.ipynb").unlink()
    (root / "submitted" / "extra-notebook" / COURSE.name / "scratch.ipynb").write_text("{}")
    os.environ["GRADING_CELL_LIMIT_S"] = str(STOP_S)
    try:
        generate_assignment.register(root)
        results = {result.student: result for result in class_run.graded(root, list(KINDS))}
    finally:
        del os.environ["GRADING_CELL_LIMIT_S"]
    with course_folder.gradebook(root) as book:
        rows = {row.student: row for row in marks.read(book, COURSE)}
    return rows, results, root


def by_student(function: Callable) -> Callable:
    return pytest.mark.parametrize("student", KINDS)(function)


@by_student
def test_damage_to_part_1_costs_what_it_should(student: str, graded: tuple):
    rows, results, _ = graded
    assert results[student].error == "" and results[student].unmarked == []
    assert rows[student].parts[1] == KINDS[student][1]


@by_student
def test_damage_to_part_1_costs_nothing_in_part_3(student: str, graded: tuple):
    assert graded[0][student].parts[FOUR.number] == FOUR.automatic


@by_student
def test_damage_is_named_in_one_line_with_student_and_part(student: str, graded: tuple):
    wanted = KINDS[student][2]
    lines = [str(n) for n in graded[1][student].notices if n.part == "part01"]
    assert lines == ([] if wanted is None else [f"{student}, part01: {wanted}"])
    assert all("\n" not in line and line.endswith(".") for line in lines)


def test_a_deleted_test_cell_is_restored_and_its_report_is_in_the_feedback(graded: tuple):
    page = graded[2] / "feedback" / "test-deleted" / COURSE.name / "part01.html"
    assert "<strong>5</strong> of 5 points" in page.read_text(encoding="utf-8")
    assert graded[1]["test-deleted"].struck == []


@by_student
def test_a_damaged_part_has_feedback_too(student: str, graded: tuple):
    pages = graded[2] / "feedback" / student / COURSE.name
    assert (pages / "part01.html").exists() or student == "missing"
    assert (pages / "part04.html").exists()


@by_student
def test_no_page_tells_a_student_what_an_instructor_should_ask_for(student: str, graded: tuple):
    for page in (graded[2] / "feedback" / student / COURSE.name).glob("*.html"):
        assert "Ask for" not in page.read_text(encoding="utf-8")


def test_a_student_reads_what_helps_where_the_notebook_could_not_be_read(graded: tuple):
    found = {
        student: graded[2] / "feedback" / student / COURSE.name / "part01.html"
        for student in ("empty", "fifty-megabytes")
    }
    texts = {student: page.read_text(encoding="utf-8") for student, page in found.items()}
    assert "the file is empty; 0 points. Submit the notebook again, or ask your instructor." in texts["empty"]
    assert "Clear its outputs, save it and submit it again, or ask your instructor." in texts["fifty-megabytes"]


def test_missing_notebooks_are_named_in_one_line(graded: tuple):
    lines = [str(n) for n in graded[1]["missing"].notices]
    assert lines == [f"missing, part01, part02: {messages.FILE_MISSING}"]


def test_an_extra_notebook_is_named_and_left_out(graded: tuple):
    notices = [str(n) for n in graded[1]["extra-notebook"].notices if n.part == "scratch.ipynb"]
    assert notices == [f"extra-notebook, scratch.ipynb: {messages.FILE_EXTRA}"]


def test_a_student_reads_of_a_notebook_that_is_called_like_no_part(graded: tuple):
    said = f"<li>scratch.ipynb: {wording.OTHER_NAME}</li>"
    indices = {s: graded[2] / "feedback" / s / COURSE.name / "index.html" for s in ("extra-notebook", "sound")}
    assert [s for s, page in indices.items() if said in page.read_text(encoding="utf-8")] == ["extra-notebook"]


def test_where_no_notebook_is_called_like_a_part_nothing_is_graded_and_the_line_says_why(tmp_path: Path):
    """As a browser names what it saves once more; it is no failure of ours."""
    lean.new(tmp_path, ONE)
    folder = tmp_path / "submitted" / "anna" / COURSE.name
    folder.mkdir(parents=True)
    lean.write(folder, ONE, SOUND)
    (folder / "part01.ipynb").rename(folder / "part01 (1).ipynb")
    generate_assignment.register(tmp_path)
    found = graded_here.grade_student(tmp_path, "anna")
    assert found.error == "None of the notebooks is called like a part, such as part01.ipynb."
    assert [str(notice) for notice in found.notices] == [f"anna, part01 (1).ipynb: {messages.FILE_EXTRA}"]


def test_the_size_of_graded_notebooks_is_bounded(graded: tuple):
    for path in (graded[2] / "autograded").glob("*/*/*.ipynb"):
        assert path.stat().st_size < 2 * 2**20, path


def test_a_feedback_page_shows_the_report_and_no_hidden_test(graded: tuple):
    page = (graded[2] / "feedback" / "sound" / COURSE.name / "part04.html").read_text(encoding="utf-8")
    assert f"<strong>{FOUR.automatic:g}</strong> of {FOUR.automatic:g} points" in page
    assert "rubric" not in page and "oracles" not in page


def test_a_failure_of_ours_leaves_the_part_unmarked_and_the_next_run_marks_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    lean.new(tmp_path, ONE)
    folder = tmp_path / "submitted" / "anna" / COURSE.name
    folder.mkdir(parents=True)
    lean.write(folder, ONE, SOUND)
    source = tmp_path / "source" / COURSE.name / "part01.ipynb"
    sound = source.read_text(encoding="utf-8")
    source.write_text(sound.replace("sheet.total()", "sheet.total(1 / 0)"), encoding="utf-8")
    generate_assignment.register(tmp_path)
    first = graded_here.grade_student(tmp_path, "anna")
    assert first.unmarked == ["part01"]
    with course_folder.gradebook(tmp_path) as book:
        assert marks.read(book, COURSE)[0].parts[1] is None
        assert save_marks.unmarked(book, COURSE.name, "anna") == ["part01"]
    assert not (tmp_path / "autograded" / "anna" / COURSE.name).exists()
    source.write_text(sound, encoding="utf-8")
    generate_assignment.register(tmp_path)
    assert graded_here.grade_student(tmp_path, "anna").unmarked == []
    with course_folder.gradebook(tmp_path) as book:
        assert marks.read(book, COURSE)[0].parts[1] == 5


def test_why_a_part_is_unmarked_is_said_once_to_the_instructor_and_to_no_student(
    tmp_path: Path, capsys: pytest.CaptureFixture
):
    lean.new(tmp_path, ONE)
    for student in ("anna", "ben"):
        folder = tmp_path / "submitted" / student / COURSE.name
        folder.mkdir(parents=True)
        lean.write(folder, ONE, SOUND)
    source = tmp_path / "source" / COURSE.name / "part01.ipynb"
    text = source.read_text(encoding="utf-8").replace("sheet.total()", "\\nsheet.total(1 / 0)")
    source.write_text(text, encoding="utf-8")
    found = cells.source_in(source, "part01-test").splitlines()
    line = next(n for n, each in enumerate(found, start=1) if "1 / 0" in each)
    class_run.grade_class(tmp_path, workers=1)
    printed = capsys.readouterr().out
    raised = f"part01-test, line {line}, raised ZeroDivisionError: division by zero."
    why = f"part01: {raised} If it does so again, fix the test."
    assert printed.count(f"  {why}\n") == 1
    assert "anna: part01 not graded: our grader failed. Grade again." in printed
    pages = [path.read_text(encoding="utf-8") for path in (tmp_path / "feedback").rglob("*.html")]
    assert not any("ZeroDivisionError" in page for page in pages)


def test_a_notebook_that_the_system_kills_is_not_graded_and_the_next_run_grades_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    lean.new(tmp_path, ONE)
    folder = tmp_path / "submitted" / "anna" / COURSE.name
    folder.mkdir(parents=True)
    lean.write(folder, ONE, _added("!sleep 12", at=1))
    generate_assignment.register(tmp_path)
    start, killed = host.Sandbox.start, []

    def start_and_kill(box: host.Sandbox, *arguments: object) -> kernel_handle.Kernel:
        kernel = start(box, *arguments)
        if not killed:
            killed.append(max(inside(box)))  # the last to be started
            threading.Timer(5.0, os.kill, (*killed, signal.SIGKILL)).start()
        return kernel

    monkeypatch.setattr(host.Sandbox, "start", start_and_kill)
    first = graded_here.grade_student(tmp_path, "anna")
    assert len(killed) == 1 and limit_messages.KILLED in first.error
    with course_folder.gradebook(tmp_path) as book:
        assert marks.read(book, COURSE) == []
    assert graded_here.grade_student(tmp_path, "anna").error == ""
    with course_folder.gradebook(tmp_path) as book:
        assert marks.read(book, COURSE)[0].parts[1] == 5


def test_notices_of_a_sound_submission_are_none(tmp_path: Path):
    for part in course.PARTS.values():
        handed_in.write(tmp_path, part, handed_in.model(part))
    assert notices.found("anna", tmp_path, REPOSITORY / "release" / COURSE.name, COURSE) == []


def _opened(notebook: dict) -> nbformat.NotebookNode:
    return nbformat.reads(json.dumps(notebook), as_version=4)


def _with_ends(notebook: dict, end: str) -> dict:
    """With other ends of lines, as some editors on Windows write them."""
    ended = [{**cell, "source": "".join(cell["source"]).replace("\n", end)} for cell in notebook["cells"]]
    return notebook | {"cells": ended}


@pytest.mark.parametrize("part", course.PARTS.values(), ids=lambda part: part.stem)
def test_with_ends_of_lines_of_another_system_a_notebook_is_taken_in_as_with_ours(part: Part):
    released, model = _opened(handed_in.released(part)), handed_in.model(part)
    taken, other = clean_copy(released, model), clean_copy(released, _with_ends(model, "\r\n"))
    assert other == taken and taken[1] == []
    theirs = _opened(_with_ends(handed_in.released(part), "\r\n"))  # an author may work on Windows, too
    assert [clean_copy(theirs, _with_ends(model, end))[1] for end in ("\n", "\r\n")] == [[], []]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("part", course.PARTS.values(), ids=lambda part: part.stem)
def test_where_ids_and_metadata_are_lost_the_course_s_own_cells_do_not_become_the_student_s(part: Part, end: str):
    released = handed_in.released(part)
    model = _with_ends(_without_ids(handed_in.model(part)), end)
    for cell in model["cells"]:
        cell["metadata"] = {}
    clean, _ = clean_copy(_opened(released), model)
    theirs = {"".join(cell["source"]) for cell in released["cells"] if not cells.is_editable(cell)}
    own = [cell.source.replace("\r\n", "\n") for cell in clean.cells if cell.id.startswith("own-")]
    assert own and theirs.isdisjoint(own)


def test_an_answer_in_a_new_cell_in_the_lost_one_s_place_is_not_undone_by_the_release_s():
    five = course.PARTS[5]
    model = _without_ids(handed_in.model(five))
    for cell in model["cells"]:
        cell["metadata"] = {}
    clean, _ = clean_copy(_opened(handed_in.released(five)), model)
    last = [cell for cell in clean.cells if "class MyMHA" in cell.source and cell.cell_type == "code"][-1]
    assert "NotImplementedError" not in last.source and last.source in ["".join(c["source"]) for c in model["cells"]]


def test_a_copy_of_a_cell_of_the_course_is_the_student_s_where_the_course_s_is_there_too():
    setup = "".join(_cell(SOUND, "-setup")["source"])
    clean, _ = clean_copy(_opened(handed_in.released(ONE)), _added(setup, at=5))
    assert [cell.source for cell in clean.cells if cell.id.startswith("own-")] == [setup]


def test_a_kind_of_cell_that_is_too_deep_to_be_printed_is_none():
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    clean, _ = clean_copy(_opened(handed_in.released(ONE)), {"cells": [{"cell_type": deep, "source": "mine"}]})
    (own,) = (cell for cell in clean.cells if cell.source == "mine")
    assert own.cell_type == "markdown"


def test_what_holds_of_several_parts_is_one_line_a_student_and_of_other_files_a_line_each():
    stems = ("part01", "part02")
    found = [notices.Notice(who, part, "old.") for who in ("anna", "ben") for part in stems]
    found += [notices.Notice("ben", name, "extra.") for name in ("a.ipynb", "b.ipynb")]
    lines = [str(notice) for notice in notices.joined(found, stems)]
    assert lines == [
        "anna, part01, part02: old.",
        "ben, part01, part02: old.",
        "ben, a.ipynb: extra.",
        "ben, b.ipynb: extra.",
    ]


def test_what_hit_a_limit_is_named_with_its_part(graded: tuple):
    struck = {student: result.struck for student, result in graded[1].items() if result.struck}
    assert struck["never-ends"] == [f"part01: {limit_messages.cell_stopped(STOP_S)}"]
    assert struck["ends-the-kernel"] == [f"part01: {limit_messages.kernel_ended(None)}"]
    assert "sound" not in struck and "never-ends-and-cannot-be-stopped" in struck
