"""A student's folder as the student's kernel may see it: notebooks without hidden tests, and the files next to them."""

import json
import os
import shutil
import stat
import tempfile
from pathlib import Path

from grading.core.cells import without_hidden_tests
from grading.submission import in_memory


class Workspace:
    """A copy of one folder of clean copies, removed when nobody holds it any more."""

    def __init__(self, graded: Path) -> None:
        self.graded = graded.resolve()
        self._folder = tempfile.TemporaryDirectory(prefix="submitted-")
        self._copied: dict[str, tuple[int, int, int]] = {}  # by its path below, a file's state when it was copied

    @property
    def path(self) -> Path:
        """The folder with the copy."""
        return Path(self._folder.name)

    def bring_up_to_date(self) -> None:
        """Copies what is new in the folder, and removes what is no longer there."""
        found, folders = set(), [""]
        while folders:
            below = folders.pop()
            for entry in os.scandir(self.graded / below):
                path, status = os.path.join(below, entry.name), entry.stat(follow_symlinks=False)
                if stat.S_ISDIR(status.st_mode):
                    (self.path / path).mkdir(exist_ok=True)
                    folders.append(path)
                elif stat.S_ISREG(status.st_mode):
                    found.add(path)
                    state = (status.st_ino, status.st_mtime_ns, status.st_size)
                    if self._copied.get(path) != state:
                        _copy(self.graded / path, self.path / path)
                        self._copied[path] = state
        for path in self._copied.keys() - found:  # of a submission of the same student's that this one replaces
            (self.path / path).unlink()
            del self._copied[path]


def _copy(path: Path, copied: Path) -> None:
    if path.suffix == ".ipynb":
        copied.write_text(json.dumps(_shown(in_memory.parsed(path))), encoding="utf-8")
    else:
        shutil.copyfile(path, copied)


def _shown(notebook: dict) -> dict:
    """A notebook with its hidden tests and all outputs taken out."""
    return {**notebook, "cells": [_shown_cell(cell) for cell in notebook["cells"]]}


def _shown_cell(cell: dict) -> dict:
    shown = {**cell, "source": without_hidden_tests("".join(cell["source"]))}
    return shown | {"outputs": [], "execution_count": None} if cell["cell_type"] == "code" else shown
