"""A submission's notebooks, taken in once: what is graded of each, and what was found on the way.

Of a course that was written for nbgrader alone that is the notebook as it was left, which nbgrader's own steps then
clean; else a clean copy. A file that is no notebook has the released one graded in its place, which is not run.

Whoever grades looks at them twice: the class run for its notices, nbgrader for what it copies. `once` has the second
look find what the first has made.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbconvert.exporters import NotebookExporter

from grading.core import find_course, unreadable
from grading.core.course import Course
from grading.submission import kept_copies
from grading.submission.clean_copy import clean_copy
from grading.submission.notebook_file import MARK, Unreadable, read, read_as_it_is


@dataclass(frozen=True)
class Taken:
    """What is graded of a student's notebook; the released one, and why, where the file could not be read."""

    notebook: nbformat.NotebookNode
    findings: tuple[str, ...]
    unreadable: str = ""


_made: ContextVar[dict[tuple[Path, Path, Course, bool], Taken] | None] = ContextVar("made", default=None)


@contextmanager
def once() -> Iterator[None]:
    """Within it each notebook is read once; nobody may change its file meanwhile."""
    token = _made.set({})
    try:
        yield
    finally:
        _made.reset(token)


def taken(path: Path, released: Path, of: Course, alone: bool = False) -> Taken:
    """A student's file, taken in; the notebook that was released is in `released`. `alone`: they have no instructor."""
    made, key = _made.get(), (path.resolve(), released.resolve(), of, alone)
    if made is None:
        return _take_in(path, released, of, alone)
    if key not in made:
        made[key] = _take_in(path, released, of, alone)
    return made[key]


class Exporter(NotebookExporter):
    """nbgrader's notebook exporter, for which submissions are taken in: `c.Autograde.exporter_class`.

    nbgrader reads each notebook twice: the student's file, to write a copy, and then that copy, to grade it.
    """

    def from_filename(self, filename: str, resources: dict | None = None, **kwargs: object) -> tuple:
        """A notebook file, or what is taken in of a student's, converted; findings go to the log."""
        path, coursedir, what = Path(filename), self.parent.coursedir, resources["nbgrader"]
        # Whatever lies elsewhere than the copies is a student's, so that no slip takes a student's file for a copy.
        copies = coursedir.format_path(coursedir.autograded_directory, what["student"], what["assignment"])
        if path.parent == Path(copies):
            return super().from_filename(filename, resources=resources, **kwargs)
        release = Path(coursedir.format_path(coursedir.release_directory, ".", what["assignment"]))
        course, alone = find_course.of(self.config, what["assignment"]), bool(self.config.Course.get("alone", False))
        found = taken(path, release / path.name, course, alone)
        for text in found.findings:
            self.log.warning("%s, %s: %s", what["student"], path.stem, text)
        found.notebook.metadata[MARK] = {"unreadable": found.unreadable} if found.unreadable else {}
        # What nbconvert's own from_filename adds to the resources.
        resources.setdefault("metadata", {}).update(name=path.stem, path=str(path.parent))
        return self.from_notebook_node(found.notebook, resources=resources, **kwargs)


def _take_in(path: Path, released: Path, of: Course, alone: bool) -> Taken:
    original = nbformat.read(released, as_version=4)
    try:
        notebook, findings = (read_as_it_is(path, original), []) if of.plain else clean_copy(original, read(path))
    except Unreadable as error:
        fresh, earlier = f"release/{of.name}/{path.name}", f"{kept_copies.FOLDER.as_posix()}/"
        text = unreadable.told_alone(error.why, error.fix, fresh, earlier) if alone else str(error)
        return Taken(original, (text,), text)
    return Taken(notebook, tuple(findings))
