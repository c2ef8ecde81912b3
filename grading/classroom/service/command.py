"""What `python -m grading watch` does: runs the service with its pages, and prints a line per submission."""

import contextlib
import os
import re
import signal
import threading
import time
from pathlib import Path

from grading.classroom import lock, memory_messages, registration
from grading.classroom.service import ports, status
from grading.classroom.service import settings as found_settings
from grading.classroom.service.exchange_arrivals import Exchange
from grading.classroom.service.folder_arrivals import Folder
from grading.classroom.service.server import ON_HUB, Pages
from grading.classroom.service.service import OutOfDate, Service
from grading.core import errors, limits, names, process_limits, streams
from grading.gradebook import course_folder
from grading.submission import exchange_folder

STOP_LIMIT_S = 30.0  # for the workers to end


def run(root: Path, assignment: str, **options: object) -> None:
    """Serves the course in `root` until SIGTERM or Ctrl-C; `options` are settings that have the last word.

    Errors  CourseError if it can't begin, such as without the gradebook or secret of earlier marks, or needs a new
            start.
    """
    course, config = course_folder.course(root, assignment), course_folder.config_with_jupyter_s(root, assignment)
    settings = found_settings.read(config, course, **options)
    registration.refuse_mistakes(root, course)
    if settings.folder:
        source, where = Folder(Path(settings.folder), config, course, root), names.whole_path(Path(settings.folder))
    else:
        source = Exchange(config, course, root, _say)
        where = names.whole_path(source.folder / "inbound")
    workers = settings.workers or limits.workers()
    process_limits.suffice(workers)
    board = status.Board(status.Status(course.title, workers, time.time()))
    stopping = threading.Event()
    with lock.alone(root, "the service, process"), _pages(board, settings.port) as pages, _until(stopping):
        _say(f"submissions are taken from {where} and graded by {workers} {'worker' if workers == 1 else 'workers'}")
        _say(f"the queue: {pages.address}")
        if said := memory_messages.small_machine():
            _say(said)
        if source.folder is not None and exchange_folder.anybody_may_replace(source.folder):
            _say(_replaceable(source.folder))
        if settings.release:
            _say(_shown_when(settings))
        try:
            Service(root, course, settings, source, board, workers, _say, assignment).run(stopping.is_set)
        except OutOfDate as error:
            raise errors.CourseError(str(error)) from None
        except errors.CourseError:
            if not stopping.is_set():  # else it failed because all processes of the group were asked to end
                raise
        left = len(board.read().waiting) + len(board.read().at_work)
        _say(f"stopped; {left} in line or at work, for the next start" if left else "stopped")


def _replaceable(folder: Path) -> str:
    """What keeps students from moving the course's folder in the exchange away, in a line."""
    exchange = names.whole_path(folder.parent)
    return f"every account could move {names.whole_path(folder)} away. Keep others from that: chmod +t {exchange}"


def _shown_when(settings: found_settings.Watch) -> str:
    """What students see at once, in a line."""
    said = "feedback goes into the exchange at once"
    if settings.parts:
        said += f", of {', '.join(settings.parts)} only"
    if settings.quiet_minutes:
        said += f", but for the last {settings.quiet_minutes:g} minutes before the deadline"
    return said


def _pages(board: status.Board, port: int) -> Pages:
    """The pages; where a JupyterHub runs the service, on the port and below the address that it gives.

    Errors  CourseError for a token that no address and no cookie can hold, and if the port is taken.
    """
    if not re.fullmatch(r"[A-Za-z0-9._~-]*", token := os.environ.get("WATCH_TOKEN", "")):
        raise errors.CourseError(
            "WATCH_TOKEN may contain only the letters A to Z and a to z, digits, and . _ ~ -: it is part of an address."
        )
    opened = ports.opened(port, os.environ.get("JUPYTERHUB_SERVICE_URL", ""))
    return Pages(board, opened, os.environ.get(ON_HUB, "/"), token)


class _until:
    """Within it SIGTERM and Ctrl-C set an event, and nothing is torn."""

    def __init__(self, stopping: threading.Event) -> None:
        self._stopping = stopping
        self._patience = threading.Timer(STOP_LIMIT_S, os._exit, [1])
        self._patience.daemon = True

    def __enter__(self) -> None:
        ask = (signal.SIGTERM, signal.SIGINT)
        self._before = {number: signal.signal(number, self._ask) for number in ask}

    def _ask(self, *_: object) -> None:
        """The second time, or when it takes too long, the process ends at once: what is on the disk stays whole."""
        if self._stopping.is_set():
            os._exit(1)
        self._stopping.set()
        self._patience.start()

    def __exit__(self, *_: object) -> None:
        self._patience.cancel()
        for number, handler in self._before.items():
            signal.signal(number, handler)


def _say(line: str) -> None:
    with contextlib.suppress(streams.Unwritable):  # a log on a full disk: the line follows once there is room
        print(f"{status.in_utc(time.time())}  {line}", flush=True)
