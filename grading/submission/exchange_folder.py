"""A submission's folder in nbgrader's exchange, which its author may change at any moment: whose it is, its secret."""

import contextlib
import os
from pathlib import Path

from grading.submission import extra_files, safe_walk

LONGEST_SECRET = 1000  # bytes; nbgrader's have 128


def account(folder: Path) -> int | None:
    """The number of the account on the system that a folder is of; None if it is gone by now."""
    with contextlib.suppress(OSError):
        return os.lstat(folder).st_uid
    return None


def owner(folder: str | Path) -> str:
    """The account that a folder is of; if a link has taken its place by now, that of the link and not of its target."""
    import pwd  # Windows has neither this nor the exchange

    try:
        return pwd.getpwuid(os.lstat(folder).st_uid).pw_name
    except (KeyError, OSError):  # the system has no name for it, as in a container, or the folder is gone by now
        return "that has no name here"


def secret(folder: Path) -> str | None:
    """The text by which a submission's feedback is found; None if there is none that nbgrader could read."""
    try:
        with safe_walk.opened(folder) as opened, extra_files.opened(extra_files.SECRET, opened) as file:
            found = file.read(LONGEST_SECRET + 1)
            return found.decode("utf-8") if 0 < len(found) <= LONGEST_SECRET else None
    except (OSError, UnicodeDecodeError):
        return None
