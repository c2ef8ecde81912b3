"""How long commands take to start: each --help, the visible checks, and a class of one student with one part.

    python benchmarks/start.py [--rounds 5] [--results FOLDER]

Each command runs in a process of its own, all of them taking turns. The class is new each time, so its assignment is
entered into the gradebook first; the lines below it say when its steps were done. Writes benchmarks/results/start.csv,
a line per time, and prints medians and the least.
"""

import argparse
import csv
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

TRACE = "BENCHMARK_TRACE"  # the environment variable that names the file of the steps
HELP, CHECK, CLASS = "--help, the slowest of all", "check, 14 notebooks", "autograde, one student, one part"
STEPS = (
    "imports made",
    "worker up, its sandbox begun",
    "assignment entered",
    "submission sent",
    "sandbox loaded",
    "first part graded",
)
CALLS = ("start", "register", "submit")  # what has returned after the second, third and fourth
COLUMNS = ("what", "seconds")
DIGITS = 3


def main() -> int:
    """Measures, writes the table and prints it."""
    import ways  # not above: the workers that are measured import this file, too

    from dev.packages import REPOSITORY

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--results", type=Path, default=REPOSITORY / "benchmarks" / "results")
    chosen = parser.parse_args()
    taken: list[tuple[str, float]] = []
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        many, one = Path(name) / "many", Path(name) / "one"
        ways.build(many, 1, list(range(1, 15)))
        ways.build(one, 1, [1])
        for number in range(chosen.rounds):
            print(f"[{number + 1}/{chosen.rounds}]", flush=True)
            found = _round(ways.environment(), many, one)
            taken += [(what, round(seconds, DIGITS)) for what, seconds in found]  # as the file has them
    with open(chosen.results / "start.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        table.writerows((what, f"{seconds:.{DIGITS}f}") for what, seconds in taken)
    print(f"\n{summary(taken)}")
    return 0


def summary(taken: list[tuple[str, float]]) -> str:
    """A line each, in the order of the steps: the median, and the least, which other programs have slowed least."""
    found: dict[str, list[float]] = {}
    for what, seconds in taken:
        found.setdefault(what, []).append(seconds)
    lines = [f"{'seconds':<36} median   least"]
    for what in (HELP, CHECK, CLASS, *STEPS):
        shown = f"  {what} after" if what in STEPS else what
        lines.append(f"{shown:<36} {statistics.median(found[what]):>6.2f} {min(found[what]):>7.2f}")
    return "\n".join(lines)


def _round(env: dict[str, str], many: Path, one: Path) -> list[tuple[str, float]]:
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
    return [(HELP, slowest), (CHECK, checks), (CLASS, whole), *((step, steps[step]) for step in STEPS)]


def _seconds(arguments: list[str], env: dict[str, str]) -> float:
    """How long a command takes.

    Errors  RuntimeError with its last line if it fails.
    """
    started = time.perf_counter()
    run = subprocess.run([sys.executable, *arguments], env=env, capture_output=True, text=True, check=False)
    if run.returncode:
        said = (run.stderr or run.stdout).strip().splitlines()
        raise RuntimeError(f"{' '.join(arguments)} ended with {run.returncode}: {said[-1] if said else 'no word'}")
    return time.perf_counter() - started


def traced() -> None:
    """`python -m grading` that notes when each step was done."""
    from grading import __main__ as command
    from grading.judge import sandbox_check

    stand = sandbox_check.stand

    def imported(root: Path) -> None:  # the first that the command calls
        _note(STEPS[0])
        from grading.classroom import cluster, worker
        from grading.gradebook import course_folder

        for step, owner, name in zip(STEPS[1:4], (cluster.Workers, course_folder, cluster.Workers), CALLS, strict=True):
            _noted(owner, name, step)
        worker.grade = grade
        stand(root)

    sandbox_check.stand = imported
    sys.exit(command.command_line.alone(command.main))


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
