"""A notebook file that a student wrote, read tolerantly and within bounds, whatever its bytes."""

import contextlib
import copy
import itertools
import json
import os
import re
import warnings
from pathlib import Path

import nbformat

from grading.core import limits, messages
from grading.submission import extra_files, unreadable
from grading.submission.unreadable import Fix

KINDS = ("code", "markdown", "raw")  # of cells
# Cells' ids and tags as nbformat has them; it refuses to write a notebook with any other.
ID, TAG = re.compile(r"[\w-]{1,64}", re.ASCII), re.compile("[^,]+")
TAGS, ATTACHMENTS, FORMS = 100, 100, 5  # of a cell that are kept, and the forms of each attachment
LEVELS = range(1, 7)  # of an older form's headings: nbformat writes as many # as one says, be it a thousand million
MARK = "grading"  # the key in the metadata of what is graded in its place, for what the judge must know


class Unreadable(Exception):
    """The file holds no notebook that can be graded: `why`, and what helps; its text tells an instructor both."""

    def __init__(self, why: str, fix: Fix = Fix.FRESH) -> None:
        super().__init__(unreadable.for_instructor(why, fix))
        self.why, self.fix = why, fix


def read(path: Path) -> dict:
    """The notebook in a file that a student wrote, as plain data with a list of cells, tolerantly parsed.

    Units   at most limits.NOTEBOOK_BYTES, limits.CELLS.
    Errors  Unreadable, whatever the bytes; OSError if this account may not read the file.
    """
    return {"cells": _cells(_parsed(path))}


def _parsed(path: Path) -> object:
    """What a file holds as JSON; Unreadable if that is nothing."""
    text = _regular_text(path)
    try:
        return json.loads(text)
    except RecursionError:
        raise Unreadable(messages.NOT_JSON_DEEP) from None
    except ValueError as error:
        raise Unreadable(messages.not_json(getattr(error, "lineno", 1))) from None


def _cells(notebook: object) -> list[dict]:
    """The cells of a notebook of whatever form; Unreadable beyond the bounds."""
    found = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(found, list):
        worksheets = notebook.get("worksheets") if isinstance(notebook, dict) else None
        first = worksheets[0] if isinstance(worksheets, list) and worksheets else None
        found = first.get("cells") if isinstance(first, dict) else None
    found = [cell for cell in found if isinstance(cell, dict)] if isinstance(found, list) else []
    if not found:
        raise Unreadable(messages.NO_CELLS)
    if len(found) > limits.CELLS:
        raise Unreadable(messages.too_many_cells(len(found)), Fix.SHORTER)
    return found


