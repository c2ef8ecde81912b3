"""Waiting until a file can be read, whatever its number.

`select.select` takes none above 1023, and a Jupyter server, in which the Formgrader grades, may have more of them open.
"""

import select
import socket


def is_readable(file: int | socket.socket, limit_s: float | None = None) -> bool:
    """Whether it can be read, or its other end is gone, before the limit; without one this waits until it can."""
    poll = select.poll()
    poll.register(file, select.POLLIN)
    return bool(poll.poll(None if limit_s is None else limit_s * 1000))
