"""What stands before nbgrader's own commands: who is graded, on what, what is copied, and when it was submitted.

Configuration cannot settle these, so `guard` puts functions of ours in the place of nbgrader's; nbgrader_config.py
calls it, so that it holds for `nbgrader autograde`, `collect`, `zip_collect`, the Formgrader and `make grade`. For a
course whose configuration names none of ours, nbgrader's own stay in force, whatever else the process grades; checks
against schemas find the same for any course.
"""

import contextlib
import datetime
import fnmatch
import functools
import glob
import logging
import os
import re
import shutil
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import nbbase
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from nbgrader.apps.zipcollectapp import ZipCollectApp
from nbgrader.converters import Autograde, GenerateAssignment, GenerateFeedback, base
from nbgrader.coursedir import CourseDirectory
from nbgrader.nbgraderformat import common
from nbgrader.preprocessors import SaveCells
from nbgrader.utils import rmtree
from traitlets.config import Config, Configurable

from grading.core import find_course, messages, names
from grading.submission import extra_files, in_memory, kept_copies, misplaced, schemas, times, unfinished


class Record(logging.LogRecord):
    """A line of a log, without anything in it that a terminal obeys."""

    def getMessage(self) -> str:
        """The message, its arguments filled in."""
        return names.printable_lines(super().getMessage())


@functools.cache
def guard() -> None:
    """Puts our functions in the place of nbgrader's; a second call changes nothing."""
    logging.setLogRecordFactory(Record)
    _guard_names()
    _guard_parts()
    _guard_release()
    _guard_files()
    _guard_ends()
    _guard_times()
    common.jsonschema = schemas  # of which it calls `validate`
    nbbase.validate = schemas.validate_node


def _guard_names() -> None:
    """Nobody is graded under a name that is none; a name with brackets is a name, not a pattern."""
    find, convert, list_students = (
        base.BaseConverter.init_notebooks,
        base.BaseConverter.convert_notebooks,
        NbGraderAPI.get_submitted_students,
    )

    def init_notebooks(self: base.BaseConverter) -> None:
        self.refused = []
        if not (_is_ours(self) and isinstance(self, Autograde | GenerateFeedback)):
            return find(self)
        self.assignments, self.notebooks, pattern = {}, [], self.coursedir.notebook_id
        for folder in _folders(self):
            student = _student(self.coursedir, _steps(self)[0], folder)
            if isinstance(self, Autograde) and (why := names.trouble(student) or misplaced.linked(Path(folder))):
                self.refused.append(student)
                self.log.error("%s: not graded. %s", names.short(student), why)
                continue
            if found := _notebooks(self, folder, pattern):
                self.assignments[folder] = found
            else:
                self.log.warning("No notebooks were matched by '%s/%s.ipynb'", folder, pattern)
        if not self.assignments and not self.refused:
            wanted = _places(self, self.coursedir.assignment_id, self.coursedir.student_id)[0]
            self.log.error("No notebooks were matched by '%s'", wanted)
            raise base.NbGraderException(f"No notebooks were matched by '{names.printable(wanted)}'")
        return None

    def convert_notebooks(self: base.BaseConverter) -> None:
        with in_memory.once() if _is_ours(self) else contextlib.nullcontext():
            convert(self)
        if _is_ours(self) and self.refused:
            raise base.NbGraderException(messages.refused_folders(len(self.refused)))

    def get_submitted_students(self: NbGraderAPI, assignment_id: str) -> set[str]:
        found = list_students(self, assignment_id)
        return {student for student in found if not _is_ours(self) or names.trouble(student) is None}

    base.BaseConverter.init_notebooks = init_notebooks
    base.BaseConverter.convert_notebooks = convert_notebooks
    NbGraderAPI.get_submitted_students = get_submitted_students


