"""One notebook checked by a student, and graded by the class command, each with only the packages that they install."""

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from attention import course
from attention.course import COURSE
from dev import course_copy, handed_in, packages
from dev.packages import REPOSITORY

PART = course.PARTS[3]
STARTUP = """\
import os, sys
from importlib.machinery import PathFinder

class FindsFewer(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name in os.environ["REFUSED"].split() else super().find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = FindsFewer
"""
GRADES = """\
import sys
from pathlib import Path
from grading.classroom import class_run
from grading.pages import class_report

root = Path(sys.argv[1])
(result,) = class_run.grade_class(root, workers=1)
class_report.write(root)
assert not result.error and not result.unmarked, result
"""
OPENS = """\
import ipykernel.kernelapp, jupyterlab.labapp, matplotlib_inline.backend_inline
import nbgrader.server_extensions.assignment_list, nbgrader.server_extensions.validate_assignment
"""


def pinned(who: str) -> set[str]:
    lines = (REPOSITORY / packages.FILES[who]).read_text(encoding="utf-8").splitlines()
    return {canonicalize_name(Requirement(line.partition("#")[0]).name) for line in lines if "==" in line}


@pytest.fixture
def only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A function that runs Python, and all Pythons started by it, as if only what `who` needs were installed."""
    (tmp_path / "startup").mkdir()
    (tmp_path / "startup" / "sitecustomize.py").write_text(STARTUP)

    def run(who: str, *arguments: str) -> subprocess.CompletedProcess:
        missing = pinned("tests") - pinned(who)
        refused = [
            module
            for module, distributions in metadata.packages_distributions().items()
            if set(map(canonicalize_name, distributions)) <= missing
        ]
        assert {"pytest", "jupyterhub"} <= set(refused) and "torch" not in refused
        path = os.pathsep.join([str(tmp_path / "startup"), str(REPOSITORY)])
        env = {**os.environ, "REFUSED": " ".join(refused), "PYTHONPATH": path}
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=REPOSITORY, env=env, capture_output=True, text=True, check=False)

    return run


def test_a_model_answer_is_graded_with_what_graders_install(tmp_path: Path, only):
    root = tmp_path / "course"
    course_copy.new(root, PART)
    folder = root / "submitted" / "anna" / COURSE.name
    folder.mkdir(parents=True)
    handed_in.write(folder, PART, handed_in.model(PART))
    done = only("grading", "-c", GRADES, str(root))
    assert done.returncode == 0, done.stderr
    header, anna = (line.split(",") for line in (root / "marks.csv").read_text().splitlines())
    assert float(dict(zip(header, anna, strict=True))[PART.stem]) == PART.automatic


def test_students_open_and_check_a_notebook_with_what_they_install(tmp_path: Path, only):
    handed_in.write(tmp_path, PART, handed_in.model(PART))
    checked = only("students", "-m", "grading", "check", str(tmp_path / f"{PART.stem}.ipynb"))
    assert checked.returncode == 0 and "passes" in checked.stdout, checked.stderr
    opened = only("students", "-c", OPENS)
    assert opened.returncode == 0, opened.stderr
