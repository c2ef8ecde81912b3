"""A package next to the notebooks that import it, imported once before the first kernel is forked.

A kernel whose folder has the very same files finds it imported, and need not compile it. In any other kernel it is
forgotten before student code runs. Like the zygote this file stands alone.
"""

import importlib
import os
import shutil
import sys


def load(package: str, folder: str) -> dict[str, bytes]:
    """Imports every module of a package that lies elsewhere, as if it lay in `folder`, where it does not stay.

    Gives what its files hold, by their paths below `folder`.
    """
    name, contents = os.path.basename(package), {}
    copy = os.path.join(folder, name)
    os.makedirs(copy)
    sys.path.insert(0, folder)
    try:
        files = sorted(file for file in os.listdir(package) if file.endswith(".py"))
        for file in files:
            shutil.copyfile(os.path.join(package, file), os.path.join(copy, file))
            with open(os.path.join(copy, file), "rb") as opened:
                contents[f"{name}/{file}"] = opened.read()
        for module in [name, *(f"{name}.{file[:-3]}" for file in files if file != "__init__.py")]:
            importlib.import_module(module)
    finally:
        sys.path.remove(folder)
        shutil.rmtree(copy)
        for path in (folder, copy):  # what was found there is there no longer
            sys.path_importer_cache.pop(path, None)
    return contents


def forget_unless_here(contents: dict[str, bytes]) -> None:
    """Forgets the package with these contents if the working folder, which a notebook's files are in, has another."""
    if all(_content(path) == content for path, content in contents.items()):
        return
    for path in contents:
        module = path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        sys.modules.pop(module, None)


def _content(path: str) -> bytes | None:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read()
    except OSError:
        return None
