"""A course and submissions without what takes longest and decides no mark: figures, their data, and visible
checks; and with a quarter of part 13's rows, for which attention/part13_run.py argues that no bound depends on luck.

For tests that are about marks, limits and files. Call `generate_assignment.register` afterwards: it makes the
release anew.
"""

import json
import re
from pathlib import Path

from attention.course import COURSE
from dev import course_copy, handed_in
from grading.core.course import Part


def new(root: Path, *parts: Part) -> None:
    """As `course_copy.new`, and lean."""
    course_copy.new(root, *parts)
    make(root)


def make(root: Path) -> None:
    """Makes the notebooks of a copy of the course lean."""
    for path in (root / "source" / COURSE.name).glob("*.ipynb"):
        path.write_text(json.dumps(leaned(json.loads(path.read_text(encoding="utf-8")))), encoding="utf-8")


def write(folder: Path, part: Part, notebook: dict) -> None:
    """As `handed_in.write`, and lean."""
    handed_in.write(folder, part, leaned(notebook))


def leaned(notebook: dict) -> dict:
    """A notebook of the course or a submission, lean."""
    cells = [cell for cell in notebook["cells"] if not str(cell.get("id")).endswith(("-figure", "-steps", "-check"))]
    thirteen = [
        cell | {"source": fewer_samples("".join(cell["source"]))} if str(cell.get("id")).startswith("part13-") else cell
        for cell in cells
    ]
    return notebook | {"cells": thirteen}


def fewer_samples(source: str) -> str:
    """A cell of part 13 with 2 samples of 400 rows in place of 32 of 100: most of the work is on y, by the sample."""
    return re.sub(r"\b32, 300\b", "2, 300", re.sub(r"\b32, 100\b", "2, 400", source))
