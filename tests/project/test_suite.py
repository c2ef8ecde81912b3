"""A run of all tests: the list of what failed, which ends it, and the kernels of solved notebooks."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from dev import suite
from dev.packages import REPOSITORY

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


def test_no_program_can_take_a_port_from_the_kernel_of_a_solved_notebook(tmp_path: Path):
    app = "from ipykernel.kernelapp import IPKernelApp\napp = IPKernelApp.instance()\n"
    cell = nbformat.v4.new_code_cell(app + "print(app.transport, app.ip.startswith('/'))", execution_count=1)
    cell.outputs = [nbformat.v4.new_output("stream", text="ipc True\n")]
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "solved.ipynb")
    command = [sys.executable, "-m", "pytest", *suite.NBVAL, str(tmp_path / "solved.ipynb")]
    told = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert (told.returncode, "1 passed" in told.stdout) == (0, True), told.stdout
