"""The list of what failed, which ends a run of all tests."""

import subprocess
import sys
from pathlib import Path

import pytest

from dev import suite

TESTS = """
import pytest

def test_right():
    pass

def test_wrong():
    assert 1 == 2, "one is not two"

@pytest.fixture
def broken():
    raise OSError("nothing there")

def test_unready(broken):
    pass
"""


def test_each_failed_test_is_said_with_its_reason_in_a_line(tmp_path: Path, capsys: pytest.CaptureFixture):
    (tmp_path / "test_some.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_some.py", "--junitxml=0.xml"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 1
    suite.say_what_failed(tmp_path)
    wrong, unready = capsys.readouterr().out.splitlines()
    assert wrong == "FAILED test_some::test_wrong: AssertionError: one is not two"
    assert unready.startswith("FAILED test_some::test_unready: ") and unready.endswith('OSError: nothing there"')
