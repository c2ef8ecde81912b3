"""Written answers that were read stay read when their student is graded again, unless answer or points have changed."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import graded_here
import lean
import pytest

from attention import course
from attention.course import COURSE
from dev import handed_in
from dev.packages import REPOSITORY
from grading.classroom import merge
from grading.gradebook import course_folder, generate_assignment, marks

SIX = course.PARTS[6]
NAMES = ("part06-reasoning", "part06", COURSE.name, "anna")


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of part 6, in which anna is graded and a grader has read her written answer."""
    root = tmp_path_factory.mktemp("read") / "course"
    lean.new(root, SIX)
    (root / "source" / COURSE.name / "data.csv").write_text("1,2\n", encoding="utf-8")
    submit(root, handed_in.model(SIX))
    generate_assignment.register(root)
    grade_again(root)
    assert open_answers(root) == 1
    with course_folder.gradebook(root) as book:
        read = book.find_grade(*NAMES)
        read.manual_score, read.needs_manual_grade = 1.5, False
        book.db.commit()
    return root


@pytest.fixture
def root(graded: Path, tmp_path: Path) -> Path:
    """A copy of it for one test."""
    shutil.copytree(graded, tmp_path / "course", symlinks=True)
    return tmp_path / "course"


def submit(root: Path, notebook: dict) -> None:
    folder = root / "submitted" / "anna" / COURSE.name
    folder.mkdir(parents=True, exist_ok=True)
    lean.write(folder, SIX, notebook)


def grade_again(root: Path, unmarked: tuple[str, ...] = ()) -> None:
    result = graded_here.grade_student(root, "anna")
    assert (result.error, result.unmarked) == ("", [*unmarked])


def open_answers(root: Path) -> int:
    """How many of her written answers wait for a grader; a mark by hand stays in any case."""
    with course_folder.gradebook(root) as book:
        (row,) = marks.read(book, COURSE)
        assert book.find_grade(*NAMES).manual_score in (None, 1.5)
    return row.unread


def test_an_answer_that_was_read_stays_read_after_a_correction_of_a_hidden_test(root: Path):
    source = root / "source" / COURSE.name / "part06.ipynb"
    before = source.read_text()
    source.write_text(before.replace("part06.equal(", "rubric.fact(False, 'it is not.') or ("))
    assert source.read_text() != before
    generate_assignment.register(root)
    for _ in range(2):  # the second time by the note of the first
        grade_again(root)
        assert open_answers(root) == 0
        page = (root / "feedback" / "anna" / COURSE.name / "part06.html").read_text(encoding="utf-8")
        assert "it is not." in page and "1.5" in page


def test_an_answer_that_was_read_stays_read_after_a_correction_with_a_slip_that_is_corrected_next(root: Path):
    source = root / "source" / COURSE.name / "part06.ipynb"
    before = source.read_text()
    source.write_text(before.replace("part06.equal(", "part06.equals("))
    assert source.read_text() != before
    generate_assignment.register(root)
    for _ in range(2):
        grade_again(root, unmarked=("part06",))
    source.write_text(before)
    generate_assignment.register(root)
    grade_again(root)
    assert open_answers(root) == 0


def test_an_answer_that_has_changed_waits_for_its_grader_again(root: Path):
    notebook = handed_in.model(SIX)
    (reasoning,) = (cell for cell in notebook["cells"] if cell["id"] == "part06-reasoning")
    reasoning["source"] = "It is so."
    submit(root, notebook)
    for _ in range(2):  # nobody has read it in between
        grade_again(root)
        assert open_answers(root) == 1


def test_an_answer_whose_part_is_no_longer_submitted_waits_until_somebody_has_looked(tmp_path: Path):
    one, folder = course.PARTS[1], tmp_path / "submitted" / "anna" / COURSE.name
    lean.new(tmp_path, one, SIX)
    submit(tmp_path, handed_in.model(SIX))
    lean.write(folder, one, handed_in.model(one))
    generate_assignment.register(tmp_path)
    grade_again(tmp_path)

    def look() -> None:
        with course_folder.gradebook(tmp_path) as book:
            grade = book.find_grade(*NAMES)
            grade.manual_score, grade.needs_manual_grade = 1.5, False
            book.db.commit()

    look()
    (folder / "part06.ipynb").unlink()
    for _ in range(2):  # nobody has looked in between
        grade_again(tmp_path)
        assert open_answers(tmp_path) == 1
    look()
    grade_again(tmp_path)
    assert open_answers(tmp_path) == 0


