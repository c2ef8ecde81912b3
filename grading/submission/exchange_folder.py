"""Folders in nbgrader's exchange, where students write, too: whose each is, and a submission's secret.

nbgrader has an exchange in which everybody may write. Unless its sticky bit is set, they may also move the course's
folder away there, and put one of their own in its place.
"""

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from grading.core import errors, names
from grading.submission import extra_files, safe_walk

NAMELESS = "that has no name here"
NOBODY = -1  # in place of an account's number, where all that have no name are meant
LONGEST_SECRET = 1000  # bytes; nbgrader's have 128


def instructors(root: Path, groupshared: bool) -> frozenset[int] | None:
    """The accounts that may own the folders of the course in `root`; None for any, where instructors share them."""
    return None if groupshared else frozenset({os.geteuid(), 0, root.stat().st_uid})


@contextlib.contextmanager
def opened(folder: Path, of: frozenset[int] | None, within: int | None = None) -> Iterator[int]:
    """A descriptor of a folder that the course has in the exchange; `within` is that of the folder around it.

    Errors  CourseError if it, or a link to it, is another account's than `of`; OSError if it can't be opened.
    """
    no_link = 0 if within is None else os.O_NOFOLLOW
    descriptor = os.open(
        folder if within is None else folder.name, os.O_RDONLY | os.O_DIRECTORY | no_link, dir_fd=within
    )
    try:
        owners = {os.fstat(descriptor).st_uid} | ({os.lstat(folder).st_uid} if within is None else set())
        if of is not None and (others := owners - of):
            account = name_of(others.pop()) or NAMELESS
            raise errors.CourseError(
                f"{names.whole_path(folder)} belongs to the account {account}, not to yours: somebody "
                "could read and change what is in it. If it is another instructor's, set "
                "c.CourseDirectory.groupshared = True. Else put the course's own folder back, and keep others from "
                f"replacing it: chmod +t {names.whole_path(folder.parent)}."
            )
        yield descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def opened_within(course: Path, name: str, of: frozenset[int] | None) -> Iterator[int]:
    """A descriptor of a folder within the course's own in the exchange, such as "inbound".

    Errors  as `opened`.
    """
    with opened(course, of) as outer, opened(course / name, of, outer) as inner:
        yield inner


def anybody_may_replace(folder: Path) -> bool:
    """Whether every account may move a folder of the exchange away, and put another one in its place."""
    mode = folder.parent.stat().st_mode
    return bool(mode & stat.S_IWOTH) and not mode & stat.S_ISVTX


def account(folder: Path) -> int | None:
    """The number of the account on the system that a folder is of; None if it is gone by now."""
    with contextlib.suppress(OSError):
        return os.lstat(folder).st_uid
    return None


def owner(folder: str | Path) -> str:
    """The account that a folder is of; if a link has taken its place by now, that of the link and not of its target."""
    number = account(Path(folder))
    return (None if number is None else name_of(number)) or NAMELESS


def name_of(number: int) -> str | None:
    """The name of an account; None if the system has none, as in a container, or can't look it up now."""
    import pwd  # Windows has neither this nor the exchange

    try:
        return pwd.getpwuid(number).pw_name
    except (KeyError, OSError):
        return None


def secret(folder: Path) -> str | None:
    """The text by which a submission's feedback is found; None if there is none that nbgrader could read."""
    try:
        with safe_walk.opened(folder) as opened, extra_files.opened(extra_files.SECRET, opened) as file:
            found = file.read(LONGEST_SECRET + 1)
            return found.decode("utf-8") if 0 < len(found) <= LONGEST_SECRET else None
    except (OSError, UnicodeDecodeError):
        return None
