"""How long a large class takes on many workers, simulated from measured costs, and where the parent is the limit.

    python benchmarks/simulate.py [--students 5000] [--workers 100] [--grade-s …] [--parent-s …] [--start-s …]
    python benchmarks/simulate.py --service [--students 10000]

A worker grades one student after the other and has the next submission before it needs it. The parent does one thing at
a time: it sends submissions, and merges what comes back, gradebook included. Where no option gives the costs, they come
from the last runs of the benchmarks: grading and a worker's start from benchmarks/results/autograde.csv (part 13 and
the others, the class command), the parent's time for a student from benchmarks/results/parent.csv.
Grading times are drawn between half and twice their mean, so that workers do not come in step. With --service it is
the service that grades submissions as they arrive before a deadline: benchmarks/simulate_service.py.
"""

import argparse
import csv
import heapq
import random
import statistics
import sys
from collections import deque
from dataclasses import dataclass
from pathlib import Path

import simulate_service
from csv_table import RESULTS

SENDING = 0.2  # of the parent's work for a student: reading and sending the submission; the rest is merging
AHEAD = 1  # submissions that a worker has beside the one it grades


@dataclass(frozen=True)
class Costs:
    """Seconds: to grade a student on one worker, of the parent's own work for a student, of a worker's start."""

    grade_s: float
    parent_s: float
    start_s: float


@dataclass(frozen=True)
class Outcome:
    """How long a class took, the shares of that time in which the parent and a worker were busy."""

    seconds: float
    parent_busy: float
    worker_busy: float


def simulate(students: int, workers: int, costs: Costs, seed: int = 1) -> Outcome:
    """Plays one run through, event by event; the same seed gives the same run."""
    rng = random.Random(seed)
    waiting, room = deque(range(students)), deque()  # room: a worker's number for each submission it can take
    queues = [deque() for _ in range(workers)]
    back: deque[int] = deque()  # graded, not merged yet
    events = [(costs.start_s, 1, worker) for worker in range(workers)]  # time, kind, worker; kind 0: the parent is free
    heapq.heapify(events)
    now, parent_free, parent_s, worker_s, merged = 0.0, True, 0.0, 0.0, 0
    grading = [False] * workers
    doing: int | None = None
    room.extend(worker for _ in range(1 + AHEAD) for worker in range(workers))
    up = [False] * workers
    while merged < students:
        now, kind, worker = heapq.heappop(events)
        if kind == 0:  # the parent has done one thing: sent to `doing`, or merged
            parent_free = True
            if doing is None:
                merged += 1
            else:
                queues[doing].append(1)
                worker = doing
        elif not up[worker]:
            up[worker] = True
        else:
            grading[worker] = False
            back.append(1)
            room.append(worker)
        if worker >= 0 and up[worker] and not grading[worker] and queues[worker]:
            queues[worker].popleft()
            took = costs.grade_s * rng.triangular(0.5, 2.0, 0.5)
            grading[worker], worker_s = True, worker_s + took
            heapq.heappush(events, (now + took, 1, worker))
        if parent_free and ((waiting and room) or back):
            if waiting and room:  # first what keeps workers busy
                waiting.popleft()
                doing, work = room.popleft(), SENDING * costs.parent_s
            else:
                back.popleft()
                doing, work = None, (1 - SENDING) * costs.parent_s
            parent_free, parent_s = False, parent_s + work
            heapq.heappush(events, (now + work, 0, -1))
    return Outcome(now, parent_s / now, worker_s / (workers * now))


