"""Grades the answers of tests/answers through nbgrader and the judge, several at once.

A process has a course folder with one student, who submits again and again: the k-th answer of each part in round k.
So libraries are loaded once a process, and not once an answer; each notebook has a kernel of its own all the same.
"""

import multiprocessing
import os
import shutil
import tempfile
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

import lean

from attention import course
from attention.course import COURSE
from dev import course_copy, handed_in
from grading.core.course import Part
from grading.gradebook import course_folder, generate_assignment, marks, nbgrader_log, results
from grading.judge import save_marks

STUDENT = "again-and-again"


@dataclass(frozen=True)
class Found:
    """What an answer earned, and the usual mistakes that its report names."""

    marks: float | None
    mistakes: list[str]


def grade(answers: dict[int, list[Path]], root: Path, leanly: bool) -> dict[Path, Found]:
    """What became of each answer; `answers` by part. `root` is a folder for the courses."""
    first = root / "course"
    (lean.new if leanly else course_copy.new)(first)
    generate_assignment.register(first)
    rounds = [
        {number: paths[k] for number, paths in answers.items() if k < len(paths)}
        for k in range(max(map(len, answers.values())))
    ]
    found: dict[Path, Found] = {}
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=context, initializer=_prepare, initargs=(first,)) as pool:
        for done in as_completed([pool.submit(_grade, given, leanly) for given in rounds]):
            found |= done.result()
            print(f"{len(found)} answers are graded", flush=True)
    return found


def _prepare(first: Path) -> None:
    global _root
    _root = Path(tempfile.mkdtemp(dir=first.parent)) / "course"
    shutil.copytree(first, _root)


def _grade(given: dict[int, Path], leanly: bool) -> dict[Path, Found]:
    folder = _root / "submitted" / STUDENT / COURSE.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for number, path in given.items():
        part = course.PARTS[number]
        notebook = handed_in.submission(part, path.read_text(encoding="utf-8"))
        (lean.write if leanly else handed_in.write)(folder, part, notebook)
    result = course_folder.api(_root).autograde(COURSE.name, STUDENT, force=True, create=True)
    assert result["success"], nbgrader_log.last_error(result)
    with course_folder.gradebook(_root) as book:
        (row,), unmarked = marks.read(book, COURSE), save_marks.unmarked(book, COURSE.name, STUDENT)
    assert not unmarked, f"{unmarked} of {given} are not marked"
    return {path: Found(row.parts[n], _named(course.PARTS[n])) for n, path in given.items()}


def _named(part: Part) -> list[str]:
    report = results.report_in(_root / "autograded" / STUDENT / COURSE.name / f"{part.stem}.ipynb", part)
    return sorted({item.mistake for item in report.items if item.mistake})
