"""The files of a notebook's folder, opened one by one for its kernel, which gets a copy of each."""

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from grading.core import limits
from grading.sandbox.sandbox_limits import Limits

OURS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})  # errors that say nothing about a file


def opened(folder: Path, granted: Limits) -> Iterator[tuple[str, int]]:
    """Relative path and open descriptor of the regular files below a folder, as far as half the scratch space goes.

    A file that cannot be opened is left out. Errors  OSError if this process may open no more.
    """
    left, room = limits.FILES, granted.scratch_bytes // 2
    for place, folders, names in os.walk(folder, onerror=_raise_if_ours):
        folders.sort()
        for name in sorted(names):
            try:
                fd = os.open(os.path.join(place, name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            except OSError as error:
                _raise_if_ours(error)
                continue
            state = os.fstat(fd)
            if not stat.S_ISREG(state.st_mode) or state.st_size > room or not left:
                os.close(fd)
                continue
            left, room = left - 1, room - state.st_size
            yield os.path.join(place, name).removeprefix(f"{folder}/"), fd


def _raise_if_ours(error: OSError) -> None:
    if error.errno in OURS:
        raise error