def measured(results: Path) -> Costs:
    """The costs that the benchmarks' last runs show.

    Errors  FileNotFoundError if there was none; ValueError if it lacks one worker at two sizes, or part 13.
    """
    table = results / "autograde.csv"
    with open(table, newline="", encoding="utf-8") as file:
        runs = [run for run in csv.DictReader(file) if run["way"].startswith("class")]

    def slope(column: str, parts: str) -> tuple[float, float]:
        """What a further student adds, on one worker, and what is there without any."""
        here = [run for run in runs if run["parts"] == parts]
        most = max((int(run["workers"]) for run in here), default=0)
        by_size: dict[int, list[float]] = {}
        for run in here:
            if int(run["workers"]) == most:
                by_size.setdefault(int(run["students"]), []).append(float(run[column]))
        if len(by_size) < 2:
            raise ValueError(f"{table} holds no class of two sizes")
        (small, first), *_, (large, last) = sorted((n, statistics.median(found)) for n, found in by_size.items())
        each = (last - first) / (large - small)
        return each, first - each * small

    cpu_s, cpu_start_s = slope("cpu_s", "others")
    parent_s, _ = slope("parent_s", "others")  # of which a part is waiting: a scheduler's look at its clocks
    long = [float(run["cpu_s"]) for run in runs if run["parts"] == "13"]
    students = [int(run["students"]) for run in runs if run["parts"] == "13"]
    if not long:
        raise ValueError(f"{table} holds no run of part 13")
    long_s = max(0.0, (statistics.median(long) - cpu_start_s) / students[0])
    with open(results / "parent.csv", newline="", encoding="utf-8") as file:
        (run,) = csv.DictReader(file)
    busy_s = float(run["wall_s"]) / int(run["students"])
    return Costs(round(cpu_s - parent_s + long_s, 2), round(busy_s, 3), round(max(cpu_start_s, 0.0), 1))


def main() -> int:
    """Prints the table of worker counts, and the limit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--service", action="store_true", help="submissions arrive one by one before a deadline")
    parser.add_argument("--students", type=int, help="5000, or 10000 with --service")
    parser.add_argument("--workers", type=int, default=100)
    parser.add_argument("--grade-s", type=float, help="computing for one student, all parts, on one core")
    parser.add_argument("--parent-s", type=float, help="the parent's own work for one student, gradebook included")
    parser.add_argument("--start-s", type=float, help="until a worker has imported what it needs")
    chosen = parser.parse_args()
    chosen.students = chosen.students if chosen.students is not None else 10_000 if chosen.service else 5000
    given = (chosen.grade_s, chosen.parent_s, chosen.start_s)
    if chosen.students < 1 or chosen.workers < 1 or any(value is not None and value <= 0 for value in given):
        parser.error("students, workers and seconds are numbers above 0")
    if chosen.service:
        return _service(chosen.students)
    try:
        costs = Costs(*given) if None not in given else measured(RESULTS)
    except (OSError, ValueError) as error:
        ways = "Run `make bench` and `python benchmarks/parent.py`, or give --grade-s, --parent-s and --start-s."
        print(f"simulate: {error}. {ways}", file=sys.stderr)
        return 1
    costs = Costs(*(new if new is not None else old for new, old in zip(given, vars(costs).values(), strict=True)))
    print(f"A student takes {costs.grade_s:.2f} s on a worker and {costs.parent_s:.3f} s of the parent's own work;")
    print(f"a worker is ready after {costs.start_s:.1f} s. {chosen.students} students:\n")
    print("workers   minutes   students/min   parent busy   workers busy")
    for workers in sorted({1, 10, chosen.workers // 2 or 1, chosen.workers, 2 * chosen.workers, 5 * chosen.workers}):
        found = simulate(chosen.students, workers, costs)
        rate = 60 * chosen.students / found.seconds
        busy = f"{found.parent_busy:>11.0%} {found.worker_busy:>14.0%}"
        print(f"{workers:>7} {found.seconds / 60:>9.1f} {rate:>14.0f}   {busy}")
    print(f"\nThe parent merges at most {60 / costs.parent_s:.0f} students a minute, as many as", end=" ")
    print(f"{costs.grade_s / costs.parent_s:.0f} workers grade; beyond that, workers wait for it.")
    return 0


def _service(students: int) -> int:
    """Prints the table of the service; 1 if nothing was measured."""
    try:
        print(simulate_service.report(students, RESULTS))
    except (OSError, ValueError) as error:
        print(f"simulate: {error}. Run `python benchmarks/load.py`.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
