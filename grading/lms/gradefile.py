"""A learning platform's file of grades: its own lines with our columns filled in, and what that would change.

Everything else in the file stays as it is, so that the import changes nothing else. What is not marked is never written
as 0: its cell stays as the platform has it. Columns, and what an import does with them:

Canvas  Student, ID, SIS User ID, SIS Login ID, Section, then `assignment (id)`; a line `Points Possible`; columns
        that are `(read only)` are not imported. Source: Canvas Instructor Guide, "How do I import grades in the
        Gradebook?", lib/gradebook_importer.rb and lib/gradebook_exporter.rb of github.com/instructure/canvas-lms.
Moodle  First name, Last name, ID number, Email address, then `item (Real)`; a line is mapped to a user by id number,
        e-mail or username. Source: docs.moodle.org, "Grade import", and grade/import/csv of github.com/moodle/moodle.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

from grading.core import files, names, spreadsheet
from grading.core.course import Course, Part
from grading.core.errors import CourseError
from grading.lms import roster

_EMPTY = ("", "-", "N/A")  # what platforms write where there is no grade
_TOTAL = "total"
_NAMED = 5  # students that a line about several of them names


def title(course: Course, part: Part) -> str:
    """The column of a part: "LABEL part 01"."""
    return f"{course.label} {_short(part)}"


def total(course: Course) -> str:
    """The column of all parts together."""
    return f"{course.label} {_TOTAL}"


def best(course: Course) -> dict[str, int]:
    """Our columns in their order, each with the points that it may hold."""
    return {**{title(course, part): part.points for part in course.parts}, total(course): course.points}


@dataclass(frozen=True)
class Platform:
    """How a platform names things: columns that say who a line is, columns to read, and how a title is written."""

    name: str
    keys: dict[str, tuple[str, ...]]  # a field of the roster, and the columns in which it may stand
    names: tuple[str, ...]
    made: tuple[str, ...]  # the columns of a file that is made from the roster alone
    title: re.Pattern[str]


CANVAS = Platform(
    "canvas",
    {"lms_id": ("ID", "SIS User ID"), "login": ("SIS Login ID",)},
    ("Student", "LastName", "FirstName"),
    ("Student", "ID", "SIS User ID", "SIS Login ID", "Section"),
    re.compile(r"(?P<title>.*?)(?: \(\d+\))?"),
)
MOODLE = Platform(
    "moodle",
    {"lms_id": ("ID number",), "email": ("Email address",), "login": ("Username",)},
    ("First name", "Last name", "Surname", "Full name", "Institution", "Department"),
    ("ID number", "Email address", "Username"),
    re.compile(r"(?:[^:]{1,40}: )?(?P<title>.*?)(?: \(Real\))?"),
)
PLATFORMS = {platform.name: platform for platform in (CANVAS, MOODLE)}


@dataclass
class Export:
    """A file for a platform, and what it would change: by student and column, the grade before and after."""

    head: list[str]
    rows: list[list[str]]
    separator: str = ","
    short: dict[str, str] = field(default_factory=dict)  # our columns by title, without the course's name
    changes: dict[str, list[tuple[str, str, str]]] = field(default_factory=dict)
    kept: dict[str, list[str]] = field(default_factory=dict)  # columns that stay as they are, since we have no mark
    unmatched: list[str] = field(default_factory=list)  # students of ours whom the platform does not know
    others: list[str] = field(default_factory=list)  # lines of the platform that are nobody of ours
    shared: list[str] = field(default_factory=list)  # lines that two of ours match: nobody knows whose they are
    absent: list[str] = field(default_factory=list)  # persons of the roster who submitted nothing
    risky: list[str] = field(default_factory=list)  # keys that a spreadsheet would compute, and that must stay

    def write(self, path: Path) -> None:
        """Writes the file that the platform imports.

        Errors  CourseError if it cannot be written; what was there, perhaps the platform's own file, is there then.
        """
        try:
            files.rewrite(path, spreadsheet.written([self.head, *self.rows], self.separator))
        except OSError as error:
            raise CourseError(f"{names.path(path)} cannot be written: {error.strerror}.") from None

    def preview(self) -> list[str]:
        """What would change and who was not found, line by line."""
        lines = []
        for student, changed in self.changes.items():
            new = [title for title, before, _ in changed if before in _EMPTY]
            other = [f"{title} {before} → {after}" for title, before, after in changed if before not in _EMPTY]
            lines.append(f"  {student}: {', '.join([f'{len(new)} new'] * bool(new) + other)}")
        alike: dict[str, list[str]] = {}
        for student, titles in self.kept.items():
            alike.setdefault(", ".join(self.short[title] for title in titles), []).append(student)
        lists = {
            "Not marked, so that these cells stay as they are:": [f"{t}: {_people(who)}" for t, who in alike.items()],
            "Not in the platform's file, or without a line in the roster:": self.unmatched,
            "Lines of people who submitted nothing; they stay as they are:": self.others,
            "Lines that match more than one of our students; they stay as they are:": self.shared,
            "In the roster, but nothing was submitted:": self.absent,
            "A spreadsheet would compute these cells, which must not change; don't open the file in one:": self.risky,
        }
        about = [line for title, found in lists.items() if found for line in (title, *(f"  {each}" for each in found))]
        return (lines or ["  no grade."]) + about


def make(
    platform: Platform,
    course: Course,
    rows: dict[str, dict[str, str]],
    people: dict[str, roster.Person] | None = None,
    exported: Path | None = None,
) -> Export:
    """The file for a platform: its own export with our columns filled in, or lines made from the roster.

    Errors  CourseError if there are no marks, if there is neither a roster nor an export, or if the export has not the
            platform's columns, columns of ours that cannot be written, or two lines for one student.
    """
    if not rows:
        raise CourseError("there are no marks yet. Grade first.")
    if exported is None and people is None:
        raise CourseError(f"name a roster (--roster) or the file that {platform.name} exports (--from), or both.")
    everybody = {student: (people or {}).get(student) for student in rows}
    if exported is None:
        made = _from_roster(platform, {s: p for s, p in everybody.items() if p is not None})
    else:
        head, lines, separator = roster.table(exported)
        made = Export(head, [list(line) for _, line in lines], separator)
        _check(platform, made, exported)
    made.short = {title(course, part): _short(part) for part in course.parts} | {total(course): _TOTAL}
    columns = _columns(platform, best(course), made, exported)
    owners, shared = _owners(platform, made, everybody, people is not None, exported)
    for place, row in enumerate(made.rows):
        if place in owners:
            _fill(made, row, columns, owners[place], rows[owners[place]])
        elif (label := _label(platform, made.head, row)) and (exported or place in shared):  # another may have it too
            (made.shared if place in shared else made.others).append(label)
    made.unmatched = [student for student in rows if student not in owners.values()]
    made.absent = [student for student in people or {} if student not in rows]
    _make_safe(platform, made)
    return made


def _from_roster(platform: Platform, people: dict[str, roster.Person]) -> Export:
    made = Export(list(platform.made), [])
    if platform is CANVAS:
        made.rows.append(["    Points Possible", *[""] * (len(made.head) - 1)])
    for person in people.values():
        values = {
            "Student": person.name or person.student,
            "ID": person.lms_id if person.lms_id.isdigit() else "",
            "SIS User ID": "" if person.lms_id.isdigit() else person.lms_id,
            "SIS Login ID": person.login,
            "ID number": person.lms_id,
            "Email address": person.email,
            "Username": person.login,
        }
        made.rows.append([values.get(name, "") for name in made.head])
    return made


def _check(platform: Platform, made: Export, exported: Path) -> None:
    """Sees that a file is an export of the platform."""
    known = sorted(name for names in platform.keys.values() for name in names)
    if not set(known) & set(made.head):
        said = f"it has none of the columns {', '.join(known)}"
        raise CourseError(f"{names.path(exported)} is not an export of {platform.name}: {said}.")


def _columns(platform: Platform, points_of: dict[str, int], made: Export, exported: Path | None) -> dict[str, int]:
    """Where each of our columns stands; those that are not there yet are added at the end."""
    columns: dict[str, int] = {}
    for place, name in enumerate(made.head):
        title = platform.title.fullmatch(name.strip())["title"].strip().casefold()
        for ours in points_of:
            if title == ours.casefold():
                if ours in columns:
                    raise CourseError(
                        f"{names.path(exported)} has two columns for {ours}. Remove one in {platform.name}."
                    )
                columns[ours] = place
    points = next((row for row in made.rows if _is_points(platform, made.head, row)), None)
    for title in points_of:
        if title not in columns:
            columns[title] = len(made.head)
            made.head.append(title)
            for row in made.rows:
                row.append(str(points_of[title]) if row is points else "")
        elif points is not None and "read only" in points[columns[title]]:
            raise CourseError(
                f"{names.path(exported)}: the column {title} is read only. Make it an assignment in Canvas."
            )
    return {title: columns[title] for title in points_of}


def _owners(
    platform: Platform,
    made: Export,
    everybody: dict[str, roster.Person | None],
    with_roster: bool,
    exported: Path | None,
) -> tuple[dict[int, str], set[int]]:
    """Whose each line is, and those that several match: found by the roster's id, then login or e-mail; without a
    roster by our own id.

    A line that two students match is nobody's: who may choose a name could choose one that is another's id.
    """
    owners: dict[int, str] = {}
    shared: set[int] = set()
    for keys, columns in platform.keys.items():
        for column in columns:
            if column not in made.head:
                continue
            place = made.head.index(column)
            lines: dict[str, list[int]] = {}
            for line, row in enumerate(made.rows):
                if value := row[place].strip().casefold():
                    lines.setdefault(value, []).append(line)
            for student, person in everybody.items():
                wanted = student if not with_roster else getattr(person, keys) if person else ""
                if not wanted or student in owners.values():
                    continue
                found = [line for line in lines.get(wanted.casefold(), []) if line not in owners]
                shared.update(() if found else lines.get(wanted.casefold(), ()))
                if len(found) > 1:
                    where = names.path(exported) if exported else "the roster"
                    raise CourseError(f"{where}: {len(found)} lines have {column} {wanted}. Remove all but one.")
                owners |= dict.fromkeys(found, student)
    return {line: student for line, student in owners.items() if line not in shared}, shared


def _fill(made: Export, row: list[str], columns: dict[str, int], student: str, cells: dict[str, str]) -> None:
    """Writes a student's marks into their line, and notes what that changes."""
    for title, place in columns.items():
        before, after = row[place].strip(), cells[title]
        if not after:
            made.kept.setdefault(student, []).append(title)
        elif not _same(before, after):
            made.changes.setdefault(student, []).append((title, before, after))
            row[place] = after


