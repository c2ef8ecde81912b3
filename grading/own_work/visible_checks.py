"""For students: which parts pass their visible checks, `python -m grading check`; without hidden tests and marks.

Each notebook's code runs in a process of its own, several at a time, each forked from one that has imported the
course's libraries already. The notebooks are read and never written.
"""

import json
import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from multiprocessing import connection
from multiprocessing.context import BaseContext
from pathlib import Path

import nbformat
from nbgrader.utils import compute_checksum

from grading.core import cells, errors, limits, names
from grading.core.course import Course, Part
from grading.own_work import check_fork_server, shell
from grading.sandbox.clock import Clock, Deadline
from grading.submission import notebook_file

REPLY_BYTES = 2**20
TICK_S = 1.0
LOST = "its answer cell is missing. You may write the answer into a new cell of code above the checks."


class State(Enum):
    """What became of a part, in the words that the student reads."""

    PASSES = "passes"
    FAILS = "does not pass yet"
    UNFINISHED = "not finished"
    NOT_STARTED = "not started"
    UNREAD = "not checked"


@dataclass(frozen=True)
class Notebook:
    """A notebook that can be checked: its cells of code up to the checks, by name; whether the answer is untouched, or
    its cell is missing.
    """

    path: Path
    part: Part
    sources: list[tuple[str, str]]
    untouched: bool
    written: bool | None  # the written answer; None where the part asks for none
    lost: bool = False


@dataclass(frozen=True)
class Result:
    """A row of what is printed; `part` is None where the file doesn't say which it is, `written` as in Notebook."""

    path: Path
    part: Part | None
    state: State
    message: str = ""
    written: bool | None = None


def notebooks(course: Course, place: Path) -> list[Path]:
    """The notebook files that a folder or a file stands for; of a folder all parts, also those that are not there.

    Errors  CourseError if there is no such folder or file, or no part in the folder.
    """
    if place.is_file():
        return [place]
    if not place.is_dir():
        raise errors.CourseError(f"{names.path(place)} is not there. Name a folder with notebooks, or a notebook.")
    found = [place / f"{stem}.ipynb" for stem in course.stems]
    if not any(path.exists() for path in found):
        raise errors.CourseError(
            f"{names.path(place)} holds no notebook of the course, {course.stems[0]}.ipynb and so on."
        )
    return found


def read(course: Course, path: Path) -> Notebook | Result:
    """A notebook that a student works on, or the result that says why it cannot be checked."""
    by_name = next((part for part in course.parts if part.stem == path.stem), None)
    if not path.exists():
        return Result(path, by_name, State.UNREAD, "the notebook is not in this folder.")
    try:
        found = notebook_file.read(path)["cells"]
    except notebook_file.Unreadable as error:
        return Result(path, by_name, State.UNREAD, f"{error.why}. Open it in JupyterLab, or get it again.")
    except OSError as error:
        return Result(path, by_name, State.UNREAD, f"the file cannot be read: {error.strerror}.")
    named = [(_meta(cell), cell) for cell in found]
    checks = [n for n, (meta, _) in enumerate(named) if str(meta.get("grade_id")).endswith("-check")]
    try:
        part = course.part_of(str(named[checks[0]][0]["grade_id"]))
    except (IndexError, ValueError):
        return Result(path, by_name, State.UNREAD, "its cell of visible checks is missing. Get the notebook again.")
    sources = []
    for position, (meta, cell) in enumerate(named[: checks[0] + 1], start=1):
        if _is_code(part, meta, cell) and _source(cell).strip():
            sources.append((str(meta.get("grade_id") or f"cell {position}"), _source(cell)))
    editable = [(meta, cell) for meta, cell in named if _is_code(part, meta, cell) and not cells.is_ours(meta)]
    editable = [(m, c) for m, c in editable if not m or m.get("solution")]  # the rest is the course's own scratch cells
    reasoning = [(m, c) for m, c in named if m.get("grade_id") in part.written]
    written = any(not _untouched(*r) and _source(r[1]).strip() not in ("", cells.TEXT_STUB) for r in reasoning)
    untouched = all(_untouched(*e) or not _source(e[1]).strip() for e in editable)
    lost = not any(meta.get("grade_id") == f"{part.stem}-answer" for meta, _ in named)
    return Notebook(path, part, sources, untouched, written if reasoning else None, lost)


def results(
    course: Course,
    paths: list[Path],
    at_once: int | None = None,
    tick: Callable[[Part, float, float], None] | None = None,
) -> Iterator[Result]:
    """The result of each notebook, as soon as it is ready; `at_once` at a time, by default one per core.

    About once a second `tick` gets the part that has run longest, for how long it has, and for how long it may.
    """
    waiting = []
    for path in paths:
        found = read(course, path)
        if isinstance(found, Result):
            yield found
        elif found.untouched:
            yield Result(path, found.part, State.NOT_STARTED, LOST if found.lost else "", found.written)
        else:
            waiting.append(found)
    order = {stem: place for place, stem in enumerate(course.longest)}
    waiting.sort(key=lambda notebook: order.get(notebook.part.stem, len(order)))
    context = check_fork_server.prepare(course.libraries) if waiting else None
    running: list[_Run] = []
    try:
        while waiting or running:
            while waiting and len(running) < (at_once or os.cpu_count() or 1):
                running.append(_Run(context, waiting.pop(0)))
            pause = min(run.end.pause() for run in running)
            connection.wait([run.pipe for run in running], pause if tick is None else min(pause, TICK_S))
            if tick is not None:
                longest = max(running, key=_Run.took_s)
                tick(longest.notebook.part, longest.took_s(), longest.limit_s)
            for run in list(running):
                if (result := run.look()) is not None:
                    running.remove(run)
                    run.stop()
                    yield result
    finally:
        for run in running:
            run.stop()


