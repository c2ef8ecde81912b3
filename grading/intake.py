"""The front gate: what of a hand-in is taken in.

A student decides the sources of the answer, of the reasoning and of cells of their own; nothing else. From each
notebook these are put into a clean copy of the released one, however the file is damaged, so that every student's
hand-in can be graded. What was wrong with a file is a `Notice`, one line that says who, where and what to do.
"""

import copy
import json
import os
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbconvert.exporters import NotebookExporter

from grading import beside, cells, limits, messages, names

MARK = "attention"  # the key in a clean copy's metadata for what the judge must know


@dataclass(frozen=True)
class Notice:
    """One line about a hand-in: the student, the part (a notebook's name), and what was found and what to do."""

    student: str
    part: str
    text: str

    def __str__(self) -> str:
        return f"{self.student}, {self.part}: {self.text}"


class Unreadable(Exception):
    """The file holds no notebook that can be graded; the text says why, for student and instructor."""


def read(path: Path) -> dict:
    """The notebook in a file that a student wrote, as plain data with a list of cells, tolerantly parsed.

    Units   at most limits.NOTEBOOK_BYTES, limits.CELLS.
    Errors  Unreadable; never anything else, whatever the bytes.
    """
    text = _regular_text(path)
    try:
        notebook = json.loads(text)
    except RecursionError:
        raise Unreadable(messages.NOT_JSON_DEEP) from None
    except ValueError as error:
        raise Unreadable(messages.not_json(getattr(error, "lineno", 1))) from None
    found = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(found, list):
        worksheets = notebook.get("worksheets") if isinstance(notebook, dict) else None
        first = worksheets[0] if isinstance(worksheets, list) and worksheets else None
        found = first.get("cells") if isinstance(first, dict) else None
    found = [cell for cell in found if isinstance(cell, dict)] if isinstance(found, list) else []
    if not found:
        raise Unreadable(messages.NO_CELLS)
    if len(found) > limits.CELLS:
        raise Unreadable(messages.too_many_cells(len(found)))
    return {"cells": found}


def clean_copy(released: nbformat.NotebookNode, handed_in: dict) -> tuple[nbformat.NotebookNode, list[str]]:
    """The released notebook with the student's sources in it, and what was found on the way.

    A cell of the student's own comes after the released cell that it followed, but before the test, so that an answer
    at the notebook's end counts. Of a cell that stands there twice the first that was worked on is the answer.
    """
    clean = copy.deepcopy(released)
    ids = [_grade_id(cell) for cell in clean.cells]
    official = {i: cell for i, cell in zip(ids, clean.cells, strict=True) if i}
    test_at = next((n for n, i in enumerate(ids) if i and i.endswith("-test")), len(ids))
    seen: dict[str, list[dict]] = {}
    own: dict[int, list[dict]] = {}
    anchor = 0
    for cell in handed_in["cells"]:
        name = _handed_in_id(cell, official)
        if name is None or (name in seen and not _is_editable(official[name])):
            if name is None:
                own.setdefault(min(anchor, test_at - 1), []).append(cell)
            continue
        seen.setdefault(name, []).append(cell)
        anchor = ids.index(name)
    for name, cell in official.items():
        if _is_editable(cell) and name in seen:
            versions = seen[name]
            chosen = next((v for v in versions if _source(v).strip() != cell.source.strip()), versions[0])
            others = [v for v in versions if v is not chosen and _source(v).strip() != cell.source.strip()]
            own.setdefault(min(ids.index(name), test_at - 1), [])[:0] = others
            cell.source = _source(chosen)
    ordered = []
    for position, cell in enumerate(clean.cells):
        ordered.append(cell)
        ordered += [_own_cell(c, f"own-{position}-{n}") for n, c in enumerate(own.get(position, []), start=1)]
    clean.cells = ordered
    shortened = _shorten([cell for cell in ordered if _is_editable(cell)])
    return clean, _findings(official, seen) + ([messages.TOO_MUCH_TEXT] if shortened else [])


def notices(student: str, folder: Path, release: Path) -> list[Notice]:
    """What is to be said about a hand-in before it is graded: damaged, missing and extra files, deleted cells."""
    out, missing = [], []
    parts = sorted(path.name for path in release.glob("*.ipynb"))
    present = {entry.name for entry in os.scandir(folder)}
    for name in parts:
        stem = name.removesuffix(".ipynb")
        if name not in present:
            missing.append(stem)
            continue
        try:
            released = nbformat.read(release / name, as_version=4)
            findings = clean_copy(released, read(folder / name))[1]
        except Unreadable as error:
            findings = [str(error)]
        out += [Notice(student, stem, text) for text in findings]
    if missing:
        out.append(Notice(student, ", ".join(missing), messages.FILE_MISSING))
    extra = sorted(name for name in present if name.endswith(".ipynb") and name not in parts)
    out += [Notice(student, _shown(name), messages.FILE_EXTRA) for name in extra[: limits.NAMED]]
    return out + [
        Notice(student, _shown(name), messages.FILE_LEFT_OUT) for name in beside.admitted(folder)[1][: limits.NAMED]
    ]


