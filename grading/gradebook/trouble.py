"""What keeps a gradebook from being read or written, in a line that says what to do."""

import contextlib
import json
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from nbgrader.api import Base, Gradebook
from sqlalchemy import Engine, create_engine, inspect, literal, make_url, select
from sqlalchemy.exc import DBAPIError

from grading.core import errors, names
from grading.core.course import Course

_DAMAGED = "the file is damaged, or isn't nbgrader's. Put back a copy of it"
_OTHER = "an older nbgrader made it, or it is damaged. Run `nbgrader db upgrade`, or put back a copy of it"
_TABLES = Base.metadata.tables
_HELP = {
    r"is locked": "another program is using it. Wait until it is done, or end it",
    r"not a database|malformed": _DAMAGED,
    r"no such (table|column)": _OTHER,
    r"readonly|unable to open": "let your account write the file and its folder",
}


@contextlib.contextmanager
def as_course_error(url: str) -> Iterator[None]:
    """Turns whatever keeps a gradebook from being used into a line.

    Errors  CourseError for each error of the database within.
    """
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        raise errors.CourseError(unusable(url, error)) from None


def unusable(url: str, error: DBAPIError | sqlite3.Error | str) -> str:
    """A line for what a database says."""
    said = reason(error)
    return (
        f"the gradebook {_shown(url)} can't be used: {said}{'' if ': ' in said else '. Fix that'}, and run this again."
    )


def reason(error: DBAPIError | sqlite3.Error | str) -> str:
    """What a database says, and behind a colon what that means and what to do."""
    text = first_line(error).rstrip(".")
    return next((f"{text}: {help_}" for pattern, help_ in _HELP.items() if re.search(pattern, text)), text)


def other_notebooks(url: str, source: Path, course: Course) -> str:
    """A line for a source/ with other notebooks than a gradebook has submissions of."""
    with Gradebook(url) as book:
        known = {notebook.name for notebook in book.find_assignment(course.name).notebooks}
    there = {path.stem for path in source.glob("*.ipynb") if not course.is_other(path.name)}
    return _other(url, "notebooks", f"source/{course.name}", there, known)


def other_cells(url: str, path: Path, course: Course) -> str:
    """A line for a notebook in source/ with other cells than a gradebook has submissions of."""
    with Gradebook(url) as book:
        known = {cell.name for cell in book.find_notebook(path.stem, course.name).source_cells}
    marked = [cell["metadata"].get("nbgrader", {}) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]
    there = {each["grade_id"] for each in marked if any(map(each.get, ("grade", "solution", "locked", "task")))}
    return _other(url, "cells", f"source/{course.name}/{path.name}", there, known)


def _other(url: str, what: str, where: str, there: set[str], known: set[str]) -> str:
    changes = ((there - known, "came"), (known - there, "went"))
    said = " and ".join(f"{', '.join(sorted(these))} {how}" for these, how in changes if these)
    return (
        f"the gradebook {_shown(url)} holds submissions to other {what} than {where}: {said or 'their kinds changed'}. "
        f"nbgrader can't change that. Put the old {what} back, or move the gradebook elsewhere: a new one begins, and "
        "marks given by hand stay in the old one."
    )


def first_line(error: Exception | str) -> str:
    """What an error, or the database behind it, says first."""
    return str(error.orig if isinstance(error, DBAPIError) else error).strip().splitlines()[0]


def look(url: str) -> None:
    """Looks whether a gradebook with anything in it has all of its tables: nbgrader would add others, with no mark.

    Errors  CourseError if it has not, or can't be read.
    """
    engine = create_engine(url)
    try:
        with as_course_error(url):
            found = set(inspect(engine).get_table_names())
            missing = _TABLES.keys() - found
            is_used = bool(missing) and _holds_rows(engine, _TABLES.keys() & found)
    finally:
        engine.dispose()
    if is_used:
        tables = f"{'table' if len(missing) == 1 else 'tables'} {', '.join(sorted(missing))}"
        raise errors.CourseError(f"the gradebook {_shown(url)} lacks the {tables}: {_OTHER}, and run this again.")


def _holds_rows(engine: Engine, tables: set[str]) -> bool:
    """Whether any of these tables has a row; whoever was stopped while making a gradebook leaves some without."""
    with engine.connect() as connection:
        return any(
            connection.execute(select(literal(1)).select_from(_TABLES[name]).limit(1)).first() for name in tables
        )


def _shown(url: str) -> str:
    asked = make_url(url)
    is_file = asked.get_backend_name() == "sqlite" and asked.database
    return names.path(Path(asked.database)) if is_file else asked.render_as_string()
