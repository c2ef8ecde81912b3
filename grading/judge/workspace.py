"""A student's folder as the student's kernel may see it: notebooks without hidden tests, and the files next to them."""

import json
import os
import shutil
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path

from grading.core.cells import without_hidden_tests
from grading.submission import in_memory

States = dict[str, tuple[int, int, int]]  # inode, time of change and size of files, by their paths below a folder


class Workspace:
    """A copy of one folder of clean copies, removed when nobody holds it any more."""

    def __init__(self, graded: Path) -> None:
        self.graded = graded.resolve()
        self.has_package = False  # whether the folder has the course's package as each sandbox has it
        self._folder = tempfile.TemporaryDirectory(prefix="submitted-")
        self._copied: States = {}  # of each file when it was copied
        self._compared: tuple[States, Mapping[str, bytes]] = {}, {}  # of a package when it was found the same

    @property
    def path(self) -> Path:
        """The folder with the copy."""
        return Path(self._folder.name)

    def bring_up_to_date(self, package: Mapping[str, bytes]) -> None:
        """Copies what is new in the folder, and removes what is no longer there.

        A `package` that every sandbox has, content by path, is left out if the folder has it with the same content.
        """
        found = self._found()
        self.has_package = bool(package) and self._is_there(package, found)
        wanted = {path: state for path, state in found.items() if not (self.has_package and path in package)}
        for path, state in wanted.items():
            if self._copied.get(path) != state:
                _copy(self.graded / path, self.path / path)
                self._copied[path] = state
        for path in self._copied.keys() - wanted.keys():  # of a submission of the same student's that this one replaces
            (self.path / path).unlink()
            del self._copied[path]

    def _found(self) -> States:
        """The files that there are, in folders that are made here, too."""
        found, folders = {}, [""]
        while folders:
            below = folders.pop()
            for entry in os.scandir(self.graded / below):
                path, status = os.path.join(below, entry.name), entry.stat(follow_symlinks=False)
                if stat.S_ISDIR(status.st_mode):
                    (self.path / path).mkdir(exist_ok=True)
                    folders.append(path)
                elif stat.S_ISREG(status.st_mode):
                    found[path] = status.st_ino, status.st_mtime_ns, status.st_size
        return found

    def _is_there(self, package: Mapping[str, bytes], found: States) -> bool:
        states = {path: found[path] for path in package if path in found}
        if self._compared[0] == states and self._compared[1] is package:
            return True
        same = len(states) == len(package)
        same = same and all((self.graded / path).read_bytes() == content for path, content in package.items())
        self._compared = (states, package) if same else ({}, {})
        return same


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
