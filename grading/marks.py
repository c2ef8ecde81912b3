"""Marks out of the gradebook: a row a student, a column a part; as a table and as CSV."""

import csv
from dataclasses import dataclass
from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry

from grading import course


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


def read(book: Gradebook) -> list[Row]:
    """The rows of all students who handed something in, by student id; ValueError never, an empty list if none did."""
    try:
        submissions = book.assignment_submissions(course.ASSIGNMENT)
    except MissingEntry:
        return []
    return [_row(s) for s in sorted(submissions, key=lambda s: s.student.id)]


def _row(submission: object) -> Row:
    parts, unread = {}, 0
    by_name = {notebook.name: notebook for notebook in submission.notebooks}
    for part in course.PARTS.values():
        notebook = by_name.get(part.stem)
        if notebook is None:
            parts[part.number] = None
            continue
        tests = [g for g in notebook.grades if g.cell.name.endswith("-test")]
        parts[part.number] = None if any(g.score is None or _waits(g) for g in tests) else float(notebook.score)
        unread += sum(g.needs_manual_grade for g in notebook.grades if g.cell.name.endswith("-reasoning"))
    return Row(submission.student.id, parts, unread)


def _waits(grade: object) -> bool:
    """Whether a test cell has no marks because marking failed."""
    return grade.auto_score is None and grade.manual_score is None


def table(rows: list[Row]) -> str:
    """The rows as text: marks by part, the total, and how many written answers are still to be read."""
    width = max([len("student"), *(len(row.student) for row in rows)])
    numbers = list(course.PARTS)
    head = f"{'student':<{width}}" + "".join(f"{n:>5}" for n in numbers) + "   total  to read"
    best = f"{'out of':<{width}}" + "".join(f"{course.PARTS[n].points:>5}" for n in numbers)
    best += f"{sum(part.points for part in course.PARTS.values()):>8}"
    lines = [head, best, "-" * len(head)]
    for row in rows:
        cells = "".join(f"{_shown(row.parts[n]):>5}" for n in numbers)
        lines.append(f"{row.student:<{width}}{cells}{_shown(row.total):>8}{row.unread:>9}")
    return "\n".join(lines)


def write_csv(rows: list[Row], path: Path) -> None:
    """The rows as a CSV file: student, part01 … part14, total, written answers to read; an unmarked part is empty."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["student", *(part.stem for part in course.PARTS.values()), "total", "written_to_read"])
        for row in rows:
            marks = ["" if mark is None else f"{mark:g}" for mark in row.parts.values()]
            writer.writerow([row.student, *marks, f"{row.total:g}", row.unread])


def _shown(mark: float | None) -> str:
    return "?" if mark is None else f"{mark:g}"
