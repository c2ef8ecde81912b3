"""One run at a time grades a course."""

import contextlib
import os
import platform
from collections.abc import Iterator
from pathlib import Path

from grading.core import errors, names


@contextlib.contextmanager
def alone(root: Path, who: str = "process") -> Iterator[None]:
    """Lets one run at a time grade the course in `root`; the system lifts the lock when the process ends.

    Errors  CourseError if another run does, or the disk knows no locks; OSError if the lock can't be written.
    """
    import fcntl  # which Windows has not

    with (root / ".autograde.lock").open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            other = file.read().strip() or "another run"
            raise errors.CourseError(
                f"{other} is grading {names.printable(str(root.resolve()))} already. Wait until it is done, or stop it."
            ) from None
        except OSError as error:
            raise errors.CourseError(f"{names.path(root)} can't be locked: {error.strerror}. Fix that first.") from None
        os.ftruncate(file.fileno(), 0)
        os.write(file.fileno(), f"{who} {os.getpid()} on {platform.node()}".encode())  # at once, or closing fails, too
        yield
