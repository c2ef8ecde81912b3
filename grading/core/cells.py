"""The cells of a notebook file: whose they are, and what of them is hidden."""

import json
from pathlib import Path

HIDDEN = "BEGIN HIDDEN TESTS"
TEXT_STUB = "YOUR ANSWER HERE"  # what stands in a release where a written answer belongs


def name_of(cell: dict) -> str:
    """What nbgrader calls a cell of a notebook of ours; empty for one of the student's own."""
    return cell["metadata"].get("nbgrader", {}).get("grade_id", "")


def role(name: str) -> str:
    """What a cell of a part is for, by its name: "test" for part05-test, or answer, reasoning, check, figure …"""
    part, _, end = name.rpartition("-")
    return end if part else ""


def with_our_ends(source: str) -> str:
    """A cell's source, its lines ended as ours are: some editors on Windows end them otherwise; Python reads both."""
    return source.replace("\r\n", "\n")


def source_in(path: Path, name: str) -> str:
    """The source of a cell of a notebook file of ours, by nbgrader's id; empty where there is no such cell or file."""
    try:
        return source_of(json.loads(path.read_text(encoding="utf-8")), name)
    except (OSError, ValueError):
        return ""


def source_of(notebook: dict, name: str) -> str:
    """The source of a cell of a notebook of ours, by nbgrader's id; empty where there is no such cell."""
    return next(("".join(cell["source"]) for cell in notebook["cells"] if name_of(cell) == name), "")


def is_written(notebook: dict, name: str) -> bool:
    """Whether a cell of a notebook of ours holds a written answer that isn't the release's text."""
    return source_of(notebook, name).strip() not in ("", TEXT_STUB)


def is_test(cell: dict) -> bool:
    """Whether a notebook's cell is the graded test of a part."""
    return cell["cell_type"] == "code" and role(name_of(cell)) == "test"


def is_ours(meta: dict) -> bool:
    """Whether nbgrader's metadata mark a cell that only the course's makers write: text, setup, checks, tests."""
    return bool(meta) and not meta.get("solution", False) and bool(meta.get("locked") or meta.get("grade"))


def is_editable(cell: dict) -> bool:
    """Whether a cell is there for students to write in, or their own."""
    return not is_ours(cell["metadata"].get("nbgrader", {}))


def without_hidden_tests(source: str) -> str:
    """A cell's source up to the line on which its hidden tests begin."""
    before, found, _ = source.partition(HIDDEN)
    return before[: before.rfind("\n") + 1].rstrip("\n") if found else source
