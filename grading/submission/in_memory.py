"""What this process has read or made of a submission, in memory, so that nobody reads or parses it again.

nbgrader hands a notebook from step to step as a file: each step writes one, and the next one reads it. Within `once`,
whoever parses or writes a notebook leaves it here, and whoever needs it next takes it from here.
"""

import json
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TypeVar

import nbformat
from nbformat import NotebookNode

Made = TypeVar("Made")
# By kind the one folder of which something is held, and what, by a key.
_held: ContextVar[dict[str, tuple[Path, dict[Hashable, object]]] | None] = ContextVar("held", default=None)
_NOTEBOOKS = "notebooks"


@contextmanager
def once() -> Iterator[None]:
    """Within it each file of a submission is read once; nobody else may change one meanwhile.

    A block within a block shares what the outer one holds. Of each kind that is one folder's: the next student's takes
    the place of the last one's.
    """
    if _held.get() is not None:
        yield
        return
    token = _held.set({})
    try:
        yield
    finally:
        _held.reset(token)


def made(kind: str, folder: Path, key: Hashable, make: Callable[[], Made]) -> Made:
    """What `make` makes of something in a folder; what it made before, within `once`."""
    shelf = _shelf(kind, folder)
    if shelf is None:
        return make()
    if key not in shelf:
        shelf[key] = make()
    return shelf[key]


def keep(path: Path, notebook: NotebookNode) -> None:
    """Holds a notebook that is written to a file; nobody may change it from now on."""
    if (shelf := _shelf(_NOTEBOOKS, path.parent)) is not None:
        shelf[path.name] = notebook


def notebook(path: Path) -> NotebookNode | None:
    """The notebook in a file that we wrote, not to be changed; None outside `once`, where nobody holds it.

    Errors  those of nbformat's `read`, for a file that nobody has kept.
    """
    if _held.get() is None:
        return None
    return made(_NOTEBOOKS, path.parent, path.name, lambda: nbformat.read(path, as_version=4))


def parsed(path: Path) -> dict:
    """The notebook in a file that we wrote, not to be changed: as it is held, or else its JSON, unchecked.

    Errors  OSError or ValueError for a file that can't be read.
    """
    return notebook(path) or json.loads(path.read_text(encoding="utf-8"))


class Unread:
    """In front of an nbconvert exporter: it converts what is held of a file that we wrote, without reading it again."""

    def from_filename(self, filename: str, resources: dict | None = None, **kwargs: object) -> tuple:
        """A notebook file, converted."""
        if (held := notebook(Path(filename))) is None:
            return super().from_filename(filename, resources=resources, **kwargs)
        return self.from_notebook_node(held, resources=placed(resources, Path(filename)), **kwargs)

    def _preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """As nbconvert does, but what is handed from step to step is a copy already, and checked at the end alone."""
        for step in self._preprocessors:
            nb, resources = step(nb, resources)
        self._validate_preprocessor(nb, self)
        return nb, resources


def placed(resources: dict | None, path: Path) -> dict:
    """An exporter's resources with what nbconvert's own `from_filename` adds to them, as far as anybody reads it."""
    resources = {} if resources is None else resources
    resources.setdefault("metadata", {}).update(name=path.stem, path=str(path.parent))
    return resources


def _shelf(kind: str, folder: Path) -> dict[Hashable, object] | None:
    held = _held.get()
    if held is None:
        return None
    if kind not in held or held[kind][0] != folder.resolve():
        held[kind] = folder.resolve(), {}
    return held[kind][1]
