"""The program that grades, as workers compare it: all code and all data of the package, and nothing else."""

import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from traitlets.config import Config

from attention import course
from attention.course import COURSE
from dev import course_copy
from grading.classroom import inputs, worker
from grading.core.course import Course, Libraries, Part
from grading.gradebook import course_folder, generate_assignment
from grading.submission import bundle

PACKAGES = (inputs.ENGINE, *COURSE.packages)
DECIDE = [  # one file of each kind and depth
    "grading/judge/execution.py",
    "grading/pages/templates/part.html",
    "grading/pages/templates/page.css",
    "grading/pages/lab/templates/base/mathjax.html.j2",
    "grading/pages/lab/labconfig/default_setting_overrides.json",
    "attention/oracles.py",
    "attention/part05.py",
    "attention/questions/part05.py",
    "attention/mistakes/__init__.py",
    "attention/mistakes/reduced.py",
]
LEFT = [
    "__pycache__/course.cpython-311.pyc",
    "mistakes/__pycache__/reduced.cpython-311.pyc",
    "course.pyc",
    "course.py~",
    "mistakes/part.html~",
    "mistakes/.part.html.swp",
    "#course.py#",
    ".#course.py",
    "mistakes/reduced.py.orig",
    "course.py.rej",
    ".DS_Store",
    ".ipynb_checkpoints/course-checkpoint.py",
]


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A folder with copies of engine and course."""
    for package in PACKAGES:
        shutil.copytree(package, tmp_path / package.name)
    return tmp_path


def digest(package: Path) -> str:
    return bundle.digest(inputs.code(package).items())


@pytest.mark.parametrize("name", DECIDE)
def test_another_byte_in_any_file_that_decides_something_is_another_program(name: str, copied: Path):
    package, path = copied / Path(name).parts[0], copied / name
    before = digest(package)
    path.write_bytes(path.read_bytes()[:-1] + b"\t")
    assert digest(package) != before


def test_a_file_more_or_less_or_under_another_name_is_another_program(copied: Path):
    package = copied / "grading"
    found = {digest(package)}
    (package / "rules" / "more.py").write_text("")
    found.add(digest(package))
    (package / "rules" / "more.py").rename(package / "more.py")
    found.add(digest(package))
    (package / "more.py").rename(package / "pages" / "templates" / "more.tpl")
    found.add(digest(package))
    assert len(found) == 4


@pytest.mark.parametrize("name", LEFT)
def test_what_python_and_editors_leave_behind_does_not_count(name: str, copied: Path):
    package = copied / "attention"
    before, path = digest(package), package / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"left over")
    assert digest(package) == before


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_every_file_of_the_repository_counts_in_the_order_of_their_paths(package: Path):
    found = list(inputs.code(package))
    assert found == sorted(found)
    listed = subprocess.run(["git", "ls-files", "."], cwd=package, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    assert set(listed.stdout.split()) <= set(found)


@pytest.mark.parametrize("name", ["grading/judge/execution.py", "attention/mistakes/reduced.py"])
def test_a_worker_with_other_code_in_a_sub_package_refuses_with_a_line_that_names_the_package(name: str, copied: Path):
    path, package = copied / name, Path(name).parts[0]
    path.write_bytes(path.read_bytes() + b"\n# another\n")
    asked = "from attention.course import COURSE; from grading.classroom import inputs; "
    command = [sys.executable, "-c", f"{asked}print(inputs.current_program(COURSE, ())[{package!r}])"]
    ran = subprocess.run(command, cwd=copied, env={"PATH": ""}, capture_output=True, text=True, check=True)
    theirs, ours = ran.stdout.strip(), inputs.current_program(COURSE, ())[package]
    program = {**inputs.current_program(COURSE, ()), package: theirs}
    given = inputs.Inputs(
        archive=b"", config=Config(Course={"found": "attention.course:COURSE"}), secret="", program=program, digest=""
    )
    with pytest.raises(worker.OtherProgram) as refused:
        worker.grade(given, bundle.Submission("anna", ()), {})
    assert str(refused.value) == (
        f"a worker on {platform.node()} has {package} {ours}, but here is {package} {theirs}. "
        "Install the same on all workers."
    )


def test_the_program_has_the_packages_that_kernels_of_the_course_load_and_its_answers_may_import():
    assert {"torch", "numpy", "sympy", "matplotlib", "pillow"} <= set(inputs.distributions(COURSE))
    part = Part(1, "One", "f", ("f",), 5)
    other = Course("a", "A", "A", (part,), libraries=Libraries(("json", "yaml.nodes")), imports={"PIL": "PIL"})
    assert [name.lower() for name in inputs.distributions(other)] == ["pyyaml", "pillow"]
    program = inputs.current_program(other, inputs.distributions(other))
    assert {"PyYAML", "pillow", "nbgrader"} <= set(program) and "torch" not in program


def test_a_worker_without_a_package_of_the_course_says_so():
    given = inputs.Inputs(
        archive=b"",
        config=Config(Course={"found": "attention.course:COURSE"}),
        secret="",
        program={**inputs.current_program(COURSE, ()), "not-there": "1.0"},
        digest="",
        packages=("not-there",),
    )
    with pytest.raises(worker.OtherProgram, match="a worker on .* has not-there nothing, but here is not-there 1.0"):
        worker.grade(given, bundle.Submission("anna", ()), {})


def test_whoever_names_the_assignment_grades_with_the_same_as_whoever_does_not(tmp_path: Path):
    course_copy.new(tmp_path, course.PARTS[1])
    generate_assignment.register(tmp_path)
    with course_folder.engine(tmp_path) as engine:
        assert inputs.read(tmp_path, engine).digest == inputs.read(tmp_path, engine, COURSE.name).digest


RULE = """
from nbgrader.plugins import LateSubmissionPlugin

