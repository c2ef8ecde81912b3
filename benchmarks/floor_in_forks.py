"""What it costs to give each notebook a process: the floor of the model answers, and the same with a fork for each.

    python benchmarks/floor_in_forks.py [--rounds 5] [--parts 1 2 …]

One process runs all notebooks with their hidden tests, as floor.py does, so that nothing is left for libraries to
learn. Then it runs each again, and each in a fork of its own, whose start, pages of memory and end count. No grader
that gives each notebook a process computes less than the forks, because none has run before what it is yet to grade.
Prints medians, in milliseconds of computing a notebook.
"""

import argparse
import functools
import gc
import json
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

ONE, FORKS = "cells and hidden test, in one process", "the same in a fork for each notebook"
MEASURE = "import floor_in_forks; floor_in_forks.measure()"  # `__main__` is for the cells


def main() -> int:
    """Measures so many times, each in a process of its own, and prints the medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    short = [part for part in course.PARTS if part != 13]
    parser.add_argument("--parts", type=int, nargs="+", default=short, choices=list(course.PARTS))
    chosen = parser.parse_args()
    quiet, rounds = {**ways.environment(), "PYDEVD_DISABLE_FILE_VALIDATION": "1"}, []
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        ways.build(Path(name), 1, chosen.parts)
        (folder,) = Path(name).glob(f"submitted/*/{COURSE.name}")
        for number in range(1, chosen.rounds + 1):
            print(f"[{number}/{chosen.rounds}]", flush=True)
            run = subprocess.run([sys.executable, "-c", MEASURE], cwd=folder, env=quiet, capture_output=True, text=True)
            if run.returncode:
                print(f"floor_in_forks: {(run.stderr.strip().splitlines() or ['no word'])[-1]}", file=sys.stderr)
                return 1
            rounds.append(json.loads(run.stdout))
    one, forks = (statistics.median(found[name] for found in rounds) for name in (ONE, FORKS))
    print(f"\nmilliseconds of computing per notebook\n{ONE:<42} {one:>5.0f}\n{FORKS:<42} {forks:>5.0f}")
    print(f"A process for each notebook makes {forks / one:.2f} times the floor.")
    return 0


def measure() -> None:
    """Measures what lies in the working folder, and prints it as JSON."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    floor.draw_when_shown()
    runs = [
        functools.partial(_earned, path, floor.test(part), part.automatic)
        for part in course.PARTS.values()
        if (path := Path(f"{part.stem}.ipynb").resolve()).exists()
    ]
    for run in runs:
        run()
    gc.collect()
    gc.freeze()
    forks = [functools.partial(cells_alone.in_fork, run) for run in runs]
    print(json.dumps({ONE: _computed_ms(runs), FORKS: _computed_ms(forks)}))


def _earned(path: Path, test: str, points: float) -> None:
    """Runs one notebook with its hidden test.

    Errors  RuntimeError if it earns less than all its points: then what was measured is no model answer.
    """
    if (found := floor.run(path, test, points)) != points:
        raise RuntimeError(f"{path.name} earned {found} of {points}")


def _computed_ms(runs: list[Callable[[], object]]) -> float:
    """What this process computes, and the children that it has waited for, a run's mean in milliseconds."""
    before = _computed_s()
    for run in runs:
        run()
    return 1000 * (_computed_s() - before) / len(runs)


def _computed_s() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


if __name__ == "__main__":
    sys.exit(main())
