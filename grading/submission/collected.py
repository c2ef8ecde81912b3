"""A folder that a student wrote, copied by somebody with more rights: no link is followed, and it is there whole.

nbgrader copies what a link in the exchange leads to, so that a link to the hidden tests brings them to the student by
way of their feedback. Here a link stays a link to nowhere, of which grading tells like of any file that it leaves out.
"""

import contextlib
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import ignore_patterns

from grading.core import limits, messages
from grading.submission import extra_files

PIECE_BYTES = 2**20
NOWHERE = "nowhere"  # where each link of a copy leads
Ignored = Callable[[str, list[str]], list[str]]  # of a folder's names those that are not copied, as in shutil.copytree


class TooLargeError(Exception):
    """A submission is larger than the course's configuration allows; the text says so."""


class UnreadableError(OSError):
    """A submission can't be read, or was written to meanwhile: its author's doing, not the disk's."""


def take(directory: CourseDirectory, source: Path, place: Path) -> None:
    """Copies a submission from the exchange as the course's configuration says of its files, as a whole.

    Errors  TooLargeError; OSError as `replace`.
    """
    size, largest = sum(_sizes(source)), 1000 * directory.max_dir_size
    if size > largest:
        raise TooLargeError(messages.folder_too_large(size, largest))
    replace(source, place, ignore_patterns(directory.ignore, directory.include, directory.max_file_size, directory.log))
    if directory.groupshared:  # where instructors share a course, as nbgrader has it
        for path in (place, *place.rglob("*")):
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | (0o2770 if path.is_dir() else 0o660))


def copy(source: Path, place: Path, ignored: Ignored = lambda _, names: []) -> None:
    """Copies a folder to a new one; what is neither file nor folder, or can't be read, becomes a link to nowhere.

    Errors  UnreadableError if the folder itself cannot be read, or changes; other OSErrors if the copy isn't written.
    """
    with _reading():
        os.scandir(source).close()
    place.mkdir()
    entries = 0
    for folder, folders, files, opened in os.fwalk(source, follow_symlinks=False):  # a closed folder stays empty
        here = place / os.path.relpath(folder, source)
        with _reading():
            left_out = set(ignored(folder, [*folders, *files]))
            links = [name for name in folders if not _is_folder(name, opened)]
        folders[:] = [name for name in folders if name not in left_out and name not in links]
        for name in folders:
            (here / name).mkdir()
        for name in sorted({*files, *links} - left_out):
            _copy_file(name, opened, here / name)
        entries += len(folders) + len(files)
        if entries > limits.ENTRIES or len(here.parts) - len(place.parts) > limits.FILE_DEPTH:
            folders.clear()  # grading looks at no more either


def replace(source: Path, place: Path, ignored: Ignored = lambda _, names: []) -> None:
    """Copies a folder and puts it in the place of what is there: at any moment the old one or the new one is whole.

    Errors  OSError if it cannot be read or written; then the old one is as it was.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    put_back(place)
    new, old = _new(place), _old(place)
    shutil.rmtree(new, ignore_errors=True)
    try:
        copy(source, new, ignored)
        if place.exists():
            place.rename(old)
        new.rename(place)
    except OSError:
        put_back(place)
        raise
    finally:
        shutil.rmtree(new, ignore_errors=True)
    shutil.rmtree(old, ignore_errors=True)


def put_back(place: Path) -> None:
    """Puts back what a process that was killed had moved away."""
    if _old(place).exists() and not place.exists():
        _old(place).rename(place)
    shutil.rmtree(_old(place), ignore_errors=True)


def _sizes(folder: Path) -> Iterator[int]:
    for place, _, files in os.walk(folder):
        for name in files:
            with contextlib.suppress(OSError):  # it may be gone by now
                yield os.lstat(os.path.join(place, name)).st_size


def _copy_file(name: str, opened: int, place: Path) -> None:
    try:
        with _reading():
            file = extra_files.opened(name, opened)
    except UnreadableError as error:
        if isinstance(error.__cause__, extra_files.NoFile | PermissionError):
            place.symlink_to(NOWHERE)
            return
        raise
    with file, place.open("xb") as copied:
        while content := _read(file):
            copied.write(content)
        status = os.fstat(file.fileno())
    os.utime(place, ns=(status.st_atime_ns, status.st_mtime_ns))


def _read(file: BinaryIO) -> bytes:
    with _reading():
        return file.read(PIECE_BYTES)


@contextlib.contextmanager
def _reading() -> Iterator[None]:
    """What fails within is the submission's fault."""
    try:
        yield
    except OSError as error:
        raise UnreadableError(error.errno, error.strerror, error.filename) from error


def _is_folder(name: str, opened: int) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=opened, follow_symlinks=False).st_mode)


def _new(place: Path) -> Path:
    return place.with_name(f".{place.name}.new")


def _old(place: Path) -> Path:
    return place.with_name(f".{place.name}.old")
