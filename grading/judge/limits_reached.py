"""The limits that ended a notebook or cut its code short, a line each, in our own words; noted where they strike."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from nbformat import NotebookNode

from grading.core import cells, messages, part_report


@dataclass
class Reached:
    """What was noted of a submission: a line per limit, and whether the system killed a kernel of it."""

    lines: list[str] = field(default_factory=list)
    killed: bool = False


_reached: ContextVar[Reached | None] = ContextVar("reached", default=None)


@contextmanager
def collected() -> Iterator[Reached]:
    """Within it, what is noted of each notebook is kept here."""
    reached = Reached()
    token = _reached.set(reached)
    try:
        yield reached
    finally:
        _reached.reset(token)


def note_killed() -> None:
    """Notes that the system, or another program, has killed a kernel."""
    if (reached := _reached.get()) is not None:
        reached.killed = True


def note(stem: str, notebook: NotebookNode, cell_limit_s: float, ended: str | None) -> None:
    """Notes what has `ended` a notebook that has been run, or any of its cells; no word of it is the student's."""
    reached = _reached.get()
    if reached is None:
        return
    found = {} if ended is None else {ended: None}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.get("ename") == "CellTimeoutError":
                found[messages.cell_stopped(cell_limit_s)] = None
        report = part_report.read(cell) if cells.is_test(cell) else None
        if report is not None:
            found |= {report.fault: None} if report.ended else {}
            found |= {report.late: None} if report.late else {}
    reached.lines += [f"{stem}: {text}" for text in found]
