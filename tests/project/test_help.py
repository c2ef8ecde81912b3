"""`--help` answers at once, because it imports nothing that is installed; what is missing is named in a line."""

import subprocess
import sys

import pytest

from dev.__main__ import COMMANDS as DEV
from dev.packages import REPOSITORY
from grading.__main__ import COMMANDS as GRADING

CALLS = [("grading",), ("dev",), *(("grading", name) for name in GRADING), *(("dev", name) for name in DEV)]
OURS = {"grading", "dev"}


def python(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, *arguments], cwd=REPOSITORY, capture_output=True, text=True, check=False)


def imported(*arguments: str) -> set[str]:
    """The packages that Python imports, without those that it imports for every program."""
    lines = {
        of: python("-X", "importtime", *what).stderr.splitlines() for of, what in (("", ("-c", "")), ("x", arguments))
    }
    found = {
        of: {line.split("|")[-1].strip() for line in each if line.startswith("import time:")}
        for of, each in lines.items()
    }
    return {name.partition(".")[0] for name in found["x"] - found[""]}


@pytest.mark.parametrize("call", CALLS, ids=" ".join)
def test_help_imports_our_own_modules_and_the_standard_library_alone(call: tuple[str, ...]):
    found = imported("-m", *call, "--help")
    assert "argparse" in found and found - sys.stdlib_module_names <= OURS


def test_a_command_that_imports_nbgrader_is_seen_to_do_so():
    assert "nbgrader" in imported("-m", "grading", "report", "--course", "nowhere")


@pytest.mark.parametrize(
    "call", [("grading", name) for name in GRADING if name != "export"] + [("dev", "demo")], ids=" ".join
)
def test_a_package_that_is_missing_is_named_in_a_line(call: tuple[str, ...]):
    ran = python("-S", "-m", *call)  # without what is installed
    name = call[1]
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (1, "", 1)
    assert ran.stderr.startswith(f"{name}: the package ") and "is not installed. Run `make demo`" in ran.stderr


def test_a_module_of_our_own_that_is_missing_is_our_failure():
    code = "from grading.core import command_line\ncommand_line.run('x', lambda _: __import__('grading.nowhere'), None)"
    ran = python("-c", code)
    assert ran.returncode == 1 and "Traceback" in ran.stderr and "make demo" not in ran.stderr
