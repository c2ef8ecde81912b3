"""Commands whose standard streams are closed, or can't be written."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dev.packages import REPOSITORY

SAYS_ITS_STREAMS = """
import os, sys
from grading.core import command_line

def command(_):
    with open(sys.argv[1], "w") as file:  # would get a closed stream's number, and what is printed there
        os.write(1, b"printed"), os.write(2, b"complained")
        print("and more", flush=True)
        print("and worse", file=sys.stderr, flush=True)
        file.write(f"{os.read(0, 1)} {sys.stdin.read()!r} {file.fileno() > 2}")
    return 0

sys.exit(command_line.alone(lambda: command_line.run("grade", command, None)))
"""
WATCHES = """
import sys
from grading.classroom.service import command
from grading.core import command_line

def goes_on(_):
    command._say("first")
    command._say("second")
    print("still there", file=sys.stderr)
    return 0

sys.exit(command_line.alone(lambda: command_line.run("watch", goes_on, None)))
"""


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_command_works_with_closed_streams_and_no_file_gets_what_it_prints(closed: str, tmp_path: Path):
    command = ["sh", "-c", f'"$@" {closed}', "sh", sys.executable, "-c", SAYS_ITS_STREAMS, str(tmp_path / "file")]
    ran = subprocess.run(command, cwd=REPOSITORY, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "file").read_text() == "b'' '' True"
    assert ran.stdout == (b"" if ">&- " in f" {closed} ".replace("2>&-", "") else b"printedand more\n")
    assert ran.stderr == (b"" if "2>&-" in closed else b"complainedand worse\n")


@pytest.mark.parametrize("options", [[], ["--json"]])
@pytest.mark.parametrize("buffered", ["", "1"], ids=["buffered", "unbuffered"])
def test_output_that_cannot_be_written_is_one_line_and_no_success(options: list[str], buffered: str):
    command = [sys.executable, "-m", "grading", "check", *options, "release/attention/part01.ipynb"]
    env = {**os.environ, "PYTHONUNBUFFERED": buffered}
    with Path("/dev/full").open("w") as full:
        settings = {"cwd": REPOSITORY, "env": env, "text": True, "check": False}
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, **settings)
    assert ran.returncode == 1 and "Traceback" not in ran.stderr
    *_, last = lines = ran.stderr.splitlines()
    assert sum("can't be written" in line for line in lines) == 1
    assert last.startswith("check: what this command prints can't be written: No space left on device.")


@pytest.mark.parametrize("command", [[], ["check"]], ids=["all", "one"])
def test_help_that_cannot_be_written_is_one_line_and_no_success(command: list[str]):
    command = [sys.executable, "-m", "grading", *command, "--help"]
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(command, cwd=REPOSITORY, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    (line,) = ran.stderr.splitlines()
    assert ran.returncode == 1 and line.startswith("grading: what this command prints can't be written: No space left")


@pytest.mark.parametrize("buffered", ["", "1"], ids=["buffered", "unbuffered"])
def test_the_service_goes_on_while_its_log_cannot_be_written(buffered: str):
    with Path("/dev/full").open("w") as full:
        settings = {
            "cwd": REPOSITORY,
            "env": {**os.environ, "PYTHONUNBUFFERED": buffered},
            "text": True,
            "check": False,
        }
        ran = subprocess.run([sys.executable, "-c", WATCHES], stdout=full, stderr=subprocess.PIPE, **settings)
    assert ran.stderr.startswith("still there\nwatch: what this command prints can't be written")
    assert ran.returncode == 1


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("ascii", rb"Zo\xeb"),
        ("ascii:surrogateescape", rb"Zo\xeb"),  # as with LC_ALL=C
        ("ascii:replace", b"Zo?"),
        ("latin-1", b"Zo\xeb"),
        ("utf-8", "Zoë".encode()),
    ],
)
def test_a_letter_that_the_output_lacks_is_an_escape(encoding: str, shown: bytes):
    code = (
        "from grading.core import command_line\n"
        "command_line.alone(lambda: command_line.run('grade', lambda _: print('Zo\\xeb') or 0, None))"
    )
    env = {**os.environ, "PYTHONIOENCODING": encoding}
    ran = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, env=env, capture_output=True, check=False)
    assert (ran.stdout, ran.stderr) == (shown + b"\n", b"")
