"""What a course's package holds, as sandboxes get it."""

import errno
import os
from pathlib import Path

import pytest

from grading.sandbox import bubblewrap, course_package


@pytest.fixture
def package(tmp_path: Path) -> Path:
    made = tmp_path / "beside"
    made.mkdir()
    (made / "__init__.py").write_bytes(b"one = 1")
    (made / "data.csv").write_bytes(b"1,2")
    return made


def test_modules_and_data_are_found_by_their_paths_from_the_folder_around_the_package(package: Path):
    assert course_package.read(package) == {"beside/__init__.py": b"one = 1", "beside/data.csv": b"1,2"}


def test_notebooks_folders_links_and_what_is_left_over_are_not_read(package: Path):
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "data.cpython-311.pyc").write_bytes(b"")
    (package / "folder.py").mkdir()
    (package / "leads_away.csv").symlink_to("/etc/hostname")
    (package / "leads_nowhere.py").symlink_to("nowhere.py")
    for name in (".hidden", "left.pyc", "part01.ipynb", "data.csv~", "#data.csv#", "data 2.csv", b"caf\xe9.csv"):
        Path(os.fsdecode(os.path.join(os.fsencode(package), os.fsencode(name)))).write_bytes(b"")
    assert course_package.read(package).keys() == {"beside/__init__.py", "beside/data.csv"}


def test_data_for_which_there_is_no_room_is_left_out_and_modules_never_are(package: Path, monkeypatch):
    monkeypatch.setattr(course_package, "ROOM_BYTES", 4)
    (package / "large.csv").write_bytes(b"1,2,3")
    (package / "last.csv").write_bytes(b"4")
    assert course_package.read(package).keys() == {"beside/__init__.py", "beside/data.csv", "beside/last.csv"}
    monkeypatch.setattr(course_package, "ROOM_FILES", 1)
    assert course_package.read(package).keys() == {"beside/__init__.py", "beside/data.csv"}


def test_where_there_is_no_module_there_is_no_package(tmp_path: Path):
    (tmp_path / "data.csv").write_bytes(b"1,2")
    assert course_package.read(tmp_path) == course_package.read(tmp_path / "nowhere") == course_package.read(None) == {}


def test_where_no_more_files_can_be_opened_none_stays_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    before, made = os.listdir("/proc/self/fd"), os.memfd_create

    def create(name: str) -> int:
        if len(os.listdir("/proc/self/fd")) > len(before) + 3:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return made(name)

    monkeypatch.setattr(os, "memfd_create", create)
    with pytest.raises(OSError, match="Too many open files"):
        bubblewrap.bubblewrap([], False, tmp_path, {f"/run/beside/{n}.csv": b"" for n in range(9)})
    assert os.listdir("/proc/self/fd") == before
