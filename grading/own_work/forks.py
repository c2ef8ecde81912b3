"""What the notebooks that are checked are forked from: a process that has imported what they import."""

import sys
from multiprocessing import get_context
from multiprocessing.context import BaseContext

from grading.core import fork_server
from grading.core.course import Libraries

SHELL = "grading.own_work.shell"  # by name, because it imports IPython


def prepare(libraries: Libraries) -> BaseContext:
    """Starts the process, once, where forking is safe, and says how those that run a notebook start.

    Errors  OSError if it cannot start.
    """
    if sys.platform != "linux":
        return get_context("spawn")
    fork_server.begin([SHELL, *libraries.modules])
    return get_context("forkserver")
