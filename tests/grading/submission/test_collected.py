"""A student's folder, copied with an instructor's rights: no link is followed, and the copy is whole or not there."""

import datetime
import functools
import logging
import os
import shutil
import socket
import types
from pathlib import Path

import closed_files
import pytest
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from grading.core import files, limits
from grading.submission import collected, kept_copies


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "theirs"
    (made / "data").mkdir(parents=True)
    (made / "part01.ipynb").write_text("mine")
    (made / "data" / "a.csv").write_text("1,2")
    return made


def below(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_files_and_folders_are_copied_with_their_times(folder: Path, tmp_path: Path):
    os.utime(folder / "part01.ipynb", (5, 5))
    collected.copy(folder, tmp_path / "ours")
    assert below(tmp_path / "ours") == {"part01.ipynb": "mine", "data/a.csv": "1,2"}
    assert (tmp_path / "ours" / "part01.ipynb").stat().st_mtime == 5


def test_links_pipes_and_sockets_become_links_to_nowhere(folder: Path, tmp_path: Path):
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "test.ipynb").write_text("hidden")
    (folder / "part02.ipynb").symlink_to(secret / "test.ipynb")
    (folder / "all").symlink_to(secret)
    os.mkfifo(folder / "data" / "pipe")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(folder / "s"))
        collected.copy(folder, tmp_path / "ours")
    for name in ("part02.ipynb", "all", "data/pipe", "s"):
        path = tmp_path / "ours" / name
        assert path.is_symlink() and not path.exists(), name
    assert "hidden" not in below(tmp_path / "ours").values()


def test_a_file_that_becomes_a_link_while_it_is_copied_is_not_followed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "secret").write_text("hidden")
    opened = collected.extra_files.opened

    def swap(name: str, at: int) -> object:
        path = folder / name
        if path.exists():
            path.unlink()
            path.symlink_to(tmp_path / "secret")
        return opened(name, at)

    monkeypatch.setattr(collected.extra_files, "opened", swap)
    collected.copy(folder, tmp_path / "ours")
    assert (tmp_path / "ours" / "part01.ipynb").is_symlink() and not (tmp_path / "ours" / "part01.ipynb").exists()


def test_another_name_of_somebody_else_s_file_is_left_out_and_told_unless_everybody_may_read_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    secret, public = tmp_path / "secret.ipynb", tmp_path / "public.csv"
    for path, mode in ((secret, 0o640), (public, 0o644)):
        path.write_text(path.name)
        path.chmod(mode)
    inodes, status_of = {secret.stat().st_ino, public.stat().st_ino}, os.fstat
    os.link(secret, folder / "part02.ipynb")
    os.link(secret, folder / "data" / "gone.csv")
    os.link(public, folder / "public.csv")
    (folder / "part01.ipynb").chmod(0o600)
    secret.unlink()  # as when it is written again under its name

    def of_somebody_else(descriptor: int) -> os.stat_result:
        status = status_of(descriptor)
        owner = status.st_uid + (status.st_ino in inodes)
        return os.stat_result((*status[:4], owner, *status[5:]))

    monkeypatch.setattr(collected.os, "fstat", of_somebody_else)
    monkeypatch.setattr(collected.os, "utime", lambda *_, **__: None)  # a made-up status has no nanoseconds
    place = tmp_path / "submitted" / "anna" / "course"
    lines = collected.take(CourseDirectory(root=str(tmp_path)), folder, place)
    assert below(place) == {"part01.ipynb": "mine", "data/a.csv": "1,2", "public.csv": "public.csv"}
    for name in ("part02.ipynb", "data/gone.csv"):
        assert (place / name).is_symlink() and sum(f"{place}/{name} was left out" in line for line in lines) == 1
    assert len(lines) == 2


def test_folders_within_folders_and_names_without_end_are_cut_off(folder: Path, tmp_path: Path):
    (folder / Path(*"abcdefghij")).mkdir(parents=True)
    collected.copy(folder, tmp_path / "ours")
    deepest = max(len(path.relative_to(tmp_path / "ours").parts) for path in (tmp_path / "ours").rglob("*"))
    assert deepest <= limits.FILE_DEPTH + 2


