"""A folder that a student wrote, copied by somebody with more rights: no link is followed, and it is there whole.

nbgrader copies what a link in the exchange leads to, so that a link to the hidden tests brings them to the student by
way of their feedback. Here a link becomes a link to nowhere, which grading reports like any file that it leaves out. So
does a second name of somebody else's file that not everybody may read: a hard link, where the system lets a student
make one (`fs.protected_hardlinks=0`). The file may have lost its first name since, so that links are not counted.
"""

import contextlib
import errno
import hashlib
import logging
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import ignore_patterns

from grading.core import files, messages, names
from grading.submission import extra_files, kept_copies, safe_walk

PIECE_BYTES = 2**20
NOWHERE = "nowhere"  # where each link of a copy leads
# What a disk says to a name that it can't hold: because it holds the same one in other letters or codes, no name that
# isn't UTF-8, or no sign of some kind, or fewer of them.
NO_NAMES = frozenset({errno.EEXIST, errno.EILSEQ, errno.EINVAL, errno.ENAMETOOLONG})
Ignored = Callable[[str, list[str]], list[str]]  # of a folder's names those that are not copied, as in shutil.copytree


class TooLargeError(Exception):
    """A submission is larger than the course's configuration allows; the text says so."""


class LinkedError(OSError):
    """A link lies in the place of a student's folder in submitted/, as an archive may bring it: the copy would replace
    somebody else's submission."""


class UnreadableError(OSError):
    """A submission can't be read, or was written to meanwhile: its author's doing, not the disk's."""


class _OneLine(logging.LoggerAdapter):
    """nbgrader's log, in which a name with ends of lines in it makes no lines of its own."""

    def process(self, msg: object, kwargs: dict) -> tuple[str, dict]:
        """The message in one line."""
        return names.printable(str(msg)), kwargs


@dataclass
class Room:
    """How many bytes may still be copied, in all and of one file; and the files that are left out as another's."""

    left: float = float("inf")
    of_file: float = float("inf")
    of_others: list[str] = field(default_factory=list)


def take(directory: CourseDirectory, source: Path, place: Path, before: Callable[[], None] = lambda: None) -> list[str]:
    """Copies a submission from the exchange as the course's configuration says of its files, as a whole.

    What somebody else put there, or changed, is kept in work/earlier/; returns a line about each such copy, and about
    each file in the submission that isn't its author's.
    Errors  TooLargeError; LinkedError; as `replace`, `before` included.
    """
    if os.path.islink(place.parent):
        raise LinkedError(errno.ELOOP, "a link is in the place of a student's folder", str(place.parent))
    largest = 1000 * directory.max_dir_size
    with _reading(), safe_walk.opened(source) as folder:
        size = sum(found.status.st_size for found in safe_walk.below(folder) if not found.is_folder)
    if size > largest:
        raise TooLargeError(messages.folder_too_large(size, largest))
    ignored = ignore_patterns(
        directory.ignore, directory.include, directory.max_file_size, _OneLine(directory.log, None)
    )
    room = Room(largest, 1000 * directory.max_file_size)
    kept = replace(source, place, ignored, room, Path(directory.root), before)
    if directory.groupshared:  # where instructors share a course, as nbgrader has it
        for path in (place, *place.rglob("*")):
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | (0o2770 if path.is_dir() else 0o660))
    return kept_copies.lines(kept) + [
        f"{names.path(place)}/{names.printable(name)} was left out: in the exchange it is a second name of a file that "
        "belongs to somebody else and that not everybody may read"
        for name in room.of_others
    ]


def copy(source: Path, place: Path, ignored: Ignored = lambda _, names: [], room: Room | None = None) -> None:
    """Copies a folder to a new one; what is neither file nor folder, or is closed to us, becomes a link to nowhere.

    Errors  UnreadableError if it cannot be read, grows, or has a name that the disk of the copy can't hold; other
            OSErrors if the copy cannot be written.
    """
    left_out: set[str] = set()
    room = room or Room()
    place.mkdir()
    with _reading():
        author = os.lstat(source).st_uid
    entries = _entries(source)
    while (found := next(entries, None)) is not None:
        parent = os.path.dirname(found.path)
        with _reading():
            if parent in left_out or ignored(os.path.join(source, parent), [found.name]):
                left_out.add(found.path)
                continue
            is_closed = found.is_folder and not _is_open(found)
        with _naming(found):
            if is_closed:
                left_out.add(found.path)  # with what is in it, should its author open it now
                (place / found.path).symlink_to(NOWHERE)
            elif found.is_folder:
                (place / found.path).mkdir()
            else:
                _copy_file(found, place / found.path, room, author)


