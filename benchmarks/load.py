"""The service under load: from a submission to its feedback on an idle machine, and 300 submissions within a minute.

    python benchmarks/load.py [--times 13] [--submissions 300] [--seconds 60] [--parts 1 2 …] [--workers 2]
                              [--accepted-s 2] [--results FOLDER] [--single | --storm | --print]

First, on the idle service, one student after the other submits one part, each part in turn, and then one after the
other all parts but 13. Then comes the storm: so many students submit these parts, spread evenly over the seconds. A
time begins when a submission lies whole in the exchange and ends when its student can fetch a page with marks. Last,
the parent's own work is measured, with workers that need no time (benchmarks/service_parent.py).

Checks that all are accepted at once, begun in the order of arrival, each graded once with the right marks, that each
who waits was given a place in line, and that memory is bounded; exit status 1 if not. Writes
benchmarks/results/load.csv and draws docs/load.png; --print does so from the last run's table, and measures nothing.
"""

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import csv_table
import grading_runs
import load_picture
import load_table
import measured
import psutil
import storm_checks
import watched_course
import ways
from load_table import Row
from watched_course import Service, Submitted

from dev.packages import REPOSITORY
from grading.core import errors, names
from grading.core.command_line import positive

ANSWERED = ("model-answers", "usual-mistakes", "unusual-style")  # who answers every part
FEEDBACK_LIMIT_S = 300.0  # for one submission on an idle service, and for the next one in a storm
FETCH_EVERY_S = 1.0  # their pages, in a storm
SAID_EVERY = 4  # looks, until the next line that says how far it is
QUIET_S = 1.0  # between two students on the idle service
PICTURE = REPOSITORY / "docs" / "load.png"