def _guard_parts() -> None:
    """The gradebook knows the parts alone, though the course's other notebooks are released like them.

    So they can be added and changed when there are submissions already, which nbgrader refuses for those it knows.
    Nor is anything else in source/ entered, such as JupyterLab's "Copy1": nobody could be graded for it.
    """
    clean, save = GenerateAssignment._clean_old_notebooks, SaveCells.preprocess

    def clean_old_notebooks(self: GenerateAssignment, assignment_id: str, student_id: str) -> None:
        found, known = self.notebooks, _submitted(self, assignment_id)  # of these nbgrader lets none go
        stems = {path: Path(path).stem for path in found}
        self.notebooks = [p for p, s in stems.items() if s in known or _is_part(self.config, assignment_id, s)]
        try:
            clean(self, assignment_id, student_id)
        finally:
            self.notebooks = found

    def preprocess(self: SaveCells, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        what = resources["nbgrader"]
        if not _is_part(self.config, what["assignment"], what["notebook"]):
            return nb, resources
        return save(self, nb, resources)

    GenerateAssignment._clean_old_notebooks = clean_old_notebooks
    SaveCells.preprocess = preprocess


def _guard_release() -> None:
    """What somebody wrote into a release is kept as a copy when nbgrader makes it again, as it is by our commands."""
    convert = GenerateAssignment.convert_notebooks

    def convert_notebooks(self: GenerateAssignment) -> None:
        kept: list[tuple[Path, Path]] = []
        with contextlib.ExitStack() as stack:
            for source in self.assignments if _is_ours(self) else ():
                made = self.coursedir.format_path(self.coursedir.release_directory, ".", Path(source).name)
                stack.enter_context(kept_copies.beside(Path(made), Path(self.coursedir.root), kept))
            convert(self)
        for line in kept_copies.lines(kept):
            self.log.warning("%s", line)

    GenerateAssignment.convert_notebooks = convert_notebooks


def _submitted(converter: GenerateAssignment, assignment: str) -> set[str]:
    """The notebooks that the gradebook knows, if it knows of a submission too."""
    with Gradebook(converter.coursedir.db_url, converter.coursedir.course_id) as book:
        known = book.find_assignment(assignment)
        return {notebook.name for notebook in known.notebooks} if known.submissions else set()


def _is_part(config: Config, assignment: str, name: str) -> bool:
    """Whether a notebook is a part of its course; in one that was written for nbgrader alone, or in another assignment
    next to ours, each is."""
    course = find_course.if_any(config, assignment)
    return course is None or assignment != course.name or name in course.stems


def _guard_files() -> None:
    """Only what is admitted goes from submitted/ into autograded/, and on into feedback/ what the exchange needs."""
    copy_all = base.BaseConverter.init_assignment

    def init_assignment(self: base.BaseConverter, assignment_id: str, student_id: str) -> None:
        if not (_is_ours(self) and isinstance(self, Autograde | GenerateFeedback)):
            copy_all(self, assignment_id, student_id)
            return
        source, dest = map(Path, _places(self, assignment_id, student_id))
        if isinstance(self, Autograde):
            ignored = self.coursedir.ignore
            for path in extra_files.admitted(source, find_course.of(self.config, assignment_id))[0]:
                if not any(fnmatch.fnmatch(os.path.basename(path), pattern) for pattern in ignored):
                    _copy(Path(path), dest / os.path.relpath(path, source))
            times.pass_on(self.coursedir, assignment_id, student_id, dest / extra_files.TIMESTAMP)
        else:
            for name in (extra_files.TIMESTAMP, extra_files.SECRET):
                if (source / name).is_file():
                    _copy(source / name, dest / name)
            if (dest / extra_files.SECRET).exists():
                (dest / extra_files.TIMESTAMP).touch()  # release_feedback reads it

    base.BaseConverter.init_assignment = init_assignment


def _guard_ends() -> None:
    """What was killed while it was written is written again, and nobody takes it for done.

    A run of one notebook alone leaves the others as they are: whether these were finished, only a whole run settles.
    """
    prepare, finish = base.BaseConverter.init_destination, base.BaseConverter.run_post_convert_hook

    def init_destination(self: base.BaseConverter, assignment_id: str, student_id: str) -> bool:
        if not (_is_ours(self) and isinstance(self, Autograde | GenerateFeedback)):
            return prepare(self, assignment_id, student_id)
        dest, every = Path(_places(self, assignment_id, student_id)[1]), self.coursedir.notebook_id == "*"
        if (was_begun := unfinished.begun(dest)) and dest.exists():
            self.log.warning("%s was not finished: it is made again", names.whole_path(dest))
            if every:
                rmtree(dest)
            else:
                for each in self.notebooks:
                    (dest / f"{Path(each).stem}{self.exporter.file_extension}").unlink(missing_ok=True)
        if is_wanted := prepare(self, assignment_id, student_id):
            self.writes = dest, unfinished.begin(dest), every or not was_begun
        return is_wanted

    def run_post_convert_hook(self: base.BaseConverter) -> None:
        finish(self)
        if (writes := getattr(self, "writes", None)) is not None:
            if writes[2]:
                unfinished.end(writes[0])
            self.writes = None

    base.BaseConverter.init_destination = init_destination
    base.BaseConverter.run_post_convert_hook = run_post_convert_hook


def _guard_times() -> None:
    """A submission's time is what `times` knows of it, whatever a file in it says."""
    read, transfer = CourseDirectory.get_existing_timestamp, ZipCollectApp._transfer_files
    submitted = NbGraderAPI.get_submitted_timestamp

    def get_existing_timestamp(self: CourseDirectory, folder: str) -> datetime.datetime | None:
        if not _is_ours(self):
            return read(self, folder)
        student = _student(self, self.submitted_directory, folder)
        if student is not None:
            return times.of(Path(self.root), student)
        path = Path(folder) / extra_files.TIMESTAMP
        return read(self, folder) if path.is_file() and path.stat().st_size else None

    def get_submitted_timestamp(self: NbGraderAPI, assignment: str, student: str) -> datetime.datetime | None:
        return times.of(Path(self.coursedir.root), student) if _is_ours(self) else submitted(self, assignment, student)

    def transfer_files(self: ZipCollectApp, collected: dict) -> None:
        transfer(self, collected)
        found = {name: data["timestamp"] for name, data in collected.items() if names.trouble(name) is None}
        if _is_ours(self):
            times.note_all(Path(self.coursedir.root), {name: when for name, when in found.items() if when is not None})

    CourseDirectory.get_existing_timestamp = get_existing_timestamp
    NbGraderAPI.get_submitted_timestamp = get_submitted_timestamp
    ZipCollectApp._transfer_files = transfer_files


def _is_ours(configured: Configurable) -> bool:
    """Whether the configuration names a course of ours: other courses may be graded in the same process.

    What a command made before it read the configuration, such as its CourseDirectory, has it from its parent.
    """
    parent = configured.parent
    return bool(configured.config.Course) or parent is not None and _is_ours(parent)


def _notebooks(converter: Autograde | GenerateFeedback, folder: str, pattern: str) -> list[str]:
    """The course's notebooks in a student's folder; of others not even the names are safe to print or to store."""
    known = find_course.of(converter.config, converter.coursedir.assignment_id).stems
    paths = [os.path.join(folder, f"{stem}.ipynb") for stem in sorted(known) if fnmatch.fnmatchcase(stem, pattern)]
    return [path for path in paths if os.path.lexists(path)]


def _steps(converter: Autograde | GenerateFeedback) -> tuple[str, str]:
    """The steps, such as submitted/ and autograded/, that a converter reads from and writes to."""
    course = converter.coursedir
    if isinstance(converter, Autograde):
        return course.submitted_directory, course.autograded_directory
    return course.autograded_directory, course.feedback_directory


def _places(converter: Autograde | GenerateFeedback, assignment: str, student: str) -> tuple[str, str]:
    """A student's folders in these two steps."""
    source, dest = (converter.coursedir.format_path(step, student, assignment) for step in _steps(converter))
    return source, dest


def _folders(converter: Autograde | GenerateFeedback) -> list[str]:
    """The students' folders that a converter reads: the one that is named exactly so, or all that match the pattern."""
    root, asked = converter.coursedir.root, converter.coursedir.student_id
    exact = _places(converter, converter.coursedir.assignment_id, asked)[0]
    if asked != "*" and os.path.isdir(exact):
        return [exact]
    found = glob.glob(os.path.relpath(exact, root), root_dir=root)
    return [path for name in sorted(found) if os.path.isdir(path := os.path.join(root, name))]


def _student(coursedir: CourseDirectory, step: str, folder: str) -> str | None:
    """Whose folder of a step, such as submitted/, this is; None if it is none of that step's."""
    pattern = coursedir.format_path(step, "(?P<student_id>.*)", "[^/]*", escape=True)
    found = re.fullmatch(pattern, os.path.abspath(os.path.join(coursedir.root, folder)), re.DOTALL)
    return found["student_id"] if found else None


def _copy(source: Path, dest: Path) -> None:
    dest.parent.mkdir(parents=True, exist_ok=True)
    dest.unlink(missing_ok=True)
    shutil.copy(source, dest)
