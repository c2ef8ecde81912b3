"""The limits that ended a notebook or cut its code short, a line each, in our own words; noted where they strike."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from nbformat import NotebookNode

from grading.core import cells, messages, part_report
from grading.judge.save_marks import KERNEL_ENDED

_lines: ContextVar[list[str] | None] = ContextVar("lines", default=None)


@contextmanager
def collected() -> Iterator[list[str]]:
    """Within it, what is noted of each notebook comes into this list."""
    lines: list[str] = []
    token = _lines.set(lines)
    try:
        yield lines
    finally:
        _lines.reset(token)


def note(stem: str, notebook: NotebookNode, cell_limit_s: float) -> None:
    """Notes what has ended a notebook that has been run, or any of its cells."""
    lines = _lines.get()
    if lines is None:
        return
    found = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.get("ename") == "CellTimeoutError":
                found[messages.cell_stopped(cell_limit_s)] = None
            elif output.get("ename") == KERNEL_ENDED:
                found[output.evalue] = None
        report = part_report.read(cell) if cells.is_test(cell) else None
        if report is not None:
            found |= {report.fault: None} if report.ended else {}
            found |= {report.late: None} if report.late else {}
    lines += [f"{stem}: {text}" for text in found]
