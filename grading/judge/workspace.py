"""A student's folder as the student's kernel may see it: notebooks without hidden tests, and the files beside them."""

import json
import shutil
import tempfile
from pathlib import Path

from grading.core.cells import without_hidden_tests
from grading.submission import in_memory


class Workspace:
    """A copy of one folder of clean copies, removed when nobody holds it any more."""

    def __init__(self, graded: Path) -> None:
        self.graded = graded.resolve()
        self._folder = tempfile.TemporaryDirectory(prefix="submitted-")
        self._copied: dict[Path, tuple[int, int, int]] = {}  # the state of each file when it was copied

    @property
    def path(self) -> Path:
        """The folder with the copy."""
        return Path(self._folder.name)

    def bring_up_to_date(self) -> None:
        """Copies what is new in the folder, and removes what is no longer there."""
        found = set()
        for path in self.graded.rglob("*"):
            copied = self.path / path.relative_to(self.graded)
            if path.is_symlink() or not (path.is_file() or path.is_dir()):
                continue
            if path.is_dir():
                copied.mkdir(exist_ok=True)
                continue
            status = path.stat()
            state = (status.st_ino, status.st_mtime_ns, status.st_size)
            found.add(path)
            if self._copied.get(path) != state:
                _copy(path, copied)
                self._copied[path] = state
        for path in self._copied.keys() - found:  # of a submission of the same student's that this one replaces
            (self.path / path.relative_to(self.graded)).unlink()
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
