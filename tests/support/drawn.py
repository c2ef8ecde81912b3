"""What a run of all tests leaves out: most answers that must be told the same as another, and two benchmarks of three.

Which ones follows from the code that grades. So a commit always has the same ones, on every machine, and each change of
that code brings others up. Where DRAWN is not set, as where a file is named, all of them run.
"""

import functools
import hashlib
import math
import os
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from hand_written import declared

from dev.packages import REPOSITORY

GRADING = ["attention", "grading", "source"]  # what decides a mark
WHOLE_RUN = bool(os.environ.get("DRAWN"))


def one_in_three(test: Callable) -> Callable:
    """Lets a test of a benchmark, which decides no mark, run in a third of all whole runs."""
    left_out = WHOLE_RUN and int.from_bytes(_lot(test.__name__)) % 3 > 0
    return pytest.mark.skipif(left_out, reason="runs in one whole run of three, or where its file is named")(test)


def answers(every: list[Path]) -> list[Path]:
    """A sixth of the answers of each part that have the same marks and mistakes, and at least one of them."""
    alike = defaultdict(list)
    for path in every:
        alike[path.parent, path.stem.split("-")[0], *declared(path)].append(path)
    taken = set()
    for paths in alike.values():
        paths.sort(key=lambda path: _lot(path.stem))
        taken |= set(paths[: math.ceil(len(paths) / 6)])
    return [path for path in every if path in taken]


def _lot(name: str) -> bytes:
    """What is drawn for a name."""
    return hashlib.sha256(_code() + name.encode()).digest()


@functools.cache
def _code() -> bytes:
    """What the files that grade have in them, as a few bytes."""
    found = hashlib.sha256()
    for folder in GRADING:
        for path in sorted((REPOSITORY / folder).rglob("*")):
            if path.suffix in {".py", ".ipynb"} and ".ipynb_checkpoints" not in path.parts:
                found.update(path.read_bytes())
    return found.digest()
