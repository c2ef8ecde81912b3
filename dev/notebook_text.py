"""A notebook as text, cell by cell, for diffs: `git config diff.notebook.textconv 'python -m dev text'`."""

import json
from pathlib import Path

from grading.core.errors import CourseError


def as_text(path: Path) -> str:
    """The cells' ids, roles and sources, without outputs; CourseError if the file is not a notebook."""
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CourseError(f"{path}: this is not a notebook ({type(error).__name__}).") from None
    return "\n".join(f"=== {_heading(cell)}\n{''.join(cell['source'])}\n" for cell in cells)


def _heading(cell: dict) -> str:
    meta = cell.get("metadata", {}).get("nbgrader", {})
    role = "solution" if meta.get("solution") else "locked" if meta.get("locked") else "free"
    points = f" {meta['points']} points" if meta.get("grade") else ""
    return f"{cell.get('id', '')} {cell['cell_type']} {role}{points}"
