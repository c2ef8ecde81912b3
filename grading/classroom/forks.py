"""The process that workers are forked from: started as soon as a command begins, it imports while the command does."""

import contextlib
import multiprocessing
import os
import signal
import tempfile
import threading
from collections.abc import Iterator
from multiprocessing import forkserver
from pathlib import Path

from grading.core import limits
from grading.sandbox.host import SOCKET_PATH_CHARS

# What workers take longest to import. Of ours only what knows no limits: see `prepare`.
PRELOAD = ["grading.core.forked", "distributed", "nbgrader.apps"]
ENGINE = Path(__file__).resolve().parents[1]


def method() -> str:
    """How workers start: forked where they can be, because the process to fork from listens in the temporary folder."""
    return "forkserver" if len(tempfile.gettempdir()) < SOCKET_PATH_CHARS else "spawn"


def prepare() -> None:
    """Starts the process, once, where workers are forked.

    It stays, and what runs next in this process may have other limits, so it knows none of ours; a worker is given all
    of the environment. Ctrl-C is for this process, which then ends the workers.

    Errors  OSError if it cannot start.
    """
    if method() != "forkserver":
        return
    multiprocessing.get_context("forkserver").set_forkserver_preload(PRELOAD)
    with _environment(), _deaf_to_ctrl_c():
        forkserver.ensure_running()


@contextlib.contextmanager
def _environment() -> Iterator[None]:
    """What is started within finds this package, and none of our limits in its environment."""
    before = dict(os.environ)
    for name in before:
        if name.startswith(limits.PREFIX):
            del os.environ[name]
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ENGINE.parent), *filter(None, [before.get("PYTHONPATH")])])
    try:
        yield
    finally:
        del os.environ["PYTHONPATH"]
        os.environ.update(before)


@contextlib.contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """What is started within is not stopped by Ctrl-C; only the main thread of a program may see to that."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
