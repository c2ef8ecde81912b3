"""Tests run from fast to slow, so that a small slip shows within seconds."""

import pytest

SLOW = (
    "test_exports.py",
    "test_feedback.py",
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
    "test_class_run.py",
    "test_commands.py",
    "test_hand_ins.py",
    "test_attacks.py",
    "test_answers.py",
    "test_lab.py",
    "test_hub.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sorts the files; within a file the order stays."""
    items.sort(key=lambda item: SLOW.index(item.path.name) if item.path.name in SLOW else -1)
