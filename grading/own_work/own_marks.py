"""The marks of whoever learns alone: work/COURSE graded with the hidden tests, as one student, part by part.

work/marked/ is a course's folder of its own, with a gradebook of its own. nbgrader grades there whatever has changed
since it was graded last, and nothing else.
"""

import hashlib
import json
import logging
import shutil
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from traitlets.config import Config

from grading.classroom import inputs, lock
from grading.core import command_line, errors, files, names
from grading.core.course import Part
from grading.gradebook import course_folder, generate_assignment, marks_json, nbgrader_log, results
from grading.own_work import self_marking, work_folder
from grading.submission import bundle, in_memory, intake

STUDENT = "me"
FOLDER = Path("work") / "marked"  # below the course's folder
NOTE = "marked.json"


@dataclass(frozen=True)
class Marked:
    """A part that was graded: what came of it, or why nothing did."""

    part: Part
    result: results.Result
    error: str = ""


class OwnMarks:
    """What somebody has worked on in the course in `root`, and its marks. One process at a time may hold one."""

    walls = True  # whether what is graded runs behind them

    def __init__(self, root: Path, assignment: str = "") -> None:
        self.course = course_folder.own(root, assignment)
        self.work, self.folder = work_folder.usable(root, self.course), root / FOLDER
        self._root, self._assignment = root, assignment
        if not self.work.is_dir():
            raise errors.CourseError(
                f"there is nothing to mark yet: {command_line.spelled('lab', root)} puts the notebooks into "
                f"{names.path(self.work)}."
            )
        self._criteria = self_marking.of_course(self.course, root / "source" / self.course.name)
        self._seen: object = None

    @property
    def pages(self) -> Path:
        """The page that leads to all others."""
        return self.folder / "feedback" / STUDENT / self.course.name / "index.html"

    @property
    def self_marks(self) -> Path:
        """The file in which written answers are marked by their author."""
        return self.work / self_marking.FILE

    def has_criteria(self, part: Part) -> bool:
        """Whether a learner can mark the part's written answer."""
        return part in self._criteria

    def alone(self) -> AbstractContextManager[None]:
        """Held while anything here is graded; CourseError if another process does."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return lock.alone(self.folder)

    def looks_changed(self) -> bool:
        """Whether any file has changed since this was asked last; cheap enough to be asked all the time."""
        paths = [*(self.work / f"{stem}.ipynb" for stem in self.course.stems), self.self_marks]
        before, self._seen = self._seen, [_state(path) for path in paths]
        return self._seen != before

    def prepare(self) -> None:
        """Makes the folder to grade in, if it is missing or older than the course."""
        wanted = inputs.sources(self._root, self._assignment)
        if self._note().get("sources") == wanted:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        self._write_note({})
        shutil.rmtree(self.folder / "source", ignore_errors=True)
        files.copy_tree(self._root / "source", self.folder / "source")
        course_folder.configure(self.folder, self._root)
        generate_assignment.register(self.folder, self._assignment)
        self._write_note({"sources": wanted})

    def changed(self) -> list[Part]:
        """The parts that have changed since they were graded, as they are now: these are then graded.

        A notebook as it was released is left out, unless it was graded with an answer before.
        """
        submission = bundle.read(STUDENT, self.work, self.course)
        ours = (work_folder.BASES, self_marking.FILE)
        entries = tuple(entry for entry in submission.entries if entry[0].partition("/")[0] not in ours)
        self._take(bundle.Submission(STUDENT, entries))
        known, changed = self._note().get("parts", {}), []
        with in_memory.once():
            for part in self.course.parts:
                path = self._submitted / f"{part.stem}.ipynb"
                if path.exists() and part.stem not in known and self._is_untouched(part):
                    path.unlink()
                elif path.exists() and (
                    known.get(part.stem) != self._key(part) or not self._graded_copy(part).exists()
                ):
                    changed.append(part)
        return changed

    def mark(self, part: Part) -> Marked:
        """Grades a part; `write_pages` shows it.

        Errors  KeyboardInterrupt if somebody stops it; the part is graded again then.
        """
        note = self._note()
        note["parts"] = {stem: key for stem, key in note.get("parts", {}).items() if stem != part.stem}
        self._write_note(note)  # first: nbgrader removes a graded notebook that it could not finish
        with in_memory.once():
            key, error = self._key(part), self._graded(part)
            self._by_author([part])
            found = next(result for result in self.results() if result.part == part)
        if not error and not found.unmarked:
            self._write_note({**note, "parts": {**note["parts"], part.stem: key}})
        return Marked(part, found, error or ("our grader failed" if found.unmarked else ""))

    def count_ticks(self) -> list[Part]:
        """Enters what is ticked for written answers; returns the parts for which that changes the points."""
        return self._by_author(self.course.parts)

    def is_begun(self, part: Part) -> bool:
        """Whether there is anything of the part to grade."""
        return (self._submitted / f"{part.stem}.ipynb").exists()

    def results(self) -> list[results.Result]:
        """All parts as they are graded."""
        with course_folder.gradebook(self.folder) as book:
            return results.read(book, self.course, STUDENT, self._graded_copies)

    def document(self) -> dict:
        """The marks as JSON has them: see `marks_json`."""
        with course_folder.gradebook(self.folder) as book:
            return marks_json.document(book, self.course, self.folder, [STUDENT])

    def write_pages(self) -> None:
        """Writes the feedback pages again, if anything is graded: each shows the marks of all parts.

        Errors  CourseError with nbgrader's last words if it cannot.
        """
        if not any(self._graded_copy(part).exists() for part in self.course.parts):
            return
        result = NbGraderAPI(config=self._config()).generate_feedback(self.course.name, STUDENT, force=True)
        if not result["success"]:
            raise errors.CourseError(f"the pages could not be written: {nbgrader_log.last_error(result)}")

    @property
    def _submitted(self) -> Path:
        return self.folder / "submitted" / STUDENT / self.course.name

    def _take(self, submission: bundle.Submission) -> None:
        """Puts what is worked on in place of what was graded last."""
        shutil.rmtree(files.swap(self._submitted, submission.write), ignore_errors=True)

    def _taken(self, part: Part) -> intake.Taken:
        """A notebook as it is graded."""
        return intake.taken(self._submitted / f"{part.stem}.ipynb", self._released(part), self.course, alone=True)

    def _released(self, part: Part) -> Path:
        return self.folder / "release" / self.course.name / f"{part.stem}.ipynb"

    @property
    def _graded_copies(self) -> Path:
        return self.folder / "autograded" / STUDENT / self.course.name

    def _graded_copy(self, part: Part) -> Path:
        return self._graded_copies / f"{part.stem}.ipynb"

    def _is_untouched(self, part: Part) -> bool:
        """Whether a notebook holds what was released, and nothing else."""
        taken, released = self._taken(part), nbformat.read(self._released(part), as_version=4)
        return not taken.unreadable and _texts(taken.notebook) == _texts(released)

    def _key(self, part: Part) -> str:
        """A hash of what the part's marks depend on: its cells as they are graded, and the files next to it."""
        taken = self._taken(part)
        beside = [path for path in sorted(self._submitted.rglob("*")) if path.is_file() and path.suffix != ".ipynb"]
        out = hashlib.sha256(json.dumps([_texts(taken.notebook), taken.findings, taken.unreadable]).encode())
        out.update(bundle.digest((path.name, path.read_bytes()) for path in beside).encode())
        return out.hexdigest()

    def _graded(self, part: Part) -> str:
        """Makes nbgrader grade one part; returns why it could not, or nothing."""
        config = self._config()
        config.CourseDirectory.notebook_id = part.stem
        result = NbGraderAPI(config=config).autograde(self.course.name, STUDENT, force=True, create=True)
        if "KeyboardInterrupt" in result.get("error", ""):  # which nbgrader takes for an error like any other
            logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # what was waited for is of no interest any more
            raise KeyboardInterrupt
        return "" if result["success"] else nbgrader_log.last_error(result)

    def _by_author(self, parts: list[Part] | tuple[Part, ...]) -> list[Part]:
        """Enters what is ticked of these parts, and offers criteria where an answer is written; what has changed."""
        with course_folder.gradebook(self.folder) as book:
            graded = [part for part in parts if part in self._criteria and self._graded_copy(part).exists()]
            written = [part for part in graded if results.is_answered(self._graded_copy(part), part)]
            for part in written:
                self_marking.add(self.self_marks, part, self._criteria[part])
            found = dict.fromkeys(graded, 0.0)
            found |= self_marking.points(self.self_marks, {part: self._criteria[part] for part in written})
            return [part for part, points in found.items() if self._enter(book, part, points)]

    def _enter(self, book: Gradebook, part: Part, points: float) -> bool:
        """Enters points for a written answer; whether they are other ones than before."""
        (cell,) = part.written
        grade = book.find_grade(cell, part.stem, self.course.name, STUDENT)
        if grade.manual_score == points and not grade.needs_manual_grade:
            return False
        grade.manual_score, grade.needs_manual_grade = points, False
        book.db.commit()
        return True

    def _config(self) -> Config:
        config = course_folder.config(self.folder, self._assignment)
        config.Course.alone = True
        config.Autograde.post_convert_hook = None  # which throws all graded notebooks away where one has no marks
        if not self.walls:
            config.Judge.sandbox = "none"
        return config

    def _note(self) -> dict:
        try:
            found = json.loads((self.folder / NOTE).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _write_note(self, note: dict) -> None:
        files.write_whole(self.folder / NOTE, json.dumps(note, indent=1))


def _state(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _texts(notebook: NotebookNode) -> list[tuple[str, str]]:
    return [(cell.cell_type, cell.source) for cell in notebook.cells]
