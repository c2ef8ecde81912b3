"""Files and folders that are replaced whole: the old one, or the new one, and nothing in between."""

import contextlib
import os
import struct
import subprocess
import sys
from pathlib import Path

import closed_files
import full_disk
import pytest

from dev.packages import REPOSITORY
from grading.core import files


def folder(path: Path, text: str) -> Path:
    path.mkdir(parents=True)
    (path / "a").write_text(text, encoding="utf-8")
    return path


def names(root: Path) -> list[str]:
    return sorted(path.name for path in root.iterdir())


def test_a_new_folder_takes_the_place_and_the_old_one_lies_next_to_it(tmp_path: Path):
    place = folder(tmp_path / "place", "old")
    old = files.swap(place, lambda new: folder(new, "new"))
    assert (place / "a").read_text() == "new" and (old / "a").read_text() == "old"
    assert names(tmp_path) == [".place.old", "place"]


def test_where_there_was_none_there_is_no_old_one(tmp_path: Path):
    assert not files.swap(tmp_path / "place", lambda new: folder(new, "new")).exists()
    assert names(tmp_path) == ["place"]


@pytest.mark.parametrize("error", [OSError("the disk is full"), KeyboardInterrupt()])
def test_a_folder_that_cannot_be_made_leaves_the_old_one(error: BaseException, tmp_path: Path):
    def make(new: Path) -> None:
        folder(new, "half")
        raise error

    place = folder(tmp_path / "place", "old")
    with pytest.raises(type(error)):
        files.swap(place, make)
    assert (place / "a").read_text() == "old" and names(tmp_path) == ["place"]


def test_a_rename_that_fails_puts_the_old_one_back(tmp_path: Path):
    place = folder(tmp_path / "place", "old")
    with pytest.raises(FileNotFoundError):
        files.swap(place, lambda new: None)
    assert (place / "a").read_text() == "old" and names(tmp_path) == ["place"]


def test_what_a_killed_process_left_is_put_back_or_removed(tmp_path: Path):
    place = tmp_path / "place"
    folder(files.old_name(place), "old")
    folder(files.new_name(place), "half")
    old = files.swap(place, lambda new: folder(new, "new"))
    assert (old / "a").read_text() == "old" and (place / "a").read_text() == "new"
    assert (files.swap(place, lambda new: folder(new, "newer")) / "a").read_text() == "new"
    files.put_back(place)
    assert (place / "a").read_text() == "newer"


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path):
    path = tmp_path / "a"
    files.write_whole(path, "one", durable=True)
    files.write_whole(path, b"two")
    with pytest.raises(UnicodeEncodeError):
        files.write_whole(path, "\udc80")
    assert path.read_bytes() == b"two" and names(tmp_path) == ["a"]


def test_files_below_a_folder_are_all_but_those_of_python_and_jupyter(tmp_path: Path):
    for name in ("b/a", "a", "__pycache__/c", "b/.ipynb_checkpoints/d"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert [path.relative_to(tmp_path).as_posix() for path in files.below(tmp_path)] == ["a", "b/a"]


def test_what_cannot_be_written_leaves_the_old_file_and_nothing_next_to_it(tmp_path: Path):
    path = tmp_path / "marks.csv"
    path.write_text("old")
    code = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "from grading.core import files\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "files.write_whole(Path(sys.argv[1]), 'new' * 4096)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(path)], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 1 and "File too large" in ran.stderr
    assert path.read_text() == "old" and names(tmp_path) == ["marks.csv"]


def test_what_cannot_be_written_is_named_as_its_reader_knows_it(tmp_path: Path):
    path = tmp_path / "marks.csv"
    path.mkdir()
    with pytest.raises(IsADirectoryError) as caught:
        files.write_whole(path, "new")
    assert str(caught.value) == f"[Errno 21] Is a directory: '{path}'" and names(tmp_path) == ["marks.csv"]


