"""A file that all graded folders have alike takes room once, and never holds anything but what it is to hold."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from traitlets.config import Config

from grading.classroom import inputs, shared_files
from grading.classroom.shared_files import SharedFiles

NAME, CONTENT, MODE = "module/table.csv", b"1,2", 0o444


@pytest.fixture
def given() -> inputs.Inputs:
    """An assignment that comes with a file."""
    archive = inputs._archive({f"source/small/{NAME}": CONTENT})
    return inputs.Inputs(archive, Config(), "", {}, "")


@pytest.fixture
def put(given: inputs.Inputs, tmp_path: Path) -> Callable[..., Path]:
    """Writes the file for a student, and moves the folder to its place, as a merge does."""
    shared = SharedFiles(given, "small")

    def put(student: str, mode: int = MODE) -> Path:
        new, place = tmp_path / f".{student}.new", tmp_path / student
        (new / "module").mkdir(parents=True)
        shared.write(str(new), place, NAME, mode)
        new.rename(place)
        return place / NAME

    return put


def _is_right(path: Path, mode: int = MODE) -> bool:
    return path.read_bytes() == CONTENT and path.stat().st_mode & 0o777 == mode


def test_each_student_s_copy_of_a_given_file_is_the_same_file(put: Callable[..., Path]):
    anna, ben, cleo = map(put, ("anna", "ben", "cleo"))
    assert anna.samefile(ben) and anna.samefile(cleo) and _is_right(cleo)


@pytest.mark.parametrize("mode", [0o644, 0o464, 0o446])
def test_a_file_that_somebody_may_write_to_is_shared_with_nobody(mode: int, put: Callable[..., Path]):
    anna, ben = put("anna", mode), put("ben", mode)
    assert not anna.samefile(ben) and _is_right(ben, mode)
    assert not put("cleo").samefile(ben)


def test_a_file_with_another_mode_is_another_file(put: Callable[..., Path]):
    anna, ben = put("anna"), put("ben", 0o400)
    assert _is_right(anna) and _is_right(ben, 0o400) and put("cleo", 0o400).samefile(ben)


def test_what_is_written_in_place_of_a_shared_file_leaves_that_as_it_was(put: Callable[..., Path]):
    anna, ben = put("anna"), put("ben")
    shared_files.write(str(ben), 0o644, b"a student's")  # where NAME and name are the same
    assert _is_right(anna) and ben.read_bytes() == b"a student's"
    ben.unlink()
    ben.symlink_to(anna)
    shared_files.write(str(ben), 0o644, b"a student's")
    assert _is_right(anna) and not ben.is_symlink()


def _written_to(path: Path) -> None:
    path.chmod(0o644)
    path.write_bytes(b"2,1")
    path.chmod(MODE)


def _replaced(path: Path) -> None:
    was = path.stat()
    new = path.with_name("new")
    new.write_bytes(b"2,1")
    new.chmod(MODE)
    os.utime(new, ns=(was.st_atime_ns, was.st_mtime_ns))
    new.replace(path)


def _longer(path: Path) -> None:
    was = path.stat()
    path.chmod(0o644)
    path.write_bytes(CONTENT * 2)
    path.chmod(MODE)
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))


def _led_elsewhere(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


CHANGES = (_written_to, _replaced, _longer, _led_elsewhere, Path.unlink, lambda path: path.chmod(0o600))


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_was_changed_after_it_was_written_is_given_to_nobody_else(
    change: Callable[[Path], object], put: Callable[..., Path]
):
    anna = put("anna")
    change(anna)
    ben, cleo = put("ben"), put("cleo")
    assert _is_right(ben) and not ben.is_symlink() and ben.samefile(cleo)
    assert not anna.exists() or not anna.samefile(ben)


@pytest.mark.parametrize("number", [errno.EPERM, errno.EMLINK, errno.EXDEV, errno.EOPNOTSUPP])
def test_where_a_file_can_have_no_other_name_each_student_gets_a_copy(
    number: int, put: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
):
    def refused(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(shared_files.os, "link", refused)
    anna, ben = put("anna"), put("ben")
    assert not anna.samefile(ben) and _is_right(ben)


def test_what_keeps_a_file_from_being_written_is_told(given: inputs.Inputs, tmp_path: Path):
    with pytest.raises(FileNotFoundError):
        SharedFiles(given, "small").write(os.fspath(tmp_path / "missing"), tmp_path / "anna", NAME, MODE)
