"""One notebook's code, run by IPython in a process of its own, up to its visible checks; what failed goes back as JSON.

For students, on their own machine and their own code: there are no walls here, and no hidden tests. Nothing is written
to the notebook. Imports nothing of the course, so that the process is ready at once.
"""

import contextlib
import json
import multiprocessing
import os
import sys
import threading
from multiprocessing.connection import Connection
from types import TracebackType

from IPython.core.compilerop import CachingCompiler
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Type
from traitlets.config import Config

TEXT_CHARS = 2_000  # of an error's message that go back


class _Compiler(CachingCompiler):
    """Names code after its cell, so that a traceback tells where it leads."""

    cell = ""

    def get_code_name(self, raw_code: str, transformed_code: str, number: int) -> str:
        """The file name that tracebacks show for the cell that runs now."""
        return f"<cell {self.cell}>"


class Shell(InteractiveShell):
    """IPython as in a kernel, but for windows, tracebacks and history."""

    compiler_class = Type(_Compiler)

    def enable_gui(self, gui: str | None = None) -> None:
        """Opens nothing: %matplotlib is welcome, and figures are not shown."""

    def ask_exit(self) -> None:
        """Goes on: exit() in a cell does not leave the checks out."""

    def showtraceback(self, *_: object, **__: object) -> None:
        """Prints nothing; the error is in the cell's result."""

    def showsyntaxerror(self, *_: object, **__: object) -> None:
        """Prints nothing; the error is in the cell's result."""


def run(folder: str, sources: list[tuple[str, str]], back: Connection) -> None:
    """Runs cells, each a name and a source, in the notebook's folder, and goes on after those that fail.

    Sends the name of each cell as it begins, and at the end {"failed": [[name, error, text, cell, line], …]}, where
    cell and line say which line of which cell the error comes from, 0 if that is not known.
    """
    _leave_with_parent()
    for stream, mode in ((0, os.O_RDONLY), (1, os.O_WRONLY), (2, os.O_WRONLY)):
        os.dup2(os.open(os.devnull, mode), stream)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)  # multiprocessing had closed it
    os.environ["MPLBACKEND"] = "agg"
    if (matplotlib := sys.modules.get("matplotlib")) is not None:  # imported before this, when no backend was chosen
        matplotlib.use("agg")
    os.chdir(folder)
    sys.path.insert(0, "")
    settings = Config()
    settings.HistoryManager.enabled = False
    shell = Shell.instance(config=settings)
    failed = []
    for name, source in sources:
        back.send_bytes(json.dumps({"cell": name}).encode())
        shell.compile.cell = name
        result = shell.run_cell(source, store_history=False)
        error = result.error_before_exec or result.error_in_exec
        if error is not None:
            failed.append([name, _kind(error), _text(error)[:TEXT_CHARS], *_place(error, name)])
    back.send_bytes(json.dumps({"failed": failed}).encode())


def _kind(error: BaseException) -> str:
    """The name of an error's class; of what a course derives from these two for its checks, that of the base."""
    for base in (AssertionError, NotImplementedError):
        if isinstance(error, base):
            return base.__name__
    return type(error).__name__


def _text(error: BaseException) -> str:
    with contextlib.suppress(Exception):  # an error of the student's own may fail to describe itself
        return str(error.msg if isinstance(error, SyntaxError) else error)
    return ""


def _place(error: BaseException, cell: str) -> tuple[str, int]:
    """The cell and line of the notebook's code that an error comes from, the innermost one."""
    if isinstance(error, SyntaxError) and error.filename == f"<cell {cell}>":
        return cell, error.lineno or 0
    place, step = (cell, 0), error.__traceback__
    while isinstance(step, TracebackType):
        file = step.tb_frame.f_code.co_filename
        if file.startswith("<cell "):
            place = file.removeprefix("<cell ").removesuffix(">"), step.tb_lineno
        step = step.tb_next
    return place


def _leave_with_parent() -> None:
    """Its own group of processes, which can be ended together; and an end when the command has ended."""
    if hasattr(os, "setsid"):
        os.setsid()
    parent = multiprocessing.parent_process()

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
