"""Submissions: notebooks with spoilt bytes or JSON, and folders with names of random bytes, through the front gate."""

import contextlib
import copy
import functools
import json
import os
import random
import tempfile
import time
from pathlib import Path

import nbformat

from attention import course
from attention.course import COURSE
from dev import handed_in
from dev.packages import REPOSITORY
from fuzzing import Fuzzer, spoil
from grading.core import cells, names
from grading.core.course import Part
from grading.submission import bundle, clean_copy, extra_files, notebook_file, notices, times

RELEASE = REPOSITORY / "release" / COURSE.name
ENCODINGS = ("utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1", "utf-7", "cp037")
PIECES = (
    *(b"part01", b".ipynb", b".py", b".txt", b"conftest", b"numpy", b"timestamp", b"a", b"-", b"..", b" ", b"%s", b"'"),
    *(
        b"*",
        b"[",
        b"\\",
        b"<script>",
        b"\n",
        b"\x1b[31m",
        b"\xff",
        b"\x80",
        b"\xe2\x80\xae",
        b"\xed\xa0\x80",
        b"\xcc\x81",
    ),
    b"x" * 200,
)
READ_S = 5.0  # for one notebook


def case(rng: random.Random) -> None:
    """A submission of two or three files, of which the notebooks are spoilt."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as place:
        folder, copied = Path(place, "submitted"), Path(place, "copied")
        folder.mkdir()
        part = rng.choice(list(course.PARTS.values()))
        (folder / f"{part.stem}.ipynb").write_bytes(notebook(part, rng))
        litter(folder, rng)
        started = time.process_time()
        taken_in(part, folder)
        read_s = time.process_time() - started
        assert read_s < READ_S, f"it took {read_s:.1f} s of computing"
        found = notices.found("anna", folder, RELEASE, COURSE)
        for notice in found:
            assert "\n" not in str(notice) and str(notice).isprintable(), f"a notice cannot be printed: {notice!r}"
        taken, left_out = extra_files.admitted(folder, COURSE)
        for name in (os.path.relpath(path, folder) for path in taken):
            assert name.isprintable() and name.encode("utf-8") and extra_files._ending(name) in extra_files.KINDS, repr(
                name
            )
        for name in [*left_out, *os.listdir(folder)]:
            a_student(name, Path(place))
        if rng.random() < 0.5:
            return
        sent = bundle.read("anna", folder, COURSE)
        sent.write(copied)
        assert bundle.read("anna", copied, COURSE).digest == sent.digest, "a worker finds another submission"
        assert {str(n) for n in notices.found("anna", copied, RELEASE, COURSE)} == {str(n) for n in found}


def taken_in(part: Part, folder: Path) -> None:
    """Reads a notebook as grading does: it is damaged, or a clean copy of the released one comes of it."""
    original = released(part.stem)
    try:
        clean, findings = clean_copy.clean_copy(original, notebook_file.read(folder / f"{part.stem}.ipynb"))
    except notebook_file.Unreadable as error:
        assert str(error) and "\n" not in str(error)
        return
    assert all(text and "\n" not in text for text in findings)
    nbformat.validate(clean)
    nbformat.writes(clean).encode("utf-8")
    ours = [cell for cell in clean.cells if "nbgrader" in cell.metadata]
    assert len(ours) == len(original.cells)
    for cell, other in zip(ours, original.cells, strict=True):
        role = other.metadata.nbgrader
        assert cell.metadata == other.metadata and cell.id == other.id and cell.cell_type == other.cell_type
        assert not role.locked or cell.source == other.source, f"{cell.id} is the student's"
    tests = [cell for cell in clean.cells if cells.is_test(cell)]
    assert len(tests) == 1 and clean.cells.index(tests[0]) >= max(
        (n for n, cell in enumerate(clean.cells) if "nbgrader" not in cell.metadata), default=0
    ), "a cell of the student's comes after the test"


def a_student(name: str, root: Path) -> None:
    """A name that a folder could have: either nobody is graded under it, or it is one everywhere."""
    shown = names.printable(name, names.SHOWN)
    assert shown.isprintable() and len(shown) <= names.SHOWN and shown.encode("utf-8")
    if names.trouble(name) is not None:
        assert names.trouble(name).isprintable()
        return
    times.note(root, name, "2026-01-31 23:59:00 UTC")
    assert times.text(root, name) is not None and times.of(root, name) is not None


def notebook(part: Part, rng: random.Random) -> bytes:
    """A notebook's file: a model answer, spoilt as bytes, as JSON, or in how it is written."""
    sound = model(part.number)
    match rng.randrange(5):
        case 0:
            return spoil.spoilt(json.dumps(sound).encode(), rng)
        case 1:
            return json.dumps(sound, ensure_ascii=False).encode(rng.choice(ENCODINGS), "replace")
        case 2:
            return spoil.written(spoil.anything(rng) if rng.random() < 0.3 else {"cells": spoil.anything(rng)}, rng)
        case 3:
            cells = copy.deepcopy(sound["cells"])
            rng.shuffle(cells)
            cells = [spoil.changed(cell, rng) if rng.random() < 0.4 else cell for cell in cells[: rng.randint(1, 20)]]
            return spoil.written({**sound, "cells": cells + cells[: rng.randrange(3)]}, rng)
        case _:
            return spoil.written(spoil.changed(sound, rng, times=rng.randint(1, 12)), rng)


def litter(folder: Path, rng: random.Random) -> None:
    """Files, folders, links and pipes with names of any bytes, wherever the system takes them."""
    places = [os.fsencode(folder)]
    for _ in range(rng.randrange(12)):
        name = b"".join(rng.choice(PIECES) for _ in range(rng.randint(1, 4)))
        name = rng.randbytes(rng.randint(1, 12)) if rng.random() < 0.3 else name + rng.choice((b"", b".ipynb", b".txt"))
        path = os.path.join(rng.choice(places), name.replace(b"/", b"_").replace(b"\0", b"_"))
        with contextlib.suppress(OSError):
            match rng.randrange(6):
                case 0:
                    os.mkdir(path)
                    places.append(path)
                case 1:
                    os.symlink(rng.choice((b"/etc/passwd", b"nowhere", b".", b"\xff")), path)
                case 2:
                    os.mkfifo(path)
                case _:
                    with open(path, "xb") as file:
                        file.write(rng.randbytes(rng.randrange(50)))


@functools.cache
def model(number: int) -> dict:
    """The model answer's notebook of a part."""
    return handed_in.model(course.PARTS[number])


@functools.cache
def released(stem: str) -> nbformat.NotebookNode:
    """The released notebook of a part."""
    return nbformat.read(RELEASE / f"{stem}.ipynb", as_version=4)


FUZZER = Fuzzer("submissions", case, limit_s=20.0)