def test_what_an_instructor_has_is_replaced_whole_and_stays_as_closed_as_it_was_wherever_a_link_leads(tmp_path: Path):
    (tmp_path / "elsewhere").mkdir()
    table, link = tmp_path / "elsewhere" / "marks.csv", tmp_path / "marks.csv"
    link.symlink_to(table)
    files.rewrite(link, "first")
    table.chmod(0o600)
    files.rewrite(link, "second")
    assert link.is_symlink() and table.read_text() == "second" and table.stat().st_mode & 0o777 == 0o600
    with (tmp_path / "removed").open("w+") as file:  # what stands behind /dev/stdout need be no file with a name
        (tmp_path / "removed").unlink()
        for unnamed in (Path(os.devnull), Path(f"/proc/self/fd/{file.fileno()}")):
            files.rewrite(unnamed, "fourth")
        assert file.read() == "fourth"
    assert names(tmp_path) == ["elsewhere", "marks.csv"]
    assert names(tmp_path / "elsewhere") == ["marks.csv"]
    table.chmod(0o400)
    with closed_files.obeyed(), pytest.raises(PermissionError):
        files.rewrite(link, "third")
    assert table.read_text() == "second"


def test_what_is_replaced_whole_keeps_its_owner_group_and_access_list(tmp_path: Path):
    table = tmp_path / "marks.csv"
    table.write_text("first")
    groups = [group for group in os.getgroups() if group != table.stat().st_gid]
    group = 23456 if os.geteuid() == 0 else groups[0] if groups else -1
    os.chown(table, 12345 if os.geteuid() == 0 else -1, group)
    table.chmod(0o640)
    entries = ((1, 6, -1), (2, 4, 12345), (4, 0, -1), (16, 4, -1), (32, 0, -1))  # u::rw, u:12345:r, g::-, m::r, o::-
    listed = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
    with contextlib.suppress(OSError):  # a file system that has none
        os.setxattr(table, "system.posix_acl_access", listed)
    before, lists = table.stat(), {name: os.getxattr(table, name) for name in os.listxattr(table)}
    files.rewrite(table, "second")
    after = table.stat()
    assert table.read_text() == "second" and after.st_ino != before.st_ino
    assert (after.st_uid, after.st_gid, after.st_mode) == (before.st_uid, before.st_gid, before.st_mode)
    assert {name: os.getxattr(table, name) for name in os.listxattr(table)} == lists


def test_a_link_that_leads_to_itself_can_t_be_written(tmp_path: Path):
    (loop := tmp_path / "marks.csv").symlink_to("marks.csv")
    with pytest.raises(OSError, match="symbolic links"):
        files.rewrite(loop, "first")


def test_a_table_is_not_cut_off_where_a_disk_is_full(tmp_path: Path):
    script = """
import sys
from pathlib import Path
from attention.course import COURSE
from grading.core import errors
from grading.gradebook import marks
from grading.lms.gradefile import Export
disk, old = Path(sys.argv[1]), "the old one, line after line\\n" * 100
for name, write in {
    "canvas.csv": Export(["Student"], [["a name"]] * 9999).write,
    "marks.csv": lambda path: marks.write_csv([marks.Row("ada", {}, 0)] * 9999, COURSE, path),
}.items():
    (disk / name).write_text(old)
    fill(disk)
    try:
        write(disk / name)
    except (OSError, errors.CourseError) as error:
        print(name, (disk / name).read_text() == old, "No space" in str(error))
    (disk / "filler").unlink()
"""
    ran = full_disk.run(script, tmp_path, 1, str(tmp_path))
    assert ran.stdout == "canvas.csv True True\nmarks.csv True True\n", ran.stderr


def test_a_link_where_a_new_file_is_written_first_is_not_followed_nor_one_in_its_place(tmp_path: Path):
    (mine := tmp_path / "mine").write_text("mine")
    for link in (tmp_path / "file", files.new_name(tmp_path / "file")):
        link.symlink_to(mine)
    files.write_whole(tmp_path / "file", "new")
    assert (tmp_path / "file").read_text() == "new" and not (tmp_path / "file").is_symlink()
    assert mine.read_text() == "mine" and names(tmp_path) == ["file", "mine"]
