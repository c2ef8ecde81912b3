"""Marks out: the CSV files that Canvas and Moodle take grades from, a column per part and one for the total.

Plugged into nbgrader: nbgrader export --exporter=grading.lms.exports.CanvasExporter, or MoodleExporter; the command
`python -m grading export` does the same. What the files hold stands in `gradefile`.
"""

from collections.abc import Iterable
from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.plugins import ExportPlugin
from traitlets import Bool, Unicode

from grading.core import find_course, names, spreadsheet
from grading.core.course import Course
from grading.core.errors import CourseError
from grading.gradebook import results
from grading.lms import gradefile, roster
from grading.lms.gradefile import CANVAS, MOODLE, PLATFORMS, Export, Platform

__all__ = ["PLATFORMS", "CanvasExporter", "MoodleExporter", "marks", "number", "run"]


def marks(book: Gradebook, course: Course, so_far: bool = False) -> dict[str, dict[str, str]]:
    """The cells of each student by column title; empty where a part is not marked, or, unless `so_far`, not all of it.

    The total is empty until all parts are marked, unless `so_far`.
    """
    rows = {}
    for student, found in results.of_class(book, course).items():
        ready = [r for r in found if (r.whole or so_far) and not r.unmarked]
        rows[student] = {gradefile.title(course, r.part): number(r.won) if r in ready else "" for r in found}
        complete = len(ready) == len(found) or (so_far and ready)
        rows[student][gradefile.total(course)] = number(results.total(ready)) if complete else ""
    return rows


def number(mark: float) -> str:
    """A mark as both platforms show it: two decimals at most."""
    return f"{round(mark, 2):g}"


class _Exporter(ExportPlugin):
    """What both exporters have in common; see the options of each below."""

    roster = Unicode("", help="CSV file: student, and lms_id, login or email.").tag(config=True)
    exported = Unicode("", help="The file that the platform exports; its lines are kept.").tag(config=True)
    dry_run = Bool(False, help="Say what would change, and write nothing.").tag(config=True)
    so_far = Bool(False, help="Also parts whose written answer nobody has read yet.").tag(config=True)
    platform = CANVAS

    def export(self, gradebook: Gradebook) -> None:
        """Writes the file, or says what it would change; SystemExit with one line for what a user can fix."""
        try:
            run(
                self.platform,
                gradebook,
                find_course.of(self.config, *map(str, self.assignment[:1])),
                Path(self.to or f"{self.platform.name}.csv"),
                roster.read(Path(self.roster)) if self.roster else None,
                Path(self.exported) if self.exported else None,
                dry=self.dry_run,
                so_far=self.so_far,
                only=self.student,
            )
        except CourseError as error:
            raise SystemExit(f"export: {error}") from None


class CanvasExporter(_Exporter):
    """Writes canvas.csv. Its options are given as --CanvasExporter.roster=roster.csv and so on."""

    platform = CANVAS


class MoodleExporter(_Exporter):
    """Writes moodle.csv. Its options are given as --MoodleExporter.roster=roster.csv and so on."""

    platform = MOODLE


def run(
    platform: Platform,
    book: Gradebook,
    course: Course,
    to: Path,
    people: dict[str, roster.Person] | None = None,
    exported: Path | None = None,
    dry: bool = False,
    so_far: bool = False,
    only: Iterable[str] = (),
) -> Export:
    """Exports the marks in a gradebook and prints what changes; students the platform does not know go to a file apart.

    Errors  CourseError for an export that cannot be used, for a student in `only` without marks, and for
            a file that cannot be written.
    """
    rows, only = marks(book, course, so_far), [str(student) for student in only]
    if unknown := [student for student in only if student not in rows]:
        raise CourseError(f"there are no marks of {', '.join(unknown)}.")
    rows = {student: cells for student, cells in rows.items() if not only or student in only}
    made = gradefile.make(platform, course, rows, people, exported)
    print("The import would change:", *map(_line, made.preview()), sep="\n")
    if dry:
        print("Nothing was written.")
        return made
    made.write(to)
    print(f"written    {names.path(to)}")
    if made.unmatched:
        apart = to.with_name(f"{to.stem}-unmatched.csv")
        titles = list(gradefile.best(course))
        found = [[student, *(rows[student][title] for title in titles)] for student in made.unmatched]
        left = Export(["student", *titles], [[spreadsheet.safe(row[0]), *row[1:]] for row in found])
        left.write(apart)
        print(f"unmatched  {names.path(apart)}: the marks of those whom the platform does not know")
    return made


def _line(text: str) -> str:
    """A line with its indentation; names in it may be anybody's."""
    return text[: len(text) - len(text.lstrip(" "))] + names.printable(text.lstrip(" "))
