"""The fork server of workers: a process that they are forked from, ready by the time a command has made its imports."""

import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from grading.core import command_line, find_course, fork_server
from grading.core.course import Course
from grading.sandbox import bubblewrap
from grading.sandbox.host import SandboxError
from grading.sandbox.kept_sandboxes import SANDBOXES

PRELOAD = ["distributed", "nbgrader.apps"]  # what takes longest; of ours nothing, because it knows no limits
BEGIN_S = 1.0  # how long imports wait for a sandbox's first process at most, which usually takes a tenth of it


def prepare() -> None:
    """Starts the process, once, where workers are forked; for the main thread alone, because of the environment.

    Errors  CourseError if it cannot start.
    """
    if fork_server.method() == "forkserver":
        fork_server.begin(PRELOAD)


@contextlib.contextmanager
def begun(root: Path, student: str | None = None, force: bool = False, ahead: bool = True) -> Iterator[None]:
    """In this block a command imports what its workers need; at its end there is a process that they are forked from.

    If the command is alone in its process, that is a fork of this one, with all that was imported. If there is surely a
    submission to grade, a sandbox loads meanwhile, unless not `ahead`, and belongs to the worker that is forked first;
    and whether walls can stand at all is tried meanwhile, too.

    Errors  CourseError if it cannot start.
    """
    if not (command_line.is_alone() and sys.platform == "linux" and fork_server.method() == "forkserver"):
        prepare()
        yield
        return
    found = find_course.early(root) if ahead else None
    # Threads, which Ctrl-C can't stop half-way.
    trying = threading.Thread(target=_try_walls)
    starting = threading.Thread(target=_begin_sandbox, args=found[:1] if found else ())
    try:
        if found is not None and found[1] and (force or _new(root, found[0].name, student)):
            with fork_server.as_course_error():
                trying.start()
                starting.start()
            starting.join(BEGIN_S)  # before the imports, which would take turns with it: the sandbox takes longest
        yield
    finally:
        for thread in (trying, starting):
            if thread.ident is not None:
                thread.join()
    fork_server.fork(_leave_to_the_first)
    SANDBOXES.leave()


def _try_walls() -> None:
    with contextlib.suppress(OSError):  # there is no room; whoever asks next tries again, and says so
        bubblewrap.available()


def _begin_sandbox(course: Course) -> None:
    with contextlib.suppress(OSError, SandboxError):  # there is no room; the worker that needs a sandbox says so
        SANDBOXES.begin(course)


def _new(root: Path, assignment: str, student: str | None) -> bool:
    """Whether there is a submission that no run has graded; with `student`, whether theirs is one."""
    submitted, graded = (
        {path.parent.name for path in (root / step).glob(f"*/{assignment}")} for step in ("submitted", "autograded")
    )
    return bool((submitted if student is None else submitted & {student}) - graded)


def _leave_to_the_first() -> None:
    bubblewrap.forget_refusal()  # the command may yet install what is missing
    here = os.getpid()
    os.register_at_fork(after_in_parent=lambda: SANDBOXES.leave() if os.getpid() == here else None)
