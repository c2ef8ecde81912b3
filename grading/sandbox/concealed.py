"""What lies within the system's folders without being the system's: student code sees /usr, but none of this.

nbgrader has its exchange, with everybody's submissions, in /usr/local/share unless a course says otherwise; containers
have a program's folder in /usr/src; some systems have homes below /usr. Where the grader is not root, to Linux student
code is the grader's own user, so that the rights of files keep nothing from it.
"""

import contextlib
import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

from grading.core.find_course import CONFIGURATION  # a file that lies where nbgrader's course does

EXCHANGE = Path("/usr/local/share/nbgrader")
PACKAGE = Path(__file__).resolve().parents[1]  # `grading`


def folders(shown: Iterable[str], of_course: Iterable[Path]) -> list[str]:
    """The folders that must be hidden below those that are shown, none within another.

    They are the exchange's, the home, where this was started, where `grading` lies, and the course's own. One that
    holds Python itself stays, but not the two packages in it.
    """
    system = [os.path.realpath(path) for path in shown]
    candidates = [EXCHANGE, PACKAGE.parent, PACKAGE, *of_course, *_own()]
    found: list[str] = []
    for path in sorted({os.path.realpath(path) for path in candidates}, key=len):
        if any(is_below(path, one) for one in system) and os.path.isdir(path) and not _holds_python(path):
            found += [] if any(is_below(path, one) for one in found) else [path]
    return found


def python_in(hidden: list[str]) -> list[str]:
    """The folders of this Python's own that lie in hidden ones, the outer before the inner: to be shown again."""
    return sorted((path for path in prefixes() if any(is_below(path, one) for one in hidden)), key=len)


def is_below(path: str, folder: str) -> bool:
    """Whether a path leads into a folder."""
    return path.startswith(f"{folder.rstrip('/')}/")


def prefixes() -> set[str]:
    """The folders that make up this Python."""
    real = Path(sys.executable).resolve()
    found = {sys.prefix, sys.base_prefix, str(real.parent.parent)}
    return {os.path.abspath(path) for path in found} | {os.path.realpath(path) for path in found}


def _own() -> Iterator[Path]:
    """The home, and where this was started, but for a folder of the system's, as accounts of the system's have them."""
    for folder in (Path.home, Path.cwd):
        with contextlib.suppress(OSError):  # there is none, or it has been removed
            path = folder()
            if path.stat().st_uid != 0 or (path / CONFIGURATION).exists():
                yield path


def _holds_python(folder: str) -> bool:
    """Whether a folder has a part of this Python in it that does not lie in a folder of Python's own below."""
    own = [path for path in prefixes() if is_below(path, folder)]
    parts = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    parts = {os.path.realpath(path) for path in [*parts, sys.executable]}
    return any(is_below(f"{part}/", folder) and not any(is_below(part, one) for one in own) for part in parts)
