"""Sockets that listen in a folder of the judge's, and tell nothing of it.

Linux tells whoever holds a socket the path by which it was bound. A kernel's would name the folder for temporary files,
which is part of the judge's environment, and the sandbox, and so who else was graded in it.
"""

import os
import socket
from pathlib import Path

OPEN_FILES = Path("/proc/self/fd")


def at(path: Path) -> socket.socket:
    """A socket that listens at a path; where the system has `/proc`, that is known by the name alone.

    Errors  OSError if there can be none.
    """
    sock = socket.socket(socket.AF_UNIX)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        way = OPEN_FILES / str(folder)
        sock.bind(str(way / path.name if way.exists() else path))
        sock.listen()
    except OSError:
        sock.close()
        raise
    finally:
        os.close(folder)
    return sock