def replace(
    source: Path,
    place: Path,
    ignored: Ignored = lambda _, names: [],
    room: Room | None = None,
    root: Path | None = None,
    before: Callable[[], None] = lambda: None,
) -> list[tuple[Path, Path]]:
    """Copies a folder and puts it in the place of what is there: at any moment the old one or the new one is whole.

    With the course's folder `root`, what isn't as this function left it there is kept; returns it with its copies.
    `before` is called once all is copied, before the copy takes its place.
    Errors  OSError if it cannot be read or written, and what `before` raises; then the old one is as it was.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    note, kept = place.with_name(f".{place.name}.taken"), []
    files.put_back(place)
    ours = root is None or (note.is_file() and note.read_text(encoding="utf-8") == _state(place))
    if root is not None:
        kept += kept_copies.of_former(place, root)  # if the last time ended before it was kept
    old = files.swap(place, lambda new: (copy(source, new, ignored, room), before()))
    if ours:
        shutil.rmtree(old, ignore_errors=True)
    else:
        kept += kept_copies.of_former(place, root)
    if root is not None:
        files.write_whole(note, _state(place))
    return kept


@contextlib.contextmanager
def kept_meanwhile(places: list[Path], removing: bool) -> Iterator[None]:
    """Puts a former copy back that is gone after the block; `replace` finds it there if it was removed within.

    `removing`: whether any may be removed there, so that copies are needed. If this is stopped, the next time puts back
    what was removed, even if that was only a part.
    """
    for place in places:
        _put_back(place)
        if removing and place.exists():
            new = files.new_name(place)
            shutil.rmtree(new, ignore_errors=True)
            files.copy_tree(place, new, symlinks=True, copy_function=_copy_as_it_is)
            new.rename(files.old_name(place))  # whole, if it is there at all
    try:
        yield
    except BaseException:
        for place in places:
            _put_back(place)
        raise
    for place in places:
        files.put_back(place)
        shutil.rmtree(files.old_name(place), ignore_errors=True)


def _copy_as_it_is(source: str, to: str) -> None:
    """As shutil.copy2; a pipe or the like, which an archive may have brought, becomes a link to nowhere."""
    if stat.S_ISREG(os.lstat(source).st_mode):
        shutil.copy2(source, to)
    else:
        os.symlink(NOWHERE, to)


def _put_back(place: Path) -> None:
    """Puts the former copy of a folder back if that is gone, or has lost some files and is otherwise as it was."""
    old = files.old_name(place)
    if old.exists() and place.exists() and set(_files(place)) < set(_files(old)):
        shutil.rmtree(place)
    files.put_back(place)
    shutil.rmtree(old, ignore_errors=True)


def _state(place: Path) -> str:
    """A text that changes when somebody changes a file in a folder of ours."""
    return hashlib.sha256(os.fsencode("".join(f"{line}\n" for line in _files(place)))).hexdigest()


def _files(place: Path) -> list[str]:
    """The files below a folder in order, each with its size and when it was changed."""
    found = [(path.relative_to(place), path.lstat()) for path in sorted(place.rglob("*")) if not path.is_dir()]
    return [f"{name} {status.st_size} {status.st_mtime_ns}" for name, status in found]


def _entries(source: Path) -> Iterator[safe_walk.Found]:
    with _reading(), safe_walk.opened(source) as folder:
        yield from safe_walk.below(folder)


@contextlib.contextmanager
def _naming(found: safe_walk.Found) -> Iterator[None]:
    """A name that our disk can't hold within is the submission's fault, too: a student chooses it."""
    try:
        yield
    except UnreadableError:
        raise
    except OSError as error:
        if error.errno not in NO_NAMES:
            raise
        why = f"the course's disk can't hold a file named {names.short(found.path)}"
        raise UnreadableError(error.errno, why, error.filename) from error


def _is_open(folder: safe_walk.Found) -> bool:
    """Whether this account may list a folder, and enter it."""
    try:
        with safe_walk.opened(folder.name, folder.folder) as inner:
            os.stat(os.curdir, dir_fd=inner)
            return True
    except PermissionError:
        return False


def _copy_file(found: safe_walk.Found, place: Path, room: Room, author: int) -> None:
    try:
        with _reading():
            file = extra_files.opened(found.name, found.folder)
    except UnreadableError as error:
        if isinstance(error.__cause__, extra_files.NoFile | PermissionError):
            place.symlink_to(NOWHERE)
            return
        raise
    with file:
        status = os.fstat(file.fileno())
        if status.st_uid != author and not status.st_mode & stat.S_IROTH:
            room.of_others.append(found.path)
            place.symlink_to(NOWHERE)
            return
        _copy_content(file, status, place, room)


def _copy_content(file: BinaryIO, status: os.stat_result, place: Path, room: Room) -> None:
    size = status.st_size
    with place.open("xb") as copied:
        if size > min(room.left, room.of_file):
            raise UnreadableError(None, "it grew while it was read")
        room.left -= size
        while size > 0 and (content := _read(file, min(size, PIECE_BYTES))):  # what is added meanwhile stays behind
            copied.write(content)
            size -= len(content)
    os.utime(place, ns=(status.st_atime_ns, status.st_mtime_ns))


def _read(file: object, most: int) -> bytes:
    with _reading():
        return file.read(most)


@contextlib.contextmanager
def _reading() -> Iterator[None]:
    """What fails within is the submission's fault."""
    try:
        yield
    except UnreadableError:
        raise
    except OSError as error:
        raise UnreadableError(error.errno, error.strerror, error.filename) from error
