"""What a cell runs after "!" shows what a shell prints, and says how that ended, without a terminal."""

import os
import signal
import threading
import time

import busy
import pytest
from kernel_runs import Run, opened

from grading.sandbox import shell_commands


@pytest.mark.parametrize(
    ("command", "code", "printed"),
    [
        ("echo one; echo two >&2; exit 3", 3, "one\ntwo\n"),
        ("printf 'caf\\303'; sleep 0.2; printf '\\251 \\377'", 0, "café \ufffd"),  # a letter in two pieces
        ("cat; test -t 1 || echo no terminal", 0, "no terminal\n"),  # it waits for no input
        ("kill -15 $$", -15, ""),
        ("exit 137", -9, ""),  # as a shell does whose command was killed
    ],
)
def test_a_command_shows_what_it_prints_and_tells_how_it_ended(command: str, code: int, printed: str, capfd):
    assert shell_commands.run(command) == code
    assert capfd.readouterr().out == printed


def test_what_goes_on_in_the_background_holds_up_no_cell(capfd):
    began = time.monotonic()
    shell_commands.run("sleep 300 & echo $!")
    assert time.monotonic() - began < busy.patience(60)
    os.kill(int(capfd.readouterr().out), signal.SIGKILL)


def test_an_interrupt_ends_the_command_and_the_cell_goes_on():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell's background job ignores
    try:
        threading.Timer(0.5, signal.raise_signal, [signal.SIGINT]).start()
        assert shell_commands.run("trap '' INT TERM; while :; do sleep 0.1; done") == -signal.SIGKILL
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_notebook_s_commands_run_this_way():
    with opened(bare=True) as pool:
        run = Run(pool, "word = 'six'\n!test -t 1 || echo {word}; exit 6", "print(_exit_code)")
    assert run.errors == [] and run.printed.splitlines() == ["six", "6"]
