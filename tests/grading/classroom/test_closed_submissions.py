"""What this account may not read is reported, costs no points, and keeps nobody else from being graded."""

import shutil
from pathlib import Path

import closed_files
import graded_here
import lean
import pytest

from attention import course
from attention.course import COURSE
from dev import handed_in
from dev.packages import REPOSITORY
from grading.classroom import class_run
from grading.core import errors, messages
from grading.gradebook import course_folder
from grading.own_work import visible_checks
from grading.pages import class_data
from grading.submission import notebook_file

ONE = course.PARTS[1]
CLOSED = "cannot be read: Permission denied. Make it readable for this account, and grade again."


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of part 1, which anna and ben submitted."""
    root = tmp_path_factory.mktemp("template")
    shutil.copy(REPOSITORY / "nbgrader_config.py", root)
    for step in ("source", "release"):
        (root / step / COURSE.name).mkdir(parents=True)
        shutil.copy(REPOSITORY / step / COURSE.name / f"{ONE.stem}.ipynb", root / step / COURSE.name)
    lean.make(root)
    for student in ("anna", "ben"):
        notebook(root, student).parent.mkdir(parents=True)
        lean.write(notebook(root, student).parent, ONE, handed_in.model(ONE))
    class_run.register(root)
    return root


@pytest.fixture
def root(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, in which the test is."""
    shutil.copytree(template, tmp_path / "course")
    monkeypatch.chdir(tmp_path / "course")
    return tmp_path / "course"


def notebook(root: Path, student: str) -> Path:
    return root / "submitted" / student / COURSE.name / f"{ONE.stem}.ipynb"


@pytest.mark.parametrize(("link", "to"), [(f"mallory/{COURSE.name}", f"../anna/{COURSE.name}"), ("mallory", "anna")])
def test_a_folder_that_is_a_link_earns_nobody_the_marks_of_whoever_it_leads_to(link: str, to: str, root: Path):
    place = root / "submitted" / link  # where an archive with a link in it was unpacked
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(to)
    found = graded_here.grade_student(root, "mallory")
    assert found.error == f"submitted/{link} is a link, and no link is followed. Put the files there."
    said = course_folder.api(root).autograde(COURSE.name, "mallory")
    assert not said["success"] and found.error in said["log"]
    assert not (root / "autograded" / "mallory").exists()


def test_a_closed_notebook_is_not_graded_rather_than_wrong(root: Path):
    notebook(root, "anna").chmod(0)
    with closed_files.obeyed():
        found = graded_here.grade_student(root, "anna")
        with pytest.raises(PermissionError):  # as nbgrader's own command finds it
            notebook_file.read(notebook(root, "anna"))
    assert found.error == f"submitted/anna/{COURSE.name}/part01.ipynb {CLOSED}"


@pytest.mark.parametrize("closed", ["anna", f"anna/{COURSE.name}"])
def test_a_closed_folder_is_reported_and_nobody_elses_concern(closed: str, root: Path):
    (root / "submitted" / closed).chmod(0)
    try:
        with closed_files.obeyed():
            assert course_folder.students(root) == ["anna", "ben"]
            found = graded_here.grade_student(root, "anna")
    finally:
        (root / "submitted" / closed).chmod(0o755)
    assert found.error == f"submitted/anna/{COURSE.name} {CLOSED}"


@pytest.mark.parametrize(("mode", "told"), [(0, "data"), (0o444, "data/x.csv")], ids=["to-list", "to-enter"])
def test_a_closed_folder_next_to_the_notebooks_is_reported_and_costs_nothing(mode: int, told: str, root: Path):
    data = notebook(root, "anna").parent / "data"
    data.mkdir()
    (data / "x.csv").touch()
    data.chmod(mode)
    try:
        with closed_files.obeyed():
            found = graded_here.grade_student(root, "anna")
    finally:
        data.chmod(0o755)
    assert not found.error and [(each.part, each.text) for each in found.notices] == [(told, messages.FILE_LEFT_OUT)]


def test_where_all_submissions_are_closed_nobody_reads_that_there_are_none(root: Path):
    (root / "submitted").chmod(0)
    try:
        with closed_files.obeyed(), pytest.raises(errors.CourseError, match=r"^submitted can't be read .*denied"):
            course_folder.students(root)
    finally:
        (root / "submitted").chmod(0o755)


def test_the_file_that_this_account_may_not_write_is_named(root: Path):
    (root / "marks.csv").touch(0o444)
    with closed_files.obeyed(), pytest.raises(errors.CourseError) as raised, class_run._as_course_error(root):
        (root / "marks.csv").write_text("student")
    assert str(raised.value).startswith("marks.csv cannot be written: Permission denied. No mark is lost")


def test_a_folder_that_is_closed_after_it_was_graded_is_in_the_report(root: Path):
    assert not graded_here.grade_student(root, "anna").error
    shutil.rmtree(root / "autograded" / "anna")
    (root / "submitted" / "anna").chmod(0)
    try:
        with closed_files.obeyed():
            (anna,) = class_data.read(root).students
    finally:
        (root / "submitted" / "anna").chmod(0o755)
    assert anna.ungraded[1] == class_data.NOT_KEPT


def test_who_works_alone_reads_that_a_notebook_is_closed(root: Path):
    path = notebook(root, "anna")
    path.chmod(0)
    with closed_files.obeyed():
        found = visible_checks.read(COURSE, path)
    assert found.state is visible_checks.State.UNREAD and found.message == "the file cannot be read: Permission denied."
