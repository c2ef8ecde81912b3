"""Tests run from fast to slow, so that a small slip shows within seconds, and no test meets what another left."""

import gc
import os
import random
import sys
from collections.abc import Iterator

import pytest

SLOW = (
    "test_exports.py",
    "test_feedback.py",
    "test_kept_copies.py",
    "test_gpu.py",
    "test_release.py",
    "test_class_report.py",
    "test_late.py",
    "test_kernel_seed.py",
    "test_extra_files.py",
    "test_times.py",
    "test_names.py",
    "test_budget.py",
    "test_private_apis.py",
    "test_crash_notes.py",
    "test_hostile_values.py",
    "test_own_marks.py",
    "test_visible_checks.py",
    "test_fuzz.py",
    "test_servers.py",
    "test_benchmarks.py",
    "test_second_course.py",
    "test_plain_course.py",
    "test_one_notebook.py",
    "test_allowance.py",
    "test_zygote.py",
    "test_sandbox.py",
    "test_cluster.py",
    "test_class_run.py",
    "test_commands.py",
    "test_damaged_submissions.py",
    "test_attacks_watched.py",
    "test_attacks_marked.py",
    "test_attacks.py",
    "test_answers.py",
    "test_site.py",
    "test_marking.py",
    "test_lab.py",
    "test_watch.py",
    "test_hub.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sorts the files; within a file the order stays."""
    items.sort(key=lambda item: SLOW.index(item.path.name) if item.path.name in SLOW else -1)


def pytest_collection() -> None:
    """Collecting makes thousands of tests, and no rubbish: the garbage collector would look through them in vain."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Spares the garbage collector from looking through thousands of tests again and again."""
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """A test that changes what others in its process see fails itself: they run in any order, on any worker.

    What a course adds to sys.path as its configuration is read goes again. What is drawn at random in it is the same in
    each run, whichever tests came before.
    """
    _close_figures()
    _seed()
    before, path = _world(), list(sys.path)
    yield
    after = _world()
    _close_figures()
    os.chdir(before["the folder"])
    sys.path[:] = path
    assert {name: after[name] for name in after if after[name] != before[name]} == {}, "left to the next test"


def _world() -> dict[str, object]:
    """What tests of one process share; of torch and matplotlib only where a test has imported them."""
    torch, pyplot = sys.modules.get("torch"), sys.modules.get("matplotlib.pyplot")
    return {
        "the folder": os.getcwd(),
        "figures": pyplot.get_fignums() if pyplot else [],
        "gradients": torch.is_grad_enabled() if torch else True,
        "dtype": str(torch.get_default_dtype()) if torch else "torch.float32",
    }


def _seed() -> None:
    """Gives the generators that a student's code draws random numbers from, where they are loaded, the same start."""
    random.seed(0)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(0)
    if torch := sys.modules.get("torch"):
        torch.manual_seed(0)


def _close_figures() -> None:
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
