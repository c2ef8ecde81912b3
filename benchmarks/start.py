"""How long commands take to start: each --help, the visible checks, and a class of one student with one part.

    python benchmarks/start.py [--rounds 5] [--results FOLDER]

Each command runs in a process of its own, all of them taking turns. The class is new each time, so its assignment is
entered into the gradebook first; the lines below it say when its steps were done. Writes benchmarks/results/start.csv,
a line per time, and prints medians and the least.

What a command and all that it starts compute together is counted, too: on two cores it takes half of that at least.
"""

import argparse
import contextlib
import ctypes
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import csv_table

TRACE = "BENCHMARK_TRACE"  # the environment variable that names the file of the steps
HELP, CHECK, CLASS = "--help, the slowest of all", "check, 14 notebooks", "autograde, one student, one part"
STEPS = (
    "imports made",
    "worker up",
    "assignment entered",
    "submission sent",
    "sandbox loaded",
    "first part graded",
)
CALLS = ("_begin", "register", "submit")  # what has returned after the second, third and fourth
COLUMNS = ("what", "seconds", "computing_s")
DIGITS = 3
PR_SET_CHILD_SUBREAPER = 36
Row = tuple[str, float, float | None]  # seconds, and of a whole command what it and all that it starts compute


def main() -> int:
    """Measures, writes the table and prints it."""
    import ways  # not above: the workers that are measured import this file, too

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--results", type=Path, default=csv_table.RESULTS)
    chosen = parser.parse_args()
    taken: list[Row] = []
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)  # what a command leaves to end is waited for, and counted
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        many, one = Path(name) / "many", Path(name) / "one"
        ways.build(many, 1, list(range(1, 15)))
        shutil.copytree(many, one)
        for path in one.glob("submitted/*/*/*.ipynb"):
            if path.stem != "part01":
                path.unlink()
        for number in range(chosen.rounds):
            print(f"[{number + 1}/{chosen.rounds}]", flush=True)
            found = _round(ways.environment(), many, one)
            taken += [(what, *(value and round(value, DIGITS) for value in values)) for what, *values in found]
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in taken]
    csv_table.write(chosen.results / "start.csv", COLUMNS, rows, DIGITS)
    print(f"\n{summary(taken)}")
    return 0


def read(path: Path) -> list[Row]:
    """The rows of a table that was written."""
    return [tuple(row[name] for name in COLUMNS) for row in csv_table.read(path, COLUMNS[1:])]


def summary(taken: list[Row]) -> str:
    """A line each, in the order of the steps: the median, the least, which others have slowed least, and computing."""
    lines = [f"{'seconds':<36} median   least  computing"]
    for what in (HELP, CHECK, CLASS, *STEPS):
        clock, computing = zip(*((row[1], row[2]) for row in taken if row[0] == what), strict=True)
        shown = f"  {what} after" if what in STEPS else what
        line = f"{shown:<36} {statistics.median(clock):>6.2f} {min(clock):>7.2f}"
        lines.append(line if what in STEPS else f"{line} {statistics.median(computing):>10.2f}")
    return "\n".join(lines)


def _round(env: dict[str, str], many: Path, one: Path) -> list[Row]:
    from dev.__main__ import COMMANDS as DEV
    from grading.__main__ import COMMANDS as GRADING

    calls = [
        (package, *name)
        for package, known in (("grading", GRADING), ("dev", DEV))
        for name in ((), *((name,) for name in known))
    ]
    slowest = max(_seconds(["-m", *call, "--help"], env) for call in calls)
    work = next((many / "submitted").glob("*/*"))
    checks = _seconds(["-m", "grading", "check", "--course", str(many), str(work)], env)
    for name in ("autograded", "feedback"):
        shutil.rmtree(one / name, ignore_errors=True)
    (one / "gradebook.db").unlink(missing_ok=True)
    trace = one / "trace"
    trace.unlink(missing_ok=True)
    started = time.time()
    command = ["-c", "import start; start.traced()", "autograde", "--course", str(one)]
    whole = _seconds(command, {**env, TRACE: str(trace)})
    steps: dict[str, float] = {}
    for line in trace.read_text(encoding="utf-8").splitlines():
        step, _, when = line.rpartition(" ")
        steps.setdefault(step, float(when) - started)
    return [(HELP, *slowest), (CHECK, *checks), (CLASS, *whole), *((step, steps[step], None) for step in STEPS)]


def _seconds(arguments: list[str], env: dict[str, str]) -> tuple[float, float]:
    """How long a command takes, and what it and all that it starts compute.

    Errors  RuntimeError with its last line if it fails.
    """
    started, before = time.perf_counter(), _computing()
    run = subprocess.run([sys.executable, *arguments], env=env, capture_output=True, text=True, check=False)
    taken = time.perf_counter() - started
    if run.returncode:
        said = (run.stderr or run.stdout).strip().splitlines()
        raise RuntimeError(f"{' '.join(arguments)} ended with {run.returncode}: {said[-1] if said else 'no word'}")
    with contextlib.suppress(ChildProcessError):  # once nothing is left
        while True:
            os.wait()
    return taken, _computing() - before


def _computing() -> float:
    """The computing time of all that has ended below this process, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def traced() -> None:
    """`python -m grading` that notes when each step was done.

    Imports nothing of its own before the command has made its imports: that would delay the command's sandbox.
    """
    from grading import __main__ as command

    importing = command.command_line.importing

    @contextlib.contextmanager
    def noting() -> Iterator[None]:
        with importing():
            yield
        _note(STEPS[0])
        _note_steps()

    command.command_line.importing = noting
    sys.exit(command.command_line.alone(command.main))


def _note_steps() -> None:
    """Wraps the function behind each step, so that it notes when the step is done."""
    from grading.classroom import cluster, worker
    from grading.gradebook import generate_assignment

    owners = (cluster.Workers, generate_assignment, cluster.Workers)
    for step, owner, name in zip(STEPS[1:4], owners, CALLS, strict=True):
        _noted(owner, name, step)
    worker.grade = grade


def grade(*given: object) -> object:
    """Grades a submission on a worker, and notes when its sandbox was there and its first part was graded."""
    from grading.classroom import worker
    from grading.judge import execution
    from grading.sandbox import host

    _noted(host.Sandbox, "ready", STEPS[4])
    _noted(execution.Judge, "preprocess", STEPS[5])
    return worker.grade(*given)


def _noted(owner: object, name: str, step: str) -> None:
    """Has a function note when it has returned."""
    function: Callable = getattr(owner, name)

    def noting(*given: object, **named: object) -> object:
        found = function(*given, **named)
        _note(step)
        return found

    setattr(owner, name, noting)


def _note(step: str) -> None:
    with open(os.environ[TRACE], "a", encoding="utf-8") as file:
        file.write(f"{step} {time.time()}\n")


if __name__ == "__main__":
    sys.exit(main())
