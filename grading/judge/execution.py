"""nbgrader's Execute step: the student's cells in the student's kernel, the hidden tests here, in the trusted process.

All code cells but the test run in order in a walled kernel that knows nothing of the course. Then the test cell runs in
this process, in a namespace of its own, and reaches the kernel through `probe` alone. It leaves exactly one result, a
float that is the marks, after its report. A kernel that ended costs the student's marks and not the run; an error of
ours leaves the part unmarked, never 0.

Plugged in by configuration, in place of nbgrader's Execute.
"""

import ast
import contextlib
import functools
import io
import linecache
import os
from dataclasses import replace
from pathlib import Path
from types import CodeType

from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbclient.util import run_sync
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader.preprocessors import Execute
from nbgrader.utils import rmtree
from threadpoolctl import ThreadpoolController
from traitlets import Enum

from grading.bridge import probe
from grading.core import cells, find_course, limit_messages, limits
from grading.core.part_report import Report
from grading.judge import explanations, gpu_failures, incoming, kernel_seed, kernels, limits_reached, logs, save_marks
from grading.judge.one_student import OneStudent
from grading.judge.transport import KernelTransport
from grading.marking import rubric
from grading.marking.budget import TooMuch, limited
from grading.marking.diagnosis import searched
from grading.rules import student_code
from grading.sandbox.host import SandboxError
from grading.sandbox.kept_sandboxes import SANDBOXES
from grading.submission import notebook_file

KERNEL_ENDED = "KernelEnded"  # the name of the error of a cell that could not run any more


class Judge(Execute):
    """Runs a notebook and marks its test cell: from 0 to its points, or unmarked."""

    sandbox = Enum(
        ["bubblewrap", "none"],
        default_value="bubblewrap",
        help='Walls around student code: "bubblewrap", or "none" for submissions that are trusted.',
    ).tag(config=True)

    def __init__(self, *args: object, **kwargs: object) -> None:
        kwargs.setdefault("shutdown_kernel", "immediate")
        kwargs.setdefault("raise_on_iopub_timeout", False)  # a reply before its outputs is the student's, not our error
        kwargs.setdefault("kernel_manager_class", kernels.KernelManager)
        super().__init__(*args, **kwargs)
        self.error_on_timeout = {**self.error_on_timeout, incoming.STOPPED: True}

    def preprocess(self, nb: NotebookNode, resources: dict, **kwargs: object) -> tuple[NotebookNode, dict]:
        """Runs the cells of a clean copy and marks its test cell; nothing of a damaged one is run.

        Errors  SystemExit where no sandbox can be had: then nothing more can be graded.
        """
        mark = nb.metadata.pop(notebook_file.MARK, {})
        self.unreadable, self.ended = mark.get("unreadable"), None
        self.course = find_course.of(self.config, resources.get("nbgrader", {}).get("assignment", ""))
        self.taken_in = nb  # running it adds outputs, which no rule reads
        if self.unreadable:
            for cell in nb.cells:
                self.leave_out(cell)
            return nb, resources
        place = resources["metadata"]["path"]
        try:
            self.pool = SANDBOXES.of_course(self.course, self.sandbox == "bubblewrap")
            # Without an exporter nobody knows of other notebooks.
            self.student = OneStudent(Path(place)) if self.parent is None else self.parent.student(Path(place))
            self.student.workspace.bring_up_to_date(self.pool.package)
            resources["metadata"]["path"] = str(self.student.workspace.path)
            for gpu in gpu_failures.runs(nb, self.pool):
                self.gpu, self.ended, self.stopped, self.room = gpu, None, [], incoming.Room(self.course.plain)
                with incoming.watched(lambda: self.km and self.km.strike()):
                    nb, resources = super().preprocess(nb, resources, **kwargs)
            limits_reached.note(resources["metadata"]["name"], nb, self.timeout if self.stopped else None, self.ended)
            return nb, resources
        except SandboxError as error:
            rmtree(place)  # so that the next run grades this student
            raise SystemExit(f"Nothing more is graded. {error}") from None
        finally:
            resources["metadata"]["path"] = place

    def create_kernel_manager(self) -> kernels.KernelManager:
        """The manager of a kernel whose random numbers follow from the course's secret and the submission."""
        manager = super().create_kernel_manager()
        manager.seed = kernel_seed.of_notebook(self.taken_in, os.environ.get(self.course.secret, ""))
        manager.pool, manager.gpu = self.pool, self.gpu
        manager.allowance, manager.package = self.student.allowance, self.student.workspace.has_package
        return manager

    def preprocess_cell(self, cell: NotebookNode, resources: dict, index: int) -> tuple[NotebookNode, dict]:
        """Runs one cell in the kernel, or a test cell here."""
        if cell.cell_type != "code" or not cell.source.strip():
            return cell, resources
        if cells.is_test(cell):
            self.mark(cell)
            return cell, resources
        return self.run_cell(cell, resources, index)

    def run_cell(self, cell: NotebookNode, resources: dict, index: int) -> tuple[NotebookNode, dict]:
        """Runs one cell in the kernel; once that has ended, the cell says so."""
        if self.ended is None:
            self.room.next_cell()
            try:
                cell, resources = super().preprocess_cell(cell, resources, index)
                if index in self.stopped and not run_sync(self.kc.revived)():
                    self.ended = limit_messages.cell_never_ends(self.timeout)
            except (DeadKernelError, CellTimeoutError):
                self.km.raise_if_ours()
                self.ended = limit_messages.kernel_ended(self.km.struck)
            cell.outputs += incoming.notes(cell.outputs)
        if self.ended is not None:
            cell.outputs.append(new_output("error", ename=KERNEL_ENDED, evalue=self.ended, traceback=[self.ended]))
        return cell, resources

    def leave_out(self, cell: NotebookNode) -> None:
        """What becomes of a cell of a notebook that could not be read."""
        if cells.is_test(cell):
            self.mark(cell)

    def mark(self, cell: NotebookNode) -> None:
        """Leaves the report and one float in a test cell's outputs, or the one error that says: not marked."""
        name, points = cell.metadata.nbgrader["grade_id"], float(cell.metadata.nbgrader["points"])
        part = self.course.part_of(name)
        nothing = Report(part.number, points, 0.0, task=part.task)
        if fault := self.unreadable or self.ended:
            cell.outputs = _marked(replace(nothing, fault=fault, ended=self.ended is not None))
            return
        try:
            with (
                probe.through(KernelTransport(self), self.course.calls) as way,
                student_code.of(self.taken_in),
                logs.passed_on_to(self.log),
                limited(limits.WORK_LIMIT_S, limits.JUDGE_BYTES),
            ):
                report = replace(run_test(cell.source, name, points), late=way.late)
                told = searched(lambda: explanations.added(report, part, self.taken_in))
                cell.outputs = _marked(told or report)
        except TooMuch:
            cell.outputs = _marked(replace(nothing, fault=limit_messages.TOO_MUCH))
        except Exception:  # noqa: BLE001  (whatever failed here is ours: the part stays unmarked, and the log says why)
            text = limits_reached.failure(part, name, self.log)
            cell.outputs = [new_output("error", ename=save_marks.NOT_MARKED, evalue=text, traceback=[text])]

    def process_message(self, msg: dict, cell: NotebookNode, cell_index: int) -> NotebookNode | None:
        """Keeps of the outputs what a cell and a notebook may have; the rest is dropped as it comes."""
        with self.kc.clock.served(), contextlib.suppress(LookupError):  # an update of an output that is gone
            if msg["msg_type"] in incoming.OF_CELLS and self.room.admits(msg, self._display_id_map):
                return super().process_message(msg, cell, cell_index)
        return None

    def on_cell_executed(self, **kwargs: object) -> None:
        """As nbgrader does; and notes the cells that nbclient has stopped, for which it makes up a reply."""
        super().on_cell_executed(**kwargs)
        if incoming.STOPPED in kwargs["execute_reply"]["content"]:
            self.stopped.append(kwargs["cell_index"])


