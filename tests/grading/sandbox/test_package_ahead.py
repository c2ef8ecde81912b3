"""A package that is imported before the fork: used by a notebook that has the very same one, unknown to any other."""

from collections.abc import Iterator
from pathlib import Path

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


def of_sandboxes(folder: Path, walled: bool) -> Iterator[Pool]:
    package = folder / "beside"
    package.mkdir()
    for name, text in {**FILES, "beside/numbers.csv": "1,2", "beside/weights.csv": "1,2" * 2**17}.items():
        (folder / name).write_text(text)
    with Pool(walled=walled, ahead=False, libraries=Libraries(package=package)) as found:
        yield found


@pytest.fixture(scope="module", params=[True, False], ids=["walled", "plain"])
def pool(request, tmp_path_factory):
    yield from of_sandboxes(tmp_path_factory.mktemp("course"), request.param)


@pytest.fixture(scope="module")
def walled(tmp_path_factory):
    yield from of_sandboxes(tmp_path_factory.mktemp("course"), True)


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


FIND = "import os\nprint({name: os.path.islink(f'beside/{name}') for name in sorted(os.listdir('beside'))})"
READ = "for name in ('numbers', 'weights'):\n    print(open(f'beside/{name}.csv').read(3))"
AS_GIVEN = "1,2\n1,2"


def test_without_walls_each_notebook_gets_a_copy_because_nothing_keeps_a_cell_from_changing_it(tmp_path):
    for each in of_sandboxes(tmp_path, False):
        assert each.package == {}


def test_behind_the_walls_a_kernel_finds_the_whole_package_imported_and_its_large_files_as_links(walled):
    run = Run(walled, FIND, WHO, READ, package=True)
    found = {"__init__.py": False, "numbers.csv": False, "numbers.py": False, "weights.csv": True}
    assert run.printed == f"{found}\nTrue 1 beside/numbers.py\n{AS_GIVEN}"


def test_next_to_the_package_lie_a_notebook_s_own_files(walled):
    run = Run(walled, FIND, "print(open('beside/own.txt').read())", files={"beside/own.txt": "mine"}, package=True)
    assert "'own.txt': False" in run.printed and run.printed.endswith("mine")


@pytest.mark.parametrize(
    "write",
    [
        "open('beside/weights.csv', 'w')",
        "open('beside/weights.csv', 'r+b')",
        "os.truncate('beside/weights.csv', 0)",
        "os.chmod('beside/weights.csv', 0o777)",
        "os.utime('beside/weights.csv', (1, 1))",
        "os.remove(os.path.realpath('beside/weights.csv'))",
        "open(os.path.dirname(os.path.realpath('beside/weights.csv')) + '/numbers.py', 'w')",
        "open(os.path.dirname(os.path.realpath('beside/weights.csv')) + '/more.py', 'w')",
        "os.rename('beside/numbers.csv', os.path.realpath('beside/weights.csv'))",
    ],
)
def test_no_cell_changes_what_the_links_lead_to(walled, write):
    run = Run(walled, f"import os\n{write}", package=True)
    assert run.errors in (["OSError"], ["PermissionError"])
    assert Run(walled, WHO, READ, package=True).printed == f"True 1 beside/numbers.py\n{AS_GIVEN}"


def test_what_a_cell_writes_over_the_package_or_in_a_link_s_place_is_its_own_kernel_s_alone(walled):
    replaced = "import os\nos.remove('beside/weights.csv')\nfor name in ('numbers', 'weights'):\n"
    replaced += "    open(f'beside/{name}.csv', 'w').write('345')\nopen('beside/numbers.py', 'w').write('one = 4')"
    assert Run(walled, replaced, READ, "import beside\nprint(beside.one)", package=True).printed == "345\n345\n1"
    assert Run(walled, READ, WHO, package=True).printed == f"{AS_GIVEN}\nTrue 1 beside/numbers.py"


def test_a_sandbox_that_takes_another_s_place_has_the_same_package_whatever_lies_on_the_disk_by_then(tmp_path):
    for pool in of_sandboxes(tmp_path, True):
        pool._kept.close()
        (tmp_path / "beside" / "numbers.csv").write_text("5,6")
        assert Run(pool, READ, package=True).printed == AS_GIVEN
