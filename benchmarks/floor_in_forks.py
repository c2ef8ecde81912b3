"""The least that a grader computes which gives each notebook a process behind walls, and saves marks by nbgrader.

    python benchmarks/floor_in_forks.py [--rounds 3] [--students 6] [--parts 1 2 …]

The students are those of autograde.py, honest and wrong ones in turns. A process has run all their notebooks with the
hidden tests, as floor.py does, so that nothing is left for libraries to learn. It runs them again, a student at a time.
Another such process runs each in a fork of its own, whose start, pages of memory and end count; its memory is in large
pages, as a sandbox's is. The forks have no messages, rules or limits, but know what their libraries learn from the very
notebook that they run. Then each gets namespaces of its own, furnished as a sandbox's kernel has them. Then it runs the
cells alone: the hidden tests run in a further process, which asks the fork for answers by a pipe, and no student's code
runs where marks are decided. Of each of these there are two at the same time, as in a class on two workers; they share
nothing but the machine. In between nbgrader converts the same student's submission where nothing is run: it puts the
released cells in and saves marks, no more. All take turns with each student, because the machine's speed changes.
Prints medians of the rounds: milliseconds of computing a notebook, and how many times the floor that is.
"""

import argparse
import functools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import ways

# isort: split
import walled_forks

from grading.gradebook import course_folder, engines

# What each line says, by what is measured for it.
LINES = {
    walled_forks.ONE: "cells and hidden test, in one process",
    walled_forks.FORKS: "the same in a fork for each notebook",
    walled_forks.WALLED: "the same, each fork in namespaces of its own",
    walled_forks.APART: "the same, hidden tests in another process",
    "nbgrader": "nbgrader, where nothing is run",
}
ONE, FORKS, WALLED, APART, NBGRADER = LINES
IN_TURN, TOGETHER = "clock, in turn", "clock, together"
# Around the processes that measure: the rights to make namespaces, and devices and a /proc that may be changed.
RIGHTS = (
    "bwrap --bind / / --dev /dev --proc /proc --tmpfs /dev/shm --unshare-user --uid 0 --gid 0 --unshare-pid".split()
)
RIGHTS += ["--die-with-parent", "--cap-add", "ALL", "--"]
LEAST = """c = get_config()
c.CourseDirectory.course_id = "attention"
c.Autograde.sanitize_preprocessors = ["grading.gradebook.preprocessors.OverwriteCells"]
c.Autograde.autograde_preprocessors = ["grading.gradebook.preprocessors.SaveAutoGrades"]
"""
MEASURE = "import walled_forks; walled_forks.measure()"  # `__main__` is for the cells
Found = dict[str, float]  # seconds


class Measuring:
    """A process that measures, once it has run all notebooks, as often as it is asked to."""

    def __init__(self, folder: Path) -> None:
        quiet = {**ways.environment(), "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        argv = [*RIGHTS, sys.executable, "-c", MEASURE]
        self._process = subprocess.Popen(argv, cwd=folder, env=quiet, text=True, **pipes)

    def ask(self, way: str, student: str) -> None:
        """Has it run a student's notebooks in one of the ways of `walled_forks`."""
        print(json.dumps((way, student)), file=self._process.stdin, flush=True)

    def told(self) -> tuple[float, float]:
        """Seconds of computing, and by the clock; the first time, when it is ready, none.

        Errors  SystemExit with its last line if the process has failed.
        """
        if line := self._process.stdout.readline():
            return tuple(json.loads(line))
        sys.exit(f"floor_in_forks: {(self._process.stderr.read().strip().splitlines() or ['no word'])[-1]}")

    def end(self) -> None:
        """Ends it."""
        self._process.communicate()


def main() -> int:
    """Measures so many times, and prints the medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--students", type=int, default=len(ways.KINDS))
    ways.choose_parts(parser, ways.SHORT)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        root = Path(name)
        ways.build(root, chosen.students, chosen.parts)
        rounds = _measured(root, chosen.rounds)
    print(f"\nmilliseconds of computing per notebook, {len(rounds)} rounds       times the floor")
    for way, label in LINES.items():
        ms = 1000 * statistics.median(found[way] for found in rounds) / chosen.students / len(chosen.parts)
        print(f"{label:<46} {ms:>5.0f}   {_times(rounds, way)}")
    gain = statistics.median(found[IN_TURN] / found[TOGETHER] for found in rounds)
    print(f"By the clock two processes that fork do {gain:.2f} times the work of one.")
    print(f"A grader with walls and nbgrader computes {_times(rounds, WALLED, NBGRADER)} times the floor at the least,")
    print(f"and one that runs no student's code where marks are decided, {_times(rounds, APART, NBGRADER)} times.")
    return 0


def _times(rounds: list[Found], *ways: str) -> str:
    """How many times the floor's computing some lines are together: the median, and the rounds' least and most."""
    found = sorted(sum(map(of.get, ways)) / of[ONE] for of in rounds)
    return f"{statistics.median(found):.2f} ({found[0]:.2f} to {found[-1]:.2f})"


def _measured(root: Path, rounds: int) -> list[Found]:
    """In each round, the seconds of computing of each line, and of the clock for IN_TURN and TOGETHER."""
    plain, forking = ([Measuring(root / "submitted") for _ in range(2)] for _ in range(2))
    for process in plain + forking:
        process.told()
    ways.reset(root, ways.STOCK_WAY)
    (root / course_folder.CONFIGURATION).write_text(LEAST, encoding="utf-8")
    engines.keep_engines()
    api, students = course_folder.api(root), sorted(path.name for path in root.glob("submitted/*"))
    ways.autograde(api, students[0])  # so that all is imported
    found = []
    for number in range(1, rounds + 1):
        print(f"[{number}/{rounds}]", flush=True)
        turns = [
            _turn(plain, forking, student, functools.partial(ways.autograde, api, student)) for student in students
        ]
        found.append({of: sum(turn[of] for turn in turns) for of in turns[0]})
    for process in plain + forking:
        process.end()
    return found


def _turn(plain: list[Measuring], forking: list[Measuring], student: str, nbgrader: Callable[[], object]) -> Found:
    """A round of one student."""
    found = {IN_TURN: sum(_told([process], FORKS, student)[1] for process in forking)}
    for way in (ONE, FORKS, WALLED, APART):
        found[way], seconds = _told(plain if way == ONE else forking, way, student)
        found |= {TOGETHER: seconds} if way == FORKS else {}
    before = time.process_time()
    nbgrader()
    return {**found, NBGRADER: time.process_time() - before}


def _told(processes: list[Measuring], way: str, student: str) -> tuple[float, float]:
    """What processes measure at the same time: the mean of their seconds of computing, and the most by the clock."""
    for process in processes:
        process.ask(way, student)
    computed, seconds = zip(*[process.told() for process in processes], strict=True)
    return statistics.fmean(computed), max(seconds)


if __name__ == "__main__":
    sys.exit(main())
