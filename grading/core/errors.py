"""What the user can fix: one line that says what is wrong, where, and what to do."""

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path

from grading.core import names

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
CLOSED = (errno.EACCES, errno.EPERM, errno.EROFS)
# What a course's own code may raise. A sys.exit() in it would end a command without a word, as if all were well.
RAISED = (Exception, SystemExit)


class CourseError(Exception):
    """Something that the user can fix; the text is one line that says what is wrong, where, and what to do.

    If commands do it, they follow, one per line.
    """


@contextlib.contextmanager
def naming_the_file(below: Path) -> Iterator[None]:
    """Says in a line which file below a folder can't be read or written, where an OSError would be a traceback.

    Errors  CourseError for each OSError.
    """
    try:
        yield
    except OSError as error:
        said = _unusable(error, otherwise=names.path(below))
        raise CourseError(f"{said} Nothing is lost: fix that, and run this again.") from None


def closed_or_full(error: OSError) -> str:
    """The line about a file that is closed to this account, or a disk that is full; empty for any other error."""
    if error.errno not in FULL and not (error.errno in CLOSED and isinstance(error.filename, str)):
        return ""
    return f"{_unusable(error, otherwise='a file')} Fix that, and run this again."


def raised(error: BaseException) -> str:
    """What a course's own code has raised, in words that go into a sentence."""
    if isinstance(error, SystemExit):
        return f"it calls sys.exit({'' if error.code is None else repr(error.code)})"
    return f"{type(error).__name__}: {error}"


def _unusable(error: OSError, otherwise: str) -> str:
    """Which file it is, if the error names one, and what the system says."""
    where = names.path(Path(error.filename)) if isinstance(error.filename, str) else otherwise
    return f"{where} can't be read or written: {error.strerror}."
