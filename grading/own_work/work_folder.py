"""work/COURSE: the release as somebody works in it, made where nothing is yet, renewed without losing a cell.

Its folder .release holds each file as it came there. What differs from that is somebody's own: no command writes over
it without a copy in work/earlier/.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat

from grading.core import errors, files, names
from grading.core.course import Course
from grading.own_work import newer_release
from grading.submission import kept_copies

BASES = ".release"


@dataclass(frozen=True)
class Renewed:
    """What became of one file: where it lies, the copy of it that is kept, and why it was left as it is, if it was."""

    path: Path
    copy: Path | None = None
    left: str = ""


def folder(root: Path, course: Course) -> Path:
    """Where somebody works on the course in `root`."""
    return root / "work" / course.name


def usable(root: Path, course: Course) -> Path:
    """The same; CourseError if there is a file in its place."""
    place = folder(root, course)
    if place.exists() and not place.is_dir():
        raise errors.CourseError(f"{names.path(place)} is a file where your folder should be. Move it away.")
    return place


def begin(root: Path, course: Course) -> list[Path]:
    """Puts each released file there unless something is in its place; which ones it put there.

    Errors  CourseError if there is no release, or it cannot be written.
    """
    put, place = [], usable(root, course)
    with errors.naming_the_file(place):
        for name, released in _released(root, course):
            path = place / name
            if not os.path.lexists(path):
                _write(path, released)
                put.append(path)
            if path.is_file() and path.read_bytes() == released:
                _note(root, course, name, released)
    return put


def newer(root: Path, course: Course) -> list[str]:
    """The files, by their paths below the folder, of which there is a newer release."""
    found = _released(root, course)
    return [name for name, released in found if _read(folder(root, course) / BASES / name) != released]


def renew(root: Path, course: Course) -> Iterator[Renewed]:
    """Takes the newer release over, file after file; whoever worked in a notebook keeps their cells.

    Errors  CourseError if it cannot be written.
    """
    place = folder(root, course)
    with errors.naming_the_file(place):
        for name, released in _released(root, course):
            base, path = _read(place / BASES / name), place / name
            if base == released:
                continue
            found, copy, left = _read(path), None, ""
            if found in (None, base, released) or path.suffix != ".ipynb":
                made = released
            elif (made := _merged(released, found, base)) is None:
                made, left = (
                    found,
                    "it isn't a notebook any more, so it stays as it is: move it away to get the newer one",
                )
            if made != found:
                copy = kept_copies.keep(path, root, place) if found not in (None, base) else None
                if _read(path) != found:  # saved at this very moment: nothing of it is in what was made
                    yield Renewed(path, copy, "it was saved a moment ago, so it stays as it is; run this again")
                    continue
                _write(path, made)
            if not left:
                _note(root, course, name, released)
            yield Renewed(path, copy, left)


def _merged(released: bytes, worked_in: bytes, base: bytes | None) -> bytes | None:
    """The newer notebook with what somebody wrote in the older one; None if the older one is not a notebook."""
    try:
        old, before = (
            nbformat.reads(each.decode("utf-8"), as_version=4) if each else None for each in (worked_in, base)
        )
        made = newer_release.merged(nbformat.reads(released.decode("utf-8"), as_version=4), old, before)
        return (nbformat.writes(made) + "\n").encode("utf-8")
    except Exception:  # noqa: BLE001  (whatever fails, it fails because of what the file holds, which then stays)
        return None


def _released(root: Path, course: Course) -> list[tuple[str, bytes]]:
    """The release's files by their paths below its folder.

    Errors  CourseError if there is none.
    """
    release = root / "release" / course.name
    paths = files.below(release)
    if not paths:
        raise errors.CourseError(f"{names.path(release)} holds nothing to work on. Make it: python -m grading release.")
    return [(path.relative_to(release).as_posix(), path.read_bytes()) for path in paths]


def _note(root: Path, course: Course, name: str, released: bytes) -> None:
    path = folder(root, course) / BASES / name
    if _read(path) != released:
        _write(path, released)


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    files.write_whole(path, content, durable=True)
