"""How much memory the machine has, or this process's group, and what of it a notebook and the workers get."""

from pathlib import Path

import pytest

from grading.core import limits, memory

GIB = 2**30


def machine(folder: Path, groups: str, mounts: str, **files: str) -> Path:
    """A /proc of a machine with 16 GiB, whose control groups are in `folder`."""
    (folder / "self").mkdir()
    (folder / "meminfo").write_text(f"MemTotal: {16 * 2**20} kB\nMemFree: 5 kB\n")
    (folder / "self" / "cgroup").write_text(groups)
    (folder / "self" / "mountinfo").write_text(mounts.replace("GROUPS", str(folder / "groups")))
    for path, text in files.items():
        place = folder / "groups" / path.replace("__", "/").replace("_in_", ".limit_in_").replace("_max", ".max")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return folder


V2 = "30 23 0:26 / GROUPS rw - cgroup2 cgroup2 rw\n"
V1 = "31 23 0:27 /docker GROUPS rw - cgroup cgroup rw,memory\n32 23 0:28 / GROUPS/cpu rw - cgroup cgroup rw,cpu\n"


def test_the_machine_has_what_linux_says_without_groups(tmp_path: Path):
    assert memory.total_bytes(machine(tmp_path, "0::/\n", "")) == 16 * GIB
    assert memory.total_bytes(tmp_path / "nowhere") is None


def test_a_group_above_counts_and_one_without_a_limit_does_not(tmp_path: Path):
    files = {"user__memory_max": str(4 * GIB), "user__own__memory_max": "max\n"}
    assert memory.total_bytes(machine(tmp_path, "0::/user/own\n", V2, **files)) == 4 * GIB


def test_an_old_group_counts_and_one_of_another_controller_does_not(tmp_path: Path):
    files = {"own__memory_in_bytes": str(3 * GIB), "cpu__memory_in_bytes": "1"}
    proc = machine(tmp_path, "4:memory:/docker/own\n3:cpu:/\n", V1, **files)
    assert memory.total_bytes(proc) == 3 * GIB


@pytest.mark.parametrize(("machine_gib", "granted_gib"), [(1, 1.5), (4, 1.875), (16, 6), (None, 6)])
def test_a_notebook_gets_what_is_left_next_to_the_grader(machine_gib: float | None, granted_gib: float):
    machine_bytes = None if machine_gib is None else machine_gib * GIB
    assert limits._room(machine_bytes) == granted_gib * GIB


def test_as_many_workers_start_as_find_room(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits.os, "cpu_count", lambda: 8)
    for machine_bytes, workers in [(None, 8), (GIB, 1), (4 * GIB, 3), (16 * GIB, 8)]:
        monkeypatch.setattr(limits, "MACHINE_BYTES", machine_bytes)
        assert limits.workers() == workers