@pytest.mark.parametrize("broken", [0, 1, 2, 3])
def test_what_fails_half_way_leaves_the_former_copy_whole(
    broken: int, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    place = tmp_path / "submitted" / "anna" / "course"
    collected.replace(folder, place)
    (folder / "part01.ipynb").write_text("newer")
    calls = iter(range(9))

    def fails(function: object) -> object:
        def call(*arguments: object, **named: object) -> object:
            if next(calls) == broken:
                raise OSError(28, "No space left on device")
            return function(*arguments, **named)

        return call

    monkeypatch.setattr(Path, "rename", fails(Path.rename))
    monkeypatch.setattr(collected.os, "utime", fails(os.utime))
    with pytest.raises(OSError, match="No space"):
        collected.replace(folder, place)
    monkeypatch.undo()
    assert below(place)["part01.ipynb"] == "mine" and os.listdir(place.parent) == ["course"]


def test_a_copy_that_was_killed_between_two_names_is_put_back(folder: Path, tmp_path: Path):
    place = tmp_path / "course"
    collected.replace(folder, place)
    place.rename(tmp_path / ".course.old")  # and then the power was cut
    files.put_back(place)
    assert below(place)["part01.ipynb"] == "mine" and not (tmp_path / ".course.old").exists()


def test_what_disappears_while_it_is_read_is_the_submission_s_doing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    opened = collected.extra_files.opened

    def gone(name: str, at: int) -> object:
        if name == "part01.ipynb":
            (folder / name).unlink()
        return opened(name, at)

    monkeypatch.setattr(collected.extra_files, "opened", gone)
    with pytest.raises(collected.UnreadableError):
        collected.replace(folder, tmp_path / "ours" / "course")
    assert not (tmp_path / "ours" / "course").exists()
    with pytest.raises(collected.UnreadableError):
        collected.copy(tmp_path / "nowhere", tmp_path / "copy")


def test_a_link_in_the_place_of_the_folder_is_not_read(folder: Path, tmp_path: Path):
    (tmp_path / "link").symlink_to(folder)
    with pytest.raises(collected.UnreadableError):
        collected.copy(tmp_path / "link", tmp_path / "ours")


def test_a_link_in_the_place_of_a_student_s_folder_has_nobody_else_s_submission_replaced(folder: Path, tmp_path: Path):
    ada, config = tmp_path / "submitted" / "ada" / "course", Config()
    ada.mkdir(parents=True)
    (ada.parent.parent / "mallory").symlink_to("ada")
    config.CourseDirectory.root = str(tmp_path)
    with pytest.raises(collected.LinkedError, match="a link is in the place of a student's folder: .*mallory"):
        collected.take(CourseDirectory(config=config), folder, ada.parent.parent / "mallory" / "course")
    assert os.listdir(ada) == [] and os.listdir(ada.parent) == ["course"]


def test_a_file_that_grows_while_it_is_read_is_copied_as_far_as_it_was_and_no_more_than_there_is_room(
    folder: Path, tmp_path: Path
):
    os.truncate(folder / "part01.ipynb", 5_000_000)
    with pytest.raises(collected.UnreadableError, match="grew"):
        collected.replace(folder, tmp_path / "a" / "course", room=collected.Room(4_000_000, 9e9))
    with pytest.raises(collected.UnreadableError, match="grew"):
        collected.replace(folder, tmp_path / "a" / "course", room=collected.Room(9e9, 4_000_000))
    collected.replace(folder, tmp_path / "a" / "course", room=collected.Room(9e9, 9e9))
    assert os.listdir(tmp_path / "a") == ["course"]


def test_more_names_than_anybody_looks_at_are_refused_at_once(folder: Path, tmp_path: Path):
    for number in range(limits.ENTRIES + 1):
        (folder / f"{number}.txt").touch()
    with pytest.raises(collected.UnreadableError, match="more than 5,000"):
        collected.copy(folder, tmp_path / "ours")


def test_a_folder_that_is_closed_to_the_grader_is_its_author_s_doing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    opened = os.open

    def closed(path: object, *arguments: object, **named: object) -> int:
        if path == closed_one:
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *arguments, **named)

    monkeypatch.setattr(os, "open", closed)
    closed_one = "data"
    collected.copy(folder, tmp_path / "ours")
    assert below(tmp_path / "ours") == {"part01.ipynb": "mine"}
    assert os.readlink(tmp_path / "ours" / "data") == collected.NOWHERE  # which grading reports
    closed_one = folder
    with pytest.raises(collected.UnreadableError, match="Permission denied"):
        collected.copy(folder, tmp_path / "more")


