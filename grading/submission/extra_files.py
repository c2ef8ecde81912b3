"""Files that are submitted next to the notebooks: which are admitted, as data that nothing of ours imports or runs.

nbgrader copies whatever lies in a submission's folder: through links, out of pipes without end, of any size, under
names that Jupyter or Python would run, or that a browser would show as a page. `admitted` is the list in its place;
`nbgrader_patches` makes every command of nbgrader follow it.
"""

import errno
import fnmatch
import functools
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from grading.core import installed, limits
from grading.core.course import Course
from grading.submission import in_memory

# Jupyter and nbgrader take settings from the folder that they are started in, also as JSON: a browser to start, a port
# without a password. pytest and others do so from pyproject.toml.
RUN_BY_NAME = ("*config*.py", "*custom*.py", "conftest.py", "*.pth", "*.so", "*.pyc", "*.pyd", ".*")
RUN_BY_NAME += ("jupyter*.json", "nbgrader*.json", "ipython*.json", "pyproject.toml", "pytest.toml")
RUN_BY_NAME += ("test_*.py", "*_test.py")  # pytest, as conftest.py
# Modules that a kernel looks for in its notebook's folder first, and that are installed under another name or not at
# all: the first as it starts, which it does once somebody opens a notebook, the others as it shows help and the like.
LOOKED_FOR = frozenset("storemagic autoreload colorama ctags numpydoc".split())
TIMESTAMP = "timestamp.txt"
SECRET = "submission_secret.txt"  # by which nbgrader's exchange finds the student whose feedback it is
COMPILED = "__pycache__"
PIECE_BYTES = 2**17  # of files that are compared
# The kinds of files that an answer may come with, by how their names end: tables, texts, settings, arrays, pictures,
# and Python modules. A list of what is fine, because a list of what is not never ends: the grader's Jupyter serves the
# graded folder, and a browser runs .html, .xhtml, .svg, .xml, .pdf, .mht and more, and files without an ending that
# look like one of them. Those on the list it shows as text or as pixels, or it saves them.
KINDS = frozenset(
    ".csv .tsv .txt .md .rst .json .jsonl .yaml .yml .toml .npy .npz .pt .pkl .safetensors .h5 .hdf5 .parquet "
    ".png .jpg .jpeg .gif .webp .bmp .py".split()
)


def admitted(folder: str | Path, course: Course) -> tuple[list[str], list[str]]:
    """The files below a submission's folder that are copied, and the relative paths of those that are left out.

    Some are in neither list. Notebooks go through `clean_copy`, but for those that hold nothing to grade, and nothing
    below a folder of such a name is looked at. The course's own module is nbgrader's copy of the one
    in source/, whatever is here under its name. A timestamp says nothing here: `times` has what is known.
    """
    folder = Path(folder)
    return in_memory.made("files", folder, (folder, course), lambda: _admitted(folder, course))


def _admitted(folder: Path, course: Course) -> tuple[list[str], list[str]]:
    taken, left_out, bytes_left = [], [], limits.FILES_BYTES
    for entry, name in _files(os.fspath(folder), course):
        if name in (course.module, TIMESTAMP) or _is_in_package(name, course):
            continue
        try:
            status = entry.stat(follow_symlinks=False)
        except FileNotFoundError:  # it is gone by now
            continue
        except OSError:  # this account may not enter its folder
            left_out.append(name)
            continue
        is_file = stat.S_ISREG(status.st_mode) and os.access(entry.path, os.R_OK)
        fits = status.st_size <= min(limits.FILE_BYTES, bytes_left) and len(taken) < limits.FILES
        if is_file and fits and _is_data(name, _modules(course)):
            taken.append(entry.path)
            bytes_left -= status.st_size
        else:
            left_out.append(name)
    return taken, left_out


def changed_module(folder: str | Path, course: Course) -> str | None:
    """The name of the course's own module if another one is in a folder ROOT/submitted/STUDENT/ASSIGNMENT.

    Ends of lines may be those of another system, and what Python compiled doesn't count.
    """
    if course.module is None:
        return None
    folder = Path(folder).absolute()
    theirs = folder / course.module
    ours = folder.parent.parent.parent / "source" / course.name / course.module
    if not os.path.lexists(theirs) or not ours.exists():
        return None
    if not ours.is_dir():
        # A folder where the file should be: its files are left out, and each is reported.
        is_folder = theirs.is_dir() and not theirs.is_symlink()
        return None if is_folder or _same(theirs, ours) else course.module
    if theirs.is_symlink() or not theirs.is_dir():
        return course.module
    found = ((entry.path, name) for entry, name in _files(os.fspath(theirs)) if COMPILED not in name.split(os.sep))
    is_changed = any(not _same(path, os.path.join(ours, name)) for path, name in found)
    return course.module if is_changed else None


