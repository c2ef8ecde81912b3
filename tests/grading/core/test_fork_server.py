"""The process that others are forked from knows none of our limits, and leaves the environment as it was."""

import os
import subprocess
import sys

import pytest

from dev.packages import REPOSITORY
from grading.core import fork_server, limits


def test_the_environment_is_as_it_was_once_the_process_has_started(monkeypatch: pytest.MonkeyPatch):
    for path in ("/somewhere", None):
        monkeypatch.setenv("PYTHONPATH", path) if path else monkeypatch.delenv("PYTHONPATH", raising=False)
        monkeypatch.setenv(f"{limits.PREFIX}CALL_LIMIT_S", "7")
        before = dict(os.environ)
        with fork_server._environment():
            assert not any(name.startswith(limits.PREFIX) for name in os.environ)
            assert os.environ["PYTHONPATH"].split(os.pathsep) == [str(REPOSITORY), *([path] if path else [])]
        assert dict(os.environ) == before


FAILS = """
from grading.core import fork_server

def fail():
    raise OSError("there is no room")

fork_server.fork(fail)
"""


def test_a_fork_that_fails_says_why():
    run = subprocess.run([sys.executable, "-c", FAILS], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert run.stderr.splitlines()[-1] == "OSError: there is no room"
