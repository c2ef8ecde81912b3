"""Which package of ours may import which: the contracts in pyproject.toml hold, and one that is broken is told."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dev.packages import REPOSITORY

CHECK = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
BROKEN = {  # what a module imports, and the contract that forbids it
    "grading/core/limits.py": ("import grading.pages.feedback", "order"),
    "grading/pages/feedback.py": ("import grading.lms.roster", "order"),
    "grading/rules/closure.py": ("import attention.oracles", "no course"),
    "grading/marking/rubric.py": ("import nbgrader", "nbgrader"),
    "grading/sandbox/zygote.py": ("import grading.core.limits", "alone"),
    "grading/sandbox/child.py": ("import grading.sandbox.cgroups", "alone"),
    "attention/oracles.py": ("import attention.sentences", "share no line"),
}


def checked(root: Path) -> subprocess.CompletedProcess:
    env = {"PYTHONPATH": str(root), "PATH": ""}
    command = [sys.executable, "-c", CHECK]
    return subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False)


def test_the_contracts_hold():
    found = checked(REPOSITORY)
    assert found.returncode == 0 and "0 broken" in found.stdout, found.stdout + found.stderr


@pytest.mark.parametrize("name", BROKEN)
def test_a_contract_that_is_broken_is_told(name: str, tmp_path: Path):
    for package in ("attention", "dev", "grading"):
        shutil.copytree(REPOSITORY / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "pyproject.toml", tmp_path)
    line, contract = BROKEN[name]
    with (tmp_path / name).open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")
    found = checked(tmp_path)
    (broken,) = [line for line in found.stdout.splitlines() if " BROKEN" in line]
    assert found.returncode == 1 and contract in broken


def test_the_course_s_facts_bring_no_probe_along_which_looks_at_the_shell_that_imports_it():
    code = "import sys, dev.sample_class, attention.course; sys.exit('grading.bridge.probe' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, check=False).returncode == 0


def test_the_tests_have_a_folder_for_each_package_of_the_engine():
    packages, tests = (
        {path.name for path in (REPOSITORY / root / "grading").iterdir() if any(path.glob(pattern))}
        for root, pattern in ((".", "__init__.py"), ("tests", "test_*.py"))
    )
    assert packages == tests


def test_a_folder_and_a_module_are_small_enough_to_be_read_whole():
    packages = [REPOSITORY / name for name in ("attention", "grading", "source")]
    modules = [path for package in packages for path in package.rglob("*.py")]
    lengths = {str(path): len(path.read_text(encoding="utf-8").splitlines()) for path in modules}
    assert len(lengths) > 100 and {path: n for path, n in lengths.items() if n >= 300} == {}
    assert len([path for path in (REPOSITORY / "grading").iterdir() if path.name != "__pycache__"]) <= 14
