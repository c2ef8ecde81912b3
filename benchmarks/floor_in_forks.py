"""The least that a grader computes which gives each notebook a process behind walls, and saves marks by nbgrader.

    python benchmarks/floor_in_forks.py [--rounds 3] [--students 6] [--parts 1 2 …]

The students are those of autograde.py, honest and wrong ones in turns. One process runs all their notebooks with the
hidden tests, as floor.py does, so that nothing is left for libraries to learn. Then it runs each in a fork of its own,
whose start, pages of memory and end count, and each again without; its memory is in large pages, as a sandbox's is. The
forks have no messages, rules or limits, but know what their libraries learn from the very notebook that they run. Then
each gets namespaces of its own, furnished as a sandbox's kernel has them. In between a second such process runs the
same forks at the same time. The two share nothing but the machine. At last nbgrader converts all submissions where
nothing is run: it puts the released cells in and saves marks, no more. Prints medians: milliseconds of computing a
notebook, and the gain.
"""

import argparse
import ctypes
import functools
import gc
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import ways

# isort: split
import cells_alone
import floor
import torch

from attention import course
from attention.course import COURSE
from grading.gradebook import course_folder, engines
from grading.sandbox import huge_pages, namespaces, zygote

ONE, FORKS = "cells and hidden test, in one process", "the same in a fork for each notebook"
TWO = "the same while a second process does so, too"
WALLED = "the same, each fork in namespaces of its own"
NBGRADER = "nbgrader, where nothing is run"
# Around the processes that measure: the rights to make namespaces, and devices and a /proc that may be changed.
RIGHTS = (
    "bwrap --bind / / --dev /dev --proc /proc --tmpfs /dev/shm --unshare-user --uid 0 --gid 0 --unshare-pid".split()
)
RIGHTS += ["--die-with-parent", "--cap-add", "ALL", "--"]
PLACES = {"/dev/shm": "size=1m", "/mnt": "size=1m"}  # not /tmp, where the notebooks lie
LEAST = """c = get_config()
c.CourseDirectory.course_id = "attention"
c.Autograde.sanitize_preprocessors = ["grading.gradebook.preprocessors.OverwriteCells"]
c.Autograde.autograde_preprocessors = ["grading.gradebook.preprocessors.SaveAutoGrades"]
"""
MEASURE = "import floor_in_forks; floor_in_forks.measure()"  # `__main__` is for the cells


