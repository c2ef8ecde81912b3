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

    Errors  CourseError if another run does, or the lock can't be made.
    """
    import fcntl  # which Windows has not

    with contextlib.ExitStack() as at_end:
        with errors.of_files(root):
            file = at_end.enter_context((root / ".autograde.lock").open("a+", encoding="utf-8"))
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.seek(0)
                other = file.read().strip() or "another run"
                raise errors.CourseError(
                    f"{other} is grading {names.printable(str(root.resolve()))} already. Wait until it is done, or "
                    "stop it."
                ) from None
            os.ftruncate(file.fileno(), 0)
            os.write(file.fileno(), f"{who} {os.getpid()} on {platform.node()}".encode())
        yield
