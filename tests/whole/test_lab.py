"""A student's and an instructor's whole way in JupyterLab, as `make lab` opens it, in a real browser.

The student opens their copy of the release in work/, solves three parts, one of them wrong first, reads the check,
mends it, validates and saves. What JupyterLab saved is submitted; the instructor generates, autogrades, marks and
writes feedback in the Formgrader, by its buttons. Each goes the way once; the tests say what must have come of it.
"""

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import browser
import lab_pages
import nbformat
import pytest
import servers

from attention import course
from attention.course import COURSE
from dev.packages import REPOSITORY
from grading.gradebook import course_folder
from grading.submission import notices

ANSWERS = REPOSITORY / "tests" / "answers"
RIGHT = {1: "05-plain.py", 3: "10-matrix-times-vector.py", 8: "03-modulo.py"}
WRONG = "00-a-row.py"  # of part 3: logits of shape (1, L_2)
REASONING = "With $G = H$ query head $h$ reads key/value head $h \\bmod H = h$, its own, as in MHA."
COMMENT = "And why are the outputs equal?"


@dataclass
class Way:
    """What somebody saw on the way, by step, and what their browser did."""

    seen: dict[str, object] = field(default_factory=dict)
    foreign: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The course as somebody gets it, without submissions."""
    root = tmp_path_factory.mktemp("lab") / "course"
    for name in ("source", "release", "attention", "grading"):
        shutil.copytree(REPOSITORY / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "nbgrader_config.py", root)
    return root


@pytest.fixture(scope="module")
def address(root: Path) -> Iterator[str]:
    """Where `make lab` runs."""
    home = root.parent / "home"
    with servers.running(servers.lab(home), root, home, wrapped=True) as server:
        yield server.wait(lambda: servers.lab_address(home))


@pytest.fixture(scope="module")
def student(root: Path, address: str) -> Way:
    """A student's way; at its end three notebooks lie solved in work/."""
    way = Way()
    with browser.opened() as opened:
        page = opened.page()
        lab_pages.open_lab(page, address)
        way.seen["files"] = page.locator(".jp-DirListing-itemText").all_inner_texts()
        start = lab_pages.Notebook(page, "start.ipynb", there=True)
        way.seen["first page"] = page.locator(lab_pages.SHOWN).inner_text()
        way.seen["picture"] = start.run(start.cell("draw_overview"))
        browser.photograph(page, "student-1-opens")
        for number, right in RIGHT.items():
            notebook = lab_pages.Notebook(page, f"part{number:02d}.ipynb")
            notebook.run(notebook.cell("import torch.nn as nn"))
            answer, check = notebook.cell("YOUR CODE HERE"), f"check_part{number:02d}("
            if number == 3:
                notebook.run(notebook.cell("softmax_handle"))
                way.seen["slider"] = notebook.slide("factor", "End", shown="img[alt*='factor 31.6']")
                browser.photograph(page, "student-2-moves-a-slider")
                notebook.write(answer, _answer(number, WRONG))
                notebook.run(notebook.cell("unsqueeze"))
                way.seen["check of a wrong answer"] = notebook.run(notebook.cell(check))
                browser.photograph(page, "student-3-reads-the-check")
                way.seen["validate a wrong answer"] = notebook.validate()
                browser.photograph(page, "student-4-validates-too-early")
                notebook.close_dialog()
                answer = notebook.cell("unsqueeze")
            notebook.write(answer, _answer(number, right))
            notebook.run(notebook.cell(_answer(number, right).splitlines()[-1]))
            way.seen[f"check {number}"] = notebook.run(notebook.cell(check))
            if number == 8:
                notebook.write_text("YOUR ANSWER HERE", REASONING)
            notebook.save()
            if number == 3:
                way.seen["validate a mended answer"] = notebook.validate()
                browser.photograph(page, "student-5-validates")
                notebook.close_dialog()
        way.seen["questions"] = page.locator(".Toastify__toast").all_inner_texts()
        way.foreign, way.errors = opened.foreign, opened.errors
    return way


@pytest.fixture(scope="module")
def submitted(root: Path, student: Way) -> Path:
    """The three notebooks as JupyterLab saved them, submitted."""
    folder = root / "submitted" / "anna" / COURSE.name
    folder.mkdir(parents=True)
    for number in RIGHT:
        shutil.copy(root / "work" / COURSE.name / f"part{number:02d}.ipynb", folder)
    return folder


@pytest.fixture(scope="module")
def instructor(root: Path, address: str, submitted: Path) -> Way:
    """An instructor's way; at its end the submission is marked, by the judge and by hand, and has feedback."""
    way = Way()
    with browser.opened() as opened:
        page = opened.page()
        lab_pages.open_lab(page, address)
        panel = lab_pages.open_formgrader(page)
        way.seen["generate"] = lab_pages.press(panel, COURSE.name, "assign")
        browser.photograph(page, "instructor-1-generates")

        panel.locator(".num-submissions a").click()
        way.seen["autograde"] = lab_pages.press(panel, "anna", "autograde")
        way.seen["row"] = lab_pages.row(panel, "anna").filter(has_text="/ 100").inner_text()
        browser.photograph(page, "instructor-2-autogrades")

        lab_pages.follow(panel, "Manual Grading", COURSE.name, "part08", "Submission #1")
        lab_pages.mark(panel, "part08-reasoning", 1.5, COMMENT)
        browser.photograph(page, "instructor-3-marks")

        lab_pages.follow(panel, "Manual Grading", "Manage Assignments")
        way.seen["feedback"] = lab_pages.press(panel, COURSE.name, "generate-feedback")
        page.goto((root / "feedback" / "anna" / COURSE.name / "part08.html").as_uri())
        way.seen["page"] = page.locator("body").inner_text()
        browser.photograph(page, "instructor-4-opens-feedback", whole=True)
        way.foreign, way.errors = opened.foreign, opened.errors
    return way


