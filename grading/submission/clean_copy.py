"""What of a student's notebook is taken in.

A student decides the sources of the answer, of the reasoning and of cells of their own; nothing else. From each
notebook these are put into a clean copy of the released one, however the file is damaged, so that every student's
submission can be graded.
"""

import collections
import copy
import re

import nbformat

from grading.core import cells, limits, messages

DELETED = {
    "test": messages.TEST_DELETED,
    "answer": messages.ANSWER_DELETED,
    "reasoning": messages.REASONING_DELETED,
}
_OF_A_PART = re.compile(r"([A-Za-z]{1,20}\d{1,3})-(?:setup|answer|test|reasoning)")


def clean_copy(released: nbformat.NotebookNode, submitted: dict) -> tuple[nbformat.NotebookNode, list[str]]:
    """The released notebook with the student's sources in it, and what was found on the way.

    A cell of the student's own comes after the released cell that it followed, but before the test, so that an answer
    at the notebook's end counts. Of a cell that stands there twice the first that was worked on is the answer.
    """
    clean = copy.deepcopy(released)
    ids = [_grade_id(cell) for cell in clean.cells]
    official = {i: cell for i, cell in zip(ids, clean.cells, strict=True) if i}
    test_at = next((n for n, i in enumerate(ids) if i and cells.role(i) == "test"), len(ids))
    seen: dict[str, list[dict]] = {}
    own: dict[int, list[dict]] = {}
    nameless, anchor = _nameless(official, submitted["cells"]), 0
    for cell in submitted["cells"]:
        name = _submitted_id(cell, official) or nameless.pop(_kind_and_text(cell), None)
        if name is None or (name in seen and not cells.is_editable(official[name])):
            if name is None:
                own.setdefault(min(anchor, test_at - 1), []).append(cell)
            continue
        seen.setdefault(name, []).append(cell)
        anchor = ids.index(name)
    for name, cell in official.items():
        if cells.is_editable(cell) and name in seen:
            versions = seen[name]
            chosen = next((v for v in versions if _is_other(v, cell)), versions[0])
            others = [v for v in versions if v is not chosen and _is_other(v, cell)]
            own.setdefault(min(ids.index(name), test_at - 1), [])[:0] = others
            cell.source = _source(chosen)
        elif cells.is_editable(cell) and cell.cell_type == "code":
            cell.source = ""  # or the release's, which defines the answer's names, would undo what stands before it
    ordered = []
    for position, cell in enumerate(clean.cells):
        ordered.append(cell)
        ordered += [_own_cell(c, f"own-{position}-{n}") for n, c in enumerate(own.get(position, []), start=1)]
    clean.cells = ordered
    shortened = _shorten([cell for cell in ordered if cells.is_editable(cell)])
    other = _other_part(official, submitted["cells"])
    found = [messages.OTHER_PART % other] if other else _findings(official, seen)
    return clean, found + ([messages.TOO_MUCH_TEXT] if shortened else [])


def _grade_id(cell: dict) -> str | None:
    meta = cell.get("metadata")
    meta = meta.get("nbgrader") if isinstance(meta, dict) else None
    name = meta.get("grade_id") if isinstance(meta, dict) else None
    return name if isinstance(name, str) else None


def _other_part(official: dict, submitted: list[dict]) -> str | None:
    """The part that most cells name as theirs, as part03-test does, where a notebook lies under another part's name."""
    if any(_submitted_id(cell, official) for cell in submitted):
        return None
    named = (_OF_A_PART.fullmatch(_grade_id(cell) or "") for cell in submitted)
    parts = collections.Counter(found[1] for found in named if found)
    return next((name for name, _ in parts.most_common(1)), None)


def _submitted_id(cell: dict, official: dict) -> str | None:
    """Which released cell this is: by its grade id, or by its id where a tool has dropped nbgrader's metadata."""
    name = _grade_id(cell)
    if name in official:
        return name
    name = cell.get("id")
    return name if isinstance(name, str) and name in official and _grade_id(cell) is None else None


def _nameless(official: dict, submitted: list[dict]) -> dict[tuple[str, str], str]:
    """The course's own cells that no id leads to, by what stands in them: some tools drop ids and metadata alike.

    Without this, an import in a lost check would count as the student's.
    """
    named = {_submitted_id(cell, official) for cell in submitted}
    lost = {name: cell for name, cell in official.items() if name not in named and not cells.is_editable(cell)}
    return {_kind_and_text(cell): name for name, cell in lost.items()}


def _kind_and_text(cell: dict) -> tuple[str, str]:
    kind = cell.get("cell_type")
    return kind if isinstance(kind, str) else "", _source(cell).strip()  # lists too deep to print may stand there


def _is_other(submitted: dict, released: dict) -> bool:
    """Whether a submitted cell holds another text than the released one."""
    return _source(submitted).strip() != _source(released).strip()


def _source(cell: dict) -> str:
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list):
        source = "".join(piece for piece in source if isinstance(piece, str))
    text = source if isinstance(source, str) else ""
    # Half of a surrogate pair can stand in JSON, but in no file.
    return cells.with_our_ends(text[: limits.SOURCE_CHARS]).encode("utf-8", "replace").decode("utf-8")


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
    out, changed = [], []
    for name, cell in official.items():
        copies, role = seen.get(name, []), cells.role(name)
        if not copies:
            out += [DELETED[role]] if role in DELETED else []
        elif copies[0].get("cell_type") != cell.cell_type:
            changed.append(name)
        elif role == "test" and _points(copies[0]) not in (None, cell.metadata.nbgrader["points"]):
            out.append(messages.POINTS_CHANGED)
    out += [messages.types_changed(changed)] if changed else []
    locked = [n for n, c in official.items() if not cells.is_editable(c) and n in seen]
    if any(_is_other(seen[n][0], official[n]) for n in locked):
        out.append(messages.OTHER_RELEASE)
    return out


def _points(cell: dict) -> object:
    meta = cell["metadata"].get("nbgrader") if isinstance(cell.get("metadata"), dict) else None
    return meta.get("points") if isinstance(meta, dict) else None
