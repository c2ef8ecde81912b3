"""The files of the package that a course's notebooks import, which each of its sandboxes has behind the walls."""

import re
from pathlib import Path

# What of a package's data finds no room, or bears an unusual name, comes with each notebook.
ROOM_BYTES, ROOM_FILES = 2**26, 200
USUAL = re.compile(r"\w[\w.-]*", re.ASCII)
NEVER = frozenset({".py", ".pyc", ".ipynb"})  # modules are there already, and no notebook comes as it is


def read(package: Path | None) -> dict[str, bytes]:
    """What the files of a package hold, by their paths from the folder that it lies in; modules first.

    Nothing where there is none, as where the course was installed without its notebooks.
    """
    modules = [path for path in sorted(package.glob("*.py")) if path.is_file()] if package is not None else []
    if not modules:
        return {}
    found, room = {f"{package.name}/{path.name}": path.read_bytes() for path in modules}, ROOM_BYTES
    for path in filter(_is_data, sorted(package.iterdir())):
        if len(found) >= len(modules) + ROOM_FILES:
            break
        if (size := path.stat().st_size) <= room:
            found[f"{package.name}/{path.name}"], room = path.read_bytes(), room - size
    return found


def _is_data(path: Path) -> bool:
    usual = path.suffix not in NEVER and USUAL.fullmatch(path.name)
    return bool(usual) and path.is_file() and not path.is_symlink()
