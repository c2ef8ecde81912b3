"""Looking for a usual mistake comes after the verdict: whatever a table does, the marks stand and the log says so."""

import json
import logging
from pathlib import Path

import lean
import numpy as np
import pytest
from hidden_tests import QUICK, Beside, run

from attention import course, mistakes
from attention.course import COURSE
from attention.mistakes import in_symbols, matrices, reduced
from attention.mistakes.sentences import MISTAKES
from dev import handed_in, sample_class
from grading.bridge.reasons import Reason, Why
from grading.gradebook import course_folder, generate_assignment, marks
from grading.judge import save_marks
from grading.marking import expressions, rubric
from grading.marking.rubric import Verdict

WRONG = Verdict(False, "what was found.")
LOGGED = "A search for usual mistakes failed. The marks stand."


def raises(*_: object, **__: object) -> None:
    raise ZeroDivisionError("a table's own")


def case(got: float) -> mistakes.Case:
    return mistakes.Case("", np.array(got), np.array(2.0), ())


def test_a_table_that_raises_costs_the_name_and_not_the_verdict(caplog: pytest.LogCaptureFixture):
    verdict = mistakes.judged([case(1.0)], {"half": raises}, kind=rubric.ANY)
    assert not verdict.right and not verdict.mistake and verdict.found.startswith("the numbers are off by up to 50 %")
    (record,) = caplog.records
    assert record.name == "grading.marking.diagnosis" and record.message == LOGGED and "a table's own" in caplog.text


def test_a_right_answer_is_not_searched_at_all(caplog: pytest.LogCaptureFixture):
    assert mistakes.judged([case(2.0)], {"half": raises}, kind=rubric.ANY).right
    assert mistakes.diagnosed(Verdict(True), raises).right and not caplog.records


def test_a_search_can_only_add_words():
    assert mistakes.diagnosed(WRONG, raises) == WRONG
    assert mistakes.diagnosed(WRONG, lambda: None) == WRONG
    assert mistakes.diagnosed(WRONG, lambda: "no such key") == WRONG
    named = mistakes.diagnosed(WRONG, lambda: "rows-repeated", "`K`")
    assert not named.right and named.mistake == "rows-repeated" and named.found.startswith("`K`: ")


def test_two_mistakes_at_once_are_both_said_and_the_first_one_is_counted():
    named = mistakes.diagnosed(WRONG, lambda: "rows-repeated+rows-equal")
    assert named.found == f"{MISTAKES['rows-repeated']} Also: {MISTAKES['rows-equal']}"
    assert named.mistake == "rows-repeated"
    assert mistakes.diagnosed(WRONG, lambda: "rows-repeated+no such key") == WRONG


def test_cases_that_raise_as_they_are_made_cost_the_name_alone():
    assert mistakes.named(WRONG, (raises() for _ in range(1)), reduced.RUN_ERRORS) == WRONG


def test_a_mistake_without_a_sentence_is_wrong_all_the_same():
    verdict = mistakes.wrong("no such key", "`K`")
    assert not verdict.right and not verdict.mistake


def test_shapes_and_symbols_that_raise_name_nothing(monkeypatch: pytest.MonkeyPatch):
    for key in matrices.SHAPES:
        monkeypatch.setitem(matrices.SHAPES, key, raises)
    assert mistakes.shown_by_shapes([(2, 2), (2, 2)], np.eye(2)) is None
    monkeypatch.setattr(expressions, "fetch", lambda name: None)
    monkeypatch.setattr(expressions, "is_shape", lambda got, want, symbols: WRONG if want == ("D_v",) else raises())
    assert mistakes.shape(4, "shape_o_h", ("D_v",)) == WRONG


def test_zeros_as_outputs_show_no_forgotten_root():
    zeros = np.zeros((1, 2, 3))
    assert reduced.RUN_ERRORS["error-without-roots"](zeros, zeros) is None
    assert reduced.RUN_ERRORS["error-not-relative"](zeros, zeros) == 0.0


@pytest.mark.parametrize("number", QUICK)
def test_every_part_marks_a_usual_mistake_where_all_tables_raise(number: int, monkeypatch: pytest.MonkeyPatch):
    part = course.PARTS[number]
    for table in (*mistakes.TABLES.get(number, ()), matrices.SHAPES):
        for key in table:
            monkeypatch.setitem(table, key, raises)
    for names in {**in_symbols.SHAPES, **in_symbols.EXPRESSIONS}.get(number, {}).values():
        for key in names:
            monkeypatch.setitem(names, key, object())  # nothing that can be compared
    for key in list(MISTAKES):
        monkeypatch.delitem(MISTAKES, key)
    path = handed_in.ANSWERS / part.stem / f"{sample_class.USUAL_MISTAKES[number]}.py"
    answer = path.read_text(encoding="utf-8")
    report = run(number, Beside(number, answer), answer)
    assert report.marks == float(path.stem.split("-")[0])
    assert not [item.mistake for item in report.items if item.mistake]


def test_through_the_judge_the_part_is_marked_and_nbgrader_s_log_says_what_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    part = course.PARTS[3]
    lean.new(tmp_path, part)
    folder = tmp_path / "submitted" / "anna" / COURSE.name
    folder.mkdir(parents=True)
    answer = (handed_in.ANSWERS / "part03" / "06-forgot-the-root.py").read_text(encoding="utf-8")
    lean.write(folder, part, handed_in.submission(part, answer))
    generate_assignment.register(tmp_path)
    for key in mistakes.LOGITS:
        monkeypatch.setitem(mistakes.LOGITS, key, raises)
    result = course_folder.api(tmp_path).autograde(COURSE.name, "anna", force=True, create=True)
    assert result["success"]
    with course_folder.gradebook(tmp_path) as book:
        assert marks.read(book, COURSE)[0].parts[3] == 6 and save_marks.unmarked(book, COURSE.name, "anna") == []
    assert LOGGED in result["log"] and "ZeroDivisionError: a table's own" in result["log"]
    assert not logging.getLogger("grading").handlers
    graded = json.loads((tmp_path / "autograded" / "anna" / COURSE.name / "part03.ipynb").read_text())
    assert "a table's own" not in json.dumps(graded)


def test_what_is_not_written_has_nothing_to_do_with_a_case():
    wrong = Verdict(False, "`f` is not written yet.")
    unwritten = Reason(Why.UNWRITTEN, wrong.found)
    assert mistakes.placed("with H = 2", wrong, unwritten) == wrong
    stopped = Reason(Why.RAISED, "your code stopped.")
    assert mistakes.placed("with H = 2", WRONG, stopped).found == "with H = 2, what was found."
