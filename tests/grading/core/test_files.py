"""Files and folders that are replaced whole: the old one, or the new one, and nothing in between."""

import subprocess
import sys
from pathlib import Path

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
    assert path.read_bytes() == b"two"


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


def test_a_link_where_a_new_file_is_written_first_is_not_followed_nor_one_in_its_place(tmp_path: Path):
    (mine := tmp_path / "mine").write_text("mine")
    for link in (tmp_path / "file", files.new_name(tmp_path / "file")):
        link.symlink_to(mine)
    files.write_whole(tmp_path / "file", "new")
    assert (tmp_path / "file").read_text() == "new" and not (tmp_path / "file").is_symlink()
    assert mine.read_text() == "mine" and names(tmp_path) == ["file", "mine"]