def run_test(source: str, name: str, points: float) -> Report:
    """What a test cell found; it runs here, in a namespace of its own, and its last expression is its marks.

    Errors  whatever the cell raises, and ValueError for marks that are not those of its one sheet, out of `points`.
    """
    file = f"<{name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)  # for inspect.getsource
    body, last = _compiled(source, name)
    names = {"__name__": file}
    with contextlib.redirect_stdout(io.StringIO()), _libraries().limit(limits=1), rubric.collected() as reports:
        exec(body, names)
        marks = eval(last, names)
    if len(reports) != 1 or type(marks) is not float or marks != reports[0].marks or not 0.0 <= marks <= points:
        raise ValueError(f"{marks!r} is not a mark out of {points:g}")
    return reports[0]


@functools.lru_cache(100)
def _compiled(source: str, name: str) -> tuple[CodeType, CodeType]:
    """A test cell, and apart from it its last expression; each student's notebook has the same.

    Errors  SyntaxError, and ValueError for a cell that ends with something else.
    """
    file = f"<{name}>"
    tree = ast.parse(source, file)
    if not tree.body or not isinstance(tree.body[-1], ast.Expr):
        raise ValueError(f"{name} does not end with its marks")
    last = ast.Expression(tree.body.pop().value)
    return compile(tree, file, "exec"), compile(last, file, "eval")


@functools.cache
def _libraries() -> ThreadpoolController:
    """The thread pools of NumPy and others, which take all cores by default, so that two markers hinder each other."""
    return ThreadpoolController()


def _marked(report: Report) -> list[NotebookNode]:
    """The outputs of a marked test cell: what was found, and the float that nbgrader reads."""
    result = new_output("execute_result", data={"text/plain": repr(report.marks)}, execution_count=None)
    return [report.output(), result]
