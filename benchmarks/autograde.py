"""How fast a class is graded: stock nbgrader, the judge, the class command, and the floor, in one run, in turns.

    python benchmarks/autograde.py [--students 1 8 …] [--parts 1 2 …] [--rounds 3] [--workers 1 2] [--results FOLDER]

Every way grades the same submissions, honest and wrong ones. Stock is `nbgrader autograde` with nbgrader's own steps
and an ordinary kernel a notebook; the judge is the same command with this course's configuration; the class command
grades so many students at once, once more with all its processes on one core, because a worker's kernel and nbgrader's
own work overlap; the floor is the same cells run by exec in one process, without walls, judge or gradebook, and once
more in two at once, which shows what a second core gives to whatever computes.
Each run is a command of its own, its start included. Part 13, whose answer computes at full size, is measured apart.

Writes benchmarks/results/autograde.csv, a line a run, and draws docs/autograde.png; prints the medians.
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

import autograde_picture
import csv_table
import measured
import ways

from attention import course
from dev.packages import REPOSITORY
from grading.core import errors, names
from grading.core.command_line import positive

LONG_STUDENTS = 2
COLUMNS = ("way", "workers", "parts", "students", "notebooks", "round", "wall_s", "cpu_s", "parent_s", "peak_mb")
DIGITS = 2  # after the point
PICTURE = REPOSITORY / "docs" / "autograde.png"

Run = dict[str, object]


def main() -> int:
    """Runs the rounds, prints what they show, and draws it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=positive, nargs="+", default=[1, 8, 32, 64], help="sizes of the class")
    ways.choose_parts(parser, list(course.PARTS))
    parser.add_argument("--rounds", type=positive, default=3)
    parser.add_argument("--workers", type=positive, nargs="+", default=[1, 2])
    parser.add_argument("--results", type=Path, help="a folder for the table and the picture, in place of the course's")
    chosen = parser.parse_args()
    table = (chosen.results or csv_table.RESULTS) / "autograde.csv"
    drawn = chosen.results / "autograde.png" if chosen.results else PICTURE
    table.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        try:
            runs = measure(Path(name), chosen)
        except (RuntimeError, errors.CourseError) as error:
            print(f"bench: {error}", file=sys.stderr)
            return 1
    csv_table.write(table, COLUMNS, runs, DIGITS)
    print(summary(runs))
    autograde_picture.draw(runs, drawn)
    print(f"\ntable    {names.path(table)}\npicture  {names.path(drawn)}")
    return 0


def measure(place: Path, chosen: argparse.Namespace) -> list[Run]:
    """All runs; the ways take turns, so that a busy minute strikes each alike."""
    short = [part for part in chosen.parts if part != ways.LONG]
    plan = _plan(sorted(set(chosen.students)), chosen.workers) if short else []
    long = [(way, LONG_STUDENTS) for way in _ways(chosen.workers)] if ways.LONG in chosen.parts else []
    total, runs, marks = chosen.rounds * len(plan) + len(long), [], {}
    for parts, work, rounds in ((short, plan, chosen.rounds), ([ways.LONG], long, 1)):
        for size in sorted({size for _, size in work}):
            ways.build(place / f"{parts[0]}-{size}", size, parts)
        for number in range(1, rounds + 1 if work else 1):
            for way, size in work:
                run, found = _run(place, way, parts, size)
                known = marks.setdefault((parts[0], size), found)
                if not way.stock and known != found:
                    raise RuntimeError(f"{way.name} gives other marks than {JUDGE_NAME}: {_difference(known, found)}")
                runs.append({**run, "round": number})
                told = f"{way.name}, {size} students, {'part 13' if parts == [ways.LONG] else 'the other parts'}"
                print(f"[{len(runs)}/{total}] {told}: {run['wall_s']:.1f} s", flush=True)
    return runs


JUDGE_NAME = ways.JUDGE.name


def _ways(workers: list[int]) -> list[ways.Way]:
    return [ways.JUDGE, *map(ways.class_of, workers), ways.FLOOR_WAY, ways.STOCK_WAY]


