"""Files that are handed in beside the notebooks: which are admitted, as data that nothing of ours imports or runs.

nbgrader copies whatever lies in a hand-in's folder: through links, out of pipes without end, of any size, under names
that Jupyter or Python would run. `guard` puts this list in the place of nbgrader's; the configuration calls it.
"""

import contextlib
import errno
import fnmatch
import functools
import importlib.metadata
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from nbgrader.converters import base
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import parse_utc

from grading import course, limits

RUN_BY_NAME = ("*config*.py", "*custom*.py", "conftest.py", "*.pth", "*.so", "*.pyc", "*.pyd", ".*")
NOTEBOOKS = frozenset(part.stem for part in course.PARTS.values())
SUBMITTED, TIMESTAMP, TIMESTAMP_BYTES = "submitted", "timestamp.txt", 200


def admitted(folder: str | Path) -> tuple[list[str], list[str]]:
    """The files below a hand-in's folder that are copied, and the relative paths of those that are left out.

    Notebooks are in neither list: they go through `intake`. Nor is the course's own module: nbgrader copies the one in
    source/, whatever lies in a hand-in under its name.
    """
    taken, left_out, bytes_left = [], [], limits.FILES_BYTES
    for path, status in _files(os.fspath(folder)):
        name = os.path.relpath(path, folder)
        if name == course.MODULE:
            continue
        is_file = stat.S_ISREG(status.st_mode) and os.access(path, os.R_OK)
        fits = status.st_size <= min(limits.FILE_BYTES, bytes_left) and len(taken) < limits.FILES
        if is_file and fits and _is_data(name) and (name != TIMESTAMP or timestamp(folder)):
            taken.append(path)
            bytes_left -= status.st_size
        else:
            left_out.append(name)
    return taken, left_out


def timestamp(folder: str | Path) -> str | None:
    """What a hand-in's timestamp.txt says, if it is a file with a date in it."""
    path = Path(folder) / TIMESTAMP
    with contextlib.suppress(OSError, ValueError, ArithmeticError, LookupError, TypeError, AttributeError):
        status = path.lstat()
        if stat.S_ISREG(status.st_mode) and status.st_size <= TIMESTAMP_BYTES:
            text = path.read_text(encoding="utf-8").strip()
            parse_utc(text)
            return text
    return None


def opened(path: str | Path) -> BinaryIO:
    """A regular file, opened without following a link or waiting for a pipe; OSError for anything else."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "no regular file", os.fspath(path))
    return os.fdopen(descriptor, "rb")


def guard() -> None:
    """Makes all of nbgrader's converters copy what is admitted, and pass over other notebooks and odd timestamps."""
    if getattr(base.find_all_files, "guarded", False):
        return
    every_file, read_timestamp = base.find_all_files, CourseDirectory.get_existing_timestamp
    find_notebooks = base.BaseConverter.init_notebooks

    def find_all_files(path: str, exclude: list[str] | None = None) -> list[str]:
        if SUBMITTED not in Path(path).parts:
            return every_file(path, exclude)
        return [file for file in admitted(path)[0] if not _matches(os.path.basename(file), exclude or [])]

    def get_existing_timestamp(self: CourseDirectory, folder: str) -> object:
        return read_timestamp(self, folder) if timestamp(folder) else None

    def init_notebooks(self: base.BaseConverter) -> None:
        find_notebooks(self)
        for folder, found in self.assignments.items():  # of the rest not even the names are safe to print or to store
            self.assignments[folder] = [path for path in found if Path(path).stem in NOTEBOOKS]

    find_all_files.guarded = True
    base.find_all_files, CourseDirectory.get_existing_timestamp = find_all_files, get_existing_timestamp
    base.BaseConverter.init_notebooks = init_notebooks


def _files(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """Everything below a folder that is neither folder nor notebook, in order, as far as number and depth go."""
    entries = 0
    waiting = [(folder, 0)]
    while waiting:
        place, depth = waiting.pop(0)
        with contextlib.suppress(OSError), os.scandir(place) as found:
            for entry in sorted(found, key=lambda entry: entry.name) if entries <= limits.ENTRIES else ():
                entries += 1
                if entries > limits.ENTRIES:
                    return
                if entry.is_dir(follow_symlinks=False):
                    if depth < limits.FILE_DEPTH and not entry.name.startswith("."):
                        waiting.append((entry.path, depth + 1))
                elif not entry.name.endswith(".ipynb"):
                    with contextlib.suppress(OSError):
                        yield entry.path, entry.stat(follow_symlinks=False)


def _is_data(name: str) -> bool:
    """Whether no program takes a file of this name for its own configuration or for a module."""
    parts = Path(name).parts
    if not name.isprintable() or any(_matches(part, RUN_BY_NAME) for part in parts):
        return False
    return not name.endswith(".py") or not any(part.removesuffix(".py") in _modules() for part in parts)


def _matches(name: str, patterns: tuple[str, ...] | list[str]) -> bool:
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


@functools.cache
def _modules() -> frozenset[str]:
    """The names under which Python finds a module here."""
    ours = {"grading", course.MODULE.removesuffix(".py")}
    return frozenset({*ours, *sys.stdlib_module_names, *importlib.metadata.packages_distributions()})
