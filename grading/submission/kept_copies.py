"""Copies of notebooks that somebody worked in, kept before a command writes over them."""

import contextlib
import datetime
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from grading.core import cells, files, limits, names

FOLDER = Path("work") / "earlier"  # below a course's folder
NAME_BYTES, SUFFIX_BYTES = 190, 20  # of a file's name that its copy bears; the moment is added, and Linux takes 255


def keep(path: Path, root: Path, below: Path | None = None, of: str = "") -> Path:
    """A copy of a file in work/earlier/ of the course in `root`, named for this moment; on the disk when this returns.

    Nothing there is ever overwritten. `below`: the folder whose structure the copy keeps; `of`: a folder around that.
    Errors  OSError if it can't be written; FileExistsError after a thousand copies in one second.
    """
    inner = path.relative_to(below).parent if below else Path()
    folder = root / FOLDER / of / inner
    folder.mkdir(parents=True, exist_ok=True)
    content, (stem, suffix) = path.read_bytes(), _shortened(path)
    stem = f"{stem}-{datetime.datetime.now():%Y-%m-%d-%H%M%S}"
    for number in range(1, 1000):
        copy = folder / f"{stem}{f'-{number}' if number > 1 else ''}{suffix}"
        try:
            with copy.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            return copy
        except FileExistsError:
            continue
    raise FileExistsError(f"{folder} holds a thousand copies of this second")


def _shortened(path: Path) -> tuple[str, str]:
    """Stem and suffix of a name, so short that more fits; where something is cut off, no other name gives the same."""
    stem, suffix = os.fsencode(path.stem), os.fsencode(path.suffix)
    if len(stem) <= NAME_BYTES and len(suffix) <= SUFFIX_BYTES:
        return path.stem, path.suffix
    begin, end = stem[:NAME_BYTES].decode(errors="ignore"), suffix[:SUFFIX_BYTES].decode(errors="ignore")
    return f"{begin}-{hashlib.sha256(os.fsencode(path.name)).hexdigest()[:8]}", end


def replace(made: Path, target: Path, root: Path) -> list[tuple[Path, Path]]:
    """Puts a folder that was made in the place of another; which files of the old one were kept, with their copies.

    A copy is kept of each notebook that holds an answer, or a cell, that isn't in the one made, and of each file that
    the one made has not. Whenever this is stopped, the old folder or the new one is there whole, and the next time
    goes on where it was.
    """
    target = target.resolve()
    files.put_back(target)
    kept = of_former(target, root)
    # copyfile: nbgrader's own files may not be written to
    files.swap(target, lambda new: files.copy_tree(made, new, copy_function=shutil.copyfile))
    return kept + of_former(target, root)


@contextlib.contextmanager
def beside(target: Path, root: Path, kept: list[tuple[Path, Path]]) -> Iterator[None]:
    """Keeps what `replace` keeps of a folder that others make again within the block, and adds it to `kept`.

    A folder that they removed and could not make is put back. If this is stopped, the next time goes on where it was.
    """
    target = target.resolve()
    if target.exists():
        kept += of_former(target, root)
        files.copy_tree(target, files.old_name(target), symlinks=True, copy_function=shutil.copyfile)
    try:
        yield
    finally:
        files.put_back(target)
        kept += of_former(target, root)


def of_former(target: Path, root: Path) -> list[tuple[Path, Path]]:
    """Copies what is somebody's own in the folder that had the place of `target`, if there is one, and removes it.

    Returns each such file with its copy; copies of a submission lie in a folder by its student's name.
    """
    old, kept = files.old_name(target), []
    of = target.parent.name if target.parent.parent.name == "submitted" else ""
    if not old.exists():
        return kept
    for path in files.below(old):
        instead = target / path.relative_to(old)
        if holds_work(path, instead) if path.suffix == ".ipynb" else not instead.exists():
            kept.append((instead, keep(path, root, old, of)))
    shutil.rmtree(old)
    return kept


def holds_work(path: Path, instead: Path) -> bool:
    """Whether a notebook holds an answer or a cell of somebody's own that isn't in the one to be put there instead.

    One that is larger than any that is graded is not read: of 100 MB of empty lists Python makes gigabytes.
    """
    try:
        if max(each.stat().st_size for each in (path, instead)) > limits.NOTEBOOK_BYTES:
            return True
        old, new = (json.loads(each.read_text(encoding="utf-8"))["cells"] for each in (path, instead))
        there = {_source(cell) for cell in new}
        return any(cells.is_editable(cell) and _source(cell) not in there for cell in old)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return True  # nobody can say that it doesn't


def lines(kept: list[tuple[Path, Path]]) -> list[str]:
    """A line about each copy."""
    return [f"{names.path(path)} held other answers: a copy is kept in {names.path(copy)}" for path, copy in kept]


def _source(cell: dict) -> str:
    source = cell["source"]
    return ("".join(source) if isinstance(source, list) else source).strip()
