"""The port of the service's pages: one that somebody holds open for the service, or one that it opens itself.

Any account on a machine may open a port that nobody has open at that moment, and who asks there then gets its pages.
Only what runs all the time, or as root, can keep a port for the service from before its start until after its end.
"""

import contextlib
import os
import socket
from pathlib import Path
from urllib.parse import urlsplit

import tornado.netutil

from grading.core import errors
from grading.submission import exchange_folder

HERE = "127.0.0.1"
GIVEN = 3  # the descriptor of the first port that systemd, or whatever does as it does, has opened for a process
_LISTENS = "0A"  # in Linux' tables of connections


def opened(port: int, on_hub: str = "") -> socket.socket:
    """The port, open on this machine alone; `on_hub` is the address at which a JupyterHub looks for the service.

    Errors  CourseError if it can't be opened, or the hub looks elsewhere.
    """
    if on_hub:
        where = urlsplit(on_hub)
        if where.hostname != HERE:
            raise errors.CourseError(
                f"the hub looks for this service at {on_hub}, where others may answer. In jupyterhub_config.py, give "
                f"it an address that begins with http://{HERE}."
            )
        port = where.port or port
    if (given := _given()) is not None:
        return given
    try:
        return tornado.netutil.bind_sockets(port, HERE)[0]
    except OSError as error:
        by, then = _taken_by(port), "Set another with --port."
        if on_hub:
            then = "Whatever answers there, the hub shows as the course's: end it, or give the service another port."
        raise errors.CourseError(f"port {port} of this machine can't be used: {error.strerror}{by}. {then}") from None


def _given() -> socket.socket | None:
    """The port that was opened for this process, if one was; it is this process's alone from now on."""
    meant, number = os.environ.pop("LISTEN_PID", ""), os.environ.pop("LISTEN_FDS", "")
    if meant != str(os.getpid()) or number != "1":
        return None
    given = socket.socket(fileno=GIVEN)
    given.set_inheritable(False)
    given.setblocking(False)
    return given


def _taken_by(port: int) -> str:
    """By whose program a port is taken, in words; empty where the system doesn't say."""
    for table in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):
            for line in Path("/proc/net", table).read_text(encoding="ascii").splitlines()[1:]:
                _, local, _, state, *_rest = fields = line.split()
                if state == _LISTENS and int(local.rpartition(":")[2], 16) == port:
                    return f", by a program of the account {exchange_folder.name_of(int(fields[7])) or fields[7]}"
    return ""
