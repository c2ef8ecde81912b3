"""Memory that results took is the system's again, also where pieces between them are still used."""

import ctypes
import os
import subprocess
import sys

import pytest

from dev.packages import REPOSITORY
from grading.classroom.heap import Heap

SCRIPT = """
import os
from grading.classroom.heap import Heap

def resident_mb():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20

heap = Heap(every=3)
kept = []
for _ in range(3):
    result = []
    for _ in range(400):
        result.append(b"x" * 100_000)  # below what glibc gives pages of its own
        kept.append(b"x" * 1_000)  # stays, right behind it
    full = resident_mb()
    del result
    heap.result_done()
    print(full, resident_mb())
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="this libc keeps no freed memory")
def test_each_third_result_gives_the_memory_of_all_three_back():
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=REPOSITORY, capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    freed_mb = [float(full) - float(after) for full, after in map(str.split, run.stdout.splitlines())]
    assert max(freed_mb[:2]) < 10, freed_mb  # else the third line proves nothing: this libc keeps no memory
    assert freed_mb[2] > 30, freed_mb


def test_a_heap_that_cannot_be_trimmed_is_left_alone():
    heap = Heap(every=1)
    heap._trim = None
    heap.result_done()
