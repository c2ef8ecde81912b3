"""What the user can fix: one line that says what is wrong, where, and what to do."""

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path

from grading.core import names

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
CLOSED = (errno.EACCES, errno.EPERM, errno.EROFS)


class CourseError(Exception):
    """Something that the user can fix; the text is one line that says what is wrong, where, and what to do.

    If commands do it, they follow, one per line.
    """


@contextlib.contextmanager
def of_files(place: Path) -> Iterator[None]:
    """Says in a line which file below `place` can't be read or written, where an OSError would be a traceback.

    Errors  CourseError for each OSError.
    """
    try:
        yield
    except OSError as error:
        where = names.path(Path(error.filename)) if isinstance(error.filename, str) else names.path(place)
        raise CourseError(
            f"{where} can't be read or written: {error.strerror}. Nothing is lost: fix that, and run this again."
        ) from None


def of_file(error: OSError) -> str:
    """The line about a file that is closed to this account, or a disk that is full; empty for any other error."""
    named = isinstance(error.filename, str)
    if error.errno not in FULL and not (named and error.errno in CLOSED):
        return ""
    where = names.path(Path(error.filename)) if named else "a file"
    return f"{where} can't be read or written: {error.strerror}. Fix that, and run this again."
