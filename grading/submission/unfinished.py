"""The mark of a folder that nbgrader has begun to write, next to it until it is whole: the next run sees what is not.

nbgrader takes a folder that is there for one that is done. So whom it was grading when it was killed, it passed over
from then on, with some parts of an earlier submission's marks, or none.
"""

import contextlib
import os
import sys
from pathlib import Path
from typing import IO


def begun(folder: Path) -> bool:
    """Whether a process that began to write a folder ended before the folder was whole."""
    try:
        with _mark(folder).open("r+b") as file:
            return _hold(file)
    except FileNotFoundError:
        return False


def begin(folder: Path) -> IO[bytes]:
    """Marks a folder that will be written now, until the file that this gives is closed, or its process is gone.

    Errors  OSError if the disk is full or closed.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    file = _mark(folder).open("ab")
    _hold(file)  # or a run of this process that failed still does
    return file


def end(folder: Path) -> None:
    """Takes the mark away: the folder is whole."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(_mark(folder))


def _hold(file: IO[bytes]) -> bool:
    """Holds a mark until it is closed; False if another one does, who is writing now."""
    if sys.platform == "win32":
        return True
    import fcntl  # which Windows has not

    with contextlib.suppress(OSError):  # of a file system without locks
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def _mark(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.unfinished")
