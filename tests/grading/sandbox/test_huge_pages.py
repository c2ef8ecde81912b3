"""Huge pages: the memory of the preloaded process moves into them, holds what it held, and kernels go on as before."""

import ctypes
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import busy
import pytest
from kernel_runs import Run, opened, student

from grading.sandbox import huge_pages

ENABLED = Path("/sys/kernel/mm/transparent_hugepage/enabled")
RELEASE = tuple(int(number) for number in re.findall(r"\d+", os.uname().release)[:2])
offered = pytest.mark.skipif(
    RELEASE < (6, 1) or not ENABLED.exists() or "[never]" in ENABLED.read_text(),
    reason="this Linux does not offer them",
)

FILLED = r"""
import hashlib, importlib.util, re, sys
held = [bytes([n % 251]) * 65536 for n in range(400)]
spec = importlib.util.spec_from_file_location("huge_pages", sys.argv[1])
huge_pages = importlib.util.module_from_spec(spec)
spec.loader.exec_module(huge_pages)
def in_huge_pages():
    return int(re.search(r"AnonHugePages: *(\d+)", open("/proc/self/smaps_rollup").read())[1])
def digest():
    return hashlib.sha256(b"".join(held)).hexdigest()
before = digest()
few = in_huge_pages()
huge_pages.collapse()
print(in_huge_pages() - few, digest() == before)
"""


@offered
def test_what_a_process_has_written_is_in_huge_pages_and_stays_what_it_was():
    run = subprocess.run(
        [sys.executable, "-c", FILLED, huge_pages.__file__], capture_output=True, text=True, check=True
    )
    moved_kb, same = run.stdout.split()
    assert int(moved_kb) > 10_000 and same == "True"


def test_a_linux_without_them_is_asked_and_all_stays_as_it_is(monkeypatch):
    refused = []

    def madvise(address: int, size: int, advice: int) -> int:
        refused.append((address % size, size, advice))
        return -1

    monkeypatch.setattr(ctypes, "CDLL", lambda _: SimpleNamespace(madvise=madvise))
    huge_pages.collapse()
    assert set(refused) == {(0, 2 * 2**20, 25)}


def test_moving_ends_in_time_so_that_nobody_takes_the_process_for_silent(monkeypatch):
    clock, asked = SimpleNamespace(monotonic=lambda: float(len(asked))), []
    monkeypatch.setattr(huge_pages, "time", clock)  # by which each move takes a second
    monkeypatch.setattr(huge_pages, "_written", lambda: [(0, 100 * huge_pages.SIZE_BYTES)])
    monkeypatch.setattr(ctypes, "CDLL", lambda _: SimpleNamespace(madvise=lambda *move: asked.append(move)))
    huge_pages.collapse()
    assert len(asked) == huge_pages.LIMIT_S + 1


@offered
@pytest.mark.skipif(os.geteuid() != 0, reason="only root may look into the preloaded process")
def test_a_sandbox_that_is_used_again_and_again_has_huge_pages_to_fork_from():
    with opened(ahead=False) as pool:

        def huge_kb() -> int:
            _, found = student(pool)
            return max(_huge_kb(pid) for pid in found)

        assert huge_kb() == 0
        for number in range(huge_pages.WORTH_IT):
            assert Run(pool, f"print({number})").printed == str(number)
        assert busy.wait_for(huge_kb) > 50_000


def _huge_kb(pid: int) -> int:
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(re.search(r"AnonHugePages: *(\d+)", text)[1])