def test_make_lab_opens_the_first_page_next_to_the_fourteen_notebooks_and_asks_nothing(student: Way):
    parts = [f"{part.stem}.ipynb" for part in course.PARTS.values()]
    assert student.seen["files"] == [COURSE.module, *sorted([*parts, *(f"{stem}.ipynb" for stem in COURSE.others)])]
    assert "The attention course" in student.seen["first page"]
    assert "MLA keeps  256 numbers per position." in student.seen["picture"]
    assert student.seen["questions"] == []


def test_moving_part_3_s_slider_draws_the_bars_anew(student: Way):
    assert "factor 31.6: 1.00, 0.00, 0.00, 0.00." in student.seen["slider"]


def test_the_check_of_a_wrong_answer_ends_with_what_is_wrong(student: Way):
    last = student.seen["check of a wrong answer"].strip().splitlines()[-1]
    assert "3 keys give 3 logits: expected shape (3,), got (1, 3)" in last


def test_the_check_of_a_mended_answer_passes(student: Way):
    for number in RIGHT:
        assert student.seen[f"check {number}"].strip().endswith(f"Part {number}: the visible checks pass.")


def test_validate_tells_a_wrong_answer_from_a_mended_one(student: Way):
    assert "expected shape (3,), got (1, 3)" in student.seen["validate a wrong answer"]
    assert "Success! Your notebook passes all the tests." in student.seen["validate a mended answer"]


def test_what_jupyterlab_saves_is_the_release_with_the_students_answers(submitted: Path):
    release = REPOSITORY / "release" / COURSE.name
    for number, right in RIGHT.items():
        stem = f"part{number:02d}"
        saved, given = (nbformat.read(folder / f"{stem}.ipynb", as_version=4) for folder in (submitted, release))
        assert [cell.id for cell in saved.cells] == [cell.id for cell in given.cells]
        assert [cell.metadata.nbgrader for cell in saved.cells] == [cell.metadata.nbgrader for cell in given.cells]
        changed = {
            now.id: now.source for now, then in zip(saved.cells, given.cells, strict=True) if now.source != then.source
        }
        written = {"part08-reasoning": REASONING} if number == 8 else {}
        assert changed == {f"{stem}-answer": _answer(number, right), **written}
    named = {notice.part for notice in notices.found("anna", submitted, release, COURSE)}
    assert named.isdisjoint(f"part{number:02d}" for number in RIGHT)


def test_generate_makes_the_release_that_is_committed(root: Path, instructor: Way):
    assert "Successfully created the student version of 'attention'" in instructor.seen["generate"]
    for part in course.PARTS.values():
        path = Path("release", COURSE.name, f"{part.stem}.ipynb")
        assert (root / path).read_bytes() == (REPOSITORY / path).read_bytes()


def test_the_autograde_button_marks_by_the_judge(root: Path, instructor: Way):
    assert "Successfully autograded 'attention' for student 'anna'" in instructor.seen["autograde"]
    assert "18 / 100" in instructor.seen["row"] and "needs manual grading" in instructor.seen["row"]
    graded = json.loads((root / "autograded" / "anna" / COURSE.name / "part03.ipynb").read_text())
    test = next(cell for cell in graded["cells"] if cell["id"] == "part03-test")
    assert "Part 3 · attention_logits: 10 of 10 points" in json.dumps(test["outputs"], ensure_ascii=False)
    assert test["execution_count"] is None  # run by the judge, not by a kernel


def test_marks_given_by_hand_arrive_in_the_gradebook(root: Path, instructor: Way):
    with course_folder.gradebook(root) as book:
        notebook = book.find_submission_notebook("part08", COURSE.name, "anna")
        grade = book.find_grade("part08-reasoning", "part08", COURSE.name, "anna")
        comment = book.find_comment("part08-reasoning", "part08", COURSE.name, "anna")
        assert (grade.manual_score, grade.needs_manual_grade, comment.comment) == (1.5, False, COMMENT)
        assert (notebook.score, notebook.needs_manual_grade) == (4.5, False)
        assert book.find_submission(COURSE.name, "anna").score == 5 + 10 + 4.5


def test_marks_and_comments_arrive_in_the_feedback_page(instructor: Way):
    assert "Successfully generated feedback of 'attention'" in instructor.seen["feedback"]
    page = instructor.seen["page"]
    assert COMMENT in page and "4.5" in page and "1.5" in page
    assert "BEGIN HIDDEN TESTS" not in page


def test_neither_needs_the_network_and_no_page_breaks(student: Way, instructor: Way):
    assert student.foreign == [] and instructor.foreign == []
    assert student.errors == [] and instructor.errors == []


def _answer(number: int, name: str) -> str:
    return (ANSWERS / f"part{number:02d}" / name).read_text().rstrip("\n")