def test_a_folder_that_the_grader_may_list_and_not_enter_is_reported_as_one_that_is_closed(
    folder: Path, tmp_path: Path
):
    (folder / "data").chmod(0o444)
    try:
        with closed_files.obeyed():
            collected.copy(folder, tmp_path / "ours")
    finally:
        (folder / "data").chmod(0o755)
    assert os.readlink(tmp_path / "ours" / "data") == collected.NOWHERE
    assert below(tmp_path / "ours") == {"part01.ipynb": "mine"}


def test_a_folder_that_its_author_opens_at_that_very_moment_stays_closed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(collected, "_is_open", lambda _: False)
    collected.copy(folder, tmp_path / "ours")
    assert below(tmp_path / "ours") == {"part01.ipynb": "mine"}


def test_what_an_instructor_put_there_or_changed_is_kept_and_what_was_taken_is_not(folder: Path, tmp_path: Path):
    directory, place = CourseDirectory(root=str(tmp_path)), tmp_path / "submitted" / "anna" / "course"
    place.mkdir(parents=True)
    (place / "part01.ipynb").write_text("by hand")
    (line,) = collected.take(directory, folder, place)
    (copy,) = (tmp_path / "work" / "earlier" / "anna").iterdir()
    assert copy.read_text() == "by hand" and copy.name in line and below(place)["part01.ipynb"] == "mine"
    (folder / "part01.ipynb").write_text("newer")
    assert collected.take(directory, folder, place) == []
    (place / "part01.ipynb").write_text("corrected")
    assert len(collected.take(directory, folder, place)) == 1
    kept = {path.read_text() for path in copy.parent.iterdir()}
    assert kept == {"by hand", "corrected"} and below(place)["part01.ipynb"] == "newer"


@pytest.mark.parametrize("name", ["a" * 251 + ".txt", "a." + "b" * 253, "é" * 123 + "x.ipynb", "a" * 239 + ".txt"])
def test_a_name_as_long_as_the_system_allows_is_kept_too(name: str, folder: Path, tmp_path: Path):
    course, place = tmp_path / "course", tmp_path / "course" / "submitted" / "ada" / "attention"
    (folder / name).write_text("theirs")
    collected.replace(folder, place, root=course)
    (place / "part01.ipynb").write_text("corrected")
    (folder / name).unlink()
    copies = dict(collected.replace(folder, place, root=course))
    assert copies[place / name].read_text() == "theirs"
    assert copies[place / name].suffix == Path(name).suffix[: kept_copies.SUFFIX_BYTES]


@pytest.mark.parametrize("end", ["." + "\U00020000" * 9, "." + "0" * 50, ".txt"])
def test_files_whose_names_begin_and_end_alike_are_all_kept_however_many_and_long(
    end: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    class Stopped(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:
            return cls(2026, 1, 31, tzinfo=tz)

    monkeypatch.setattr(kept_copies, "datetime", types.SimpleNamespace(datetime=Stopped))
    monkeypatch.setattr(kept_copies.os, "fsync", lambda _: None)
    place = tmp_path / "submitted" / "anna" / "course"
    many = 1100  # more than copies of one name and second may be
    for number in range(many):
        begin = "x" * (255 - 5 - len(end.encode()))
        (folder / (f"{begin}-{number:04}{end}" if len(end) < 50 else f"x{end}{number:04}")).write_text(str(number))
    take = functools.partial(collected.take, CourseDirectory(root=str(tmp_path)), folder, place)
    take()
    (place / "part01.ipynb").write_text("by the instructor")
    shutil.rmtree(folder)
    folder.mkdir()
    assert len(take()) == many + 2
    kept = [path.read_text() for path in (tmp_path / kept_copies.FOLDER / "anna").glob("x*")]
    assert sorted(kept, key=int) == [str(number) for number in range(many)]


def test_a_file_that_is_too_large_writes_no_line_of_its_own_into_the_log(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    (folder / "a\nben: graded").write_bytes(bytes(2000))
    directory = CourseDirectory(root=str(tmp_path), max_file_size=1)
    directory.log = logging.getLogger("of the test")
    collected.take(directory, folder, tmp_path / "submitted" / "anna" / "course")
    (record,) = caplog.records
    assert "too large" in record.getMessage() and record.getMessage().isprintable()
    assert "a\\nben: graded" in record.getMessage()
