"""When a submission was made, according to anybody but its author: times.csv, next to the gradebook.

A file in a submission says what its author likes, so a timestamp.txt in there counts for nothing. What counts is a line
`student,time` in times.csv. `nbgrader collect` writes it (`exchange_collect`), and so does `zip_collect`
(`nbgrader_patches`). An instructor may: with the times that a learning platform shows, or with another one for a
student who was ill. Without a line, nobody is late.
"""

import contextlib
import csv
import datetime
import functools
import io
import os
import re
import time
from collections.abc import Mapping
from pathlib import Path
from zoneinfo import ZoneInfo

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import parse_utc

from grading.core import errors, files, limits, names, spreadsheet
from grading.submission import safe_walk

FILE = "times.csv"
NOTED = ".times.csv"  # the lines of ours, as they were written last
HEAD = ["student", "time"]
SLACK_S = 120  # between the moment that a submission's name in the exchange claims, and its last file to be written
_DATE = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d\S*(?: \S+)?")


def text(root: Path, student: str) -> str | None:
    """What times.csv of the course in `root` says of a student, in UTC.

    Errors  CourseError, one line, for a file that cannot be used.
    """
    return _all(root / FILE).get(student)


def of(root: Path, student: str) -> datetime.datetime | None:
    """The time of a student's submission in UTC, without a time zone as nbgrader has it.

    Errors  as `text`.
    """
    found = text(root, student)
    return None if found is None else parse_utc(found)


def of_nobody(root: Path) -> list[str]:
    """A line if times.csv names students who have no folder in submitted/, such as by a slip: their times count for
    nobody.

    Errors  as `text`.
    """
    strange = sorted(student for student in _all(root / FILE) if not (root / "submitted" / student).is_dir())
    if not strange:
        return []
    more = f" and {len(strange) - limits.NAMED} more" if len(strange) > limits.NAMED else ""
    named = ", ".join(map(names.short, strange[: limits.NAMED]))
    where = names.path(root / "submitted")
    return [
        f"{names.path(root / FILE)}: a time counts for the folder of exactly its name; {where} has no {named}{more}."
    ]


def pass_on(coursedir: CourseDirectory, assignment: str, student: str, file: Path) -> None:
    """Writes what is known of a submission into the file that feedback goes by. If nothing is, no such file is left,
    and the gradebook forgets a time that was known when the submission was last graded: nbgrader would keep it.

    Errors  as `text`, and OSError if the file cannot be written.
    """
    file.unlink(missing_ok=True)  # of a former run, be it of one notebook alone
    if when := text(Path(coursedir.root), student):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(when, encoding="utf-8")
        return
    with Gradebook(coursedir.db_url, coursedir.course_id) as book, contextlib.suppress(MissingEntry):
        book.find_submission(assignment, student).timestamp = None
        book.db.commit()


def note(root: Path, student: str, when: str | datetime.datetime) -> None:
    """Writes a student's time into times.csv, in place of an earlier one; without a time zone it is UTC.

    Of a submission that is noted once more the line stays: an instructor may have written another time there.
    Errors  as `text`, and OSError if it cannot be written.
    """
    note_all(root, {student: when})


def note_all(root: Path, submitted: Mapping[str, str | datetime.datetime]) -> None:
    """The same for many students at once: the files are read and written once, however many they are."""
    found, noted = _all(root / FILE), {}
    with contextlib.suppress(errors.CourseError):
        noted = _all(root / NOTED)
    new = {student: when if isinstance(when, str) else _in_utc(when) for student, when in submitted.items()}
    new = {student: when for student, when in new.items() if student not in found or noted.get(student) != when}
    if not new:
        return
    for path, times in ((root / FILE, found), (root / NOTED, noted)):  # in this order: killed in between, it is written
        files.write_whole(path, spreadsheet.lines([HEAD, *sorted({**times, **new}.items())]))


def in_exchange(folder: Path, claimed: datetime.datetime) -> datetime.datetime:
    """When a submission in nbgrader's exchange was made, in UTC.

    The student's own process writes it there, name and all, and may set every file's time of modification. Not its
    time of change: the system sets that one, to the present. So a submission was made when the last of its files was
    changed, and the time that its name claims is believed only if it lies within `SLACK_S` of that. Who copies it asks
    once more when that is done: it may have been changed since.
    """
    seen = datetime.datetime.fromtimestamp(_changed(folder), datetime.UTC).replace(tzinfo=None)
    return claimed if abs((seen - claimed).total_seconds()) <= SLACK_S else seen


def _changed(folder: Path) -> float:
    """When a folder and what is below it were changed; the present where it is gone by now, or holds too much."""
    try:
        with safe_walk.opened(folder) as opened:
            below = (found.status.st_ctime for found in safe_walk.below(opened))
            return max((os.fstat(opened).st_ctime, *below))
    except OSError:
        return time.time()


def _all(path: Path) -> dict[str, str]:
    """What a file of times says of all students; nothing where it isn't there."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return {}
    return _read(path, status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=8)
def _read(path: Path, _changed: int, _size: int) -> dict[str, str]:
    try:
        rows = list(csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline=""), strict=True))
    except (OSError, ValueError, csv.Error) as error:
        raise errors.CourseError(f"{names.path(path)} cannot be read ({error}). Save it as CSV in UTF-8.") from None
    if not rows or [title.strip() for title in rows[0]] != HEAD:
        raise errors.CourseError(f"{names.path(path)} needs {','.join(HEAD)} as its first line.")
    found = {}
    for line, row in enumerate(rows[1:], start=2):
        if not any(row):
            continue
        try:
            student, when = row
            if not _DATE.fullmatch(when.strip()):
                raise ValueError(when)
            found[spreadsheet.original(student)] = _in_utc(_parsed(when.strip()))
        except (ValueError, ArithmeticError, LookupError, TypeError, AttributeError):
            shown = names.short(",".join(row))
            raise errors.CourseError(
                f"{names.path(path)}, line {line}: {shown} is not a student and a time such as "
                "2026-01-31 23:59:00 UTC. Fix the line."
            ) from None
    return found


def _parsed(text: str) -> datetime.datetime:
    day, (moment, zone) = text[:10], (*text[11:].split(" "), "")[:2]
    if zone and zone[0] not in "+-":
        return datetime.datetime.fromisoformat(f"{day} {moment}").replace(tzinfo=ZoneInfo(zone))
    return datetime.datetime.fromisoformat(f"{day} {moment}{zone}")


def _in_utc(when: datetime.datetime) -> str:
    """A time as nbgrader writes and reads it; one without a time zone is in UTC already."""
    if when.tzinfo is not None:
        when = when.astimezone(datetime.UTC)
    return f"{when:%Y-%m-%d %H:%M:%S.%f} UTC"