def test_an_answer_that_nobody_has_marked_waits_for_its_grader_still(root: Path):
    with course_folder.gradebook(root) as book:
        grade = book.find_grade(*NAMES)
        grade.manual_score, grade.needs_manual_grade = None, True
        book.db.commit()
    grade_again(root)
    assert open_answers(root) == 1


@pytest.mark.parametrize("file", [f"{COURSE.name}/part06.ipynb", f".{COURSE.name}.json"])
def test_an_answer_waits_again_where_the_note_is_not_about_what_was_read(root: Path, file: str):
    path = root / "autograded" / "anna" / file
    path.chmod(0o644)
    path.write_text("{}")  # as another one than was graded
    grade_again(root)
    assert open_answers(root) == 1


@pytest.mark.parametrize("change", [lambda path: path.write_text("3,4\n"), Path.unlink])
def test_an_answer_stays_read_where_somebody_has_changed_a_file_of_the_course_s_which_is_put_back(
    root: Path, change: Callable[[Path], object]
):
    path = root / "autograded" / "anna" / COURSE.name / "data.csv"
    assert merge.read_note(root, COURSE, "anna")["key"]
    path.chmod(0o644)
    change(path)
    assert merge.read_note(root, COURSE, "anna")["key"] == ""  # so the next run grades her again
    grade_again(root)
    assert open_answers(root) == 0
    assert path.read_text(encoding="utf-8") == "1,2\n" and path.stat().st_mode & 0o777 == 0o444
    assert merge.read_note(root, COURSE, "anna")["key"]


def test_an_answer_that_was_read_is_known_wherever_a_run_is_killed_that_grades_it_again(root: Path, tmp_path: Path):
    script = [sys.executable, "-c", KILLED_AT_EACH_STEP, str(root), str(tmp_path)]
    ran = subprocess.run(script, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == "killed at 10 steps\n"  # rows; twice a note is written; twice two folders are moved; commit
    grade_again(tmp_path / "7")
    assert open_answers(tmp_path / "7") == 0


KILLED_AT_EACH_STEP = """
import os, shutil, sys
from pathlib import Path
sys.path[:0] = ["tests/support"]
from attention.course import COURSE
from grading.classroom import merge, worker
from grading.gradebook import course_folder, snapshot
from grading.submission import bundle
from killed_merge import STATUS, dying

graded, out = map(Path, sys.argv[1:])
pages, notebooks = (graded / step / "anna" / COURSE.name for step in ("feedback", "autograded"))
files = {**worker.files(notebooks), "too.txt": (0o444, b"")}
submission = bundle.read("anna", graded / "submitted" / "anna" / COURSE.name, COURSE)
read = merge.written(merge.read_note(graded, COURSE, "anna"))
assert read


def merged(root, step):
    engine = snapshot.engine(course_folder.database(root))
    rows, note = merge.before(engine, COURSE, "anna"), merge.read_note(root, COURSE, "anna")
    made = {"graded": files, "digest": worker.digest(files), "feedback": worker.files(pages)}
    result = worker.Result("anna", after=rows, **made, written=read)
    engine.connect().close()
    dying(step, engine)
    merge.merge(root, COURSE, engine, result, rows, submission, "new", None, note)


step, status = 0, STATUS
while status == STATUS:
    step += 1
    root = out / str(step)
    shutil.copytree(graded, root, symlinks=True)
    child = os.fork()
    if child == 0:
        merged(root, step)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    merge.clean(root, COURSE.name)
    assert merge.written(merge.read_note(root, COURSE, "anna")) == read, step
print(f"killed at {step - 1} steps")
"""
