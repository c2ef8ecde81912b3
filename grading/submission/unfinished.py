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
    """Whether somebody has begun to write a folder and not come to an end, and is gone."""
    try:
        with _mark(folder).open("r+b") as file:
            _hold(file)
    except (FileNotFoundError, BlockingIOError):  # the latter: it is being written now
        return False
    return True


def begin(folder: Path) -> IO[bytes]:
    """Marks a folder that will be written now, until the file that this gives is closed, or its process is gone.

    Errors  OSError if the disk is full or closed.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    file = _mark(folder).open("ab")
    with contextlib.suppress(BlockingIOError):  # a run of this process failed, and still has it
        _hold(file)
    return file


def end(folder: Path) -> None:
    """Takes the mark away: the folder is whole."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(_mark(folder))


def _hold(file: IO[bytes]) -> None:
    """Errors  BlockingIOError if another one holds it."""
    if sys.platform == "win32":
        return
    import fcntl  # which Windows has not

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if isinstance(error, BlockingIOError):  # any other: a file system without locks
            raise


def _mark(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.unfinished")
