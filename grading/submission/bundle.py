"""A submission as bytes: what of a student's folder grading reads, to be sent to a worker that shares no disk.

Nothing is parsed here. What is not a regular file, or too large to take in, is sent as such, so that the worker finds
the same folder and says the same about it.
"""

import contextlib
import functools
import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from grading.core import limits
from grading.core.course import Course
from grading.submission import extra_files, folder_status

LARGEST = 2**40  # bytes of an empty file that any file system has room for; another's may hold larger ones
Content = bytes | int | None  # of a file; the size of a notebook that is too large to be read; None: no regular file


@dataclass(frozen=True)
class Submission:
    """One student's folder: contents by path below it."""

    student: str
    entries: tuple[tuple[str, Content], ...]
    time: str | None = None  # when it was submitted, if anybody knows
    status: folder_status.Status | None = field(default=None, compare=False, repr=False)  # of its folder, when read

    def __getstate__(self) -> dict[str, object]:
        """Without the status of a folder that whoever gets this does not have."""
        return {**vars(self), "status": None}

    @property
    def notebooks(self) -> frozenset[str]:
        """The notebooks' names without the ending; others than the course's are among them."""
        found = (name for name, _ in self.entries if "/" not in name and name.endswith(".ipynb"))
        return frozenset(name.removesuffix(".ipynb") for name in found)

    @functools.cached_property
    def digest(self) -> str:
        """A hash of everything that grading reads."""
        return digest([*((name, _as_bytes(content)) for name, content in self.entries), ("", repr(self.time).encode())])

    def is_still_in(self, folder: Path, course: Course, time: str | None) -> bool:
        """Whether a folder is as it was when this was read; its files are read again only if their status has changed.

        Errors  OSError as `read`.
        """
        if self.status is not None and time == self.time and folder_status.of(folder) == self.status:
            return True
        return read(self.student, folder, course, time) == self

    def write(self, folder: Path) -> None:
        """Writes the submission to a new folder; what was not a file is not one here either."""
        folder.mkdir(parents=True)
        for name, content in self.entries:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            match content:
                case bytes():
                    path.write_bytes(content)
                case int():
                    path.touch()
                    os.truncate(path, min(content, LARGEST))  # as large, and empty
                case None if name.endswith(".ipynb"):
                    path.mkdir()
                case None:
                    path.symlink_to("nowhere")


def read(student: str, folder: Path, course: Course, time: str | None = None) -> Submission:
    """The submission in a folder, made at a `time`: the course's notebooks, and the admitted files next to them.

    Errors  OSError if the folder, or a notebook of the course, cannot be read.
    """
    entries: dict[str, Content] = {}
    status = folder_status.of(folder)  # first, so that a change from now on shows
    with os.scandir(folder) as found:
        notebooks = [entry for entry in found if entry.name.endswith(".ipynb") and not course.is_other(entry.name)]
    for entry in sorted(notebooks, key=lambda entry: entry.name):
        name, nothing = entry.name, None if entry.is_dir(follow_symlinks=False) else b""
        known = name.removesuffix(".ipynb") in course.stems
        if known or len(entries) < len(course.parts) + limits.NAMED:
            entries[name] = _content(folder / name) if known else nothing  # of others only the name is told
    taken, left_out = extra_files.admitted(folder, course)
    for path in taken:
        content = _content(path)
        entries[os.path.relpath(path, folder)] = content if isinstance(content, bytes) else None
    entries.update({name: None for name in left_out[: limits.NAMED] if name not in entries})
    if changed := extra_files.changed_module(folder, course):
        entries[changed] = None  # to be told; nobody needs what is in it
    return Submission(student, tuple(sorted(entries.items())), time, status)


def digest(entries: Iterable[tuple[str, bytes]]) -> str:
    """A hash of pairs of names and contents, in their order."""
    out = hashlib.sha256()
    for name, content in entries:
        encoded = os.fsencode(name)
        out.update(b"%d %d " % (len(encoded), len(content)) + encoded)
        out.update(content)  # apart, or all of it is copied first
    return out.hexdigest()


def _content(path: str | Path) -> Content:
    """What a regular file holds, or its size if it is too large; OSError if it is one that cannot be read."""
    with contextlib.suppress(extra_files.NoFile, FileNotFoundError), extra_files.opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        return size if size > limits.NOTEBOOK_BYTES else extra_files.content(file, limits.NOTEBOOK_BYTES + 1)
    return None


def _as_bytes(content: Content) -> bytes:
    match content:
        case bytes():
            return b"=" + content
        case int():
            return b"#%d" % content
    return b"?"
