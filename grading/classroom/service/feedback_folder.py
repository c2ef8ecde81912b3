"""The folder with feedback in nbgrader's exchange: pages under names that only whoever submitted knows.

It is opened by way of the course's own folder, and pages are written by descriptors: a student who could put a folder
or a link in its place would otherwise have the instructor overwrite a file anywhere, and let everybody read it.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from grading.submission import exchange_folder, extra_files, safe_walk

NAME = "feedback"


class FeedbackFolder:
    """The folder with the feedback of one course."""

    def __init__(self, course: Path, instructors: frozenset[int] | None) -> None:
        """`course` is the course's folder in the exchange, and `instructors` whose it may be; None: anybody's."""
        self._course, self._instructors = course, instructors

    def prepare(self) -> None:
        """Makes the folder, once the course is in the exchange; who knows a name may read it.

        Errors  OSError if it can't be made, CourseError if the course's folder is another account's.
        """
        if self._course.is_dir():
            with self._opened(make=True):
                pass

    def put(self, name: str, page: str) -> None:
        """Writes a page in place of an earlier one of its name; whoever looks finds the one or the other.

        Errors  OSError if it can't be written, CourseError as `prepare`.
        """
        new = f".{name}.new"
        with self._opened(make=True) as folder:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(new, dir_fd=folder)  # left by a process that was killed
            try:
                written = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=folder)
                with os.fdopen(written, "w", encoding="utf-8") as file:
                    file.write(page)
                    os.chmod(file.fileno(), 0o644)
                os.rename(new, name, src_dir_fd=folder, dst_dir_fd=folder)
            except OSError:
                with contextlib.suppress(OSError):
                    os.unlink(new, dir_fd=folder)
                raise

    def head(self, name: str, most: int) -> bytes | None:
        """How a page begins; None if there is none.

        Errors  OSError if it can't be read, CourseError as `prepare`.
        """
        try:
            with self._opened() as folder, extra_files.opened(name, folder) as page:
                return page.read(most)
        except (FileNotFoundError, extra_files.NoFile):
            return None

    def remove(self, name: str) -> None:
        """Removes a page, if it is there.

        Errors  OSError if it can't be removed, CourseError as `prepare`.
        """
        with contextlib.suppress(FileNotFoundError), self._opened() as folder:
            os.unlink(name, dir_fd=folder)

    @contextlib.contextmanager
    def _opened(self, make: bool = False) -> Iterator[int]:
        """A descriptor of the folder, in the course's own as it is now; `make`: it is made there if it is missing."""
        with exchange_folder.opened(self._course, self._instructors) as course:
            if make:
                _make(course)
            with exchange_folder.opened(self._course / NAME, self._instructors, course) as folder:
                yield folder


def _make(course: int) -> None:
    with contextlib.suppress(FileExistsError):
        os.mkdir(NAME, dir_fd=course)
        with safe_walk.opened(NAME, course) as made:
            os.chmod(made, 0o711)  # as nbgrader makes it
