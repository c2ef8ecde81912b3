"""nbgrader's Execute step: the student's cells in the student's kernel, the hidden tests here, in the trusted process.

All code cells but the test run in order in a walled kernel that knows nothing of the course. Then the test cell runs in
this process, in a namespace of its own, and reaches the kernel through `probe` alone. It leaves exactly one result, a
float that is the marks, after its report. A kernel that ended costs the student's marks and not the run; an error of
ours leaves the part unmarked, never 0.

Plugged in by configuration: `Judge` in place of nbgrader's Execute, `SaveMarks` in place of its SaveAutoGrades.
"""

import ast
import asyncio
import contextlib
import functools
import io
import json
import linecache
import time
import traceback
from pathlib import Path
from queue import Empty

import nbformat
from jupyter_client.utils import ensure_async
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbclient.util import run_sync
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader.api import Gradebook
from nbgrader.preprocessors import Execute, SaveAutoGrades
from nbgrader.utils import rmtree
from traitlets import Enum

from grading import cells, course, handed, inbound, intake, kernels, limits, messages, probe
from grading.door import KernelDoor
from grading.pool import Pool
from grading.sandbox import SandboxError

NOT_MARKED = "NotMarked"
KERNEL_ENDED = "KernelEnded"


class Judge(Execute):
    """Runs a notebook and marks its test cell: from 0 to its points, or unmarked."""

    sandbox = Enum(
        ["bubblewrap", "none"],
        default_value="bubblewrap",
        help='Walls around student code: "bubblewrap", or "none" for hand-ins that are trusted.',
    ).tag(config=True)

    def __init__(self, *args: object, **kwargs: object) -> None:
        kwargs.setdefault("shutdown_kernel", "immediate")
        kwargs.setdefault("raise_on_iopub_timeout", False)  # a reply before its outputs is the student's, not our error
        kwargs.setdefault("kernel_manager_class", kernels.KernelManager)
        super().__init__(*args, **kwargs)
        self.ended, self.left_chars = None, 0

    def preprocess(self, nb: NotebookNode, resources: dict, **kwargs: object) -> tuple[NotebookNode, dict]:
        """Runs the cells of a clean copy and marks its test cell; nothing of a damaged one is run."""
        mark = nb.metadata.pop(intake.MARK, {})
        self.ended = mark.get("unreadable")
        self.fault = messages.TEST_DELETED if mark.get("test_deleted") else None
        self.clean, self.left_all_chars = json.loads(json.dumps(nb)), limits.NOTEBOOK_OUTPUT_CHARS
        if self.ended:
            for cell in nb.cells:
                if _is_test(cell):
                    cell.outputs = _marked(self._no_marks(cell, self.ended), 0.0)
            return nb, resources
        place = resources["metadata"]["path"]
        try:
            kernels.use(_pool(self.sandbox == "bubblewrap"))
            resources["metadata"]["path"] = str(handed.copy(Path(place)))
            with inbound.watched(lambda: self.km and self.km.strike()):
                return super().preprocess(nb, resources, **kwargs)
        except SandboxError as error:
            rmtree(place)  # so that the next run grades this student
            raise SystemExit(f"Nothing more is graded. {error}") from None
        finally:
            resources["metadata"]["path"] = place

    def preprocess_cell(self, cell: NotebookNode, resources: dict, index: int) -> tuple[NotebookNode, dict]:
        """Runs one cell in the kernel, or a test cell here; once the kernel has ended, what follows is told so."""
        if cell.cell_type != "code" or not cell.source.strip():
            return cell, resources
        if _is_test(cell):
            self.mark(cell)
            return cell, resources
        if self.ended is None:
            self.left_chars = limits.OUTPUT_CHARS
            try:
                cell, resources = super().preprocess_cell(cell, resources, index)
                if any(o.get("ename") == "CellTimeoutError" for o in cell.outputs) and not run_sync(self._responds)():
                    self.ended = messages.cell_never_ends(limits.CELL_LIMIT_S)
                    run_sync(self._kill)()
            except (DeadKernelError, CellTimeoutError):
                self.ended = messages.KERNEL_ENDED
        if self.ended is not None:
            cell.outputs.append(new_output("error", ename=KERNEL_ENDED, evalue=self.ended, traceback=[self.ended]))
        return cell, resources

    def mark(self, cell: NotebookNode) -> None:
        """Leaves the report and one float in a test cell's outputs, or the one error that says: not marked."""
        fault = self.fault or self.ended
        if fault is not None:
            cell.outputs = _marked(self._no_marks(cell, fault), 0.0)
            return
        points = float(cell.metadata.nbgrader["points"])
        probe.bind(KernelDoor(self))
        cells.bind(self.clean)
        try:
            report, marks = run_test(cell.source, cell.metadata.nbgrader["grade_id"])
            if type(marks) is not float or not 0.0 <= marks <= points:
                raise ValueError(f"{marks!r} are no marks out of {points:g}")
        except Exception:  # noqa: BLE001  (whatever failed here is ours: the part stays unmarked, and the log says why)
            part = course.part_of(cell.metadata.nbgrader["grade_id"])
            text = messages.not_marked(part.number, part.stem)
            self.log.error("%s\n%s", text, traceback.format_exc())
            cell.outputs = [new_output("error", ename=NOT_MARKED, evalue=text, traceback=[text])]
        else:
            cell.outputs = _marked(report, marks)
        finally:
            probe.bind(None)
            cells.bind(None)

    def process_message(self, msg: dict, cell: NotebookNode, cell_index: int) -> NotebookNode | None:
        """Keeps of the outputs what a cell and a notebook may have; the rest is dropped as it comes."""
        if msg["msg_type"] in ("stream", "display_data", "execute_result", "error", "update_display_data"):
            size = limits.OUTPUT_COST_CHARS + len(json.dumps(msg["content"]))
            left = min(self.left_chars, self.left_all_chars)
            self.left_chars, self.left_all_chars = self.left_chars - size, self.left_all_chars - size
            if left < 0:
                return None
            if size > left:
                msg["content"] = {"name": "stdout", "text": _start(msg["content"], left) + "\n" + messages.OUTPUT_CUT}
                msg["msg_type"] = msg["header"]["msg_type"] = "stream"
        with contextlib.suppress(LookupError):  # an update of an output that is not there any more
            return super().process_message(msg, cell, cell_index)
        return None

    def _no_marks(self, cell: NotebookNode, fault: str) -> str:
        part = course.part_of(cell.metadata.nbgrader["grade_id"])
        return messages.no_marks(part.number, float(cell.metadata.nbgrader["points"]), fault)

    async def _responds(self) -> bool:
        """Whether the kernel, after an interrupt, is ready for the next cell."""
        asked, end = self.kc.kernel_info(), time.monotonic() + limits.RESPONSE_LIMIT_S
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
    """nbgrader's SaveAutoGrades, for which a test cell that is not marked is ungraded, not 0.

    Other code cells run in the student's kernel, so that their outputs say nothing of marks.
    """

    def _add_score(self, cell: NotebookNode, resources: dict) -> None:
        if cell.cell_type != "code" or (_is_test(cell) and not _failed(cell)):
            super()._add_score(cell, resources)
            return
        grade = self.gradebook.find_grade(
            cell.metadata.nbgrader["grade_id"], self.notebook_id, self.assignment_id, self.student_id
        )
        grade.auto_score, grade.needs_manual_grade = (None, True) if _is_test(cell) else (0.0, False)
        self.gradebook.db.commit()


