"""A package next to the notebooks that import it, imported once before the first kernel is forked.

A kernel whose folder has the very same files finds it imported, and need not compile it. In any other kernel it is
forgotten before student code runs. Like the zygote this file stands alone.
"""

import importlib
import os
import shutil
import sys

LARGE_BYTES = 2**18  # of a file that is no module


class Package:
    """A package that lies at a path outside of all notebooks' folders; None: there is none."""

    def __init__(self, path: str | None) -> None:
        self._path, self._put = path, False
        self._contents: dict[str, bytes] = {}  # of its modules and small files, by their paths in a notebook's folder

    def load(self, folder: str) -> None:
        """Imports every module of the package, as if it lay in `folder`, where it does not stay."""
        if self._path is None:
            return
        name = os.path.basename(self._path)
        copy = os.path.join(folder, name)
        os.makedirs(copy)
        sys.path.insert(0, folder)
        try:
            for file in sorted(os.listdir(self._path)):
                path = os.path.join(self._path, file)
                if os.path.isfile(path) and (file.endswith(".py") or os.path.getsize(path) < LARGE_BYTES):
                    with open(path, "rb") as opened:
                        self._contents[f"{name}/{file}"] = opened.read()
            self._write(folder)
            modules = [os.path.basename(path)[:-3] for path in self._contents if path.endswith(".py")]
            for module in [name, *(f"{name}.{module}" for module in modules if module != "__init__")]:
                importlib.import_module(module)
        finally:
            sys.path.remove(folder)
            shutil.rmtree(copy)
            for path in (folder, copy):  # what was found there is there no longer
                sys.path_importer_cache.pop(path, None)

    def put(self) -> None:
        """Puts the whole package into the working folder, its large files as links.

        Nobody can change what these lead to. To copy it would take longer than many a cell.
        """
        self._put, name = True, os.path.basename(self._path)
        os.makedirs(name, exist_ok=True)
        self._write("")
        for file in os.listdir(self._path):
            if f"{name}/{file}" not in self._contents:
                os.symlink(os.path.join(self._path, file), os.path.join(name, file))

    def forget_unless_here(self) -> None:
        """Forgets what was imported if the working folder, which a notebook's files are in, has another package."""
        if self._put:
            return
        modules = {path: content for path, content in self._contents.items() if path.endswith(".py")}
        if all(_content(path) == content for path, content in modules.items()):
            return
        for path in modules:
            module = path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
            sys.modules.pop(module, None)

    def _write(self, folder: str) -> None:
        for path, content in self._contents.items():
            with open(os.path.join(folder, path), "wb", buffering=0) as file:
                file.write(content)


def _content(path: str) -> bytes | None:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read()
    except OSError:
        return None
