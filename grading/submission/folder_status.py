"""Whether anything below a folder may have changed since it was read, told without reading it again.

As Git and Make do it: a file that was written, replaced, renamed or given other rights has another status. A second
change within one tick of the file system's clock would show in none, so a folder that changed a moment ago has none.
Another machine's change on a network's disk may show late: then the next run finds it, which reads all files.
"""

import os
import time
from pathlib import Path

from grading.submission import safe_walk

TICK_NS = 3 * 10**9  # longer than that of any file system's clock, with something to spare: FAT counts two seconds
Seen = tuple[str, int, int, int, int]
Status = tuple[tuple[Seen, int, int], ...]


def seen(path: str, status: os.stat_result) -> Seen:
    """What shows that a file has changed: its path, bytes, when content and status changed in ns, and inode."""
    return path, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def of(folder: str | Path) -> Status | None:
    """What a folder's files are known by as long as none changes; None where they can't be.

    That is so if the folder cannot be opened, more is in it than anybody looks at, or something changed a moment ago.
    """
    settled_ns = time.time_ns() - TICK_NS
    try:
        with safe_walk.opened(folder) as opened:
            found = [("", os.fstat(opened)), *((each.path, each.status) for each in safe_walk.below(opened))]
    except OSError:
        return None
    if any(status.st_ctime_ns > settled_ns or status.st_mtime_ns > settled_ns for _, status in found):
        return None
    return tuple((seen(path, status), status.st_mode, status.st_dev) for path, status in found)
