"""The mark of a folder that nbgrader has begun to write, next to it until it is whole: the next run sees what is not.

nbgrader takes a folder that is there for one that is done. So whom it was grading when it was killed, it passed over
from then on, with some parts of an earlier submission's marks, or none.
"""

import contextlib
import os
from pathlib import Path


def begun(folder: Path) -> bool:
    """Whether somebody has begun to write a folder and not come to an end."""
    return _mark(folder).exists()


def begin(folder: Path) -> None:
    """Marks a folder that will be written now.

    Errors  OSError if the disk is full or closed.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    _mark(folder).touch()


def end(folder: Path) -> None:
    """Takes the mark away: the folder is whole."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(_mark(folder))


def _mark(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.unfinished")
