"""The roster: which student of ours is who in the learning platform, read from a CSV file that an instructor keeps."""

import csv
import io
from dataclasses import dataclass
from pathlib import Path

from grading.core import names, spreadsheet
from grading.core.errors import CourseError

REQUIRED, OPTIONAL = "student", ("lms_id", "login", "email", "name")


@dataclass(frozen=True)
class Person:
    """A student: our id, and the platform's: id (Canvas: ID, SIS User ID; Moodle: ID number), login, e-mail, name."""

    student: str
    lms_id: str = ""
    login: str = ""
    email: str = ""
    name: str = ""


def read(path: Path) -> dict[str, Person]:
    """The persons of a roster, by our id, in the file's order.

    Errors  CourseError, one line, for a file that is not there, is not UTF-8, lacks a column, or names somebody twice.
    """
    head, rows, _ = table(path)
    if twice := sorted({name for name in head if name and head.count(name) > 1}):
        raise CourseError(f"{names.path(path)}: the first line names {', '.join(twice)} twice. Rename or remove one.")
    missing = REQUIRED not in head or not {"lms_id", "login", "email"} & set(head)
    if missing:
        raise CourseError(
            f"{names.path(path)} lacks a column. It needs `student` (our id) and one of lms_id, login and email; "
            f"its first line names: {', '.join(head)}."
        )
    people: dict[str, Person] = {}
    seen: dict[tuple[str, str], str] = {}
    for line, row in rows:
        known = {name: row[head.index(name)].strip() for name in (REQUIRED, *OPTIONAL) if name in head}
        known[REQUIRED] = spreadsheet.original(known[REQUIRED])  # as marks.csv has it, if it was copied from there
        person = Person(**known)
        if not person.student:
            raise CourseError(
                f"{names.path(path)}, line {line}: the column student is empty. Fill it, or remove the line."
            )
        if person.student in people:
            raise CourseError(
                f"{names.path(path)}, line {line}: {person.student} is there twice. Remove one of the two."
            )
        for field in ("lms_id", "login", "email"):
            value = getattr(person, field).casefold()
            if value and (other := seen.setdefault((field, value), person.student)) != person.student:
                raise CourseError(
                    f"{names.path(path)}, line {line}: {other} and {person.student} share the {field} {value}. Fix one."
                )
        people[person.student] = person
    return people


def table(path: Path) -> tuple[list[str], list[tuple[int, list[str]]], str]:
    """The first line of a CSV file, the others, each with its number, and what separates their fields: a , or a ;.

    Errors  CourseError, one line, for a file that is not there, is not UTF-8, is empty, or has lines of unequal length.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise CourseError(f"{names.path(path)} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise CourseError(
            f"{names.path(path)} is not UTF-8 text (byte {error.start + 1}). Save it as CSV in UTF-8."
        ) from None
    first = text.split("\n", 1)[0]
    separator = ";" if first.count(";") > first.count(",") else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[tuple[int, list[str]]] = []
    try:
        for row in reader:
            if any(field.strip() for field in row):
                rows.append((reader.line_num, row))
    except csv.Error as error:
        raise CourseError(
            f"{names.path(path)}, line {reader.line_num}: not CSV ({error}). Save it again as CSV."
        ) from None
    if not rows:
        raise CourseError(f"{names.path(path)} is empty.")
    head = [name.strip() for name in rows[0][1]]
    for line, row in rows[1:]:
        if len(row) != len(head):
            raise CourseError(
                f"{names.path(path)}, line {line}: {len(row)} fields, but the first line has {len(head)}. Fix the line."
            )
    return head, rows[1:], separator
