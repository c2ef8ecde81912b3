"""Marks out of the gradebook: a row a student, a column a part; as a table and as CSV."""

from dataclasses import dataclass
from pathlib import Path

from nbgrader.api import Gradebook

from grading import course, names, results, spreadsheet


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
    """The rows of all students who submitted anything, by student id; an empty list if nobody did."""
    return [
        Row(student, {r.part.number: r.mark for r in found}, sum(r.unread for r in found))
        for student, found in results.of_class(book).items()
    ]


def table(rows: list[Row]) -> str:
    """The rows as text: marks by part, the total, and how many written answers are still to be read."""
    shown = {row.student: names.printable(row.student, names.SHOWN) for row in rows}
    width = max(map(len, ["student", *shown.values()]))
    numbers = list(course.PARTS)
    head = f"{'student':<{width}}" + "".join(f"{n:>5}" for n in numbers) + "   total  to read"
    best = f"{'out of':<{width}}" + "".join(f"{course.PARTS[n].points:>5}" for n in numbers)
    best += f"{sum(part.points for part in course.PARTS.values()):>8}"
    lines = [head, best, "-" * len(head)]
    for row in rows:
        cells = "".join(f"{_shown(row.parts[n]):>5}" for n in numbers)
        lines.append(f"{shown[row.student]:<{width}}{cells}{_shown(row.total):>8}{row.unread:>9}")
    return "\n".join(lines)


def write_csv(rows: list[Row], path: Path) -> None:
    """The rows as a CSV file: student, part01 … part14, total, written answers to read; an unmarked part is empty.

    A name that a spreadsheet would compute has an apostrophe in front: see `spreadsheet`.
    """
    head = ["student", *(part.stem for part in course.PARTS.values()), "total", "written_to_read"]
    lines = [[row.student, *row.parts.values(), row.total, row.unread] for row in rows]
    path.write_text(spreadsheet.lines([head, *lines]), encoding="utf-8")


def _shown(mark: float | None) -> str:
    return "?" if mark is None else f"{mark:g}"
