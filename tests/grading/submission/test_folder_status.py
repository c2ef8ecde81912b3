"""What tells that nothing has changed in a folder says otherwise after each kind of change."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from grading.core import limits
from grading.submission import folder_status


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two files, one of them in a folder of its own, which count as settled at once."""
    monkeypatch.setattr(folder_status, "TICK_NS", -(10**9))
    folder = tmp_path / "submitted"
    (folder / "data").mkdir(parents=True)
    (folder / "part01.ipynb").write_text("{}")
    (folder / "data" / "table.csv").write_text("1,2")
    return folder


def _other_content(folder: Path) -> None:
    path = folder / "data" / "table.csv"
    before = path.stat()
    path.write_text("2,1")  # as long as it was
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _replaced(folder: Path) -> None:
    new = folder.parent / "new"
    new.write_text("{}")
    before = (folder / "part01.ipynb").stat()
    os.utime(new, ns=(before.st_atime_ns, before.st_mtime_ns))
    new.replace(folder / "part01.ipynb")


def _linked(folder: Path) -> None:
    (folder / "part01.ipynb").rename(folder.parent / "elsewhere")
    (folder / "part01.ipynb").symlink_to(folder.parent / "elsewhere")


CHANGES: dict[str, Callable[[Path], object]] = {
    "other content": _other_content,
    "replaced": _replaced,
    "in place of it a link": _linked,
    "closed": lambda folder: (folder / "part01.ipynb").chmod(0),
    "a folder closed": lambda folder: (folder / "data").chmod(0o500),
    "one more": lambda folder: (folder / "data" / "new.csv").touch(),
    "one less": lambda folder: (folder / "data" / "table.csv").unlink(),
    "renamed": lambda folder: (folder / "part01.ipynb").rename(folder / "part02.ipynb"),
    "the folder itself": lambda folder: folder.chmod(0o500),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_folder_is_known_again_until_something_in_it_changes(change: Callable[[Path], object], folder: Path):
    before = folder_status.of(folder)
    assert before is not None and folder_status.of(folder) == before
    change(folder)
    assert folder_status.of(folder) != before


def test_nothing_is_known_of_a_folder_in_which_something_has_just_changed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.undo()
    table, changed_ns = folder / "data" / "table.csv", (folder / "data").stat().st_ctime_ns
    for path in (folder, *folder.rglob("*")):
        os.utime(path, ns=(0, 0))  # as a copy that keeps the times of an old original
    assert folder_status.of(folder) is None

    def after(seconds: float) -> bool:
        monkeypatch.setattr(folder_status.time, "time_ns", lambda: changed_ns + int(seconds * 10**9))
        return folder_status.of(folder) is not None

    assert after(10) and not after(2.1)  # FAT notes a time every two seconds
    os.utime(table, ns=(0, changed_ns + 60 * 10**9))  # by another machine's clock
    assert not after(10)


def test_nothing_is_known_of_a_folder_that_is_not_looked_through(folder: Path, monkeypatch: pytest.MonkeyPatch):
    assert folder_status.of(folder / "missing") is None
    link = folder.parent / "link"
    link.symlink_to(folder)
    assert folder_status.of(link) is None
    for number in range(limits.ENTRIES):
        (folder / f"{number}").touch()
    assert folder_status.of(folder) is None
