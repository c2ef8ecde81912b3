"""A late submission costs the same wherever a mark is shown: the marks have one source, `results`.

A course of parts 1 and 6 with a due date; each part submitted after it costs 4 points. Graded by the real pipeline.
"""

import csv
import re
import shutil
from pathlib import Path

import graded_here
import lean
import pytest

from attention import course
from attention.course import COURSE
from dev import handed_in
from grading.classroom import merge
from grading.gradebook import course_folder, generate_assignment, marks
from grading.lms import exports
from grading.pages import class_data, class_report
from grading.submission import times

ONE, SIX = course.PARTS[1], course.PARTS[6]
DUE = "2026-01-10 12:00:00 UTC"
PENALTY = """

from nbgrader.plugins import LateSubmissionPlugin  # noqa: E402


class FourPoints(LateSubmissionPlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return 4.0


c.AssignLatePenalties.plugin_class = FourPoints
"""
# Part 1 is worth 5 points; part 6 gets 3 from its tests, and 1.5 that a grader gives for the written answer.
# nbgrader deducts no more than the points of the moment: 4 in part 1, and in part 6 the 3 of the tests.
MARKS = {"in-time": {1: 5.0, 6: 4.5}, "late": {1: 1.0, 6: 1.5}, "late-unread": {1: 1.0, 6: 0.0}}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The course, graded; the written answers of the first two students have been read."""
    root = tmp_path_factory.mktemp("late") / "course"
    lean.new(root, ONE, SIX)
    with (root / course_folder.CONFIGURATION).open("a", encoding="utf-8") as file:
        file.write(PENALTY)
    for student in MARKS:
        folder = root / "submitted" / student / COURSE.name
        folder.mkdir(parents=True)
        for part in (ONE, SIX):
            lean.write(folder, part, handed_in.model(part))
        times.note(root, student, "2026-01-10 11:59:59 UTC" if student == "in-time" else "2026-01-10 12:00:01 UTC")
        (folder / "timestamp.txt").write_text("2020-01-01 00:00:00 UTC", encoding="utf-8")  # says nothing
    generate_assignment.register(root)
    with course_folder.gradebook(root) as book:
        book.update_or_create_assignment(COURSE.name, duedate=DUE)
    for student in MARKS:
        result = graded_here.grade_student(root, student, feedback=False)
        assert (result.error, result.unmarked) == ("", [])
    with course_folder.gradebook(root) as book:
        for student in ("in-time", "late"):
            read = book.find_grade("part06-reasoning", "part06", COURSE.name, student)
            read.manual_score, read.needs_manual_grade = 1.5, False
        book.db.commit()
    for student in MARKS:
        done = course_folder.api(root).generate_feedback(COURSE.name, student, force=True)
        assert done["success"], done["log"]
    return root


def _of_csv(root: Path) -> dict[str, tuple[float, float, float]]:
    with course_folder.gradebook(root) as book:
        marks.write_csv(marks.read(book, COURSE), COURSE, root / "marks.csv")
    with (root / "marks.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {row["student"]: (float(row["part01"]), float(row["part06"]), float(row["total"])) for row in rows}


def _of_screen(root: Path) -> dict[str, tuple[float, float, float]]:
    with course_folder.gradebook(root) as book:
        head, _, _, *lines = marks.table(marks.read(book, COURSE), COURSE).splitlines()
    columns = head.split()
    picked = [columns.index(title) for title in ("1", "6", "total")]
    return {line.split()[0]: tuple(float(line.split()[place]) for place in picked) for line in lines}


def _of_pages(root: Path) -> dict[str, tuple[float, float, float]]:
    def score(student: str, page: str) -> float:
        text = (root / "feedback" / student / COURSE.name / f"{page}.html").read_text(encoding="utf-8")
        return float(re.search(r'class="score"><strong>([\d.]+)</strong>', text)[1])

    return {student: tuple(score(student, page) for page in ("part01", "part06", "index")) for student in MARKS}


def _of_export(root: Path) -> dict[str, tuple[float, float, float]]:
    with course_folder.gradebook(root) as book:
        rows = exports.marks(book, COURSE, so_far=True)
    titles = ("Attention part 01", "Attention part 06", "Attention total")
    return {student: tuple(float(cells[title]) for title in titles) for student, cells in rows.items()}


def _of_class_report(root: Path) -> dict[str, tuple[float, float, float]]:
    page = class_report.page(class_data.read(root), "today")
    table = page[page.index('<th scope="col" class="number">rank</th>') :]
    found = {}
    for student in MARKS:
        row = re.search(rf"<th[^>]*>{student}</th>(.*?)</tr>", table, re.DOTALL)[1]
        cells = re.findall(r"<td[^>]*>(?:<strong>)?([^<]*)<", row)
        found[student] = tuple(map(float, (cells[0], cells[5], cells[len(course.PARTS)])))
    return found


@pytest.mark.parametrize("shown", [_of_csv, _of_screen, _of_pages, _of_export, _of_class_report])
def test_a_late_penalty_is_subtracted_wherever_marks_are_shown(shown, root: Path):
    assert shown(root) == {student: (*of.values(), sum(of.values())) for student, of in MARKS.items()}


def test_a_page_says_what_lateness_costs(root: Path):
    pages = root / "feedback"
    late, in_time = (
        (pages / name / COURSE.name / "part01.html").read_text(encoding="utf-8") for name in ("late", "in-time")
    )
    assert "4 points are deducted because this part was late." in late
    assert "deducted" not in in_time


def test_points_by_hand_for_an_earlier_submission_count_everywhere_and_are_said_to_be_read_again(
    root: Path, tmp_path: Path
):
    shutil.copytree(root, tmp_path, dirs_exist_ok=True)
    with course_folder.gradebook(tmp_path) as book:
        book.find_grade("part06-reasoning", "part06", COURSE.name, "late").needs_manual_grade = True
        book.db.commit()
    done = course_folder.api(tmp_path).generate_feedback(COURSE.name, "late", force=True)
    assert done["success"], done["log"]
    assert {shown(tmp_path)["late"] for shown in (_of_csv, _of_screen, _of_pages, _of_export, _of_class_report)} == {
        (1.0, 1.5, 2.5)
    }
    page = (tmp_path / "feedback" / "late" / COURSE.name / "part06.html").read_text(encoding="utf-8")
    assert "1.5 of 2, for what you submitted before; it will be read again." in page


def test_points_by_hand_are_less_the_penalty_too_once_the_class_is_graded_again(root: Path, tmp_path: Path):
    shutil.copytree(root, tmp_path, dirs_exist_ok=True)

    def unchanged() -> list[str]:
        with course_folder.engine(tmp_path) as engine:
            notes = {student: merge.read_note(tmp_path, COURSE, student) for student in MARKS}
            return [
                s for s, n in notes.items() if merge.noted(n, tmp_path, COURSE, engine, s, n["key"], False) is not None
            ]

    assert unchanged() == ["in-time", "late-unread"], "who was late, and read since, is graded again, and nobody else"
    for _ in range(2):
        result = graded_here.grade_student(tmp_path, "late")
        assert (result.error, result.unmarked) == ("", [])
        assert _of_csv(tmp_path)["late"] == (1.0, 0.5, 1.5)
        assert unchanged() == [*MARKS]