def _same(theirs: str | Path, ours: str | Path) -> bool:
    """Whether both are regular files with the same lines."""
    try:
        with opened(theirs) as found, open(ours, "rb") as known:
            if _alike(found, known):
                return True
            found.seek(0)
            known.seek(0)  # seldom, and slow
            return content(found, limits.FILE_BYTES).replace(b"\r\n", b"\n") == known.read().replace(b"\r\n", b"\n")
    except OSError:
        return False


def _alike(one: BinaryIO, other: BinaryIO) -> bool:
    """Whether two files hold the same, and no more than is admitted; in pieces, which cost no new memory."""
    size = os.fstat(one.fileno()).st_size
    if size != os.fstat(other.fileno()).st_size or size > limits.FILE_BYTES:
        return False
    pieces = [bytearray(min(size + 1, PIECE_BYTES)) for _ in range(2)]
    while True:
        read, read_other = one.readinto(pieces[0]), other.readinto(pieces[1])
        if read != read_other or pieces[0] != pieces[1]:
            return False
        if not read:
            return True


def _is_in_package(name: str, course: Course) -> bool:
    """Whether a relative path leads into a folder named like the course's own package."""
    return course.module is not None and _ending(course.module) == "" and name.split(os.sep, 1)[0] == course.module


class NoFile(OSError):
    """A link, a pipe or the like, where a regular file was looked for."""


def opened(path: str | Path, folder: int | None = None) -> BinaryIO:
    """A regular file, opened without following a link or waiting for a pipe; its path is below the opened `folder`.

    Errors  NoFile for anything else, and other OSErrors.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path, flags, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):  # a link, a socket
            raise NoFile(errno.EINVAL, "no regular file", os.fspath(path)) from None
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NoFile(errno.EINVAL, "no regular file", os.fspath(path))
    return os.fdopen(descriptor, "rb")


def content(file: BinaryIO, most: int) -> bytes:
    """What an open file holds, up to so many bytes; asked for by its size, because Python first makes room for all."""
    size = min(os.fstat(file.fileno()).st_size, most)
    found = file.read(min(size + 1, most))
    return found if len(found) <= size else found + file.read(most - len(found))  # it is growing


def _files(folder: str, course: Course | None = None) -> Iterator[tuple[os.DirEntry, str]]:
    """Everything below a folder that is neither folder nor notebook, in order, as far as number and depth go.

    With a `course`, the folder is a submission to it. Each comes with its path below the folder. A folder that this
    account may not list comes in place of what is in it.
    """
    entries, start = 0, len(os.path.join(folder, ""))
    waiting: list[tuple[str, int, os.DirEntry | None]] = [(folder, 0, None)]
    while waiting:
        place, depth, own = waiting.pop(0)
        try:
            with os.scandir(place) as found:
                listed = sorted(found, key=lambda entry: entry.name)
        except OSError:
            if own is not None:
                yield own, place[start:]
            continue
        for entry in listed:
            entries += 1
            if entries > limits.ENTRIES:
                return
            if _is_folder(entry):
                ignored = course is not None and depth == 0 and course.is_other(entry.name)
                if depth < limits.FILE_DEPTH and not entry.name.startswith(".") and not ignored:
                    waiting.append((entry.path, depth + 1, entry))
            elif not entry.name.endswith(".ipynb"):
                yield entry, entry.path[start:]


def _is_folder(entry: os.DirEntry) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:  # nobody can tell, in a folder that this account may list and not enter
        return False


def _is_data(name: str, modules: frozenset[str]) -> bool:
    """Whether a file of this name is of a kind that is taken in, and no program takes it for its settings or a module.

    A folder may not be named like a file: one named part01.ipynb would stand where the graded notebook belongs.
    """
    *folders, file = parts = Path(name).parts
    if not name.isprintable() or any(_matches(part, RUN_BY_NAME) for part in parts):
        return False
    if _ending(file) not in KINDS or any(_ending(part) in {".ipynb", ".html", *KINDS} for part in folders):
        return False
    return not name.endswith(".py") or not any(part.removesuffix(".py") in modules for part in parts)


def _ending(name: str) -> str:
    return os.path.splitext(name)[1].lower()


def _matches(name: str, patterns: tuple[str, ...] | list[str]) -> bool:
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


@functools.cache
def _modules(course: Course) -> frozenset[str]:
    """The names under which Python finds a module here, or a kernel looks for one."""
    ours = {"dev", "grading", *(package.name for package in course.packages)}
    ours |= {course.module.removesuffix(".py")} if course.module else set()
    return frozenset({*ours, *LOOKED_FOR, *sys.stdlib_module_names, *installed.modules()})
