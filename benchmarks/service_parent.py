"""What the parent of the service can do: submissions noted, sent, merged, shown, with workers that need no time.

    python benchmarks/service_parent.py [--students 120] [--workers 2] [--parts 1 2 …]

One submission of each kind is graded for real; then as many as are chosen arrive at once, and each worker answers with
the result that is known (benchmarks/replay.py). Exchange, journal, gradebook, feedback and Dask are real. The last line
is JSON for benchmarks/load.py: what a submission costs the parent, and what a turn costs for each submission in line
and each in the journal, because the service looks at all of them.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

import ways  # first, because it finds `grading`

# isort: split
import replay
import steps
import watched_course
from parent import graded

from attention.course import COURSE
from grading.classroom import merge, task_queue, worker
from grading.classroom.service import feedback_release, journal, service, settings, status
from grading.classroom.service.exchange_arrivals import Exchange
from grading.classroom.service.waiting_line import Line
from grading.gradebook import course_folder

STEPS = (
    (service.Service, "_look", "looked for submissions, and noted"),
    (service.Service, "_begin", "taken and sent"),
    (feedback_release.FeedbackRelease, "tell_places", "places in line shown"),
    (service.Service, "_settle", "settled"),
    (task_queue.TaskQueue, "settle", "  merged"),
    (merge, "_stage", "    files written next to their place"),
    (feedback_release.FeedbackRelease, "show", "  feedback put into the exchange"),
    (status.Board, "show", "status page"),
)
SECRET = "s" * 128  # one for all: the pages that are known carry it
TURNS = 20


def main() -> int:
    """Measures, and prints a table and a line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=int, default=120)
    parser.add_argument("--workers", type=int, default=2)
    ways.choose_parts(parser, ways.SHORT)
    chosen = parser.parse_args()
    if chosen.students < 2:
        parser.error("the first student is not measured: at least 2 are needed")
    os.environ.update(ways.environment())
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        root = Path(name) / "course"
        watched_course.build(root, chosen.parts)
        record(root, Path(name) / "recorded")
        worker.grade = replay.grade
        spent = steps.noted(STEPS)
        took_s, own_s = run(root, chosen)
        number = chosen.students - 1
        print(steps.table("milliseconds of the parent per submission", spent, number, 1))
        waiting_s, known_s = turn_s(Path(name))
    found = {"number": number, "notebooks": len(chosen.parts), "parent_busy_s": took_s / number}
    found |= {"parent_cpu_s": own_s / number, "waiting_us": 1e6 * waiting_s, "known_us": 1e6 * known_s}
    print(json.dumps(found))
    return 0


def record(root: Path, path: Path) -> None:
    """Grades one submission of each kind, and notes the results for the workers to come."""
    students = sorted(folder.name for folder in (root / "made").iterdir())
    for student in students:
        (root / "made" / student / COURSE.name / "submission_secret.txt").write_text(SECRET, encoding="utf-8")
    results = graded(root, students, root / "made")
    warm = results[ways.KINDS[0]]  # what a worker grades first is called by another name, and nobody's
    replay.record({**results, service.WARM.partition("-")[2]: warm}, path)


def run(root: Path, chosen: argparse.Namespace) -> tuple[float, float]:
    """Seconds by the clock and of the parent's computing from the first submission that is graded to the last.

    Errors  RuntimeError if one is not graded.
    """
    config = course_folder.config(root)
    source, found = Exchange(config, COURSE, root), settings.read(config, COURSE)
    board = status.Board(status.Status(COURSE.title, chosen.workers, time.time()))
    moments: list[tuple[float, float]] = []
    submitted = False

    def over() -> bool:
        nonlocal submitted
        now = board.read()
        if now.ready and not submitted:
            submitted = True
            for number in range(chosen.students):
                watched_course.submit(root, number, chosen.parts, secret=SECRET)
        done = sum(now.counts.values())
        if done != now.counts.get("graded", 0) or now.trouble:
            raise RuntimeError(f"{now.trouble or now.done[0]}")
        if done and (not moments or done == chosen.students):
            moments.append((time.perf_counter(), time.process_time()))
        return done == chosen.students

    service.Service(root, COURSE, found, source, board, chosen.workers, lambda line: None).run(over)
    first, last = moments[0], moments[-1]
    return last[0] - first[0], last[1] - first[1]


def turn_s(folder: Path) -> tuple[float, float]:
    """What a turn of the service takes longer for one more submission in line, and for one more in the journal."""
    empty, waits, known = (_turn_s(folder / name, *counts) for name, counts in TURN_SIZES.items())
    size = max(TURN_SIZES["known"])
    known_s = max(0.0, (known - empty) / size)
    return max(0.0, (waits - empty) / size - known_s), known_s


TURN_SIZES = {"empty": (0, 0), "waits": (2000, 0), "known": (0, 2000)}


def _turn_s(root: Path, waiting: int, graded_before: int) -> float:
    """Seconds of what the service does each turn with its journal: begin, tell, publish."""
    root.mkdir()
    entries = journal.Journal(root)
    add = "INSERT INTO submission VALUES (?, ?, ?, '', ?, 0, NULL, ?, NULL, '', NULL, NULL, '', 1)"
    with entries._connection as connection:
        for n in range(1, waiting + graded_before + 1):
            outcome = journal.Outcome.WAITING if n <= waiting else journal.Outcome.GRADED
            connection.execute(add, (n, n, f"s{n}+attention", f"{n:05d}-student", outcome.value))
    entries.close()
    entries = journal.Journal(root)
    line, board = Line(entries, 0, 2), status.Board(status.Status("", 2, 0.0))
    started = time.perf_counter()
    for _ in range(TURNS):
        any(entry.begun is None for entry in entries.waiting())
        next(line.next_ones(), None)  # to begin
        board.show(list(line.places()), {}, {})  # to tell, and to publish
    took_s = (time.perf_counter() - started) / TURNS
    entries.close()
    return took_s


if __name__ == "__main__":
    sys.exit(main())
