"""The floor of model answers, and the same in a fork for each notebook: a process of its own for benchmarks/account.py.

    python -c "import floor_in_forks; floor_in_forks.main()" FOLDER

FOLDER holds submitted notebooks and the course's module. The process runs all of them with their hidden tests, as
floor.py does, so that nothing is left for libraries to learn; then it runs each again, and each in a fork of its own,
whose start, pages of memory and end count. No grader that gives each notebook a process computes less than the forks,
because none has run before what it is yet to grade. Prints JSON: milliseconds of computing, a notebook's mean.
"""

import functools
import gc
import json
import os
import resource
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import floor
import torch

from attention import course


def main() -> None:
    """Measures, and prints what was found."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    floor.draw_when_shown()
    os.chdir(sys.argv[1])
    runs = [
        functools.partial(_earned, path, floor.test(part), part.automatic)
        for part in course.PARTS.values()
        if (path := Path(f"{part.stem}.ipynb").resolve()).exists()
    ]
    for run in runs:
        run()
    gc.collect()
    gc.freeze()
    forks = [functools.partial(_in_fork, run) for run in runs]
    print(json.dumps({"floor": _computed_ms(runs), "floor in forks": _computed_ms(forks)}))


def _earned(path: Path, test: str, points: float) -> None:
    """Runs one notebook with its hidden test.

    Errors  RuntimeError if it earns less than all its points: then what was measured is no model answer.
    """
    if (found := floor.run(path, test, points)) != points:
        raise RuntimeError(f"{path.name} earned {found} of {points}")


def _in_fork(run: Callable[[], None]) -> None:
    """Runs something in a fork.

    Errors  RuntimeError if it fails there.
    """
    child = os.fork()
    if child == 0:
        code = 1
        try:
            run()
            code = 0
        finally:
            os._exit(code)
    if os.waitpid(child, 0)[1]:
        raise RuntimeError("a notebook failed in a fork")


def _computed_ms(runs: list[Callable[[], None]]) -> float:
    """What this process computes, and the children that it has waited for, a run's mean in milliseconds."""
    before = _computed_s()
    for run in runs:
        run()
    return 1000 * (_computed_s() - before) / len(runs)


def _computed_s() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
