"""Whether a storm went as it should: all accepted at once, in order, told a place, graded once, memory bounded."""

import os
import re
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import load_table
import ways
from load_table import Row, column
from watched_course import Submitted

TOLD_LIMIT_S = 15.0  # who gets feedback later than this must have been shown a place
PARENT_GROWTH_MB = 150.0  # from the first look to the largest
ALL_MB = 4000.0  # of all processes


@dataclass(frozen=True)
class Entry:
    """A submission in the service's journal; times in seconds since 1970."""

    number: int
    student: str
    arrived: float
    begun: float | None
    outcome: str


def entries(root: Path) -> list[Entry]:
    """The journal of a course, in the order of arrival."""
    with closing(sqlite3.connect(root / ".watch.db")) as file:
        found = file.execute("SELECT number, student, arrived, begun_at, outcome FROM submission ORDER BY number")
        return [Entry(number, os.fsdecode(student), *others) for number, student, *others in found]


def rows(submitted: list[Submitted], found: list[Entry], notebooks: int) -> list[Row]:
    """A row for each submission that the journal has."""
    began, by_student = submitted[0].at, {entry.student: entry for entry in found}
    out = []
    for number, each in enumerate(submitted, start=1):
        row = {"what": load_table.STORM, "number": number, "notebooks": notebooks, "at_s": each.at - began}
        if entry := by_student.get(each.student):
            row |= {"accepted_s": entry.arrived - each.at, "begun_s": entry.begun and entry.begun - each.at}
        if told := each.told:
            row |= {"place": told.place, "expected_s": told.expected_s, "told_s": told.at - each.at}
        out.append({**dict.fromkeys(load_table.NUMBERS), **row, "feedback_s": each.feedback_at - each.at})
    return out


def failed(
    root: Path,
    submitted: list[Submitted],
    found: list[Entry],
    table: list[Row],
    lines: list[str],
    accepted_s: float,
) -> list[str]:
    """A line for each check that failed; `lines` are what the service printed."""
    students = [each.student for each in submitted]
    ours = [entry for entry in found if entry.student in set(students)]
    checks = (
        _graded_once(students, ours, lines),
        _in_order(students, ours),
        _in_time(table, accepted_s),
        _bounded(table),
    )
    return [line for check in checks for line in check] + _marks(root)


def _graded_once(students: list[str], found: list[Entry], lines: list[str]) -> list[str]:
    said = Counter(match[1] for line in lines if (match := re.search(r"  (\S+): graded(?:,|$)", line)))
    there = Counter(entry.student for entry in found if entry.outcome == "graded")
    return [
        f"{student}: {there[student]} times in the journal as graded, graded {said[student]} times"
        for student in students
        if (there[student], said[student]) != (1, 1)
    ]


def _in_order(students: list[str], found: list[Entry]) -> list[str]:
    """Arrival in the order of submission, and none begun before one that arrived earlier."""
    arrived = [entry.student for entry in found]
    out = [] if arrived == students else ["the journal has other submissions, or in another order, than were made"]
    begun = [entry for entry in found if entry.begun is not None]
    for first, second in zip(begun, begun[1:], strict=False):
        if second.begun < first.begun:
            out += [f"{second.student} was begun before {first.student}, who arrived earlier"]
    return out


def _in_time(table: list[Row], limit_s: float) -> list[str]:
    here = load_table.of(table, load_table.STORM)
    late = [row for row in here if row["accepted_s"] is None or row["accepted_s"] > limit_s]
    untold = [row for row in here if row["place"] is None and row["feedback_s"] > TOLD_LIMIT_S]
    out = []
    if late:
        worst = max(column(late, "accepted_s"), default=0.0)
        out += [f"{len(late)} were accepted later than after {limit_s:.0f} s, the last after {worst:.1f} s"]
    if untold:
        out += [f"{len(untold)} waited longer than {TOLD_LIMIT_S:.0f} s and were shown no place in line"]
    return out


def _bounded(table: list[Row]) -> list[str]:
    looks = load_table.of(table, load_table.SAMPLE)
    growth, most = max(row["parent_mb"] for row in looks) - looks[0]["parent_mb"], max(row["all_mb"] for row in looks)
    out = [f"the parent grew by {growth:.0f} MB"] if growth > PARENT_GROWTH_MB else []
    return out + ([f"all processes took {most:.0f} MB"] if most > ALL_MB else [])


def _marks(root: Path) -> list[str]:
    """Whether model answers earned full marks, and all of one kind the same."""
    try:
        earned = ways.earned(root, ways.JUDGE, root / "watch.log")
    except RuntimeError as error:
        return [str(error)]
    by_kind: dict[str, list] = {}
    for student, marks in earned.items():
        by_kind.setdefault(student.partition("-")[2], []).append(marks)
    return [
        f"{kind}: not all of them earned the same" for kind, all_marks in by_kind.items()
        if any(marks != all_marks[0] for marks in all_marks)
    ]  # fmt: skip
