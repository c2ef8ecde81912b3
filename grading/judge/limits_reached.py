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


def note(stem: str, notebook: NotebookNode, stopped_after_s: float | None, ended: str | None) -> None:
    """Notes what has `ended` a notebook that has been run, or stopped any of its cells; no word is the student's."""
    reached = _reached.get()
    if reached is None:
        return
    found = {} if ended is None else {ended: None}
    if stopped_after_s is not None:
        found[messages.cell_stopped(stopped_after_s)] = None
    for report in (part_report.read(cell) for cell in notebook.cells if cells.is_test(cell)):
        if report is not None:
            found |= {report.fault: None} if report.ended else {}
            found |= {report.late: None} if report.late else {}
    reached.lines += [f"{stem}: {text}" for text in found]
