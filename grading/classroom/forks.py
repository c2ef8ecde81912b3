"""What workers are forked from: a process that is started as soon as a command begins."""

import tempfile

from grading.core import fork_server
from grading.sandbox.host import SOCKET_PATH_CHARS

PRELOAD = ["distributed", "nbgrader.apps"]  # what takes longest; of ours nothing, because it knows no limits


def method() -> str:
    """How workers start: forked where they can be, because the process to fork from listens in the temporary folder."""
    return "forkserver" if len(tempfile.gettempdir()) < SOCKET_PATH_CHARS else "spawn"


def prepare() -> None:
    """Starts the process, once, where workers are forked.

    Errors  OSError if it cannot start.
    """
    if method() == "forkserver":
        fork_server.begin(PRELOAD)
