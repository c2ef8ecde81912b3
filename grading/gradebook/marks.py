"""Marks out of the gradebook: a row per student, a column per part; as a table and as CSV."""

import unicodedata
from dataclasses import dataclass
from pathlib import Path

from nbgrader.api import Gradebook

from grading.core import files, names, spreadsheet
from grading.core.course import Course
from grading.gradebook import results


@dataclass(frozen=True)
class Row:
    """One student's marks: by part, None where it is not marked yet; written answers that nobody has read."""

    student: str
    parts: dict[int, float | None]
    unread: int

    @property
    def total(self) -> float:
        """The marks so far; an unmarked part counts for nothing yet."""
        return sum(mark for mark in self.parts.values() if mark is not None)


def read(book: Gradebook, course: Course) -> list[Row]:
    """The rows of all students who submitted anything, by student id; an empty list if nobody did."""
    return [
        Row(student, {r.part.number: r.mark for r in found}, sum(r.unread for r in found))
        for student, found in results.of_class(book, course).items()
    ]


def table(rows: list[Row], course: Course) -> str:
    """The rows as text: marks by part, the total, and how many written answers are still to be read."""
    shown = {row.student: names.short(row.student) for row in rows}
    width = max(map(_columns, ["student", *shown.values()]))
    head = f"{'student':<{width}}" + "".join(f"{part.number:>5}" for part in course.parts) + "   total  to read"
    best = f"{'out of':<{width}}" + "".join(f"{part.points:>5g}" for part in course.parts)
    best += f"{course.points:>8g}"
    lines = [head, best, "-" * len(head)]
    for row in rows:
        cells = "".join(f"{_shown(row.parts[part.number]):>5}" for part in course.parts)
        gap = " " * (width - _columns(shown[row.student]))
        lines.append(f"{shown[row.student]}{gap}{cells}{_shown(row.total):>8}{row.unread:>9}")
    return "\n".join(lines)


def write_csv(rows: list[Row], course: Course, path: Path) -> None:
    """The rows as a CSV file: student, a column per part, total, written answers to read; an unmarked part is empty.

    A name that a spreadsheet would compute has an apostrophe in front: see `spreadsheet`.
    """
    head = ["student", *course.stems, "total", "written_to_read"]
    lines = [[row.student, *row.parts.values(), row.total, row.unread] for row in rows]
    files.rewrite(path, spreadsheet.lines([head, *lines]))


def _shown(mark: float | None) -> str:
    return "?" if mark is None else f"{mark:g}"


def _columns(text: str) -> int:
    """How many columns of a terminal a text takes: Chinese, Japanese and Korean letters take two, an accent none."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.category(character) in ("Mn", "Me") for character in text)
