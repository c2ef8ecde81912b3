"""A package that is imported before the fork: used by a notebook that has the very same one, unknown to any other."""

import pytest
from kernel_runs import Run

from grading.core.course import Libraries
from grading.sandbox.kept_sandboxes import Pool

FILES = {
    "beside/__init__.py": "from beside.numbers import one\n",
    "beside/numbers.py": "one = 1\n",
}
WHO = "import os, sys\nprint('beside' in sys.modules, end=' ')\nimport beside.numbers\n"
WHO += "print(beside.one, os.path.relpath(beside.numbers.__file__))"


@pytest.fixture(scope="module", params=[True, False], ids=["walled", "plain"])
def pool(request, tmp_path_factory):
    package = tmp_path_factory.mktemp("course") / "beside"
    package.mkdir()
    for name, text in FILES.items():
        (package.parent / name).write_text(text)
    with Pool(walled=request.param, ahead=False, libraries=Libraries(package=package)) as found:
        yield found


def test_a_notebook_with_the_same_files_finds_the_package_imported_and_in_its_own_folder(pool):
    assert Run(pool, WHO, files=FILES).printed == "True 1 beside/numbers.py"


@pytest.mark.parametrize("file", FILES)
def test_a_notebook_with_other_files_imports_its_own(pool, file):
    other = {**FILES, file: f"{FILES[file]}one = 2\n"}
    assert Run(pool, WHO, files=other).printed == "False 2 beside/numbers.py"


@pytest.mark.parametrize("walled", [True, False], ids=["walled", "plain"])
def test_a_course_that_is_installed_without_its_package_has_sandboxes_all_the_same(walled, tmp_path):
    with Pool(walled=walled, ahead=False, libraries=Libraries(package=tmp_path / "nowhere")) as pool:
        assert Run(pool, WHO, files=FILES).printed == "False 1 beside/numbers.py"


def test_a_notebook_without_a_file_of_the_package_does_not_find_it(pool):
    run = Run(pool, "import beside.numbers", files={name: FILES[name] for name in ("beside/__init__.py",)})
    assert run.errors == ["ModuleNotFoundError"]


def test_a_notebook_without_the_package_does_not_find_it(pool):
    assert Run(pool, "import beside").errors == ["ModuleNotFoundError"]


def test_a_module_of_the_student_s_in_the_package_is_imported_too(pool):
    run = Run(pool, "from beside import more\nprint(more.three)", files={**FILES, "beside/more.py": "three = 3\n"})
    assert run.printed == "3"


def test_what_a_cell_writes_over_the_package_changes_nothing_that_was_imported(pool):
    run = Run(pool, "open('beside/numbers.py', 'w').write('one = 4')", "import beside\nprint(beside.one)", files=FILES)
    assert run.printed == "1"