class CleanExporter(NotebookExporter):
    """nbgrader's notebook exporter, reading hand-ins through the gate: `c.Autograde.exporter_class`.

    nbgrader reads each notebook twice: the student's file, to write a clean copy, and then that copy, to grade it.
    """

    def from_filename(self, filename: str, resources: dict | None = None, **kwargs: object) -> tuple:
        """A notebook file, or the clean copy of a student's, converted; notices go to the log."""
        if not self.parent._sanitizing:
            return super().from_filename(filename, resources=resources, **kwargs)
        path = Path(filename)
        coursedir = self.parent.coursedir
        release = Path(coursedir.format_path(coursedir.release_directory, ".", resources["nbgrader"]["assignment"]))
        released = nbformat.read(release / path.name, as_version=4)
        mark = {}
        try:
            clean, findings = clean_copy(released, read(path))
        except Unreadable as error:
            clean, findings, mark = released, [str(error)], {"unreadable": str(error)}
        for text in findings:
            self.log.warning("%s", Notice(resources["nbgrader"]["student"], path.stem, text))
        clean.metadata[MARK] = mark
        # What nbconvert's own from_filename adds to the resources.
        resources.setdefault("metadata", {}).update(name=path.stem, path=str(path.parent))
        return self.from_notebook_node(clean, resources=resources, **kwargs)


def _regular_text(path: Path) -> str:
    """The text of a regular file of bounded size."""
    try:
        file = beside.opened(path)
    except OSError:
        raise Unreadable(messages.NOT_A_FILE) from None
    with file:
        size = os.fstat(file.fileno()).st_size
        if size > limits.NOTEBOOK_BYTES:
            raise Unreadable(messages.too_large(size, limits.NOTEBOOK_BYTES))
        if size == 0:
            raise Unreadable(messages.EMPTY)
        data = file.read(limits.NOTEBOOK_BYTES + 1)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Unreadable(messages.NOT_TEXT) from None


def _shown(name: str) -> str:
    """A file's name as it can be printed, in one line."""
    return names.printable(name, names.SHOWN)


def _grade_id(cell: dict) -> str | None:
    meta = cell.get("metadata")
    meta = meta.get("nbgrader") if isinstance(meta, dict) else None
    name = meta.get("grade_id") if isinstance(meta, dict) else None
    return name if isinstance(name, str) else None


def _handed_in_id(cell: dict, official: dict) -> str | None:
    """Which released cell this is: by its grade id, or by its id where a tool has dropped nbgrader's metadata."""
    name = _grade_id(cell)
    if name in official:
        return name
    name = cell.get("id")
    return name if isinstance(name, str) and name in official and _grade_id(cell) is None else None


def _is_editable(cell: nbformat.NotebookNode) -> bool:
    return not cells.is_ours(cell.metadata.get("nbgrader", {}))


def _source(cell: dict) -> str:
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list):
        source = "".join(piece for piece in source if isinstance(piece, str))
    text = source if isinstance(source, str) else ""
    # Half of a surrogate pair can stand in JSON, but in no file.
    return text[: limits.SOURCE_CHARS].encode("utf-8", "replace").decode("utf-8")


def _shorten(written: list[nbformat.NotebookNode]) -> bool:
    """Empties the cells that no longer fit, whether there was one; the cells of the release come first."""
    left = {"code": limits.CODE_CHARS, "all": limits.SOURCE_CHARS}
    for cell in sorted(written, key=lambda cell: "nbgrader" not in cell.metadata):
        size, kinds = len(cell.source), ("code", "all") if cell.cell_type == "code" else ("all",)
        if any(size > left[kind] for kind in kinds):
            cell.source, left["cut"] = "", 1
        else:
            left.update({kind: left[kind] - size for kind in kinds})
    return "cut" in left


def _own_cell(cell: dict, name: str) -> nbformat.NotebookNode:
    """A cell of the student's own: its source, and nothing else of it."""
    make = nbformat.v4.new_code_cell if cell.get("cell_type") == "code" else nbformat.v4.new_markdown_cell
    return make(_source(cell), id=name)


def _findings(official: dict, seen: dict) -> list[str]:
    out = []
    for name, cell in official.items():
        copies = seen.get(name, [])
        if not copies and name.endswith("-test"):
            out.append(messages.TEST_DELETED)
        elif not copies and name.endswith("-answer"):
            out.append(messages.ANSWER_DELETED)
        elif not copies and name.endswith("-reasoning"):
            out.append(messages.REASONING_DELETED)
        elif copies and copies[0].get("cell_type") != cell.cell_type:
            out.append(messages.type_changed(name))
        elif name.endswith("-test") and _points(copies[0]) not in (None, cell.metadata.nbgrader["points"]):
            out.append(messages.POINTS_CHANGED)
    locked = [n for n, c in official.items() if not _is_editable(c) and n in seen]
    if any(_source(seen[n][0]).strip() != official[n].source.strip() for n in locked):
        out.append(messages.OTHER_RELEASE)
    return out


def _points(cell: dict) -> object:
    meta = cell["metadata"].get("nbgrader") if isinstance(cell.get("metadata"), dict) else None
    return meta.get("points") if isinstance(meta, dict) else None
