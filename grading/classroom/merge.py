"""Puts a worker's result into the course: rows in one transaction per student, files by rename, then a note: done.

The old note loses its key first, and the new one is written last. Whatever happens in between, be it a kill, a full
disk or a pulled plug, the next run grades each student again who has no note that fits submission, tests, files and
rows; a note never says more than what is there. Without a key it still says which written answers were read.
"""

import contextlib
import hashlib
import json
import os
import shutil
from pathlib import Path

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from grading.classroom import read_answers, worker
from grading.classroom.shared_files import SharedFiles, write
from grading.classroom.worker import File, Result
from grading.core.course import Course
from grading.core.files import new_name, old_name, put_back, write_whole
from grading.gradebook import snapshot
from grading.submission import bundle, times, unfinished
from grading.submission.notices import Notice

Note = dict[str, object]  # what is noted of a student
TRIES = 5  # of a transaction that another one has crossed
SERIALIZATION = ("40001", "40P01")  # PostgreSQL's codes for that


class Changed(Exception):
    """What was graded is not what is there any more: the submission, or the student's rows."""


def before(engine: Engine, course: Course, student: str) -> snapshot.Rows:
    """A student's rows as they are."""
    with engine.begin() as connection:
        return snapshot.of_student(connection, course.name, student)


def merge(
    root: Path,
    course: Course,
    engine: Engine,
    result: Result,
    was: snapshot.Rows,
    sent: bundle.Submission,
    key: str,
    shared: SharedFiles,
    note: Note | None = None,
) -> None:
    """Puts a result in place; all of it, or nothing that counts. `shared` writes what the result has as given; `note`
    is what `read_note` found before.

    Errors  Changed if submission or rows are not what was graded; OSError and DBAPIError if it cannot be written.
    """
    assignment = course.name
    places = [(_place(root, assignment, "autograded", result.student), result.graded)]
    if result.feedback:
        places.append((_place(root, assignment, "feedback", result.student), result.feedback))
    try:
        for place, files in places:
            _stage(place, files, shared)
        for attempt in range(1, TRIES + 1):
            try:
                with contextlib.ExitStack() as undo:
                    with engine.begin() as connection:
                        _put(connection, root, course, result, was, sent, places, note or {}, undo)
                    undo.pop_all()
                break
            except DBAPIError as error:
                if getattr(error.orig, "sqlstate", None) not in SERIALIZATION or attempt == TRIES:
                    raise
        for place, _ in places:
            unfinished.end(place)
        _write_note(root, assignment, result, "" if result.unmarked or result.error else key)
    finally:
        for place, _ in places:
            for left in (new_name(place), old_name(place)):
                shutil.rmtree(left, ignore_errors=True)


def read_note(root: Path, course: Course, student: str) -> Note:
    """What is noted of a student; nothing where the note isn't about the graded files that are there.

    Somebody who changes a file that the whole class has from the course changes nothing that was read: then the note
    loses its key alone, and all are graded again, and get that file as it was.
    """
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        found = json.loads(_note_path(root, course.name, student).read_text(encoding="utf-8"))
        files = worker.files(_place(root, course.name, "autograded", student))
        whole = worker.digest(files)
        for note in (found, {**found, **found.get("or", {})}):
            if note["files"] == whole:
                return note
            if "own" in note and note["own"] == worker.digest(files, note["given"]):
                return {**note, "key": ""}
    return {}


