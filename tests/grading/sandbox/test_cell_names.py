"""The names that a kernel's cells have as files."""

import pytest
from kernel_runs import Run, opened

NAMES = "import inspect, sys\nname = sys._getframe().f_code.co_filename\n"
# A module that notes each time that somebody asks for its file.
WATCHED = """
import sys, types

asked = []

class Watched(types.ModuleType):
    def __getattribute__(self, name):
        asked.append(name)
        return super().__getattribute__(name)

sys.modules["watched"] = Watched("watched")
"""


@pytest.fixture(scope="module")
def pool():
    with opened(bare=True) as pool:
        yield pool


def test_each_cell_has_a_name_of_its_own_in_the_folder_that_ipykernel_would_use(pool):
    own = "from ipykernel.compiler import get_tmp_directory\nprint(name.startswith(get_tmp_directory() + '/'), name)"
    here, again, other = (Run(pool, f"{NAMES}{own}{more}").printed.split() for more in ("", "", "  # more"))
    assert here[0] == other[0] == "True"
    assert here[1].rpartition("/")[2] == again[1].rpartition("/")[2] != other[1].rpartition("/")[2]


def test_a_name_that_a_cell_chooses_for_the_next_ones_is_heard(pool):
    assert Run(pool, "import os\nos.environ['IPYKERNEL_CELL_NAME'] = 'mine'", f"{NAMES}print(name)").printed == "mine"


def test_inspect_finds_a_cells_functions_and_that_it_is_no_module(pool):
    asked = "print(inspect.getmodule(sys._getframe()), inspect.getsource(inspect.unwrap(shown)).strip())"
    assert Run(pool, f"{NAMES}def shown(): return 1\n{asked}").printed == "None def shown(): return 1"


def test_a_traceback_looks_through_no_modules_once_it_has_done_so_before_the_fork():
    with opened() as pool:
        run = Run(pool, WATCHED, "def fails():\n    return 1 / 0\n\nfails()", "print('__file__' in asked)")
    assert (run.errors, run.printed) == (["ZeroDivisionError"], "False")
