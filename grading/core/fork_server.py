"""The process that others are forked from: begun before it is needed, so that it imports while a command does."""

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from multiprocessing import forkserver
from pathlib import Path

from grading.core import limits

FIRST = "grading.core.forked"  # by name: here it would turn the collector off
_CODE = Path(__file__).resolve().parents[2]


def begin(modules: list[str]) -> None:
    """Starts the process, which imports these modules; where it runs already, nothing changes.

    It stays, and what runs next in this process may have other limits, so it knows none of ours; whoever is forked is
    given all of the environment. Ctrl-C is for this process, which then ends those.

    Errors  OSError if it cannot start.
    """
    multiprocessing.get_context("forkserver").set_forkserver_preload([FIRST, *modules])
    with _environment(), _deaf_to_ctrl_c():
        forkserver.ensure_running()


@contextlib.contextmanager
def _environment() -> Iterator[None]:
    """What is started within finds this package, and none of our limits in its environment."""
    before = dict(os.environ)
    for name in before:
        if name.startswith(limits.PREFIX):
            del os.environ[name]
    os.environ["PYTHONPATH"] = os.pathsep.join([str(_CODE), *filter(None, [before.get("PYTHONPATH")])])
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
