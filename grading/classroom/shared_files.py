"""Files that every graded folder has from the course, such as its module: one file on the disk, with many names.

They are most of what a graded folder holds, and the same for each student of a class. Only what nobody may write to is
shared; where the file system has one name a file, each folder gets a copy.
"""

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from grading.classroom.inputs import Inputs

WRITABLE = 0o222
Status = tuple[int, ...]  # by which a file is known again


@dataclass(frozen=True)
class Written:
    """Where a file was written last, and how it was then."""

    path: str
    status: Status


class SharedFiles:
    """What one run has written of the files that an assignment is given with."""

    def __init__(self, given: Inputs, assignment: str) -> None:
        self._given, self._assignment = given, assignment
        self._written: dict[tuple[str, int], Written] = {}  # by name and mode

    def write(self, folder: str, place: Path, name: str, mode: int) -> None:
        """Writes a file below a folder that is moved to a place afterwards.

        Errors  OSError if it cannot be written.
        """
        path, known = os.path.join(folder, name), self._written.get((name, mode))
        if known is not None and _linked(known, path):
            return
        write(path, mode, self._given.contents()[f"source/{self._assignment}/{name}"])
        if not mode & WRITABLE:
            self._written[name, mode] = Written(os.path.join(place, name), _status(path))


def write(path: str, mode: int, content: bytes) -> None:
    """Writes a new file; OSError if it cannot be written."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)  # where capital letters are no others, one is there, whose content may be another's, too
    with open(path, "xb") as file:
        file.write(content)
    os.chmod(path, mode)


def _linked(known: Written, path: str) -> bool:
    """Whether `path` is another name now of the file that is known, unchanged since."""
    try:
        os.link(known.path, path, follow_symlinks=False)
    except OSError:  # it is gone, has too many names, or can't have two: if no file can be written, writing tells
        return False
    if _status(path) == known.status:
        return True
    os.unlink(path)
    return False


def _status(path: str) -> Status:
    status = os.lstat(path)
    return status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns
