"""A submission's notebooks, taken in once: what is graded of each, and what was found on the way.

Of a course that was written for nbgrader alone that is the notebook as it was left, which nbgrader's own steps then
clean; else a clean copy. Where a file is not a notebook, the released one is graded in its place, which is not run.

Whoever grades looks at them twice: the class run for its notices, nbgrader for what it copies. Within `in_memory.once`
the second look finds what the first has made.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import nbconvert.exporters
import nbformat
from nbclient import NotebookClient
from traitlets import Dict, HasTraits, default

from grading.core import find_course
from grading.core.course import Course
from grading.submission import in_memory, kept_copies, unreadable
from grading.submission.clean_copy import clean_copy
from grading.submission.notebook_file import MARK, Unreadable, read, read_as_it_is


@dataclass(frozen=True)
class Taken:
    """What is graded of a student's notebook; the released one where the file could not be read, and why, as its author
    reads it. The `findings` are for an instructor, or for whoever learns alone.
    """

    notebook: nbformat.NotebookNode
    findings: tuple[str, ...]
    unreadable: str = ""


def taken(path: Path, released: Path, of: Course, alone: bool = False) -> Taken:
    """A student's file, taken in; the notebook that was released is in `released`. `alone`: they have no instructor."""
    key = (path.name, released.resolve(), of, alone)
    return in_memory.made("submitted", path.parent, key, lambda: _take_in(path, released, of, alone))


class Exporter(in_memory.Unread, nbconvert.exporters.Exporter):
    """nbgrader's exporter of notebooks, for which submissions are taken in: `c.Autograde.exporter_class`.

    nbgrader has each notebook converted twice: the student's file, to write a copy, and then that copy, to grade it.
    """

    output_mimetype = "application/json"
    made = Dict(help="The step of each class that was registered.")

    @default("file_extension")
    def _file_extension_default(self) -> str:
        return ".ipynb"

    @default("optimistic_validation")
    def _optimistic_validation_default(self) -> bool:
        return True  # one look at what is written, in place of one after each step

    def register_preprocessor(self, preprocessor: object, enabled: bool = False) -> object:
        """As nbconvert does, but each step is made once: nbgrader registers all of them again for every notebook.

        What runs a notebook is made again for each: a client that has run one remembers it, such as its kernel's name.
        """
        if _is_step(preprocessor) and not enabled:
            if preprocessor not in self.made:
                self.made[preprocessor] = preprocessor(parent=self)
            preprocessor = self.made[preprocessor]
        return super().register_preprocessor(preprocessor, enabled)

    def from_filename(self, filename: str, resources: dict | None = None, **kwargs: object) -> tuple:
        """A notebook file, or what is taken in of a student's, converted; findings go to the log."""
        path, coursedir, what = Path(filename), self.parent.coursedir, resources["nbgrader"]
        # Whatever lies elsewhere than the copies is a student's, so that no slip takes a student's file for a copy.
        if path.parent == self._copies(resources):
            return super().from_filename(filename, resources=resources, **kwargs)
        release = Path(coursedir.format_path(coursedir.release_directory, ".", what["assignment"]))
        course, alone = find_course.of(self.config, what["assignment"]), bool(self.config.Course.get("alone", False))
        found = taken(path, release / path.name, course, alone)
        for text in found.findings:
            self.log.warning("%s, %s: %s", what["student"], path.stem, text)
        found.notebook.metadata[MARK] = {"unreadable": found.unreadable} if found.unreadable else {}
        copy, resources = self._held(found.notebook, in_memory.placed(resources, path), **kwargs)
        return json.dumps(copy), resources  # who grades it takes what is held, and writes it again

    def from_notebook_node(self, nb: nbformat.NotebookNode, resources: dict | None = None, **kwargs: object) -> tuple:
        """The text of a notebook that is written next to the student's other copies, and held for who reads it next."""
        converted, resources = self._held(nb, resources, **kwargs)
        return nbformat.v4.writes(converted) + "\n", resources

    def _held(self, nb: nbformat.NotebookNode, resources: dict | None, **kwargs: object) -> tuple:
        """A notebook as it is converted, which nbconvert has checked."""
        converted, resources = super().from_notebook_node(nb, resources, **kwargs)
        in_memory.keep(self._copies(resources) / f"{resources['nbgrader']['notebook']}.ipynb", converted)
        return converted, resources

    def _copies(self, resources: dict) -> Path:
        """The student's folder that holds the clean copies, and in the end the graded ones."""
        what, coursedir = resources["nbgrader"], self.parent.coursedir
        return Path(coursedir.format_path(coursedir.autograded_directory, what["student"], what["assignment"]))


def _is_step(preprocessor: object) -> bool:
    """Whether it is a class of steps that hold nothing of a notebook once they have passed it on."""
    return (
        isinstance(preprocessor, type)
        and issubclass(preprocessor, HasTraits)
        and not issubclass(preprocessor, NotebookClient)
    )


def _take_in(path: Path, released: Path, of: Course, alone: bool) -> Taken:
    original = nbformat.read(released, as_version=4)
    try:
        notebook, findings = (read_as_it_is(path, original), []) if of.plain else clean_copy(original, read(path))
    except Unreadable as error:
        fresh, earlier = f"release/{of.name}/{path.name}", f"{kept_copies.FOLDER.as_posix()}/"
        if alone:
            text = unreadable.for_learner(error.why, error.fix, fresh, earlier)
            return Taken(original, (text,), text)
        return Taken(original, (str(error),), unreadable.for_student(error.why, error.fix))
    return Taken(notebook, tuple(findings))
