"""A notebook of a newer release with what somebody wrote in an older one."""

import copy

from nbformat import NotebookNode

from grading.core import cells

_LOCKS = ("nbgrader", "editable", "deletable")  # metadata that make a cell the course's own


def merged(released: NotebookNode, worked_in: NotebookNode, base: NotebookNode | None) -> NotebookNode:
    """The newer release's cells, in their order, with the answers and own cells of the notebook worked in.

    `base` is the release that it was begun with, if that is known: an answer that is still as it came there gives way
    to the newer one. A cell of somebody's own follows the cell that it followed; so does an answer to a question that
    the newer release no longer asks. Nothing else of the old notebook is left: those cells are the course's.
    """
    ours = {name: cell for cell in released.cells if (name := cells.name_of(cell))}
    came = {cells.name_of(cell): _text(cell) for cell in base.cells} if base else {}
    unnamed = {_text(cell) for each in (base, released) if each for cell in each.cells if not cells.name_of(cell)}
    answers: dict[str, NotebookNode] = {}
    own: dict[str | None, list[NotebookNode]] = {}
    after = None
    for cell in worked_in.cells:
        name = cells.name_of(cell)
        untouched = _text(cell) == came.get(name) if name else _text(cell) in unnamed
        if name in ours and (not cells.is_editable(ours[name]) or untouched or name not in answers):
            after = name
        if untouched or not cell.source.strip() or (name and not cells.is_editable(cell)):
            continue
        if name in ours and cells.is_editable(ours[name]) and name not in answers:
            answers[name] = cell
        else:
            own.setdefault(after, []).append(cell)
    new = copy.deepcopy(released)
    taken = {cell.id for cell in new.cells}
    new.cells = [_plain(cell, taken) for cell in own.get(None, [])]
    for cell in copy.deepcopy(released.cells):
        name = cells.name_of(cell)
        if name in answers:
            _fill(cell, answers[name])
        new.cells += [cell, *(_plain(each, taken) for each in own.get(name, []))] if name else [cell]
    return new


def _text(cell: NotebookNode) -> str:
    return cells.with_our_ends(cell.source)


def _fill(cell: NotebookNode, written: NotebookNode) -> None:
    """Puts what somebody wrote into the released cell."""
    cell.source = written.source
    if "attachments" in written:
        cell.attachments = written.attachments
    if cell.cell_type == written.cell_type == "code":
        cell.outputs, cell.execution_count = written.outputs, written.execution_count


def _plain(cell: NotebookNode, taken: set[str]) -> NotebookNode:
    """A cell as somebody's own: none of the course's marks, and an id that no other cell has."""
    own = copy.deepcopy(cell)
    for key in _LOCKS:
        own.metadata.pop(key, None)
    number, first = 1, own.get("id", "own")
    while own.get("id") is None or own.id in taken:
        own.id, number = f"{first}-{number}"[-64:], number + 1
    taken.add(own.id)
    return own
