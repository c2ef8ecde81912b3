"""The fork server of checked notebooks: the process that they are forked from, which has imported what they import."""

import sys
from multiprocessing import get_context
from multiprocessing.context import BaseContext

from grading.core import fork_server
from grading.core.course import Libraries

SHELL = "grading.own_work.shell"  # by name, because it imports IPython


def prepare(libraries: Libraries) -> BaseContext:
    """Starts the process, once, where forking is safe and possible; returns how notebooks' processes start.

    Errors  CourseError if it cannot start.
    """
    method = fork_server.method() if sys.platform == "linux" else "spawn"
    if method == "forkserver":
        fork_server.begin([SHELL, *libraries.modules])
    return get_context(method)
