"""What the notebooks of one student share while they are graded: a copy of their folder, and the time that they have.

Each notebook has a new judge, and each run of nbgrader one exporter, which grades one student after the other. So the
exporter holds it, and the next run, in whatever process, begins with none.
"""

from pathlib import Path

from grading.judge.workspace import Workspace
from grading.sandbox.allowance import Allowance
from grading.submission import intake


class OneStudent:
    """What the notebooks in one folder of clean copies share."""

    def __init__(self, graded: Path) -> None:
        self.workspace, self.allowance = Workspace(graded), Allowance()


class Exporter(intake.Exporter):
    """nbgrader's exporter, by configuration; it takes submissions in, and holds what a student's notebooks share."""

    _student: OneStudent | None = None

    def student(self, graded: Path) -> OneStudent:
        """What the notebooks in this folder share; what those in the folder before shared is given up."""
        if self._student is None or self._student.workspace.graded != graded.resolve():
            self._student = OneStudent(graded)
        return self._student
