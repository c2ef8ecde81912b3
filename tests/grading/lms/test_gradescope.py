"""Gradescope's results.json: our total, an item a test, and nothing counted that nobody has marked."""

import json
from pathlib import Path

import graded_class
import pytest

from attention.course import COURSE
from grading.__main__ import main
from grading.core.course import Part
from grading.gradebook import course_folder


def mixed(part: Part, notebook: dict) -> dict | None:
    """Loses an item of part 3, breaks a rule in part 5, and submits no part 14."""
    if part.number == 14:
        return None
    if part.number == 3:
        return graded_class.report(notebook, part, {"exact": "divided by what?"})
    return graded_class.report(notebook, part, breach="imports scipy.") if part.number == 5 else notebook


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graded class of two: part 13 of bob is unmarked, his part 9 unread, and an instructor gave him part 1."""
    root = tmp_path_factory.mktemp("gradescope")
    graded_class.entered(root, {"ada": lambda _, notebook: notebook, "bob": mixed})
    with course_folder.gradebook(root) as book:
        for part, values in {"part13": (None, None), "part01": (2.0, 4.0)}.items():
            grade = book.find_grade(f"{part}-test", part, COURSE.name, "bob")
            grade.auto_score, grade.manual_score = values
        book.find_grade("part09-reasoning", "part09", COURSE.name, "bob").needs_manual_grade = True
        book.find_submission_notebook("part02", COURSE.name, "bob").late_submission_penalty = 1.0
        book.db.commit()
    return root


@pytest.fixture(scope="module")
def bob(root: Path) -> dict:
    """The results of bob."""
    assert main(["export", "gradescope", "--course", str(root), "--to", str(root / "out")]) == 0
    assert sorted(path.name for path in (root / "out").iterdir()) == ["ada.json", "bob.json"]
    return json.loads((root / "out" / "bob.json").read_text(encoding="utf-8"))


def of_part(found: dict, part: int) -> list[dict]:
    """The tests of a part."""
    return [test for test in found["tests"] if test["name"].startswith(f"Part {part}:")]


def test_the_score_is_ours_and_the_tests_add_up_to_it(root: Path, bob: dict):
    scored = sum(test.get("score", 0) for test in bob["tests"])
    assert bob["score"] == pytest.approx(scored, abs=1e-4)
    with course_folder.gradebook(root) as book:
        marks = [n.score - (n.late_submission_penalty or 0) for n in book.find_submission(COURSE.name, "bob").notebooks]
    assert bob["score"] == pytest.approx(sum(marks))
    assert "so far" in bob["output"]


def test_a_lost_item_says_what_was_found(bob: dict):
    (lost,) = [test for test in of_part(bob, 3) if test["name"].endswith("· exact")]
    assert lost["score"] == 0 and lost["max_score"] > 0 and lost["output"] == "divided by what?"


def test_a_broken_rule_and_a_missing_notebook_are_a_test_each_with_the_reason(bob: dict):
    (rule,) = of_part(bob, 5)
    assert (rule["score"], rule["max_score"], rule["output"]) == (0, 10, "imports scipy.")
    fourteen = of_part(bob, 14)
    assert fourteen[0]["score"] == 0 and "No notebook" in fourteen[0]["output"]


def test_what_is_not_marked_has_no_score(bob: dict):
    (thirteen,) = of_part(bob, 13)
    assert "score" not in thirteen and "our grader failed" in thirteen["output"]
    (waiting,) = [test for test in of_part(bob, 9) if "written answer" in test["name"]]
    assert "score" not in waiting and "waits for its grader" in waiting["output"]


def test_what_an_instructor_set_and_what_is_late_are_told_apart(bob: dict):
    (changed,) = [test for test in of_part(bob, 1) if "instructor" in test["name"]]
    assert sum(test["score"] for test in of_part(bob, 1)) == pytest.approx(4.0, abs=1e-4) and changed["score"] == -1.0
    (late,) = [test for test in of_part(bob, 2) if "late" in test["name"]]
    assert late["score"] == -1.0


def test_one_student_s_results_go_to_the_file_that_is_named(root: Path, tmp_path: Path):
    to = tmp_path / "results" / "results.json"
    assert main(["export", "gradescope", "--course", str(root), "--student", "ada", "--to", str(to)]) == 0
    assert json.loads(to.read_text(encoding="utf-8"))["score"] == 81


def test_a_file_that_cannot_be_written_costs_nobody_else_theirs(root: Path, tmp_path: Path, capsys):
    (tmp_path / "ada.json").mkdir()
    assert main(["export", "gradescope", "--course", str(root), "--to", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert "not there  ada: " in said and "written    1 results" in said and (tmp_path / "bob.json").is_file()


def test_no_file_elsewhere_is_written_through_a_link(root: Path, tmp_path: Path):
    (tmp_path / "victim").write_text("mine")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "ada.json").symlink_to(tmp_path / "victim")
    assert main(["export", "gradescope", "--course", str(root), "--to", str(tmp_path / "out")]) == 0
    assert (tmp_path / "victim").read_text() == "mine" and not (tmp_path / "out" / "ada.json").is_symlink()


def test_a_student_without_marks_is_one_line(root: Path, capsys: pytest.CaptureFixture):
    assert main(["export", "gradescope", "--course", str(root), "--student", "eve"]) == 1
    assert capsys.readouterr().err == "export: there are no marks of eve.\n"