class _Run:
    """A notebook that runs in its own process, for at most limits.CHECK_LIMIT_S of own time from its first cell on."""

    def __init__(self, context: BaseContext, notebook: Notebook) -> None:
        self.notebook, self.cell = notebook, ""
        self.limit_s = limits.SANDBOX_LIMIT_S  # for importing the libraries
        self.clock = Clock(lambda: self.process.pid)
        self.pipe, its_end = context.Pipe(duplex=False)
        folder = str(notebook.path.resolve().parent)
        self.process = context.Process(target=shell.run, args=(folder, notebook.sources, its_end), daemon=True)
        self.process.start()
        self.end = Deadline(self.clock, self.limit_s)
        its_end.close()

    def look(self) -> Result | None:
        """The result, if the notebook is done, has run out of time, or its process has ended."""
        try:
            while self.pipe.poll():
                reply = json.loads(self.pipe.recv_bytes(REPLY_BYTES))
                if "failed" in reply:
                    return _judged(self.notebook, reply["failed"])
                if not self.cell:
                    self.limit_s = limits.CHECK_LIMIT_S
                    self.end = Deadline(self.clock, self.limit_s)
                self.cell = str(reply["cell"])
        except (EOFError, OSError, ValueError, KeyError, TypeError):
            return self._result("the process that ran it ended. Does the code exit, or need too much memory?")
        if self.end.left() > 0:
            return None
        return self._result(f"{_where(self.notebook, self.cell)} was still running after {self.limit_s:g} s.")

    def took_s(self) -> float:
        """Its own time so far."""
        return self.end.spent()

    def stop(self) -> None:
        """Ends the process, and those that it has started."""
        if hasattr(os, "killpg"):
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                self.process.kill()
        else:
            self.process.kill()
        self.process.join()
        self.pipe.close()

    def _result(self, message: str) -> Result:
        return Result(self.notebook.path, self.notebook.part, State.FAILS, message, self.notebook.written)


def _judged(notebook: Notebook, failed: list[list]) -> Result:
    """What the cells' errors mean: a check that passes is enough, whatever else has failed."""
    result = Result(notebook.path, notebook.part, State.PASSES, written=notebook.written)
    ours = [f for f in failed if f[0] in (f"{notebook.part.stem}-{kind}" for kind in _CELLS)]
    if not ours or not ours[-1][0].endswith("-check"):
        return result
    # Where setup or answer did not run to their ends, the check finds little: the first error is the one to fix.
    name, error, text, cell, line = ours[0]
    if error == "NotImplementedError" and (name.endswith("-check") or not text):  # else PyTorch says what it can't do
        place = f"{_where(notebook, cell)}, line {line}" if line else _where(notebook, cell)
        said = text.removesuffix(".") or "NotImplementedError is still raised"
        return replace(result, state=State.UNFINISHED, message=f"{said}: {place}.")
    if name.endswith("-check") and cell == name and error == "AssertionError" and text:
        return replace(result, state=State.FAILS, message=text)
    place = f", line {line}" if line else ""
    return replace(result, state=State.FAILS, message=f"{_where(notebook, cell)}{place}: {error}: {text or 'no text'}")


def _where(notebook: Notebook, cell: str) -> str:
    names = {f"{notebook.part.stem}-{kind}": text for kind, text in _CELLS.items()}
    return names.get(cell, cell or "its start")


_CELLS = {"setup": "the setup cell", "answer": "the answer cell", "check": "the cell of checks"}


def _is_code(part: Part, meta: dict, cell: dict) -> bool:
    """Whether a cell is run in grading: one of the released cells whatever type somebody gave it."""
    return cell.get("cell_type") == "code" or meta.get("grade_id") in {f"{part.stem}-{kind}" for kind in _CELLS}


def _meta(cell: dict) -> dict:
    meta = cell.get("metadata")
    meta = meta.get("nbgrader") if isinstance(meta, dict) else None
    return meta if isinstance(meta, dict) else {}


def _source(cell: dict) -> str:
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(map(str, source if isinstance(source, list) else []))


def _untouched(meta: dict, cell: dict) -> bool:
    """Whether a cell is as it was released, by the checksum that nbgrader left in it."""
    try:
        node = nbformat.from_dict({**cell, "source": _source(cell)})
        return compute_checksum(node) == meta["checksum"]
    except (KeyError, AttributeError, TypeError, ValueError, RecursionError):
        return False
