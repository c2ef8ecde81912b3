"""What runs, and since when: on a terminal while it runs, and nowhere else."""

import io
import re
import sys
import time

import busy
import pytest

from grading.own_work import elapsed


class Terminal(io.StringIO):
    """A terminal that keeps what it was sent."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (1.0, "part 10: "),
        (12.4, "part 10: running for 12 s, of 15 min at most"),
        (200.0, "part 10: running for 3 min, of 15 min at most. Ctrl-C stops it"),
    ],
)
def test_what_takes_long_is_said_with_its_limit(seconds: float, said: str):
    assert elapsed.said("part 10: ", seconds, 900.0) == said


def test_a_terminal_shows_what_runs_and_keeps_its_name_alone(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(elapsed, "REDRAW_S", 0.02)
    monkeypatch.setattr(elapsed, "QUIET_S", 0.0)
    monkeypatch.setattr(sys, "stdout", terminal := Terminal())
    with elapsed.shown("part 10: ", 60.0):
        busy.wait_for(lambda: terminal.getvalue().count("running") > 2)
    *drawn, last = terminal.getvalue().split("\r\x1b[K")
    assert all(re.match(r"part 10: running for \d+ s, of 60 s at most", line) for line in drawn[1:])
    assert last == "part 10: "


def test_elsewhere_nothing_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture):
    monkeypatch.setattr(elapsed, "REDRAW_S", 0.02)
    with elapsed.shown("part 10: ", 60.0):
        time.sleep(0.1)
    assert capsys.readouterr().out == ""


def test_a_line_never_wraps(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "20")
    elapsed.draw("part 10: running for 12 s", terminal := Terminal())
    assert terminal.getvalue() == "\r\x1b[Kpart 10: running fo"
