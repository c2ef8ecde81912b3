"""What `nbgrader export` writes: nbgrader's own table of grades, in which a name is one cell and computes nothing.

nbgrader puts commas between names as they are. A student named `ada,,,,100,0,100,100` has a line there that reads as
if it were ada's, with 100 points.
"""

from pathlib import Path

from nbgrader.api import Assignment, Gradebook, MissingEntry, Student
from nbgrader.plugins import CsvExportPlugin

from grading.core import errors, files, spreadsheet

HEAD = (
    "assignment,duedate,timestamp,student_id,last_name,first_name,email,raw_score,late_submission_penalty,score,"
    "max_score"
).split(",")


class GradesTable(CsvExportPlugin):
    """nbgrader's exporter, with its columns, options and file: `c.ExportApp.plugin_class`."""

    def export(self, gradebook: Gradebook) -> None:
        """Writes a line for each assignment and student; without a submission it says 0.

        Errors  SystemExit, one line, for a file that cannot be written.
        """
        assignments, students, to = {*map(str, self.assignment)}, {*map(str, self.student)}, self.to or "grades.csv"
        rows = [
            _row(gradebook, assignment, student)
            for assignment in gradebook.assignments
            for student in gradebook.students
            if (not assignments or assignment.name in assignments) and (not students or student.id in students)
        ]
        self.log.info("Exporting grades to %s", to)
        try:
            with errors.naming_the_file(Path(to)):
                files.rewrite(Path(to), spreadsheet.lines([HEAD, *rows]))
        except errors.CourseError as error:
            raise SystemExit(f"export: {error}") from None


def _row(book: Gradebook, assignment: Assignment, student: Student) -> list[str | float | None]:
    try:
        found = book.find_submission(assignment.name, student.id)
    except MissingEntry:
        when, scores = None, [0.0, 0.0, 0.0]
    else:
        won, late = found.score, found.late_submission_penalty or 0.0
        when, scores = found.timestamp, [won, late, max(0.0, won - late)]
    due, made = (None if moment is None else str(moment) for moment in (assignment.duedate, when))
    about = [student.id, student.last_name, student.first_name, student.email]
    return [assignment.name, due, made, *about, *scores, float(assignment.max_score)]