class Measuring:
    """A process that measures, once it has run all notebooks, as often as it is asked to."""

    def __init__(self, folder: Path) -> None:
        quiet = {**ways.environment(), "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        argv = [*RIGHTS, sys.executable, "-c", MEASURE]
        self._process = subprocess.Popen(argv, cwd=folder, env=quiet, text=True, **pipes)
        self.told()  # that it is ready

    def ask(self, what: str) -> None:
        """Has it measure ONE, FORKS or WALLED."""
        print(what, file=self._process.stdin, flush=True)

    def told(self) -> tuple[float, float]:
        """Milliseconds of computing a notebook, and all seconds by the clock.

        Errors  SystemExit with its last line if the process has failed.
        """
        if line := self._process.stdout.readline():
            return tuple(json.loads(line))
        sys.exit(f"floor_in_forks: {(self._process.stderr.read().strip().splitlines() or ['no word'])[-1]}")

    def end(self) -> None:
        """Ends it."""
        self._process.communicate()


def main() -> int:
    """Measures so many times, each in processes of their own, and prints the medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--students", type=int, default=len(ways.KINDS))
    ways.choose_parts(parser, ways.SHORT)
    chosen = parser.parse_args()
    rounds = []
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        root = Path(name)
        ways.build(root, chosen.students, chosen.parts)
        for number in range(1, chosen.rounds + 1):
            print(f"[{number}/{chosen.rounds}]", flush=True)
            rounds.append((*_measured(root / "submitted"), _by_nbgrader(root)))
    one, forks, two, walled, gain, nbgrader = map(statistics.median, zip(*rounds, strict=True))
    print("\nmilliseconds of computing per notebook")
    for label, ms in ((ONE, one), (FORKS, forks), (TWO, two), (WALLED, walled), (NBGRADER, nbgrader)):
        print(f"{label:<46} {ms:>5.0f}")
    print(f"A process for each notebook makes {forks / one:.2f} times the floor.")
    print(f"By the clock two processes that fork do {gain:.2f} times the work of one.")
    print(f"A grader with walls and nbgrader computes {(walled + nbgrader) / one:.2f} times the floor at the least.")
    return 0


def _measured(folder: Path) -> tuple[float, float, float, float, float]:
    """Milliseconds for ONE, FORKS, TWO and WALLED, and how many times the work of one two do in the same time."""
    first, second = Measuring(folder), Measuring(folder)
    both = [first, second]
    # Alone before and after, because the machine's speed changes.
    before, before_s = _told([first], FORKS)
    two, two_s = _told(both, FORKS)
    walled, _ = _told(both, WALLED)
    after, after_s = _told([second], FORKS)
    (one,), _ = _told([first], ONE)  # last, because a fork copies what runs before it have left
    for process in both:
        process.end()
    forks, two, walled = map(statistics.fmean, (before + after, two, walled))
    return one, forks, two, walled, sum(before_s + after_s) / max(two_s)


def _told(processes: list[Measuring], what: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """What processes measure at the same time: each one's milliseconds of computing a notebook, and its seconds."""
    for process in processes:
        process.ask(what)
    ms, seconds = zip(*[process.told() for process in processes], strict=True)
    return ms, seconds


def _by_nbgrader(root: Path) -> float:
    """Milliseconds a notebook that nbgrader computes where nothing is run; the second time, so that all is imported.

    Errors  SystemExit with one line if it fails.
    """
    ways.reset(root, ways.STOCK_WAY)
    (root / course_folder.CONFIGURATION).write_text(LEAST, encoding="utf-8")
    engines.keep_engines()
    api, notebooks = course_folder.api(root), list(root.glob(f"submitted/*/{COURSE.name}/*.ipynb"))
    for _ in range(2):
        before = time.process_time()
        for student in sorted({path.parent.parent.name for path in notebooks}):
            ways.autograde(api, student)
        took = time.process_time() - before
    return 1000 * took / len(notebooks)


def measure() -> None:
    """Runs what students submitted in the working folder, and then measures what each line of the input asks for."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    floor.draw_when_shown()
    tests = {part.stem: (floor.test(part), part.automatic) for part in course.PARTS.values()}
    notebooks = sorted(Path().resolve().glob(f"*/{COURSE.name}/*.ipynb"))
    runs = [functools.partial(_earned, path, *tests[path.stem]) for path in notebooks]
    for run in runs:
        run()
    gc.collect()
    gc.freeze()
    huge_pages.collapse()
    # As in a sandbox: from Python 3.13 on, what a process in between forks becomes a child of this one.
    ctypes.CDLL(None).prctl(zygote.PR_SET_CHILD_SUBREAPER, 1)
    walled = {"before": functools.partial(namespaces.furnish, PLACES, []), "fork": namespaces.fork}
    ways_to_run = {ONE: runs}
    for what, options in ((FORKS, {}), (WALLED, walled)):
        ways_to_run[what] = [functools.partial(cells_alone.in_fork, run, **options) for run in runs]
    print(json.dumps((0, 0)), flush=True)
    for line in sys.stdin:
        print(json.dumps(_computed(ways_to_run[line.strip()])), flush=True)


def _earned(path: Path, test: str, points: float) -> None:
    """Runs one notebook with its hidden test, in its folder.

    Errors  RuntimeError if a model answer earns less than all its points: then what was measured is no grading.
    """
    os.chdir(path.parent)
    found = floor.run(path, test, points)
    if found != points and path.parent.parent.name.endswith(ways.MODEL):
        raise RuntimeError(f"{path.name} earned {found} of {points}")


def _computed(runs: list[Callable[[], object]]) -> tuple[float, float]:
    """What this process and its ended children compute, a mean in ms of the runs, and their seconds by the clock."""
    before, began = _computed_s(), time.perf_counter()
    for run in runs:
        run()
    return 1000 * (_computed_s() - before) / len(runs), time.perf_counter() - began


def _computed_s() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


if __name__ == "__main__":
    sys.exit(main())
