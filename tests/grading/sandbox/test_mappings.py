"""What Linux may note on a notebook's mappings: counted only where the whole machine's notes have grown."""

import itertools
import time
from collections.abc import Iterator
from types import SimpleNamespace

from grading.sandbox import mappings
from grading.sandbox.patience import Patience


def noted(notes_kb: list[int], lines: int) -> tuple[list[int], int]:
    """What is said at each look of one process with so many mappings, and how often they were counted."""
    counted, told = [], iter(notes_kb)
    processes = SimpleNamespace(
        lines_of=lambda path, name: next(told),
        line_counts=lambda path: counted.append(path) or iter([lines]),
        of_each=lambda measured, walled: {7: measured(7)},
    )
    looks = mappings.Mappings(processes, Patience(walled=False))
    return [looks.noted_kb(1) for _ in notes_kb], len(counted)


def test_as_long_as_the_machine_s_notes_hardly_grow_no_mapping_is_counted():
    usual = mappings.USUAL_NOTES_KB
    assert noted([1000, 1000 + usual - 1, 500], lines=10**6) == ([0, 0, 0], 0)


def test_mappings_count_with_what_linux_notes_on_each_and_no_more_than_the_machine_s_notes_have_grown():
    each, usual = mappings.MAPPING_BYTES + mappings.INHERITED_BYTES, mappings.USUAL_NOTES_KB
    assert noted([1000, 1000 + usual], lines=1024) == ([0, each], 1)
    assert noted([1000, 1000 + usual], lines=10**6) == ([0, usual], 1)


def test_growth_is_counted_from_the_least_that_was_seen():
    assert noted([10**6, 1000, 10**6], lines=10**7)[0] == [0, 0, 10**6 - 1000]


def test_a_count_ends_in_time_whichever_thread_reads_and_then_no_other_process_is_read():
    """As where each line holds a path of 20,000 folders, and this process has computed a lot by now."""
    begun, told = [], itertools.chain([1000], itertools.repeat(1000 + mappings.USUAL_NOTES_KB))

    def slow_lines(path: str) -> Iterator[int]:
        begun.append(path)
        while True:
            _compute(mappings.COUNTING_S / 10)
            yield 0

    processes = SimpleNamespace(
        lines_of=lambda path, name: next(told),
        line_counts=slow_lines,
        of_each=lambda measured, walled: {pid: measured(pid) for pid in range(100)},
    )
    reads = Patience(walled=True)
    looks = mappings.Mappings(processes, reads)
    assert looks.noted_kb(100) == 0
    _compute(10 * mappings.COUNTING_S)
    before_s = time.process_time()
    assert looks.noted_kb(100) == mappings.USUAL_NOTES_KB and len(begun) == 1
    assert time.process_time() - before_s < 5 * mappings.COUNTING_S
    reads.end()


def _compute(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
