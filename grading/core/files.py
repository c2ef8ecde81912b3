"""Files and folders that are replaced whole: whoever looks, at whatever moment, finds the old one or the new one.

Between the two renames of a folder there is neither. A process that is killed then leaves the old one next to its
place, and `put_back` finds it there.
"""

import contextlib
import errno
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

_LEFT_OUT = {"__pycache__", ".ipynb_checkpoints"}


def below(folder: Path) -> list[Path]:
    """All files below a folder, in order, but those that Python and Jupyter keep there for themselves."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and not _LEFT_OUT & set(path.parts))


def write_whole(path: Path, content: str | bytes, durable: bool = False, like: Path | None = None) -> None:
    """Writes a file in place of another of its name; `durable`: it is on the disk before it takes that name.

    `like`: a file whose owner, group and rights it gets, else what is usual.

    No link is followed: in a folder that somebody else has packed, one may lie where the new file is written first.
    Errors  OSError that names `path` if it cannot be written, UnicodeEncodeError; the old file is there then, and
    nothing next to it.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content  # first, so that no file is left
    new = new_name(path)
    new.unlink(missing_ok=True)
    try:
        with new.open("xb") as file:
            if like is not None:
                _give_to_the_same(new, like)
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        new.replace(path)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error  # who reads it has never seen `new`


def rewrite(path: Path, text: str) -> None:
    """Writes a text where an instructor wants it; a file that is there is replaced whole, and stays as closed as it is.

    A link stays one. What isn't a file, such as a terminal, gets the text as it comes.
    Errors  OSError if it cannot be written; the old file is there then.
    """
    place = Path(os.path.realpath(path))  # where Path.resolve raises RuntimeError for a link that leads to itself
    if not path.exists() and not place.is_symlink():
        write_whole(place, text)
        return
    if place.is_file():
        place.open("r+b").close()  # PermissionError for a closed one
        with contextlib.suppress(PermissionError):  # of a closed folder, or where it is another account's or group's
            write_whole(place, text, like=place)
            return
    path.write_text(text, encoding="utf-8")


def _give_to_the_same(new: Path, old: Path) -> None:
    """Gives a file that is empty yet the owner, group, mode and access list of another one: a mode alone would open it
    to whoever is in this account's group.

    Errors  PermissionError where this account may not.
    """
    if hasattr(os, "chown"):
        status = old.stat()
        os.chown(new, status.st_uid, status.st_gid)
    shutil.copystat(old, new)


def copy_tree(source: Path, to: Path, **settings: object) -> None:
    """As shutil.copytree, but what it raises has the number and the file of the first error, not a list of all.

    Errors  OSError if a file can't be copied.
    """
    try:
        shutil.copytree(source, to, **settings)
    except shutil.Error as error:
        _, file, said = error.args[0][0]
        number = int(found[1]) if (found := re.match(r"\[Errno (\d+)\]", said)) else errno.EIO
        raise OSError(number, os.strerror(number) if found else said, str(file)) from None


def swap(place: Path, make: Callable[[Path], object]) -> Path:
    """Makes a folder next to a place, then puts it there; returns where the old one, if any, was moved.

    The caller removes the old one; otherwise the next swap does.
    Errors  whatever `make` raises, and OSError; then the old folder is as it was.
    """
    new, old = new_name(place), old_name(place)
    put_back(place)
    for left in (new, old):
        shutil.rmtree(left, ignore_errors=True)
    try:
        make(new)
        if place.exists():
            place.rename(old)
        new.rename(place)
    finally:
        put_back(place)
        shutil.rmtree(new, ignore_errors=True)
    return old


def put_back(place: Path) -> None:
    """Puts back a folder that a process moved away before it was killed."""
    old = old_name(place)
    if old.exists() and not place.exists():
        old.rename(place)


def new_name(place: Path) -> Path:
    """Where the new folder for a place is made."""
    return place.with_name(f".{place.name}.new")


def old_name(place: Path) -> Path:
    """Where the old folder of a place is moved."""
    return place.with_name(f".{place.name}.old")
