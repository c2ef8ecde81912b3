"""When Python looks for rubbish in a command, and how Ctrl-C ends one, wherever it comes."""

import argparse
import errno
import gc
import os
import signal
import subprocess
import sys

import pytest
from nbgrader.coursedir import CourseDirectory

from dev.packages import REPOSITORY
from grading.core import command_line


def test_rubbish_is_looked_for_again_once_the_imports_are_made_or_have_failed():
    with command_line.importing():
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ModuleNotFoundError), command_line.importing():
        raise ModuleNotFoundError
    assert gc.isenabled()


def test_whoever_wants_no_rubbish_looked_for_is_left_alone():
    gc.disable()
    try:
        with command_line.importing():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.parametrize("ending", ["7", "1 / 0"])
def test_at_the_end_of_a_command_nothing_is_looked_through(ending: str):
    """In a process of its own: here it would keep whatever the other tests have left."""
    code = (
        "import atexit, gc\n"
        "from grading.core import command_line\n"
        "atexit.register(lambda: print(gc.get_freeze_count() > 1000))\n"
        f"print(command_line.alone(lambda: {ending}))"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert run.stdout.splitlines() == (["7"] if ending == "7" else []) + ["True"]
    assert ("ZeroDivisionError" in run.stderr) == (ending != "7")


def test_a_setting_of_nbgrader_s_that_is_of_the_wrong_kind_is_one_line(capsys: pytest.CaptureFixture):
    def command(_: object) -> int:
        CourseDirectory(root=5)

    assert command_line.run("watch", command, argparse.Namespace()) == 1
    error = capsys.readouterr().err
    assert error.startswith("watch: a setting in nbgrader_config.py has the wrong type. The 'root' trait")
    assert error.count("\n") == 1


CLOSED = PermissionError(errno.EACCES, os.strerror(errno.EACCES), "work/a\x1b.ipynb")
FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(("failed", "said"), [(CLOSED, "work/a\\x1b.ipynb"), (FULL, "a file")])
def test_a_file_that_is_closed_to_the_account_and_a_full_disk_are_a_line_wherever_they_are_found(
    failed: OSError, said: str, capsys: pytest.CaptureFixture
):
    def command(_: object) -> int:
        raise failed

    assert command_line.run("check", command, argparse.Namespace()) == 1
    why = f"{said} can't be read or written: {failed.strerror}. Fix that, and run this again."
    assert capsys.readouterr().err == f"check: {why}\n"


@pytest.mark.parametrize("failed", [PermissionError(errno.EACCES, "of no file"), FileNotFoundError(2, "no", "file")])
def test_what_nobody_foresaw_is_shown_whole(failed: OSError):
    def command(_: object) -> int:
        raise failed

    with pytest.raises(type(failed)):
        command_line.run("check", command, argparse.Namespace())


WITHIN_A_CALLBACK = """
import signal, sys, time, weakref
from grading.core import command_line

class Thing:
    pass

def command(_):
    signal.signal(signal.SIGINT, signal.SIG_IGN if number == signal.SIGTERM else signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler if number == signal.SIGTERM else signal.SIG_DFL)
    thing = Thing()
    seen = weakref.ref(thing, lambda _: signal.raise_signal(number))
    del thing
    print("goes on", flush=True)
    time.sleep(60)

number = getattr(signal, sys.argv[1])
sys.exit(command_line.alone(lambda: command_line.run("grade", command, None)))
"""


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
def test_a_command_ends_though_ctrl_c_comes_where_python_goes_over_it(number: str):
    command = [sys.executable, "-c", WITHIN_A_CALLBACK, number]
    run = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=100)
    assert (run.returncode, run.stdout) == (130, "goes on\n")
    assert run.stderr == "\ngrade: stopped. Run it again to go on.\n"


