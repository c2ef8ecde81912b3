"""All notebooks of a submission together have a limit: what takes just less than a notebook's own adds up, and honest
parts keep their marks; each student, and each run, begins with a full allowance, whichever program grades."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import lean
import nbformat
import pytest

from attention import course
from attention.course import COURSE
from dev import handed_in
from dev.packages import REPOSITORY
from grading.core import cells, limit_messages, limits, part_report
from grading.gradebook import generate_assignment
from grading.sandbox import allowance

LIMITS = {"STUDENT_LIMIT_S": 6.0, "LEAST_S": 3.0, "NOTEBOOK_LIMIT_S": 60.0}
# Each within the student's limit, together above it, and computed: of naps on a busy machine less may count. An honest
# notebook takes about 1 s.
SLOW = {1: 4.0, 2: 4.0}
HONEST = course.PARTS[4]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course with two students who compute for long in parts 1 and 2, and answer part 4."""
    lean.new(tmp_path, HONEST, *(course.PARTS[number] for number in SLOW))
    generate_assignment.register(tmp_path)
    for student in ("anna", "zed"):
        folder = tmp_path / "submitted" / student / COURSE.name
        folder.mkdir(parents=True)
        for number, seconds in SLOW.items():
            part = course.PARTS[number]
            code = f"import time\nwhile time.process_time() < {seconds}: pass"
            lean.write(folder, part, handed_in.submission(part, code))
        lean.write(folder, HONEST, handed_in.model(HONEST))
    for name, value in LIMITS.items():
        monkeypatch.setenv(f"GRADING_{name}", str(value))
        monkeypatch.setattr(limits, name, value)
    return tmp_path


def python(root: Path, code: str) -> str:
    """What a program prints that grades the course in `root`, with the limits of this test."""
    head = (
        "from pathlib import Path\nfrom attention.course import COURSE\nfrom graded_here import grade_student\n"
        "from grading.gradebook import course_folder\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (REPOSITORY, REPOSITORY / "tests" / "support")))}
    command = [sys.executable, "-c", f"{head}root = Path({str(root)!r})\n{code}"]
    ran = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def faults(root: Path, student: str) -> dict[int, str]:
    """Why each part's notebook ended before its test, and of part 3 its marks."""
    out = {}
    for number in (*SLOW, HONEST.number):
        stem = course.PARTS[number].stem
        notebook = nbformat.read(root / "autograded" / student / COURSE.name / f"{stem}.ipynb", as_version=4)
        report = part_report.read(next(cell for cell in notebook.cells if cells.is_test(cell)))
        out[number] = f"{report.marks:g} points" if number == HONEST.number else report.fault
    return out


def expected() -> dict[int, str]:
    return {
        1: "",
        2: limit_messages.kernel_ended(limits.EndedBy.STUDENT),
        HONEST.number: f"{HONEST.automatic:g} points",
    }


def test_nbgrader_s_own_command_gives_each_student_an_allowance(root: Path):
    shutil.copy(REPOSITORY / "nbgrader_config.py", root)
    command = [sys.executable, "-m", "nbgrader", "autograde", COURSE.name]
    env = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    subprocess.run(command, cwd=root, env=env, check=True, capture_output=True)
    assert faults(root, "anna") == faults(root, "zed") == expected()


def test_a_student_whom_the_formgrader_grades_again_has_all_of_it_again(root: Path):
    again = "course_folder.api(root).autograde(COURSE.name, 'anna', force=True, create=True)"
    assert python(root, f"print([{again}['success'], {again}['success']])") == "[True, True]\n"
    assert faults(root, "anna") == expected()


def test_the_class_command_names_the_limit(root: Path):
    printed = python(root, "print(*grade_student(root, 'anna', feedback=False).struck)")
    assert printed.strip() == f"part02: {expected()[2]}"
    assert faults(root, "anna") == expected()


def test_a_slow_part_13_after_slow_others_has_all_of_a_notebook_s_time():
    slow = allowance.Allowance()
    slow.spent_s = 60 * 15.0  # sixty times what the model answers of the others take
    assert slow.left_s >= limits.NOTEBOOK_LIMIT_S
    slow.spent_s = 1e6
    assert slow.left_s == limits.LEAST_S > 40.0  # part 13 on one core


def test_a_submission_is_bounded_by_less_than_an_hour():
    spent, notebooks = allowance.Allowance(), 0
    for _ in course.PARTS:
        spent.spent_s += min(limits.NOTEBOOK_LIMIT_S, spent.left_s)
        notebooks += 1
    assert notebooks == 14 and spent.spent_s == limits.STUDENT_LIMIT_S + 12 * limits.LEAST_S <= 3240