class Late(LateSubmissionPlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return 4.0
"""


@pytest.fixture
def digest_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """What a class is graded with, as a hash: its rule on lateness is in a file like this, or in the configuration."""
    course_copy.new(tmp_path, course.PARTS[1])
    generate_assignment.register(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    settings = tmp_path / course_folder.CONFIGURATION
    before = settings.read_text(encoding="utf-8")

    def digest_with(rule: str, own: str = "", named: str = "'rule_on_lateness.Late'", loaded: bool = False) -> str:
        (tmp_path / "rule_on_lateness.py").write_text(rule, encoding="utf-8")
        settings.write_text(f"{before}{own}\nc.AssignLatePenalties.plugin_class = {named}\n", encoding="utf-8")
        if not loaded:
            monkeypatch.delitem(sys.modules, "rule_on_lateness", raising=False)
        with course_folder.engine(tmp_path) as engine:
            return inputs.read(tmp_path, engine).digest

    return digest_with


@pytest.mark.parametrize("named", ["Late", "'rule_on_lateness.Late'"])
def test_another_rule_on_lateness_is_graded_with_something_else(named: str, digest_with: Callable[..., str]):
    rules = (RULE, RULE, RULE.replace("4.0", "2.0"))
    found = [digest_with(rule, "" if "." in named else rule, named) for rule in rules]
    assert found[0] == found[1] != found[2]


def test_a_rule_that_a_service_has_loaded_stays_what_it_grades_with_until_its_next_start(
    digest_with: Callable[..., str],
):
    old, new = RULE, RULE.replace("4.0", "2.0")
    imported = "from rule_on_lateness import Late"
    for form in ({}, {"own": imported, "named": "Late"}):
        first = digest_with(old, **form)
        assert digest_with(new, **form, loaded=True) == first
        assert digest_with(new, **form) != first


def test_a_rule_that_sets_no_more_than_a_number_is_another_one_with_another_number(digest_with: Callable[..., str]):
    rule = RULE.replace("return 4.0", "return self.points")
    own = "from rule_on_lateness import Late\nclass Own(Late):\n    points = {}"
    found = [digest_with(rule, own.format(points), "Own") for points in (4, 4, 2)]
    assert found[0] == found[1] != found[2]
