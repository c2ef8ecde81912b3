"""The service on many workers, simulated turn by turn: `python benchmarks/simulate.py --service`.

It is played as grading/classroom/service/service.py goes: in a turn the parent notes what has arrived, sends as long
as a worker has room, and settles one result, or waits a moment for one. A worker whose result is not settled yet has
no room. The costs are those of the last run of benchmarks/load.py: what the workers compute for a submission, how long
the parent is busy with one, and what a turn takes longer for each submission in line and each that is known.
"""

import heapq
import random
import statistics
from collections import deque
from dataclasses import dataclass
from pathlib import Path

import load_table

NOTICED_S = 0.45  # until a submission that is whole is noted: it must have lain still between two looks
TICK_S = 0.1  # that the parent waits for a result, before it looks at the line again
SENDING = 0.5  # of the parent's work for a submission: noted, taken, sent; the rest is settled
HOUR_S, LAST_S = 3600.0, 600.0  # when all arrive, and when half of them do: the last ten minutes
WORKERS = (1, 10, 20, 30, 40, 50, 60, 80, 100, 200)
BOUNDS_S = {10: "10 s", 60: "a minute", 600: "ten minutes"}


@dataclass(frozen=True)
class Costs:
    """Seconds: on a worker and of the parent for a submission; in each turn for each in line, and for each known."""

    grade_s: float
    parent_s: float
    waiting_s: float = 0.0
    known_s: float = 0.0


@dataclass(frozen=True)
class Outcome:
    """Seconds to feedback, in the order of arrival; the longest line; how busy the parent and a worker were."""

    seconds: list[float]
    longest: int
    parent_busy: float
    worker_busy: float

    def halves(self) -> tuple[list[float], list[float]]:
        """The same for those that arrived first, and for those that arrived last."""
        half = len(self.seconds) - len(self.seconds) // 2
        return self.seconds[:half], self.seconds[half:]


def before_a_deadline(students: int, seed: int = 1) -> list[float]:
    """Arrivals at random within the last hour, half of them in the last ten minutes."""
    rng = random.Random(seed)
    half = students // 2
    early = [rng.uniform(0, HOUR_S - LAST_S) for _ in range(students - half)]
    return sorted(early + [rng.uniform(HOUR_S - LAST_S, HOUR_S) for _ in range(half)])


def simulate(arrivals: list[float], workers: int, costs: Costs, seed: int = 1) -> Outcome:
    """Plays one run through; the same seed gives the same run."""
    rng = random.Random(seed)
    line: deque[int] = deque()
    busy: list[tuple[float, int]] = []  # when a worker is done, and with what
    now, noted, parent_s, worker_s, longest = 0.0, 0, 0.0, 0.0, 0
    seconds: dict[int, float] = {}
    while len(seconds) < len(arrivals):
        work = costs.waiting_s * len(line) + costs.known_s * noted
        while noted < len(arrivals) and arrivals[noted] + NOTICED_S <= now:
            line.append(noted)
            noted += 1
        longest = max(longest, len(line))
        while line and len(busy) < workers:
            work += SENDING * costs.parent_s
            took = costs.grade_s * rng.triangular(0.5, 2.0, 0.5)
            worker_s += took
            heapq.heappush(busy, (now + work + took, line.popleft()))
        if busy and busy[0][0] <= now + work + TICK_S:
            done, which = heapq.heappop(busy)
            parent_s += work + (1 - SENDING) * costs.parent_s
            now = max(now + work, done) + (1 - SENDING) * costs.parent_s
            seconds[which] = now - arrivals[which]
        else:
            parent_s += work
            now += work + TICK_S
            if not busy and not line:
                now = max(now, arrivals[noted] + NOTICED_S)
    return Outcome([seconds[n] for n in range(len(arrivals))], longest, parent_s / now, worker_s / (workers * now))


def measured(results: Path) -> tuple[Costs, list[load_table.Row]]:
    """The costs that the last run of load.py shows, and its table.

    Errors  OSError if there was none; ValueError if it held no storm.
    """
    table = load_table.read(results / "load.csv")
    total, parent = (load_table.of(table, what) for what in (load_table.TOTAL, load_table.PARENT))
    if not total or not parent:
        raise ValueError(f"{results / 'load.csv'} holds no storm")
    grade_s = (total[0]["all_cpu_s"] - total[0]["parent_cpu_s"]) / total[0]["number"]
    more = (parent[0][name] / 1e6 for name in ("waiting_us", "known_us"))
    return Costs(round(grade_s, 2), round(parent[0]["parent_busy_s"], 3), *more), table


def report(students: int, results: Path) -> str:
    """The table of worker counts, and how the measured storm comes out in the simulation.

    Errors  OSError and ValueError as in `measured`.
    """
    costs, table = measured(results)
    lines = [
        f"A submission takes {costs.grade_s:.2f} s on a worker and {costs.parent_s:.3f} s of the parent; a turn takes",
        f"{1e6 * costs.waiting_s:.1f} us for each in line and {1e6 * costs.known_s:.2f} us for each that is known.",
        _storm(costs, table),
        "",
        f"{students} students in the last hour, half of them in its last ten minutes. Seconds to feedback:",
        "",
        "          first half     second half",
        "workers       median   median   worst   longest line   parent busy   workers busy",
    ]
    enough: dict[int, int] = {}
    for workers in WORKERS:
        found = simulate(before_a_deadline(students), workers, costs)
        first, last = found.halves()
        median_s = statistics.median(last)
        times = f"{statistics.median(first):>12.0f} {median_s:>8.0f} {max(last):>7.0f}"
        lines.append(f"{workers:>7} {times} {found.longest:>14} {found.parent_busy:>13.0%} {found.worker_busy:>14.0%}")
        for bound_s in BOUNDS_S:
            if median_s < bound_s:
                enough.setdefault(bound_s, workers)
    lines += ["", "Workers that keep the second half's median"]
    for bound_s, name in BOUNDS_S.items():
        lines.append(f"{'  below ' + name:<22} {enough.get(bound_s, 'none of these numbers')}")
    return "\n".join([*lines, *_limit(costs)])


def _storm(costs: Costs, table: list[load_table.Row]) -> str:
    """The storm that was measured, and the same one simulated."""
    storm = load_table.of(table, load_table.STORM)
    workers = int(storm[0]["machine"].rsplit(", ", 1)[1].split()[0])
    found = simulate([row["at_s"] for row in storm], workers, costs)
    real = load_table.column(storm, "feedback_s")
    told = [
        f"median {statistics.median(seconds):.0f} s, worst {max(seconds):.0f} s" for seconds in (found.seconds, real)
    ]
    return f"The storm of {len(storm)} on {workers} workers, simulated: {told[0]}; measured: {told[1]}."


def _limit(costs: Costs) -> list[str]:
    most = 60 / costs.parent_s
    return [
        f"The parent does at most {most:.0f} submissions a minute, as many as {costs.grade_s / costs.parent_s:.0f}"
        " workers grade, and fewer in a long line.",
    ]
