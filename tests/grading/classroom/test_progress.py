"""What one sees while a class is graded, with a clock in the test's hand."""

import io
import sys

import pytest

from grading.classroom import class_run, progress
from grading.classroom.task_queue import Graded


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def on_a_terminal(monkeypatch: pytest.MonkeyPatch, columns: int = 120) -> Terminal:
    """A terminal in place of what pytest has put there for the test itself."""
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("COLUMNS", str(columns))
    return screen


def test_the_bar_tells_students_done_rate_time_left_and_those_not_graded(clock: Clock):
    shown = progress.Progress(8, quiet=True, clock=clock)
    clock.now = 120.0
    for failed in (False, True, False, False):
        shown.add("anna: …", failed=failed)
    assert shown.bar() == "[############............] 4/8 students, 2.0 a minute, 2 min left, 1 not graded"


def test_those_unchanged_do_not_count_for_the_rate(clock: Clock):
    shown = progress.Progress(10, quiet=True, clock=clock)
    for _ in range(4):
        shown.add("", kept=True)
    clock.now = 60.0
    shown.add("")
    assert "5/10 students, 1.0 a minute, 5 min left" in shown.bar()


def test_before_the_first_student_no_time_is_promised(clock: Clock):
    assert progress.Progress(3, clock=clock).bar() == f"[{'.' * 24}] 0/3 students"


def test_on_a_terminal_who_is_not_graded_stands_above_the_bar(clock: Clock, monkeypatch):
    terminal = on_a_terminal(monkeypatch)
    shown = progress.Progress(2, clock=clock)
    shown.add("anna: graded in 3 s")
    shown.add("ben: not graded. Why.", failed=True)
    shown.end()
    printed = terminal.getvalue()
    assert "anna" not in printed and "\r\x1b[Kben: not graded. Why.\n" in printed
    assert printed.endswith("\r\x1b[K") and "2/2 students" in printed


def test_the_bar_is_drawn_once_a_second_and_fits_the_terminal(clock: Clock, monkeypatch):
    terminal = on_a_terminal(monkeypatch, columns=30)
    shown = progress.Progress(2, clock=clock)
    for clock.now in (1.5, 1.6, 1.7, 2.6):
        shown.tick()
    drawn = terminal.getvalue().split("\r\x1b[K")[1:]
    assert len(drawn) == 2 and all(len(line) == 29 for line in drawn)


def test_elsewhere_each_student_is_a_plain_line_and_those_unchanged_are_none(clock: Clock, capsys):
    shown = progress.Progress(3, clock=clock)
    shown.add("anna: graded before", kept=True)
    shown.add("ben: graded in 3 s")
    shown.tick(now=True)
    shown.end()
    assert capsys.readouterr().out == "[2/3] ben: graded in 3 s\n"


def test_quiet_prints_nothing(clock: Clock, monkeypatch):
    terminal = on_a_terminal(monkeypatch)
    shown = progress.Progress(1, quiet=True, clock=clock)
    shown.add("anna: not graded.", failed=True)
    shown.tick(now=True)
    shown.end()
    assert terminal.getvalue() == ""


def test_the_summary_names_the_slowest_and_what_hit_a_limit():
    times = {"anna": 5.0, "ben": 200.0, "cleo": 7.0}
    lines = progress.summary(120.0, times, {"anna": [], "ben": ["part05: too long."]}, kept=2, failed=1)
    assert lines == [
        "3 graded in 2 min (1.5 a minute), 2 unchanged since they were graded, 1 not graded.",
        "Slowest: ben 3 min, cleo 7 s, anna 5 s.",
        "Stopped at a limit:",
        "  ben, part05: too long.",
    ]


def test_the_summary_is_printed_with_its_indentation(capsys: pytest.CaptureFixture):
    class_run._print_summary([Graded("ben", struck=["part05: \x1b[2Jtoo long."])], 120.0)
    assert "\n  ben, part05: \\x1b[2Jtoo long.\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0, "0 s"), (89, "89 s"), (91, "2 min"), (5_000, "83 min"), (12_000, "3 h 20 min")]
)
def test_a_time_is_shown_as_one_says_it(seconds: float, shown: str):
    assert progress.duration(seconds) == shown
