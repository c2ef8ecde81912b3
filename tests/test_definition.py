"""The program that grades, as workers compare it: all code and all data of the package, and nothing else."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from traitlets.config import Config

from grading import definition, packed, worker

DECIDE = [  # one file of each kind and depth
    "judge.py",
    "mistakes/__init__.py",
    "mistakes/reduced.py",
    "templates/part.html",
    "templates/page.css",
    "lab/templates/base/mathjax.html.j2",
    "lab/labconfig/default_setting_overrides.json",
]
LEFT = [
    "__pycache__/judge.cpython-311.pyc",
    "mistakes/__pycache__/reduced.cpython-311.pyc",
    "judge.pyc",
    "judge.py~",
    "templates/part.html~",
    "templates/.part.html.swp",
    "#judge.py#",
    ".#judge.py",
    "mistakes/reduced.py.orig",
    "judge.py.rej",
    ".DS_Store",
    ".ipynb_checkpoints/judge-checkpoint.py",
]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package in a folder of its own."""
    return Path(shutil.copytree(definition.PACKAGE, tmp_path / "grading"))


def digest(package: Path) -> str:
    return packed.digest(definition.code(package).items())


@pytest.mark.parametrize("name", DECIDE)
def test_another_byte_in_any_file_that_decides_something_is_another_program(name: str, package: Path):
    before, path = digest(package), package / name
    path.write_bytes(path.read_bytes()[:-1] + b"\t")
    assert digest(package) != before


def test_a_file_more_or_less_or_under_another_name_is_another_program(package: Path):
    found = {digest(package)}
    (package / "mistakes" / "more.py").write_text("")
    found.add(digest(package))
    (package / "mistakes" / "more.py").rename(package / "more.py")
    found.add(digest(package))
    (package / "more.py").rename(package / "templates" / "more.tpl")
    found.add(digest(package))
    assert len(found) == 4


@pytest.mark.parametrize("name", LEFT)
def test_what_python_and_editors_leave_behind_does_not_count(name: str, package: Path):
    before, path = digest(package), package / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"left over")
    assert digest(package) == before


def test_every_file_of_the_repository_counts():
    listed = subprocess.run(
        ["git", "ls-files", "."], cwd=definition.PACKAGE, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    assert set(listed.stdout.split()) <= definition.code(definition.PACKAGE).keys()


def test_the_order_of_the_files_is_that_of_their_paths():
    assert list(definition.code(definition.PACKAGE)) == sorted(definition.code(definition.PACKAGE))


def test_a_worker_with_other_code_in_a_sub_package_refuses_with_a_line_that_names_the_package(package: Path):
    path = package / "mistakes" / "reduced.py"
    path.write_bytes(path.read_bytes() + b"\n# another\n")
    asked = "from grading import definition; print(definition.current_program()['grading'])"
    command = [sys.executable, "-c", asked]
    ran = subprocess.run(command, cwd=package.parent, env={"PATH": ""}, capture_output=True, text=True, check=True)
    theirs, ours = ran.stdout.strip(), definition.current_program()["grading"]
    program = {**definition.current_program(), "grading": theirs}
    given = definition.Definition(archive=b"", config=Config(), secret="", program=program, digest="")
    with pytest.raises(worker.Other) as refused:
        worker.grade(given, packed.HandIn("anna", ()), {})
    assert str(refused.value) == (
        f"a worker has grading {ours}, but here is grading {theirs}. Install the same on all workers."
    )