def _people(students: list[str]) -> str:
    return "; ".join(students) if len(students) <= _NAMED else f"{len(students)} students"


def _same(before: str, after: str) -> bool:
    try:
        return round(float(before.replace(",", ".")), 2) == round(float(after), 2)
    except ValueError:
        return False


def _short(part: Part) -> str:
    return re.sub(r"(?<=[a-z])(?=[0-9])", " ", part.stem)


def _label(platform: Platform, head: list[str], row: list[str]) -> str:
    """How a line of the platform is named where it is listed; an empty text if it is not a person's."""
    if _is_points(platform, head, row) or (platform is CANVAS and not any(row[:2])):
        return ""
    named = [row[head.index(name)].strip() for name in platform.names if name in head]
    return f"{' '.join(filter(None, named))} ({', '.join(_keys(platform, head, row))})".strip()


def _is_points(platform: Platform, head: list[str], row: list[str]) -> bool:
    """Whether this is Canvas's line of points; a person may have chosen that name, and has a key next to it."""
    return platform is CANVAS and "Points Possible" in row[0] and not _keys(platform, head, row)


def _keys(platform: Platform, head: list[str], row: list[str]) -> list[str]:
    found = (row[head.index(n)].strip() for names in platform.keys.values() for n in names if n in head)
    return [key for key in found if key]


def _make_safe(platform: Platform, made: Export) -> None:
    """Keeps spreadsheets from computing what a student chose, as far as the platform lets us.

    Names are for people to read: no import looks at them, so they get a ' in front. Everything else has to come back to
    the platform exactly as it left it, keys above all: a line is found by them, and an apostrophe would make it another
    one's or nobody's. These cells stay, and are reported.
    """
    for place, name in enumerate(made.head):
        for row in made.rows:
            if name in platform.names:
                row[place] = spreadsheet.safe(row[place])
            elif spreadsheet.computes(row[place]) and row[place].strip() not in _EMPTY:
                made.risky.append(f"{name} {row[place]}")
