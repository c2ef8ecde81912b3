"""How the service ends."""

import signal
from collections.abc import Callable
from pathlib import Path

import pytest
import watched

from grading.__main__ import main
from grading.classroom.service import command, status
from grading.core.errors import CourseError


@pytest.mark.parametrize(("asked", "status"), [(True, 0), (False, 1)])
def test_what_fails_because_the_whole_group_was_asked_to_stop_is_no_failure(
    asked: bool, status: int, tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    def run(_: command.Service, __: Callable[[], bool]) -> None:
        if asked:
            signal.raise_signal(signal.SIGTERM)
        raise CourseError("alembic died with SIGTERM.")

    monkeypatch.setattr(command.Service, "run", run)
    root = watched.released(tmp_path / "course")
    capsys.readouterr()
    assert main(["watch", "--course", str(root), "--port", "0"]) == status
    out, err = capsys.readouterr()
    assert out.endswith("  stopped\n") == asked and err == ("" if asked else "watch: alembic died with SIGTERM.\n")


@pytest.mark.parametrize("token", ["a b", "größe", "a&b", "a;b"])
def test_a_token_that_an_address_cannot_hold_is_refused(token: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("WATCH_TOKEN", token)
    with pytest.raises(CourseError, match="WATCH_TOKEN may contain only"):
        command._pages(status.Board(status.Status("a course", 1, 0.0)), 0)
