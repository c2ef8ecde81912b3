"""Files that are written whole: whoever looks, at whatever moment, finds the old one or the new one."""

import os
from pathlib import Path

_LEFT_OUT = {"__pycache__", ".ipynb_checkpoints"}


def below(folder: Path) -> list[Path]:
    """All files below a folder, in order, but those that Python and Jupyter keep there for themselves."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and not _LEFT_OUT & set(path.parts))


def write_whole(path: Path, content: str | bytes, durable: bool = False) -> None:
    """Writes a file in place of another of its name; `durable`: it is on the disk before it takes that name.

    Errors  OSError if it cannot be written; the old file is there then.
    """
    new = path.with_name(f".{path.name}.new")
    with new.open("wb") as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)
        if durable:
            file.flush()
            os.fsync(file.fileno())
    new.replace(path)
