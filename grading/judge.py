"""nbgrader's Execute step, made strict: what a test cell must leave behind, and what it costs when it does not.

A graded test cell ends with exactly one result, a float that is the marks, after a report. A kernel that ended or an
answer that never does costs the student's marks and not the run; an error of ours leaves the part unmarked, never 0.
Plugged in by configuration: `Judge` in place of nbgrader's Execute, `SaveMarks` in place of its SaveAutoGrades.
"""

import asyncio
import time
from pathlib import Path
from queue import Empty

from jupyter_client.utils import ensure_async
from nbclient.exceptions import DeadKernelError
from nbclient.util import run_sync
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader.api import Gradebook
from nbgrader.preprocessors import Execute, SaveAutoGrades
from nbgrader.utils import rmtree

from grading import course, intake, limits, messages

NOT_MARKED = "NotMarked"
KERNEL_ENDED = "KernelEnded"
RESPONSE_LIMIT_S = 5.0


class Judge(Execute):
    """Runs a notebook and settles its test cell: marks from 0 to its points, or unmarked."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        kwargs.setdefault("shutdown_kernel", "immediate")
        super().__init__(*args, **kwargs)
        self.ended = None

    def preprocess(self, nb: NotebookNode, resources: dict, **kwargs: object) -> tuple[NotebookNode, dict]:
        """Runs the cells of a clean copy and settles its test cell; nothing of a damaged one is run."""
        mark = nb.metadata.pop(intake.MARK, {})
        self.ended = mark.get("unreadable")
        if not self.ended:
            nb, resources = super().preprocess(nb, resources, **kwargs)
        for cell in nb.cells:
            name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
            if cell.cell_type == "code":
                cell.outputs = _bounded(cell.outputs)
            if name.endswith("-test"):
                self.settle(cell, messages.TEST_DELETED if mark.get("test_deleted") else self.ended)
        return nb, resources

    def preprocess_cell(self, cell: NotebookNode, resources: dict, index: int) -> tuple[NotebookNode, dict]:
        """Runs one cell; once the kernel has ended, the cells that follow are told so."""
        if cell.cell_type != "code" or not cell.source.strip():
            return cell, resources
        if self.ended is None:
            try:
                cell, resources = super().preprocess_cell(cell, resources, index)
                if any(o.get("ename") == "CellTimeoutError" for o in cell.outputs) and not run_sync(self._responds)():
                    self.ended = messages.cell_never_ends(limits.CELL_LIMIT_S)
                    run_sync(self._kill)()
            except DeadKernelError:
                self.ended = messages.KERNEL_ENDED
        if self.ended is not None:
            cell.outputs.append(new_output("error", ename=KERNEL_ENDED, evalue=self.ended, traceback=[self.ended]))
        return cell, resources

    def settle(self, cell: NotebookNode, fault: str | None) -> None:
        """Leaves the report and one float in a test cell's outputs, or the one error that says: not marked."""
        part = course.part_of(cell.metadata.nbgrader["grade_id"])
        points = float(cell.metadata.nbgrader["points"])
        report = "".join(o.text for o in cell.outputs if o.output_type == "stream" and o.name == "stdout")
        results = [o for o in cell.outputs if o.output_type == "execute_result"]
        errors = [o for o in cell.outputs if o.output_type == "error"]
        if fault is None and any(o.ename == "CellTimeoutError" for o in errors):
            fault = messages.out_of_time(limits.CELL_LIMIT_S)
        if fault is not None:
            cell.outputs = _marked(messages.no_marks(part.number, points, fault), 0.0)
            return
        marks = _float(results[0].data.get("text/plain", "")) if len(results) == 1 else None
        if errors or marks is None or not 0.0 <= marks <= points:
            text = messages.not_marked(part.number, part.stem)
            detail = "\n".join(line for o in errors for line in o.traceback) or "no marks among its outputs"
            self.log.error("%s\n%s", text, detail)
            cell.outputs = [new_output("error", ename=NOT_MARKED, evalue=text, traceback=[text])]
            return
        cell.outputs = _marked(report.rstrip("\n"), marks)

    async def _responds(self) -> bool:
        """Whether the kernel, after an interrupt, is ready for the next cell."""
        asked, end = self.kc.kernel_info(), time.monotonic() + RESPONSE_LIMIT_S
        while (left := end - time.monotonic()) > 0:
            try:
                reply = await asyncio.wait_for(ensure_async(self.kc.get_shell_msg(timeout=left)), left + 1)
            except (Empty, TimeoutError):
                return False
            if reply["parent_header"].get("msg_id") == asked:
                return True
        return False

    async def _kill(self) -> None:
        await ensure_async(self.km.shutdown_kernel(now=True))


class SaveMarks(SaveAutoGrades):
    """nbgrader's SaveAutoGrades, for which a test cell that is not marked is ungraded, not 0."""

    def _add_score(self, cell: NotebookNode, resources: dict) -> None:
        if not any(o.get("ename") == NOT_MARKED for o in cell.get("outputs", [])):
            super()._add_score(cell, resources)
            return
        grade = self.gradebook.find_grade(
            cell.metadata.nbgrader["grade_id"], self.notebook_id, self.assignment_id, self.student_id
        )
        grade.auto_score, grade.needs_manual_grade = None, True
        self.gradebook.db.commit()


def unmarked(gradebook: Gradebook, student: str) -> list[str]:
    """The parts of a student's submission that wait for a mark because we failed, by notebook name."""
    submission = gradebook.find_submission(course.ASSIGNMENT, student)
    return sorted(
        notebook.name
        for notebook in submission.notebooks
        for grade in notebook.grades
        if grade.cell.name.endswith("-test") and grade.auto_score is None
    )


def put_back_unmarked(assignment: str, student: str, notebooks: list[str]) -> None:
    """Removes the graded folder of a student with an unmarked part, so that the next run grades them again.

    nbgrader calls it after each student; the marks of the other parts stay in the gradebook until then.
    """
    for submitted in {Path(path).parent for path in notebooks}:
        graded = submitted.parents[2] / "autograded" / submitted.parent.name / assignment
        if any(f'"ename": "{NOT_MARKED}"' in path.read_text(encoding="utf-8") for path in graded.glob("*.ipynb")):
            rmtree(graded)


def _marked(report: str, marks: float) -> list[NotebookNode]:
    """The outputs of a marked test cell."""
    return [
        new_output("stream", name="stdout", text=report + "\n"),
        new_output("execute_result", data={"text/plain": repr(marks)}, execution_count=None),
    ]


def _float(text: object) -> float | None:
    try:
        return float(text) if isinstance(text, str) else None
    except ValueError:
        return None


def _bounded(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Outputs of one cell within limits.OUTPUT_CHARS; what is over is replaced by a line that says so."""
    left, kept = limits.OUTPUT_CHARS, []
    for output in outputs:
        if output.output_type == "stream":
            if len(output.text) > left:
                output.text = output.text[:left] + "\n" + messages.OUTPUT_CUT
            left -= len(output.text)
        kept.append(output)
        if left <= 0:
            break
    return kept
