"""Files that every graded folder has from the course, such as its module: one file on the disk, with many names.

They are most of what a graded folder holds, and the same for each student of a class. Only what nobody may write to is
shared; where the file system has one name a file, each folder gets a copy.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from grading.classroom.inputs import Inputs

WRITABLE = 0o222
Status = tuple[int, ...]  # by which a file is known again


@dataclass(frozen=True)
class Written:
    """Where a file was written last, with which mode, and how it was then."""

    path: str
    mode: int
    status: Status


class SharedFiles:
    """What one run has written of the files that an assignment is given with."""

    def __init__(self, given: Inputs, assignment: str) -> None:
        self._given, self._assignment = given, assignment
        self._written: dict[str, Written] = {}

    def write(self, folder: str, place: Path, name: str, mode: int) -> None:
        """Writes a file below a folder that is moved to a place afterwards.

        Errors  OSError if it cannot be written.
        """
        path = os.path.join(folder, name)
        if mode & WRITABLE:
            write(path, mode, self._content(name))
        elif name not in self._written or not _linked(self._written[name], path, mode):
            write(path, mode, self._content(name))
            self._written[name] = Written(os.path.join(place, name), mode, _status(path))

    def _content(self, name: str) -> bytes:
        return self._given.contents()[f"source/{self._assignment}/{name}"]


def write(path: str, mode: int, content: bytes) -> None:
    """Writes a new file; OSError if it cannot be written."""
    try:
        file = open(path, "xb")  # noqa: SIM115  (closed below)
    except FileExistsError:  # where capital letters are no others, under a name that may be another file's, too
        os.unlink(path)
        file = open(path, "xb")  # noqa: SIM115
    with file:
        file.write(content)
    os.chmod(path, mode)


def _linked(known: Written, path: str, mode: int) -> bool:
    """Whether `path` is another name now of the file that is known, unchanged since."""
    if mode != known.mode:
        return False
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