def _plan(sizes: list[int], workers: list[int]) -> list[tuple[ways.Way, int]]:
    """What one round runs: all ways at the second size, ours at three, more workers at all.

    The floor, whose start counts as ours does, is measured with as many students: two at once right after a class on
    most workers, because the machine's speed changes meanwhile.
    """
    middle, most = sizes[min(1, len(sizes) - 1)], ways.class_of(max(workers))
    short = [(way, middle) for way in _ways(workers) if not way.stock]
    short += [(way, middle) for way in (ways.ONE_CORE, ways.TWO_FLOORS) if max(workers) > 1]
    short += [(way, sizes[0]) for way in (ways.JUDGE, most) if sizes[0] != middle]
    long = []
    if len(sizes) > 2:
        fewer, floors = [], []
        if max(workers) > 1:  # how a class on one worker grows, and what two processes that share nothing compute
            fewer = [*map(ways.class_of, sorted(set(workers))[:-1]), ways.ONE_CORE]
            floors = [(ways.TWO_FLOORS, sizes[2])]
        long = [(way, sizes[2]) for way in (ways.JUDGE, *fewer)]
        long += [step for size in sizes[2:] for step in ((most, size), *floors)]
        long += [(ways.FLOOR_WAY, sizes[2])]
    return [*short, *long, (ways.STOCK_WAY, middle)]


def _run(place: Path, way: ways.Way, parts: list[int], size: int) -> tuple[Run, ways.Marks]:
    root, log = place / f"{parts[0]}-{size}", place / "log"
    ways.reset(root, way)
    cost = measured.run(way.command(root), root, ways.environment(), log)
    kind = str(ways.LONG) if parts == [ways.LONG] else "others"
    run = {"way": way.name, "workers": way.workers, "parts": kind, "students": size, "notebooks": size * len(parts)}
    return {**run, **vars(cost)}, ways.earned(root, way, log)


def _difference(known: ways.Marks, found: ways.Marks) -> str:
    """The first mark that differs."""
    return next(
        f"{student}, part {part}: {mark} and {found[student][part]}"
        for student, row in known.items()
        for part, mark in row.items()
        if found[student][part] != mark
    )


def summary(runs: list[Run]) -> str:
    """The medians as text: each way next to stock and the floor, then how time and memory grow."""
    torch_mb = measured.memory_mb("import torch")
    lines = []
    for parts in dict.fromkeys(run["parts"] for run in runs):
        here = [run for run in runs if run["parts"] == parts]
        stock, floors = next(run for run in here if run["way"] == "stock"), _by_size(here, ways.FLOOR_WAY.name)
        of_stock = median(here, stock, "wall_s")
        lines += [f"\nPart {parts}, medians" if parts == str(ways.LONG) else "\nThe other parts, medians"]
        lines += [
            "way                 students  notebooks/min  x stock  cores busy  CPU s a notebook  x floor   peak MB"
        ]
        for run in _kinds(here):
            wall, cpu = median(here, run, "wall_s"), median(here, run, "cpu_s")
            of_floor = median(here, _nearest(floors, run["students"]), "cpu_s")
            lines += [
                f"{run['way']:<19} {run['students']:>8} {60 / wall:>14.1f} {of_stock / wall:>8.1f} {cpu / wall:>11.2f}"
                f" {cpu:>17.2f} {cpu / of_floor:>8.2f} {median(here, run, 'peak_mb', 1):>9.0f}"
            ]
    lines += ["", *_growth(runs), *_more_workers(runs), f"A Python that has imported torch takes {torch_mb:.0f} MB."]
    return "\n".join(lines)


def _more_workers(runs: list[Run]) -> list[str]:
    """What a second worker brings, against one that may use all cores and one on a single core, and what it takes."""
    here = [run for run in runs if run["parts"] == "others"]
    one, alone, two = (_by_size(here, way) for way in ("class on 1", ways.ONE_CORE.name, "class on 2"))
    both = sorted(one.keys() & alone.keys() & two.keys())
    if not both:
        return []
    if len(both) > 1:
        told = f"For each further student, from {both[-2]} to {both[-1]}, two workers do"
        wall, wall_alone, wall_two = (_slope(here, of[both[-2]], of[both[-1]], "wall_s") for of in (one, alone, two))
    else:
        told = f"In a class of {both[0]}, the start included, two workers do"
        wall, wall_alone, wall_two = (median(here, of[both[0]], "wall_s", 1) for of in (one, alone, two))
    more_mb = median(here, two[both[0]], "peak_mb", 1) - median(here, one[both[0]], "peak_mb", 1)
    return [
        f"{told} {wall / wall_two:.2f} times what one does that may use both cores, and"
        f" {wall_alone / wall_two:.2f} times what one does on one core.",
        *_two_floors(here),
        f"A second worker, with its kernels, takes {more_mb:.0f} MB.",
    ]


def _two_floors(runs: list[Run]) -> list[str]:
    """What a second core gives to whatever computes, where that was measured."""
    floor, floors = (_by_size(runs, way.name) for way in (ways.FLOOR_WAY, ways.TWO_FLOORS))
    if not floor or not floors:
        return []
    both = max(floor.keys() & floors.keys())
    apart, at_once = (median(runs, of[both], "cpu_s") for of in (floor, floors))
    of_floors = [
        f"{size}: {median(runs, run, 'cpu_s') / median(runs, _nearest(floors, size), 'cpu_s'):.2f}"
        for size, run in _by_size(runs, "class on 2").items()
    ]
    return [
        f"Two floors at once compute {at_once / apart:.2f} times as long for a notebook as one alone,"
        f" so a second core gives {2 * apart / at_once:.2f} times the work of one to computing like this.",
        "Computing for a notebook on two workers, in times of two floors at once with the nearest number of students,"
        f" by size of the class: {', '.join(of_floors)}.",
    ]


def _nearest(runs: dict[int, Run], size: int) -> Run:
    """Of runs by size of the class the largest that is no larger, or the smallest."""
    return runs[max((found for found in runs if found <= size), default=min(runs))]


def _by_size(runs: list[Run], way: str) -> dict[int, Run]:
    """One run of a way for each size of the class."""
    return {run["students"]: run for run in _kinds(runs) if run["way"] == way}


def _growth(runs: list[Run]) -> list[str]:
    """Seconds a student at each size, and what the parent of the class command computes for each further student."""
    here, lines = [run for run in runs if run["parts"] == "others"], []
    for way in dict.fromkeys(run["way"] for run in here):
        sizes = [run for run in _kinds(here) if run["way"] == way]
        if len(sizes) > 1:
            told = [f"{r['students']}: {median(here, r, 'wall_s', r['students']):.2f}" for r in sizes]
            lines += [f"{way}, seconds a student by size of the class: {', '.join(told)}"]
            steps = zip(sizes, sizes[1:], strict=False)
            told = [f"{a['students']} to {b['students']}: {_slope(here, a, b, 'wall_s'):.2f}" for a, b in steps]
            lines += [f"{way}, seconds for each further student: {', '.join(told)}"]
            first, last = sizes[-2], sizes[-1]
            if way.startswith("class"):
                each = _slope(here, first, last, "parent_s")
                lines += [f"{way}, the parent's own computing for each further student: {each:.3f} s"]
    return lines


def _slope(runs: list[Run], small: Run, large: Run, column: str) -> float:
    """What one more student adds to the median of a column."""
    more = median(runs, large, column, 1) - median(runs, small, column, 1)
    return more / (large["students"] - small["students"])


def _kinds(runs: list[Run]) -> list[Run]:
    """One run of each way and size, in order."""
    return list({(run["way"], run["students"]): run for run in sorted(runs, key=lambda run: run["students"])}.values())


def median(runs: list[Run], like: Run, column: str, each: float | None = None) -> float:
    """The median of a column over the rounds of a way and size, for one notebook, or for `each`."""
    same = [run for run in runs if (run["way"], run["students"]) == (like["way"], like["students"])]
    return statistics.median(run[column] for run in same) / (each or like["notebooks"])


if __name__ == "__main__":
    sys.exit(main())