def test_what_else_python_goes_over_is_shown():
    code = (
        "import weakref\n"
        "from grading.core import command_line\n"
        "command_line.alone(lambda: weakref.ref(set([1]), lambda _: 1 / 0) and None)"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert "ZeroDivisionError" in run.stderr


def test_a_reader_who_has_read_enough_is_no_failure_at_the_end_either():
    code = (
        "import sys\n"
        "from grading.core import command_line\n"
        "def command(_):\n"
        "    print('one', flush=True)\n"
        "    sys.stdin.read()\n"
        "    print('two')\n"
        "    return 0\n"
        "sys.exit(command_line.run('grade', command, None))"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    env = {**os.environ, "PYTHONUNBUFFERED": ""}
    with subprocess.Popen([sys.executable, "-c", code], cwd=REPOSITORY, env=env, **pipes) as process:
        assert process.stdout.readline() == b"one\n"
        process.stdout.close()
        process.stdin.close()
        assert (process.stderr.read(), process.wait()) == (b"", 0)


def test_without_a_home_a_line_says_what_to_set(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture):
    def unknown(_: int) -> None:
        raise KeyError

    monkeypatch.setattr("pwd.getpwuid", unknown)
    assert command_line.run("watch", lambda _: 0, None) == 0
    monkeypatch.delenv("HOME")
    assert command_line.run("watch", lambda _: pytest.fail("the command begins"), None) == 1
    error = capsys.readouterr().err
    assert error.startswith("watch: your account has no home folder: HOME is not set") and error.count("\n") == 1


@pytest.mark.parametrize(
    ("language", "status"),
    [
        ({"LC_ALL": "C", "PYTHONUTF8": "0"}, 1),
        ({"LC_ALL": "C", "PYTHONUTF8": "1"}, 0),
        ({"LC_ALL": "C"}, 0),  # Python itself takes names for UTF-8 then
        ({"LC_ALL": "C.UTF-8", "PYTHONUTF8": "0"}, 0),
    ],
)
def test_where_names_of_files_are_read_in_another_encoding_a_line_says_what_to_set(
    language: dict[str, str], status: int
):
    code = "import sys; from grading.core import command_line as c; sys.exit(c.run('autograde', lambda _: 0, None))"
    env = {name: value for name, value in os.environ.items() if name not in ("LC_ALL", "PYTHONUTF8")} | language
    ran = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, env=env, capture_output=True, text=True)
    assert ran.returncode == status and ran.stderr.count("\n") == status
    assert not status or "as ascii here" in ran.stderr and "Set PYTHONUTF8=1, and run this again." in ran.stderr


STOPPED_WHILE_IMPORTING = """
import os, runpy, signal, sys
signal.signal(signal.SIGINT, getattr(signal, sys.argv.pop(1)))
name = sys.argv.pop(1)

class Stops:
    def find_spec(wanted, *_):
        if wanted == name:
            os.kill(os.getpid(), signal.SIGINT)

sys.modules.pop(name, None)
sys.meta_path.insert(0, Stops)
runpy.run_module("grading", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize(
    ("heard", "module", "status", "said"),
    [
        ("default_int_handler", "argparse", -signal.SIGINT, ""),
        ("default_int_handler", "grading.core.find_course", 130, "\ncheck: stopped. Run it again to go on.\n"),
        ("SIG_IGN", "argparse", 0, ""),  # as in the background
    ],
)
def test_ctrl_c_while_a_command_imports_is_no_traceback(heard: str, module: str, status: int, said: str):
    code = [sys.executable, "-c", STOPPED_WHILE_IMPORTING, heard, module]
    command = [*code, "check"] if status else [*code, "--help"]
    ended = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (status, said)


def test_ctrl_c_that_a_command_ignores_as_in_the_background_stays_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert command_line.run("grade", lambda _: signal.raise_signal(signal.SIGINT) or 0, None) == 0
    finally:
        signal.signal(signal.SIGINT, before)


HEARD = """
import signal
from grading.core import command_line

def heard(number, handler):
    set_handler(number, handler)
    signal.raise_signal(number)

signal.signal(signal.SIGINT, signal.SIG_DFL)
set_handler, signal.signal = signal.signal, heard
print(command_line.run("grade", lambda _: print("begins"), None))
"""


def test_ctrl_c_is_told_from_the_moment_that_it_is_heard():
    run = subprocess.run([sys.executable, "-c", HEARD], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == ("130\n", "\ngrade: stopped. Run it again to go on.\n")


def test_whoever_imports_the_commands_hears_ctrl_c_as_before():
    code = (
        "import signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from grading import __main__\n"
        "print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert run.stdout == "True\n"
