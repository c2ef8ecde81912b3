"""A configuration names its own course: never another one that happens to bear the name of its package."""

import subprocess
import sys
from pathlib import Path

import pytest
from traitlets.config import Config

from dev.packages import REPOSITORY
from grading.core import find_course
from grading.core.course import Course, Libraries
from grading.core.errors import CourseError

TEXT = (
    "from grading.core.course import Course, Part\nCOURSE = Course('c', '{}', 'C', (Part(1, 'One', 'f', ('f',), 5),))\n"
)


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A function that makes a course of a title in a folder, and finds it as its configuration would."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)

    def find(folder: str, title: str) -> Course:
        package = tmp_path / folder / "twin"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        (package / "course.py").write_text(TEXT.format(title), encoding="utf-8")
        sys.path.insert(0, str(package.parent))
        below = str(package.parent.resolve())
        return find_course.of(Config(Course={"found": "twin.course:COURSE", "below": below}))

    yield find
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_a_second_course_whose_package_has_the_same_name_is_refused_in_one_line(found):
    assert found("a", "First").title == "First"
    with pytest.raises(
        CourseError, match=r"^twin\.course in \S+b differs from the package of that name in \S+a.twin, "
    ):
        found("b", "Second")


def test_a_copy_of_the_same_course_is_the_same_course(found):
    assert found("a", "First") is found("b", "First")


def test_a_course_that_is_installed_elsewhere_is_found_by_its_name_alone(tmp_path: Path):
    config = Config(Course={"found": "attention.course:COURSE", "below": str(tmp_path)})
    assert find_course.of(config).name == "attention"


def test_a_library_that_is_not_installed_is_told_once():
    """And not for each student of a class, whose sandbox would not start."""

    def refuse(*modules: str) -> None:
        course = Course("c", "C", "C", (), libraries=Libraries(modules))
        find_course.refuse_lacking(Config(Course={"found": course}))

    refuse("numpy", "json", "xml.dom")
    refuse()
    for name in ("numpi", "numpi.linalg"):
        with pytest.raises(CourseError, match=rf"^the library {name} of c isn't installed here\. Install it, or "):
            refuse("numpy", name)


EARLY = """
import sys
from pathlib import Path
from grading.core import find_course
found = find_course.early(Path())
course, walled = found
print(course.name, course.libraries.modules[0], walled, "nbgrader" in sys.modules)
from grading.gradebook import course_folder
import nbgrader.converters.base
before = nbgrader.converters.base.BaseConverter.init_notebooks
course_folder.course(Path())
print(nbgrader.converters.base.BaseConverter.init_notebooks is not before)
"""


def test_a_course_is_found_before_nbgrader_is_imported_which_is_guarded_all_the_same():
    run = subprocess.run([sys.executable, "-c", EARLY], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == ("attention torch True False\nTrue\n", "")


NONE_THERE = "c = get_config()\nc.Course.found = 'no.where:X'\n"


@pytest.mark.parametrize("text", [None, "", NONE_THERE, "1 / 0\n", "raise SystemExit\n"])
def test_what_is_no_course_is_none_early_and_the_reason_is_told_later(text: str | None, tmp_path: Path):
    if text is not None:
        (tmp_path / find_course.CONFIGURATION).write_text(text, encoding="utf-8")
    assert find_course.early(tmp_path) is None
