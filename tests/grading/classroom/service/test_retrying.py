"""What keeps the service waiting is said with a place that means something wherever the log is read."""

import errno
from pathlib import Path

import pytest

from grading.classroom.service import retrying, status


@pytest.mark.parametrize("file", [None, "submitted/ada"])
def test_a_full_disk_is_told_with_the_whole_path(file: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(retrying, "TRY_AGAIN_S", 0)
    said: list[str] = []
    board = status.Board(status.Status("a course", 1, 0.0))
    with retrying.Retrying(board, tmp_path, said.append).waiting():
        raise OSError(errno.ENOSPC, "No space left on device", *filter(None, [file]))
    place = tmp_path / file if file else tmp_path
    assert said == [f"waiting: No space left on device: {place}. No submission is lost."]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENOTCONN, "Transport endpoint is not connected"), "Transport endpoint is not connected"),
        (OSError(errno.ETIMEDOUT, "Connection timed out"), "Connection timed out"),
        (TimeoutError("no answer"), "no answer"),
        (TimeoutError(), "TimeoutError"),
    ],
)
def test_no_failure_of_a_disk_or_a_network_ends_the_service(
    error: OSError, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(retrying, "TRY_AGAIN_S", 0)
    lines: list[str] = []
    with retrying.Retrying(status.Board(status.Status("a course", 1, 0.0)), tmp_path, lines.append).waiting():
        raise error
    assert lines == [f"waiting: {said}: {tmp_path}. No submission is lost."]


def test_who_prints_to_nobody_does_not_wait_for_a_reader(tmp_path: Path):
    board = status.Board(status.Status("a course", 1, 0.0))
    with pytest.raises(BrokenPipeError), retrying.Retrying(board, tmp_path, print).waiting():
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")
