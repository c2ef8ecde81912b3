"""Files that are handed in next to the notebooks: which are admitted, as data that nothing of ours imports or runs.

nbgrader copies whatever lies in a submission's folder: through links, out of pipes without end, of any size, under
names that Jupyter or Python would run, or that a browser would show as a page. `admitted` is the list in its place;
`gate` sees to it that every command of nbgrader goes by it.
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

from grading import course, limits

RUN_BY_NAME = ("*config*.py", "*custom*.py", "conftest.py", "*.pth", "*.so", "*.pyc", "*.pyd", ".*")
NOTEBOOKS = frozenset(part.stem for part in course.PARTS.values())
TIMESTAMP = "timestamp.txt"
# The kinds of files that an answer may come with, by how their names end: tables, texts, settings, arrays, pictures,
# and Python modules. A list of what is fine, because a list of what is not never ends: the grader's Jupyter serves the
# graded folder, and a browser runs .html, .xhtml, .svg, .xml, .pdf, .mht and more, and files without an ending that
# look like one of them. Those on the list it shows as text or as pixels, or it saves them.
KINDS = frozenset(
    ".csv .tsv .txt .md .rst .json .jsonl .yaml .yml .toml .npy .npz .pt .pkl .safetensors .h5 .hdf5 .parquet "
    ".png .jpg .jpeg .gif .webp .bmp .py".split()
)


def admitted(folder: str | Path) -> tuple[list[str], list[str]]:
    """The files below a submission's folder that are copied, and the relative paths of those that are left out.

    Some are in neither list. Notebooks go through `intake`. The course's own module is nbgrader's copy of the one in
    source/, whatever lies here under its name. A timestamp says nothing here: `times` has what is known.
    """
    taken, left_out, bytes_left = [], [], limits.FILES_BYTES
    for path, status in _files(os.fspath(folder)):
        name = os.path.relpath(path, folder)
        if name in (course.MODULE, TIMESTAMP):
            continue
        is_file = stat.S_ISREG(status.st_mode) and os.access(path, os.R_OK)
        fits = status.st_size <= min(limits.FILE_BYTES, bytes_left) and len(taken) < limits.FILES
        if is_file and fits and _is_data(name):
            taken.append(path)
            bytes_left -= status.st_size
        else:
            left_out.append(name)
    return taken, left_out


def opened(path: str | Path) -> BinaryIO:
    """A regular file, opened without following a link or waiting for a pipe; OSError for anything else."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "no regular file", os.fspath(path))
    return os.fdopen(descriptor, "rb")


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
    """Whether a file of this name is of a kind that is taken in, and no program takes it for its settings or a module.

    A folder may not be named like a file: one named part01.ipynb would stand where the graded notebook belongs.
    """
    *folders, file = parts = Path(name).parts
    if not name.isprintable() or any(_matches(part, RUN_BY_NAME) for part in parts):
        return False
    if _ending(file) not in KINDS or any(_ending(part) in {".ipynb", ".html", *KINDS} for part in folders):
        return False
    return not name.endswith(".py") or not any(part.removesuffix(".py") in _modules() for part in parts)


def _ending(name: str) -> str:
    return os.path.splitext(name)[1].lower()


def _matches(name: str, patterns: tuple[str, ...] | list[str]) -> bool:
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


@functools.cache
def _modules() -> frozenset[str]:
    """The names under which Python finds a module here."""
    ours = {"grading", course.MODULE.removesuffix(".py")}
    return frozenset({*ours, *sys.stdlib_module_names, *importlib.metadata.packages_distributions()})