def read_as_it_is(path: Path, released: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The notebook in a file, in nbformat's present form, its cells as the student left them, without outputs.

    Which of them nbgrader grades, the released notebook says: a mark of the student's own stops nbgrader.
    Errors  as in `read`.
    """
    written = _parsed(path)
    cells = [_bare(cell) for cell in _cells(written)]
    try:
        notebook = _in_present_form(written, cells)
        sound = all(isinstance(cell.source, str) and cell.cell_type in KINDS for cell in notebook.cells)
        sound = sound and all("nbgrader" in cell.metadata for cell in notebook.cells)  # which some old forms lose
    except Exception:  # noqa: BLE001  (a function of the student's bytes alone: whatever fails, they are no notebook)
        sound = False
    if not sound:
        raise Unreadable(messages.DAMAGED_CELLS)
    marked = {cell.metadata.nbgrader["grade_id"]: cell for cell in released.cells if _is_marked(cell)}
    for cell in notebook.cells:
        name = cell.metadata.pop("nbgrader")
        if name in marked:  # a second cell of this name is the student's own
            _mark_as(marked.pop(name), cell)
    return notebook


def _in_present_form(written: dict, cells: list[dict]) -> nbformat.NotebookNode:
    """A notebook of the form that a file is written in, with these cells, in nbformat's present form."""
    notebook = {key: written[key] for key in ("nbformat", "nbformat_minor") if key in written} | {"metadata": {}}
    # Half of a surrogate pair can stand in JSON, but in no file.
    cells = json.loads(json.dumps(cells, ensure_ascii=False).encode("utf-8", "replace"))
    if not isinstance(written.get("cells"), list):
        notebook["worksheets"] = [{"cells": cells}]
    else:
        notebook["cells"] = cells
        if notebook.get("nbformat") == 4:
            if type(minor := notebook.get("nbformat_minor")) is not int or minor < 0:  # a form that never was
                notebook["nbformat_minor"] = nbformat.v4.nbformat_minor
            found = nbformat.from_dict(notebook)
            # It gives ids to cells that lack them, and warns of each: hundreds of lines in the grader's terminal.
            with warnings.catch_warnings(), contextlib.suppress(nbformat.ValidationError):
                warnings.simplefilter("ignore")
                nbformat.validate(found)
            return found
    return nbformat.reads(json.dumps(notebook), as_version=4)  # which reads an older form from a text alone


def _mark_as(released: nbformat.NotebookNode, cell: nbformat.NotebookNode) -> None:
    """Gives a cell the marks and the type of the released one."""
    cell.metadata["nbgrader"] = copy.deepcopy(released.metadata.nbgrader)
    if cell.cell_type != released.cell_type:
        for key in ("outputs", "execution_count", "attachments"):
            cell.pop(key, None)
        cell.cell_type = released.cell_type
        cell.update({"outputs": [], "execution_count": None} if cell.cell_type == "code" else {})


def _bare(cell: dict) -> dict:
    """What grading reads of a cell: kind, source, id, name, tags and attachments, and none of its outputs.

    nbformat compares each piece of what is left out with every form that it may have: a few kilobytes of tags take it
    minutes, and of outputs gigabytes.
    """
    given = cell["metadata"] if isinstance(cell.get("metadata"), dict) else {}
    marked = given["nbgrader"] if isinstance(given.get("nbgrader"), dict) else {}
    tags = given["tags"] if isinstance(given.get("tags"), list) else []
    bare = {key: cell[key] for key in ("cell_type", "level", "language", "id") if isinstance(cell.get(key), str | int)}
    bare |= {key: _joined(cell[key]) for key in ("source", "input") if key in cell}
    if not (isinstance(name := bare.get("id"), str) and ID.fullmatch(name)):
        bare.pop("id", None)
    if bare.get("level", 1) not in LEVELS:
        del bare["level"]
    name = marked.get("grade_id")
    bare["metadata"] = {"nbgrader": name if isinstance(name, str) else None}
    if tags := list(dict.fromkeys(tag for tag in tags if _is_text(tag) and TAG.fullmatch(tag)))[:TAGS]:
        bare["metadata"]["tags"] = tags
    if isinstance(cell.get("attachments"), dict) and cell.get("cell_type") == "markdown":
        held = {name: kinds for name, kinds in cell["attachments"].items() if isinstance(kinds, dict)}
        held = dict(itertools.islice(held.items(), ATTACHMENTS))
        bare["attachments"] = {
            name: dict(itertools.islice(((kind, text) for kind, text in kinds.items() if _is_text(text)), FORMS))
            for name, kinds in held.items()
        }
    return bare | ({"outputs": [], "execution_count": None} if cell.get("cell_type") == "code" else {})


def _joined(source: object) -> str | None:
    """A source that may be a list of lines, as a text; None if it is neither."""
    lines = source if isinstance(source, list) else [source]
    return "".join(lines) if all(map(_is_text, lines)) else None


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_marked(cell: nbformat.NotebookNode) -> bool:
    return "grade_id" in cell.metadata.get("nbgrader", {})


def _regular_text(path: Path) -> str:
    """The text of a regular file of bounded size."""
    try:
        file = extra_files.opened(path)
    except (extra_files.NoFile, FileNotFoundError):
        raise Unreadable(messages.NOT_A_FILE) from None
    with file:
        size = os.fstat(file.fileno()).st_size
        if size > limits.NOTEBOOK_BYTES:
            raise Unreadable(messages.too_large(size, limits.NOTEBOOK_BYTES), Fix.NO_OUTPUTS)
        if size == 0:
            raise Unreadable(messages.EMPTY)
        data = file.read(limits.NOTEBOOK_BYTES + 1)
    if data.count(b"[") + data.count(b"{") > limits.NOTEBOOK_LISTS:  # nothing can stop Python as it reads them
        raise Unreadable(messages.NOT_JSON_WIDE, Fix.NO_OUTPUTS)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Unreadable(messages.NOT_TEXT) from None
