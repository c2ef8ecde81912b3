"""Whether a submission is still what was read, with and without reading it again."""

import os
import pickle
from pathlib import Path

import pytest

from attention.course import COURSE
from grading.submission import bundle, folder_status

WHEN = "2026-01-02 03:04:05 UTC"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A submission of one notebook and one table."""
    folder = tmp_path / "submitted" / "anna" / COURSE.name
    folder.mkdir(parents=True)
    (folder / "part01.ipynb").write_text("{}")
    (folder / "table.csv").write_text("1,2")
    return folder


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files count as settled at once."""
    monkeypatch.setattr(folder_status, "TICK_NS", -(10**9))


@pytest.mark.usefixtures("settled")
def test_a_submission_whose_files_have_not_changed_is_not_read_again(folder: Path, monkeypatch: pytest.MonkeyPatch):
    sent = bundle.read("anna", folder, COURSE, WHEN)
    monkeypatch.setattr(bundle, "read", None)
    assert sent.is_still_in(folder, COURSE, WHEN)


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("name", ["part01.ipynb", "table.csv"])
def test_a_submission_is_another_one_once_a_file_of_it_is_written_to(name: str, folder: Path):
    sent, before = bundle.read("anna", folder, COURSE, WHEN), (folder / name).stat()
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[::-1])  # as long as it was, and with the same time
    os.utime(folder / name, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert not sent.is_still_in(folder, COURSE, WHEN)
    (folder / name).write_bytes(content)  # as it was when it was read
    assert sent.is_still_in(folder, COURSE, WHEN)


@pytest.mark.usefixtures("settled")
def test_a_change_while_a_submission_is_read_shows(folder: Path, monkeypatch: pytest.MonkeyPatch):
    last = bundle.extra_files.changed_module

    def meanwhile(*given: object) -> str | None:
        (folder / "part01.ipynb").write_text("[]")
        return last(*given)

    monkeypatch.setattr(bundle.extra_files, "changed_module", meanwhile)
    sent = bundle.read("anna", folder, COURSE, WHEN)
    monkeypatch.undo()
    assert dict(sent.entries)["part01.ipynb"] == b"{}" and not sent.is_still_in(folder, COURSE, WHEN)


@pytest.mark.usefixtures("settled")
def test_a_submission_made_at_another_time_is_another_one(folder: Path):
    assert not bundle.read("anna", folder, COURSE, WHEN).is_still_in(folder, COURSE, WHEN.replace("2026", "2027"))


def test_a_submission_that_came_a_moment_ago_is_read_again(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(folder_status, "TICK_NS", 10**15)  # a moment, also on a busy machine
    sent = bundle.read("anna", folder, COURSE, WHEN)
    assert sent.status is None and sent.is_still_in(folder, COURSE, WHEN)
    (folder / "table.csv").write_text("2,1")
    assert not sent.is_still_in(folder, COURSE, WHEN)


@pytest.mark.usefixtures("settled")
def test_a_worker_is_not_told_the_status_of_files_that_it_does_not_have(folder: Path):
    sent = bundle.read("anna", folder, COURSE, WHEN)
    arrived = pickle.loads(pickle.dumps(sent))
    assert sent.status is not None and arrived.status is None
    assert arrived == sent and arrived.digest == sent.digest
