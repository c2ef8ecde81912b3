"""Whether marks depend on the submission alone: the same class, graded again and again, with and without load.

    python benchmarks/repeat.py [--runs 20] [--load 0 4] [--workers 1 8] [--at-once N] [--only sample|part13]
                                [--students PATTERN …] [--results [FOLDER]]

The class is the sample class and a student for each answer of part 13. It is graded `--runs` times with each load (busy
processes per core, which this command starts and ends) and each number of workers, in turns, each time in a process
and on a gradebook of its own. With `--at-once`, so many runs go on at the same time: each is the load of the others,
and nothing is computed in vain. All marks and items of all runs are compared with each other, and the marks with the
names of the answers too. Prints medians and every difference; exit status 1 if there is any.

The default is what "20 times" asks for and takes many hours; after the first run it says about how many.
"""

import argparse
import statistics
import sys
from pathlib import Path

import csv_table
import earned
import grade_once
import grading_runs

from grading.classroom import progress
from grading.core import names
from grading.core.command_line import positive

COLUMNS = ("run", "load_per_core", "workers", "at_once", "students", "seconds", "load_average", "struck")
DIGITS = 1  # after the point

Kind = tuple[int, int]  # busy processes per core, workers


def main() -> int:
    """Grades again and again, and says what differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=positive, default=20, help="of each kind")
    parser.add_argument("--load", type=int, nargs="+", default=[0, 4], help="busy processes per core")
    parser.add_argument("--workers", type=positive, nargs="+", default=[1, 8])
    parser.add_argument("--at-once", type=positive, default=1, help="runs of a kind at the same time (default: 1)")
    parser.add_argument(
        "--results", type=Path, nargs="?", const=csv_table.RESULTS, help="also write repeat.csv, a line per run"
    )
    grade_once.add_options(parser)
    chosen = parser.parse_args()
    grading_runs.stop_on_signals()
    kinds = [(load, workers) for load in dict.fromkeys(chosen.load) for workers in dict.fromkeys(chosen.workers)]
    left, done, status = chosen.runs, [], 0
    try:
        while left:  # kinds in turns, so that a busy hour strikes each alike
            count = min(left, chosen.at_once)
            left -= count
            for kind in kinds:
                done += [(kind, run) for run in grade(kind, count, grading_runs.options(chosen))]
                print(progress_line(done, kinds * chosen.runs, chosen.at_once), flush=True)
    except RuntimeError as error:
        print(f"repeat: {error}", file=sys.stderr)
        status = 1
    except KeyboardInterrupt:
        print(f"\nrepeat: stopped after {len(done)} of {len(kinds) * chosen.runs} runs.", file=sys.stderr)
        status = 130
    if not done:
        return status
    differing = compare(done)
    print(table(done))
    print(summary(differing, len(done)))
    if chosen.results:
        write(done, chosen.at_once, chosen.results / "repeat.csv")
    return status or (1 if differing else 0)


def grade(kind: Kind, count: int, words: list[str]) -> list[grading_runs.Run]:
    """That many runs of a kind, at the same time.

    Errors  RuntimeError if it fails.
    """
    load, workers = kind
    with grading_runs.busy(load):
        return grading_runs.grade_at_once([*words, "--workers", str(workers), "--quiet"], count)


def compare(done: list[tuple[Kind, grading_runs.Run]]) -> list[earned.Difference]:
    """Every mark and item that differs between runs, or from the answer's name."""
    runs = {f"run {n} ({shown(kind)})": run.earned for n, (kind, run) in enumerate(done, start=1)}
    first = done[0][1].earned
    named = {student: earned.expected(student, list(parts)) for student, parts in first.items()}
    return earned.differences({earned.EXPECTED: named, **runs})


def progress_line(done: list[tuple[Kind, grading_runs.Run]], plan: list[Kind], at_once: int) -> str:
    """A line about the latest run: how long it took, what differs so far, and about how long the others will take."""
    (kind, run), left = done[-1], left_s(done, plan) / at_once
    differing = len({(each.student, each.part) for each in compare(done)})
    line = f"[{len(done)}/{len(plan)}] {shown(kind)}: {progress.duration(run.seconds)}"
    line += f", {differing} parts differ so far" if differing else ", no difference so far"
    return line + (f", about {progress.duration(left)} left" if left else "")


def left_s(done: list[tuple[Kind, grading_runs.Run]], plan: list[Kind]) -> float:
    """Seconds that the other runs take one after the other: as their kind's median, or a guess from the first run."""
    (first, run), cores = done[0], grading_runs.cores()

    def guess(kind: Kind) -> float:
        share, firsts = ((1 + load) / min(workers, cores) for load, workers in (kind, first))
        return run.seconds * share / firsts

    return sum(_of(done, kind, "seconds") or guess(kind) for kind in plan[len(done) :])


def table(done: list[tuple[Kind, grading_runs.Run]]) -> str:
    """The machine, and a line per kind: runs, medians, and how many times as long as the first kind they took."""
    first, run = done[0]
    lines = ["", grading_runs.machine(run.versions), f"{len(run.earned)} students, medians over the runs of a kind", ""]
    lines += [f"{'busy per core':>13} {'workers':>8} {'runs':>5} {'time':>11} {'ratio':>6} {'load average':>13}"]
    for kind in dict.fromkeys(kind for kind, _ in done):
        seconds, load = _of(done, kind, "seconds"), _of(done, kind, "load")
        runs = sum(each == kind for each, _ in done)
        ratio = seconds / _of(done, first, "seconds")
        time = progress.duration(seconds)
        lines += [f"{kind[0]:>13} {kind[1]:>8} {runs:>5} {time:>11} {ratio:>6.2f} {load:>13.1f}"]
    return "\n".join(lines)


def summary(differing: list[earned.Difference], runs: int) -> str:
    """What differs, or that nothing does."""
    if not differing:
        return f"\nEvery mark and item is the same in all {runs} runs, and every mark is what its answer's name says."
    parts = len({(each.student, each.part) for each in differing})
    return "\n".join([f"\n{len(differing)} differences, in {parts} parts:", *(each.text() for each in differing)])


def shown(kind: Kind) -> str:
    """A kind of run, as it is named."""
    load, workers = kind
    return f"{f'{load} busy per core' if load else 'no load'}, {workers} worker{'s' * (workers > 1)}"


def write(done: list[tuple[Kind, grading_runs.Run]], at_once: int, path: Path) -> None:
    """A line per run as CSV."""
    rows = []
    for n, ((load, workers), run) in enumerate(done, start=1):
        struck = "; ".join(f"{name}, {text}" for name, texts in run.struck.items() for text in texts)
        values = (n, load, workers, at_once, len(run.earned), run.seconds, run.load, struck)
        rows.append(dict(zip(COLUMNS, values, strict=True)))
    csv_table.write(path, COLUMNS, rows, DIGITS)
    print(f"\ntable    {names.path(path)}")


def _of(done: list[tuple[Kind, grading_runs.Run]], kind: Kind, name: str) -> float | None:
    """The median of something over a kind's runs; None before the first."""
    found: list[float] = [getattr(run, name) for each, run in done if each == kind]
    return statistics.median(found) if found else None


if __name__ == "__main__":
    sys.exit(main())
