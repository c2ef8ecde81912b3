"""What a class's parent can do: submissions read and sent, results merged, by workers that take no time to grade.

    python benchmarks/parent.py [--students 300] [--workers 2] [--parts 1 2 …] [--results FOLDER] [--profile]

One submission of each kind is graded for real; then a whole class goes through the class command, on its own workers,
each of which answers with the result that is known (benchmarks/replay.py). Files, gradebook, notes and Dask are real.
Prints students a minute, what the parent computes for one, and where the time of its two steps goes; writes
benchmarks/results/parent.csv, from which benchmarks/simulate.py takes what a student costs the parent.
"""

import argparse
import cProfile
import os
import pstats
import sys
import tempfile
import time
from pathlib import Path

import ways  # first, because it finds `grading`

# isort: split
import csv_table
import replay
import steps

from attention import course
from attention.course import COURSE
from grading.classroom import class_run, inputs, merge, task_queue, worker
from grading.gradebook import course_folder, snapshot
from grading.submission import bundle

STEPS = (
    (bundle, "read", "submission read"),
    (task_queue.TaskQueue, "send", "sent"),
    (merge, "merge", "merged"),
    (merge, "_stage", "  files written next to their place"),
    (snapshot, "of_student", "  rows read"),
    (snapshot, "apply", "  rows written"),
    (merge, "_write_note", "  noted"),
)
COLUMNS = ("students", "workers", "parts", "wall_s", "parent_s")
DIGITS = 2  # of seconds, after the point


def main() -> int:
    """Grades one student of each kind, then the class, and prints what it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--workers", type=int, default=2)
    ways.choose_parts(parser, list(course.PARTS))
    parser.add_argument("--results", type=Path, default=csv_table.RESULTS)
    parser.add_argument("--profile", action="store_true", help="also print the parent's own profile")
    chosen = parser.parse_args()
    if chosen.students < len(ways.KINDS):
        parser.error(f"at least {len(ways.KINDS)} students are needed, one of each kind")
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        root = Path(name) / "course"
        ways.build(root, chosen.students, chosen.parts)
        ways.reset(root, ways.JUDGE)
        os.environ.update(ways.environment())
        students = course_folder.students(root)
        print(f"Grading {len(ways.KINDS)} students for real …", flush=True)
        recorded = graded(root, students[: len(ways.KINDS)], root / "submitted")
        replay.record(recorded, Path(name) / "recorded")
        worker.grade = replay.grade
        run = class_run.graded(root, students, chosen.workers)
        first = next(run)  # the workers are up
        spent = steps.noted(STEPS)
        profile = cProfile.Profile()
        own, started = time.process_time(), time.perf_counter()
        if chosen.profile:
            profile.enable()
        failed = [result for result in run if result.error or result.unmarked]
        profile.disable()
        took, own = time.perf_counter() - started, time.process_time() - own
    if failed:
        print(f"parent: {failed[0].student}: {failed[0].error or failed[0].unmarked}", file=sys.stderr)
        return 1
    if first.seconds not in {result.seconds for result in recorded.values()}:
        print("parent: a worker has graded, in place of giving what was recorded.", file=sys.stderr)
        return 1
    merged = chosen.students - 1
    _report(chosen, spent, merged, took, own)
    if chosen.profile:
        pstats.Stats(profile).sort_stats("tottime").print_stats(30)
    return 0


def _report(chosen: argparse.Namespace, spent: steps.Spent, merged: int, took: float, own: float) -> None:
    """Writes parent.csv, and prints what a student took."""
    row = dict(zip(COLUMNS, (merged, chosen.workers, len(chosen.parts), took, own), strict=True))
    csv_table.write(chosen.results / "parent.csv", COLUMNS, [row], DIGITS)
    print(
        f"\n{60 * merged / took:.0f} students a minute; {own / merged:.3f} s of the parent's own computing for one.\n"
    )
    print(steps.table("milliseconds a student", spent, merged, 1))


def graded(root: Path, students: list[str], submitted: Path) -> dict[str, worker.Result]:
    """The results of one student of each kind, by kind; what they submit lies below `submitted`."""
    out = {}
    with course_folder.engine(root) as engine:
        given = inputs.read(root, engine)
        for student in students:
            submission = bundle.read(student, submitted / student / COURSE.name, COURSE)
            out[student.partition("-")[2]] = worker.grade(given, submission, merge.before(engine, COURSE, student))
    return out


if __name__ == "__main__":
    sys.exit(main())
