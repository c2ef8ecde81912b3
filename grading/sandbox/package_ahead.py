"""A package next to the notebooks that import it, imported once before the first kernel is forked.

A kernel whose folder has the very same files finds it imported, and need not compile it. In any other kernel it is
forgotten before student code runs. Like the zygote this file stands alone.
"""

import importlib
import os
import shutil
import sys


class Package:
    """A package that lies at a path outside of all notebooks' folders; None: there is none."""

    def __init__(self, path: str | None) -> None:
        self._path, self._linked = path, False
        self._contents: dict[str, bytes] = {}  # of its modules, by their paths below a notebook's folder

    def load(self, folder: str) -> None:
        """Imports every module of the package, as if it lay in `folder`, where it does not stay."""
        if self._path is None:
            return
        name = os.path.basename(self._path)
        copy = os.path.join(folder, name)
        os.makedirs(copy)
        sys.path.insert(0, folder)
        try:
            files = sorted(file for file in os.listdir(self._path) if file.endswith(".py"))
            for file in files:
                shutil.copyfile(os.path.join(self._path, file), os.path.join(copy, file))
                with open(os.path.join(copy, file), "rb") as opened:
                    self._contents[f"{name}/{file}"] = opened.read()
            for module in [name, *(f"{name}.{file[:-3]}" for file in files if file != "__init__.py")]:
                importlib.import_module(module)
        finally:
            sys.path.remove(folder)
            shutil.rmtree(copy)
            for path in (folder, copy):  # what was found there is there no longer
                sys.path_importer_cache.pop(path, None)

    def link(self) -> None:
        """Puts the whole package into the working folder: a folder of links to files that nobody can change.

        Copied they would take longer than many a cell.
        """
        self._linked, name = True, os.path.basename(self._path)
        os.makedirs(name, exist_ok=True)
        for file in os.listdir(self._path):
            os.symlink(os.path.join(self._path, file), os.path.join(name, file))

    def forget_unless_here(self) -> None:
        """Forgets what was imported if the working folder, which a notebook's files are in, has another package."""
        if self._linked or all(_content(path) == content for path, content in self._contents.items()):
            return
        for path in self._contents:
            module = path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
            sys.modules.pop(module, None)


def _content(path: str) -> bytes | None:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read()
    except OSError:
        return None
