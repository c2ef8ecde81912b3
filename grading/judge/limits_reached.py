"""The limits that ended a notebook or cut its code short, and what failed that is ours: noted where it happens."""

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from logging import Logger

from nbformat import NotebookNode

from grading.core import cells, limit_messages, messages, part_report
from grading.core.course import Part


@dataclass
class Reached:
    """What was noted of a submission: a line per limit and per failure of ours; if the system killed a kernel of it."""

    lines: list[str] = field(default_factory=list)
    killed: bool = False
    failures: list[str] = field(default_factory=list)


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


def failure(part: Part, test: str, log: Logger) -> str:
    """What a student reads of the exception that keeps a part unmarked; why goes to the log and to an instructor."""
    error, said = sys.exception(), messages.not_marked(part.number, part.stem)
    log.error("%s\n%s", said, traceback.format_exc())
    if (reached := _reached.get()) is not None:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == f"<{test}>"]
        where = f"{test}, line {lines[-1]}" if lines else test
        why = messages.short(f"{type(error).__name__}: {error}")
        reached.failures.append(f"{part.stem}: {where}, raised {why}. If it does so again, fix the test.")
    return said


def note(stem: str, notebook: NotebookNode, stopped_after_s: float | None, ended: str | None) -> None:
    """Notes what has `ended` a notebook that has been run, or stopped any of its cells; no word is the student's."""
    reached = _reached.get()
    if reached is None:
        return
    found = {} if ended is None else {ended: None}
    if stopped_after_s is not None:
        found[limit_messages.cell_stopped(stopped_after_s)] = None
    for report in (part_report.read(cell) for cell in notebook.cells if cells.is_test(cell)):
        if report is not None:
            found |= {report.fault: None} if report.ended else {}
            found |= {report.late: None} if report.late else {}
    reached.lines += [f"{stem}: {text}" for text in found]
    reached.failures += [f"{stem}: {text}" for text in _of_the_course(notebook)]


def _of_the_course(notebook: NotebookNode) -> list[str]:
    """A line on the first error in a cell of the course's that ran before any of the student's: so it isn't theirs.

    An answer that somebody has emptied counts as one of theirs: tests below miss what it should define.
    """
    for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
        if cells.is_editable(cell):
            break
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                why = messages.short(f"{output.ename}: {output.evalue}")
                said = f"the course's own cell {cells.name_of(cell)} fails before any answer runs, {why}"
                return [f"{said}. Fix the cell, or install what it needs into the Python that grades."]
    return []
