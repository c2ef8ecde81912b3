"""What lies below a folder that somebody hostile fills: seen by descriptors, through no link, and never without end."""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grading.core import limits


class TooManyError(OSError):
    """There are more files and folders than anybody looks at."""


@dataclass(frozen=True)
class Found:
    """A file or folder: its path below the top, and its name in the folder that is open as `folder` now."""

    path: str
    name: str
    folder: int
    status: os.stat_result

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder, and no link to one."""
        return stat.S_ISDIR(self.status.st_mode)


@contextlib.contextmanager
def opened(folder: str | Path, within: int | None = None) -> Iterator[int]:
    """A descriptor of a folder, if it is not a link.

    Errors  OSError if there is none, or it can't be read.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=within)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def is_folder(path: str | Path) -> bool:
    """Whether a folder is there, and no link to one; no permission keeps this from its answer."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def is_there(path: str | Path) -> bool:
    """Whether a name is there, whatever it is."""
    return os.path.lexists(path)


def below(folder: int, most: int = limits.ENTRIES, depth: int = limits.FILE_DEPTH + 1) -> Iterator[Found]:
    """Everything below an open folder, each folder before what is in it; a folder that is closed to us is empty.

    Errors  TooManyError after `most`; whatever is deeper than `depth` is not looked at.
    """
    left = [most]
    yield from _below(folder, "", left, depth)


def _below(folder: int, prefix: str, left: list[int], depth: int) -> Iterator[Found]:
    found = []
    with contextlib.suppress(PermissionError), os.scandir(folder) as entries:
        for entry in entries:
            left[0] -= 1
            if left[0] < 0:
                raise TooManyError(errno.E2BIG, f"more than {limits.ENTRIES:,} files and folders")
            found.append(entry.name)
    for name in sorted(found):
        with contextlib.suppress(FileNotFoundError):  # it may be gone by now
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            each = Found(os.path.join(prefix, name), name, folder, status)
            yield each
            if each.is_folder and depth > 0:
                with contextlib.suppress(PermissionError), opened(name, folder) as inner:
                    yield from _below(inner, each.path, left, depth - 1)
