"""A class at once: every hand-in through nbgrader and the judge, several students at a time."""

import multiprocessing
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path

from grading import course, courses, intake, marks, outcomes


@dataclass(frozen=True)
class Graded:
    """What became of one student: notices of the front gate, parts we failed to mark, an error of ours, seconds."""

    student: str
    notices: list[intake.Notice] = field(default_factory=list)
    unmarked: list[str] = field(default_factory=list)
    error: str = ""
    seconds: float = 0.0


def grade_class(root: Path, workers: int | None = None) -> list[Graded]:
    """Grades all hand-ins of the course in `root`, writes feedback and marks.csv, prints progress and the marks.

    Errors  CourseError if there is nothing to grade or the course cannot be read.
    """
    students = courses.students(root)
    courses.register(root)
    results = []
    for number, result in enumerate(graded(root, students, workers), start=1):
        results.append(result)
        print(f"[{number}/{len(students)}] {result.student}: {_outcome(result)}", flush=True)
    with courses.gradebook(root) as book:
        rows = marks.read(book)
    marks.write_csv(rows, root / "marks.csv")
    print("\n" + marks.table(rows))
    _print_notices(results)
    print(f"\nmarks      {courses.shown(root / 'marks.csv')}")
    print(f"feedback   {courses.shown(root / 'feedback')}/STUDENT/{course.ASSIGNMENT}/part01.html and so on")
    return results


def grade_student(root: Path, student: str, feedback: bool = True) -> Graded:
    """Grades one hand-in and writes its feedback; whatever goes wrong is told in the result, so that others go on."""
    started = time.monotonic()
    folder = root / "submitted" / student / course.ASSIGNMENT
    notices = intake.notices(student, folder, root / "release" / course.ASSIGNMENT)
    if not any(folder.glob("*.ipynb")):
        return Graded(student, notices, error="no notebook was handed in.", seconds=time.monotonic() - started)
    api = courses.api(root)
    result = api.autograde(course.ASSIGNMENT, student, force=True, create=True)
    if not result["success"]:
        return Graded(student, notices, error=courses.last_error(result), seconds=time.monotonic() - started)
    with courses.gradebook(root) as book:
        unmarked = outcomes.unmarked(book, student)
    if feedback and not unmarked:
        result = api.generate_feedback(course.ASSIGNMENT, student, force=True)
    error = "" if result["success"] else f"no feedback: {courses.last_error(result)}"
    return Graded(student, notices, unmarked, error, time.monotonic() - started)


def graded(root: Path, students: list[str], workers: int | None = None, feedback: bool = True) -> Iterator[Graded]:
    """The results of all students, in the order in which they are ready; `workers` at once, one a core by default."""
    workers = workers or os.cpu_count() or 1
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(students)), mp_context=context, initializer=_lower_threads) as pool:
        waiting = {pool.submit(grade_student, root, student, feedback): student for student in students}
        try:
            for future in as_completed(waiting):
                try:
                    yield future.result()
                except BrokenProcessPool:
                    yield Graded(waiting[future], error="the grading process ended; grade again.")
                except Exception as error:  # noqa: BLE001  (told, and the exit status says it; the others go on)
                    yield Graded(waiting[future], error=f"{type(error).__name__}: {error}")
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _lower_threads() -> None:
    """One computing thread a kernel where several students are graded at once, so that they do not crowd each other."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")


def _outcome(result: Graded) -> str:
    if result.error:
        return f"not graded. {result.error}"
    if result.unmarked:
        return f"{', '.join(result.unmarked)} not marked: the marking program failed. Grade again."
    seen = f", {len(result.notices)} to look at" if result.notices else ""
    return f"graded in {result.seconds:.0f} s{seen}"


def _print_notices(results: list[Graded]) -> None:
    lines = [str(notice) for result in sorted(results, key=lambda r: r.student) for notice in result.notices]
    lines += [f"{r.student}: {_outcome(r)}" for r in results if r.error or r.unmarked]
    if lines:
        print("\nTo look at:", file=sys.stdout)
        for line in lines:
            print(f"  {line}")
