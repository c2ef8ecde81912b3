"""The files of the package that a course's notebooks import, which each of its sandboxes has behind the walls."""

from pathlib import Path

ROOM_BYTES = 2**26  # of files that are no modules; what finds no room comes with each notebook


def read(package: Path | None) -> dict[str, bytes]:
    """What the files of a package hold, by their paths from the folder that it lies in; modules first.

    Nothing where there is none, as where the course was installed without its notebooks.
    """
    modules = sorted(package.glob("*.py")) if package is not None else []
    if not modules:
        return {}
    found, room = {f"{package.name}/{path.name}": path.read_bytes() for path in modules}, ROOM_BYTES
    for path in sorted(package.glob("[!.]*")):
        if path.suffix in (".py", ".pyc") or not path.is_file() or (size := path.stat().st_size) > room:
            continue
        found[f"{package.name}/{path.name}"], room = path.read_bytes(), room - size
    return found
