"""The fork server, the process that others are forked from: it begins early, and imports while a command does."""

import atexit
import contextlib
import functools
import multiprocessing
import os
import signal
import tempfile
import traceback
from collections.abc import Callable, Iterator
from multiprocessing import forkserver, resource_tracker, util
from pathlib import Path

from grading.core import errors, fork_server_preload, limits

_CODE = Path(__file__).resolve().parents[2]


def method() -> str:
    """How processes start: forked, unless the temporary folder's path is too long for the socket that this needs."""
    return "forkserver" if len(tempfile.gettempdir()) < limits.SOCKET_PATH_CHARS else "spawn"


def begin(modules: list[str]) -> None:
    """Starts the process, which imports these modules; where it runs already, nothing changes.

    It outlives a command, and the next one in this process may have other limits. So it knows none of ours; those that
    are forked from it get our whole environment. Ctrl-C is for this process, which then ends them, see
    `fork_server_preload`.

    Errors  CourseError if it cannot start.
    """
    multiprocessing.get_context("forkserver").set_forkserver_preload([fork_server_preload.__name__, *modules])
    with as_course_error(), _environment():
        resource_tracker.ensure_running()  # here, because its start lets through what `_run` holds back
        _run()


def fork(first: Callable[[], None]) -> None:
    """As `begin`, but the process is a fork of this one, with all that it has imported; it calls `first`.

    Only for a process that runs a single command, because the fork knows our limits, too.

    Errors  CourseError if it cannot start.
    """
    with as_course_error():
        resource_tracker.ensure_running()  # or it would be forked as well, and hold all that is open here
        start, util.spawnv_passfds = util.spawnv_passfds, functools.partial(_forked, first)
        try:
            multiprocessing.get_context("forkserver").set_forkserver_preload([])
            _run()
        finally:
            util.spawnv_passfds = start


@contextlib.contextmanager
def as_course_error() -> Iterator[None]:
    """Turns a failure to start a process or a thread into a line.

    Errors  CourseError where none starts within.
    """
    try:
        yield
    except (OSError, RuntimeError) as error:  # RuntimeError: of a thread
        raise errors.CourseError(
            f"no new process can be started: {getattr(error, 'strerror', None) or error}. "
            "Nothing is lost: end other programs, or raise the limit on processes, and run this again."
        ) from error


def _end() -> None:
    """Ends the process at once: it may still be importing, and would keep files of ours open, such as our output."""
    pid = forkserver._forkserver._forkserver_pid
    if pid is not None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _run() -> None:
    # Who is stopped meanwhile is stopped afterwards: that is not lost, nor does the other process take it for its own.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, fork_server_preload.STOPS)
    try:
        forkserver.ensure_running()
        atexit.unregister(_end)
        atexit.register(_end)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _forked(first: Callable[[], None], _: object, arguments: list[str], fds: list[int]) -> int:
    """A fork of this process that runs the code in the last of `arguments`, in place of a new Python that would."""
    print(end="", flush=True)  # also where there is no output
    if (pid := os.fork()) > 0:
        return pid
    code = 1
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        fork_server_preload.ignore_ctrl_c()
        _close_the_other_end(fds)
        forkserver._forkserver.__init__()  # it is locked
        tempfile.tempdir = None  # workers have one of their own
        fork_server_preload.collect_no_garbage()
        first()
        exec(arguments[-1], {})
    except SystemExit:
        code = 0
    except BaseException:  # noqa: BLE001  (nobody else would hear of it)
        traceback.print_exc()
    finally:
        os._exit(code)


def _close_the_other_end(fds: list[int]) -> None:
    """Closes the other end of the pipe by which this process learns that nobody needs it, or it would stay for ever."""
    for fd in map(int, os.listdir("/proc/self/fd")):
        with contextlib.suppress(OSError):  # the list's own is closed already
            if fd not in fds and any(os.path.sameopenfile(fd, each) for each in fds):
                os.close(fd)


@contextlib.contextmanager
def _environment() -> Iterator[None]:
    """Within it, what is started finds this package and inherits none of our limits from the environment."""
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
