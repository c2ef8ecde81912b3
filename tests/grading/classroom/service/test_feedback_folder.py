"""Pages in the exchange: written into the course's own folder, never through what a student put in its place."""

import os
from pathlib import Path

import pytest

from grading.classroom.service.feedback_folder import FeedbackFolder
from grading.core import errors

NAME = "0123.html"


def test_a_page_takes_the_place_of_an_earlier_one_and_everybody_who_knows_its_name_may_read_it(course: Path):
    folder = FeedbackFolder(course, frozenset({os.geteuid()}))
    for page in ("in line", "the marks"):
        folder.put(NAME, page)
        assert folder.head(NAME, 100) == page.encode()
    assert [path.name for path in (course / "feedback").iterdir()] == [NAME]
    assert (course / "feedback").stat().st_mode & 0o777 == 0o711 and (course / "feedback" / NAME).stat().st_mode & 0o4
    folder.remove(NAME)
    folder.remove(NAME)
    assert folder.head(NAME, 100) is None


@pytest.mark.parametrize("theirs", ["exchange/course", "exchange/course/feedback"])
def test_nothing_is_written_into_a_folder_that_somebody_else_put_in_the_place_of_the_course_s(
    theirs: str, course: Path, tmp_path: Path
):
    if os.geteuid() != 0:
        pytest.skip("only root may give a folder to another account")
    (course / "feedback").mkdir()
    os.chown(tmp_path / theirs, 12345, -1)
    folder = FeedbackFolder(course, frozenset({os.geteuid()}))
    with pytest.raises(errors.CourseError, match=rf"{theirs} belongs to the account that has no name here"):
        folder.put(NAME, "the marks")
    with pytest.raises(errors.CourseError):
        folder.head(NAME, 100)
    assert not any((course / "feedback").iterdir())
    FeedbackFolder(course, None).put(NAME, "the marks")  # where instructors share the exchange


def test_no_link_is_followed_wherever_in_the_folder_it_lies(course: Path, tmp_path: Path):
    (secret := tmp_path / "secret").write_text("the hidden tests")
    secret.chmod(0o600)
    (course / "feedback").mkdir()
    for name in (NAME, f".{NAME}.new"):
        (course / "feedback" / name).symlink_to(secret)
    folder = FeedbackFolder(course, frozenset({os.geteuid()}))
    assert folder.head(NAME, 100) is None
    folder.put(NAME, "the marks")
    assert folder.head(NAME, 100) == b"the marks"
    assert secret.read_text() == "the hidden tests" and secret.stat().st_mode & 0o777 == 0o600
    (course / "feedback").rename(tmp_path / "elsewhere")
    (course / "feedback").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError):
        folder.put(NAME, "other marks")
    assert (tmp_path / "elsewhere" / NAME).read_text() == "the marks"


def test_a_page_is_written_into_the_folder_that_was_looked_at_whatever_takes_its_place_meanwhile(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    mkdir, looked = os.mkdir, []

    def swap(name: str, *rest: object, **more: object) -> None:
        if not looked:  # the course's own folder has been looked at
            looked.append(name)
            course.rename(tmp_path / "ours")
            (course / "feedback").mkdir(parents=True)
        mkdir(name, *rest, **more)

    monkeypatch.setattr(os, "mkdir", swap)
    FeedbackFolder(course, frozenset({os.geteuid()})).put(NAME, "the marks")
    assert (tmp_path / "ours" / "feedback" / NAME).read_text() == "the marks"
    assert not any((course / "feedback").iterdir())


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """The course's folder in an exchange."""
    made = tmp_path / "exchange" / "course"
    made.mkdir(parents=True)
    return made