def main() -> int:
    """Measures, checks, prints, writes the table and draws the picture."""
    chosen = _chosen()
    grading_runs.stop_on_signals()  # the service is ended on the way out
    table = (chosen.results or csv_table.RESULTS) / "load.csv"
    drawn = chosen.results / "load.png" if chosen.results else PICTURE
    failed: list[str] = []
    try:
        if not chosen.print:
            table.parent.mkdir(parents=True, exist_ok=True)
            rows, failed = measure(chosen)
            load_table.write(table, rows)
        rows = load_table.read(table)
    except (RuntimeError, OSError, errors.CourseError) as error:
        print(f"load: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("load: stopped", file=sys.stderr)
        return 130
    print(load_table.summary(rows))
    if any(row["what"] == load_table.STORM for row in rows):
        load_picture.draw(rows, drawn)
        print(f"\ntable    {names.path(table)}\npicture  {names.path(drawn)}")
    for each in failed:
        print(f"load: {each}", file=sys.stderr)
    return 1 if failed else 0


def measure(chosen: argparse.Namespace) -> tuple[list[Row], list[str]]:
    """The rows of what was chosen, and which checks failed.

    Errors  RuntimeError if the service fails, or a submission gets no feedback.
    """
    rows, failed = [], []
    about = {"date": str(datetime.date.today()), "machine": machine(chosen.workers)}
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        root = Path(name) / "course"
        if not chosen.storm:
            watched_course.build(root, chosen.parts)
            with watched_course.running(root, chosen.workers) as service:
                rows += single(root, service, chosen)
        if not chosen.single:
            watched_course.build(root := Path(name) / "storm", chosen.parts)
            with watched_course.running(root, chosen.workers) as service:
                warm(root, service, chosen)
                submitted, found = storm(root, service, chosen)
            entries = storm_checks.entries(root)
            rows += [*storm_checks.rows(submitted, entries, len(chosen.parts)), *found]
            failed = storm_checks.failed(root, submitted, entries, rows, service.lines(), chosen.accepted_s)
            rows.append(parent(chosen))
    return [{**about, **row} for row in rows], failed


def single(root: Path, service: Service, chosen: argparse.Namespace) -> Iterator[Row]:
    """On the idle service, one student after the other: with one part, then with all."""
    warm(root, service, chosen)
    count = 1000
    for what, parts_of in ((load_table.ONE, lambda n: [chosen.parts[n % len(chosen.parts)]]), (load_table.ALL, None)):
        for number in range(chosen.times):
            parts = parts_of(number) if parts_of else chosen.parts
            each = watched_course.submit(root, count, parts, ANSWERED)
            service.wait(each.fetch, FEEDBACK_LIMIT_S)
            took = each.feedback_at - each.at
            print(f"[{number + 1}/{chosen.times}] {what}: {took:.1f} s", flush=True)
            yield {"what": what, "number": number + 1, "notebooks": len(parts), "feedback_s": round(took, 2)}
            count += 1
            time.sleep(QUIET_S)


def warm(root: Path, service: Service, chosen: argparse.Namespace) -> None:
    """Has each worker grade a submission that isn't measured."""
    first = [watched_course.submit(root, 90000 + n, chosen.parts, ANSWERED) for n in range(chosen.workers)]
    service.wait(lambda: sum(each.fetch() for each in first) == len(first), FEEDBACK_LIMIT_S)
    time.sleep(QUIET_S)


def storm(root: Path, service: Service, chosen: argparse.Namespace) -> tuple[list[Submitted], list[Row]]:
    """Submits as chosen and waits for all feedback; the submissions, and how things stood every five seconds.

    Errors  RuntimeError if nobody gets feedback for a while, although somebody waits for it.
    """
    submitted: list[Submitted] = []
    samples: list[Row] = []
    with measured.Watch(service.process.pid, look_s=0.5) as watch:
        service.wait(lambda: watch.memory)
        before, began, looks, done = watch.cost(), time.time(), len(watch.memory), 0
        fetched = progressed = began

        def go_on() -> bool:
            nonlocal fetched, progressed, done
            now = time.time()
            due = (now - began) * chosen.submissions / chosen.seconds
            while len(submitted) < chosen.submissions and len(submitted) <= due:
                submitted.append(watched_course.submit(root, len(submitted), chosen.parts))
            if now >= fetched + FETCH_EVERY_S:
                before, done, fetched = done, sum(each.fetch() for each in submitted), now
                progressed = now if done > before else progressed
                if now > progressed + FEEDBACK_LIMIT_S:
                    lost = [each.student for each in submitted if each.feedback_at is None]
                    raise RuntimeError(f"no more feedback; {len(lost)} submissions have none, the first is {lost[0]}'s")
            if len(watch.memory) > looks + len(samples):
                samples.append(_sample(service, watch.memory[looks + len(samples)], began))
                if len(samples) % SAID_EVERY == 0:
                    print(f"{now - began:4.0f} s: {len(submitted)} submitted, {done} with feedback", flush=True)
            return done == chosen.submissions and bool(samples)

        service.wait(go_on, float("inf"))
        after, wall_s = watch.cost(), max(each.feedback_at for each in submitted) - began
    parent_s, all_s = after.parent_s - before.parent_s, after.cpu_s - before.cpu_s
    total = {"what": load_table.TOTAL, "number": len(submitted), "notebooks": len(chosen.parts), "at_s": wall_s}
    return submitted, [*samples, {**total, "parent_cpu_s": parent_s, "all_cpu_s": all_s}]


def _sample(service: Service, memory: measured.Memory, began: float) -> Row:
    queue = service.queue()
    return {
        "what": load_table.SAMPLE,
        "at_s": memory.at - began,
        "waiting": len(queue["waiting"]),
        "at_work": len(queue["at_work"]),
        "parent_mb": memory.parent_mb,
        "all_mb": memory.all_mb,
    }


def parent(chosen: argparse.Namespace) -> Row:
    """What the parent of the service takes for a submission, measured in a process of its own.

    Errors  RuntimeError if that fails.
    """
    script = Path(__file__).with_name("service_parent.py")
    words = ["--students", str(chosen.replayed), "--workers", str(chosen.workers), "--parts", *map(str, chosen.parts)]
    run = subprocess.run([sys.executable, str(script), *words], stdout=subprocess.PIPE, text=True)
    *shown, last = run.stdout.splitlines() or [""]
    print("\n".join(shown), flush=True)
    if run.returncode:
        raise RuntimeError(f"service_parent.py ended with {run.returncode}: {last}")
    return {"what": load_table.PARENT, **json.loads(last)}


def machine(workers: int) -> str:
    """The machine, and the versions that matter most."""
    memory = psutil.virtual_memory().total / 2**30
    found = f"{os.cpu_count()} cores, {memory:.0f} GiB, Python {platform.python_version()}, torch {version('torch')}"
    return f"{found}, {workers} worker{'s' * (workers > 1)}"


def _chosen() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=positive, default=13, help="submissions of each size on the idle service")
    parser.add_argument("--submissions", type=positive, default=300)
    parser.add_argument("--seconds", type=float, default=60.0, help="in which they arrive")
    parser.add_argument("--accepted-s", type=float, default=2.0, help="within which each must be accepted")
    parser.add_argument("--replayed", type=positive, default=120, help="submissions by which the parent is measured")
    ways.choose_parts(parser, ways.SHORT)
    parser.add_argument("--workers", type=positive, default=2)
    parser.add_argument("--results", type=Path, help="a folder for the table and the picture, in place of the course's")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--single", action="store_true", help="only one student at a time")
    only.add_argument("--storm", action="store_true", help="only the storm, and the parent's work")
    only.add_argument("--print", action="store_true", help="only print and draw what was measured last")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