def noted(
    note: Note, root: Path, course: Course, engine: Engine, student: str, key: str, feedback: bool
) -> list[Notice] | None:
    """The notices about a submission that was graded with this key, or None if it must be graded."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        graded, pages = (_place(root, course.name, step, student) for step in ("autograded", "feedback"))
        if note["key"] != key or (feedback and not any(pages.glob("*.html"))):
            return None
        if any(map(unfinished.begun, (graded, pages) if feedback else (graded,))):
            return None
        with engine.begin() as connection:
            if note["rows"] != _digest_of_rows(snapshot.of_student(connection, course.name, student)):
                return None
        return [Notice(student, part, text) for part, text in note["notices"]]
    return None


def written(note: Note) -> read_answers.Digests:
    """The written answers in the graded notebooks that a note is about."""
    with contextlib.suppress(ValueError, KeyError, TypeError):
        return dict(note["written"])
    return {}


def clean(root: Path, assignment: str) -> None:
    """Puts back or removes what a run that was killed has left next to the graded submissions."""
    for step in ("autograded", "feedback"):
        for place in root.glob(f"{step}/*/.{assignment}.old/"):
            put_back(place.parent / assignment)
        for left in root.glob(f"{step}/*/.{assignment}.*/"):
            shutil.rmtree(left)


def _put(
    connection: Connection,
    root: Path,
    course: Course,
    result: Result,
    was: snapshot.Rows,
    sent: bundle.Submission,
    places: list[tuple[Path, dict[str, File]]],
    note: Note,
    undo: contextlib.ExitStack,
) -> None:
    """Changes rows and files, as long as the transaction lasts; `undo` puts the files back."""
    if snapshot.of_student(connection, course.name, result.student) != was:
        raise Changed("its rows in the gradebook have changed while it was graded")
    submitted, time = _place(root, course.name, "submitted", sent.student), times.text(root, sent.student)
    if not sent.is_still_in(submitted, course, time):
        raise Changed("it was replaced while it was graded")
    snapshot.apply(connection, was, result.after)
    _leave_without_key(_note_path(root, course.name, result.student), note, result)
    for place, files in places:
        if place.exists():
            place.rename(old_name(place))
            undo.callback(old_name(place).rename, place)
        if files:
            new_name(place).rename(place)
            undo.callback(place.rename, new_name(place))


def _stage(place: Path, files: dict[str, File], shared: SharedFiles) -> None:
    """Writes files next to the place where they will be."""
    new = os.fspath(new_name(place))
    shutil.rmtree(new, ignore_errors=True)
    os.makedirs(os.path.dirname(new), exist_ok=True)
    for name, (mode, content) in files.items():
        path = new if name == "." else os.path.join(new, name)
        if content is None:
            os.mkdir(path)
            os.chmod(path, mode | 0o200)
        elif content == worker.AS_GIVEN:
            shared.write(new, place, name, mode)
        else:
            write(path, mode, content)


def _leave_without_key(path: Path, note: Note, result: Result) -> None:
    """Takes a note's key away, so that it counts for nothing but the written answers that marks by hand are about.

    Until there is a new note the graded files may be the old ones or the new; of the new, what is the same was read.
    """
    if read := written(note):
        same = {cell: said for cell, said in read.items() if result.written.get(cell) == said}
        new = {**_known_by(result), "written": same}
        write_whole(path, json.dumps({**note, "key": "", "or": new}, indent=1))
    else:
        path.unlink(missing_ok=True)


def _write_note(root: Path, assignment: str, result: Result, key: str) -> None:
    """Notes what was graded; with no key that it must be graded again, and only which written answers there were."""
    path = _note_path(root, assignment, result.student)
    note = {"key": key, **_known_by(result)}
    note["rows"] = _digest_of_rows(result.after)
    note["written"] = result.written
    note["notices"] = [[notice.part, notice.text] for notice in result.notices]
    write_whole(path, json.dumps(note, indent=1))


def _known_by(result: Result) -> Note:
    """What tells the graded files from others: all of them, and those that are not as given alone."""
    given = [name for name, (_, content) in result.graded.items() if content == worker.AS_GIVEN]
    return {"files": result.digest, "own": worker.digest(result.graded, given), "given": given}


def _digest_of_rows(found: snapshot.Rows) -> str:
    """A hash of what grading writes, and of what it takes into account.

    Comments by hand are neither. Marks by hand are in it only where a part has a penalty for lateness, which was worked
    out from the points of that moment: else an answer that was read later would keep points that others lose.
    """
    wanted = {
        "submitted_assignment": ("timestamp", "extension"),
        "submitted_notebook": ("late_submission_penalty",),
        "grade": ("auto_score",),
        "comment": ("auto_comment",),
    }
    picked = [
        [table, name, *(row[column] for column in columns)]
        for table, columns in wanted.items()
        for name, row in sorted(found[table].items())
    ]
    late = {name for name, row in found["submitted_notebook"].items() if row["late_submission_penalty"] is not None}
    by_hand = [
        [name, row["manual_score"], row["extra_credit"]]
        for name, row in sorted(found["grade"].items())
        if row["notebook_id"] in late
    ]
    picked += [by_hand] if by_hand else []
    return hashlib.sha256(json.dumps(picked, default=str).encode()).hexdigest()


def _place(root: Path, assignment: str, step: str, student: str) -> Path:
    return root / step / student / assignment


def _note_path(root: Path, assignment: str, student: str) -> Path:
    return root / "autograded" / student / f".{assignment}.json"
