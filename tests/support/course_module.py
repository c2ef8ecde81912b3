"""The package that is released next to the notebooks, imported as a notebook does it."""

import importlib
import sys
from types import ModuleType

from attention.course import COURSE
from dev.packages import REPOSITORY

FOLDER = REPOSITORY / "source" / COURSE.name / COURSE.module
FILES = {path.name: path.read_bytes() for path in sorted(FOLDER.iterdir()) if path.is_file()}

# Not for longer than this: the processes that tests start take over the path, and must find the package by themselves.
sys.path.append(str(FOLDER.parent))
try:
    importlib.import_module(COURSE.module)
    for name in FILES:
        if name.endswith(".py"):
            importlib.import_module(f"{COURSE.module}.{name.removesuffix('.py')}")
finally:
    sys.path.remove(str(FOLDER.parent))


def of(number: int) -> ModuleType:
    """The checks and figures of a part."""
    return named(f"part{number:02d}")


def named(name: str) -> ModuleType:
    """One of the package's modules."""
    return sys.modules[f"{COURSE.module}.{name}"]
