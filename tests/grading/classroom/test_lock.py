"""One run at a time grades a course, and what keeps a run from seeing to that is told in a line."""

import argparse
import errno
import fcntl
import os
from pathlib import Path

import closed_files
import pytest

from grading.classroom import lock
from grading.core import command_line, errors


def test_the_second_is_told_who_is_first(tmp_path: Path):
    with lock.alone(tmp_path, "the service, process"), pytest.raises(errors.CourseError) as told:
        lock.alone(tmp_path).__enter__()
    assert str(told.value).startswith(f"the service, process {os.getpid()} on ")
    with lock.alone(tmp_path):
        pass


@pytest.mark.parametrize("way", ["full", "no locks", "closed"])
def test_where_no_lock_can_be_made_a_line_says_why_and_nobody_is_said_to_grade(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    def fail(number: int) -> None:
        raise OSError(number, os.strerror(number))

    def command(_: object) -> int:
        with closed_files.obeyed(), lock.alone(tmp_path):
            pytest.fail("it grades")

    if way == "full":
        monkeypatch.setattr(os, "write", lambda *_: fail(errno.ENOSPC))
    elif way == "no locks":  # as on a network's disk without its service for locks
        monkeypatch.setattr(fcntl, "flock", lambda *_: fail(errno.ENOLCK))
    else:
        tmp_path.chmod(0o555)
    number = {"full": errno.ENOSPC, "no locks": errno.ENOLCK, "closed": errno.EACCES}[way]
    try:
        assert command_line.run("watch", command, argparse.Namespace()) == 1
    finally:
        tmp_path.chmod(0o755)
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and f": {os.strerror(number)}. Fix that" in told