def run_test(source: str, name: str) -> tuple[str, object]:
    """What a test cell prints, and the value of its last expression; it runs here, in a namespace of its own.

    Errors  whatever the cell raises, and ValueError if it does not end with an expression.
    """
    file = f"<{name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)  # for inspect.getsource
    tree = ast.parse(source, file)
    if not tree.body or not isinstance(tree.body[-1], ast.Expr):
        raise ValueError(f"{name} does not end with its marks")
    last = ast.Expression(tree.body.pop().value)
    names, printed = {"__name__": file}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, file, "exec"), names)
        value = eval(compile(last, file, "eval"), names)
    return printed.getvalue().rstrip("\n"), value


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
        read = [nbformat.read(path, as_version=4) for path in graded.glob("*.ipynb")]
        if any(_failed(cell) for notebook in read for cell in notebook.cells if _is_test(cell)):
            rmtree(graded)


@functools.cache
def _pool(walled: bool) -> Pool:
    """This process's sandboxes; SandboxError if the walls cannot stand here."""
    return Pool(walled)


def _is_test(cell: NotebookNode) -> bool:
    return cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("grade_id", "").endswith("-test")


def _failed(test: NotebookNode) -> bool:
    """Whether a test cell has no marks because of us."""
    return any(o.get("ename") == NOT_MARKED for o in test.outputs)


def _marked(report: str, marks: float) -> list[NotebookNode]:
    """The outputs of a marked test cell."""
    return [
        new_output("stream", name="stdout", text=report + "\n"),
        new_output("execute_result", data={"text/plain": repr(marks)}, execution_count=None),
    ]


def _start(content: dict, size: int) -> str:
    text = content.get("text", "")
    return text[:size] if isinstance(text, str) else ""
