"""nbgrader's gradebook, opened often: one engine per address, so that its queries are compiled once.

nbgrader opens the gradebook 3.4 times per notebook, each time with an engine of its own that has yet to learn every
query, looks for each of its tables and for the course, and closes its connection. `keep_engines` hands it the engine
that it had before, and while nbgrader converts notebooks, or within `held_open`, the connection is kept, and the tables
and the course are looked for once.
For each new gradebook it starts Alembic as a program, to ask which version its tables have; we read that here, once.

The Formgrader, though, opens it once for as long as its server runs, and never ends what a request began there. After a
mark that could not be saved, say because the disk was full for a moment, SQLAlchemy would refuse whatever follows. And
what `make grade` or another grader's server has written since would show only by chance. See `guard_formgrader`.
"""

import contextlib
import functools
import os
import re
import sqlite3
import sys
import warnings
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import nbgrader
import sqlalchemy
from nbgrader import api
from nbgrader.converters.base import BaseConverter
from sqlalchemy import Engine, event
from sqlalchemy.orm import joinedload, scoped_session, selectinload, sessionmaker

if TYPE_CHECKING:
    from nbgrader.server_extensions.formgrader.base import BaseApiHandler
    from tornado.web import RequestHandler

KEPT = 8  # engines; a process of ours uses one gradebook, or few
_FORMGRADER = "nbgrader.server_extensions.formgrader.base"
File = tuple[int, int] | None  # what tells a gradebook's file from another one at the same place; None for a server


@dataclass(frozen=True)
class Known:
    """What is known of a gradebook that is held open: its file, and courses that it has."""

    file: File
    courses: set[str] = field(default_factory=set)


_held: ContextVar[dict[Engine, Known] | None] = ContextVar("held", default=None)
_enter = api.Gradebook.__init__
_find_submission_notebook = api.Gradebook.find_submission_notebook


@functools.cache
def keep_engines() -> None:
    """Makes nbgrader's gradebooks in this process share one engine per address; a second call changes nothing more."""
    # nbgrader's own way with SQLAlchemy, which warns of it at every submission and is right all the same.
    warnings.filterwarnings("ignore", message="Object of type <Submitted.* not in session")
    api.create_engine, api.get_alembic_version = create_engine, alembic_version
    convert = BaseConverter.convert_notebooks

    def convert_notebooks(self: BaseConverter) -> None:
        with held_open():
            convert(self)

    api.Gradebook.__init__, api.Gradebook.close = enter, close
    api.Gradebook.find_submission_notebook = find_submission_notebook
    BaseConverter.convert_notebooks = convert_notebooks


def guard_formgrader() -> None:
    """Makes a Formgrader in this process, if any, end what each request has begun, and save only what `seen` lets it.

    It has loaded its handlers before it reads the configuration that calls this. A second call changes nothing more.
    """
    formgrader = sys.modules.get(_FORMGRADER)
    if formgrader is None or formgrader.BaseHandler.on_finish is on_finish:
        return
    from grading.gradebook import seen

    sent_to = formgrader.BaseApiHandler.get_json_body

    def get_json_body(handler: "BaseApiHandler") -> object:
        sent = sent_to(handler)
        seen.look(handler, sent)
        return sent

    formgrader.BaseHandler.on_finish = on_finish
    formgrader.BaseApiHandler.get_json_body = get_json_body  # each handler's last step before it changes a row


def on_finish(handler: "RequestHandler") -> None:
    """Takes back what a request that has been answered left unsaved, and forgets what it read."""
    if (book := handler.settings.get("nbgrader_gradebook")) is not None:
        book.db.rollback()


@contextlib.contextmanager
def held_open() -> Iterator[None]:
    """Within it a gradebook that was opened once keeps its connection, until its file is replaced."""
    if _held.get() is not None:
        yield
        return
    held: dict[Engine, Known] = {}
    token = _held.set(held)
    try:
        yield
    finally:
        _held.reset(token)
        for engine in held:
            engine.dispose()


def enter(book: api.Gradebook, db_url: str, course_id: str = "default_course", authenticator: object = None) -> None:
    """As nbgrader's `__init__`, but looks for no table and no course that this process has found within `held_open`."""
    engine = create_engine(db_url, echo=False, future=True)  # the one that nbgrader would get
    known = (_held.get() or {}).get(engine)
    if known is None or course_id not in known.courses:
        _enter(book, db_url, course_id, authenticator)
        return
    book.engine, book.course_id, book.authenticator = engine, course_id, authenticator
    # What was read stays known after a commit: nbgrader commits after each notebook that is missing.
    book.db = scoped_session(sessionmaker(autoflush=True, bind=engine, future=True, expire_on_commit=False))
    book.asked = {}  # of `find_submission_notebook`


def close(book: api.Gradebook) -> None:
    """As nbgrader's, but within `held_open` the connection waits for whoever opens the gradebook next."""
    book.db.remove()
    if (held := _held.get()) is None:
        book.engine.dispose()
    else:
        held.setdefault(book.engine, Known(_file(book.engine))).courses.add(book.course_id)


def find_submission_notebook(
    book: api.Gradebook, notebook: str, assignment: str, student: str
) -> api.SubmittedNotebook:
    """As nbgrader's, but who asks for a second notebook of a submission within `held_open` gets all others with it.

    Errors  nbgrader's MissingEntry if the gradebook knows no such notebook.
    """
    asked, submission = getattr(book, "asked", {}), (assignment, student)
    if submission not in asked:
        asked[submission] = None
        return _find_submission_notebook(book, notebook, assignment, student)
    if asked[submission] is None:
        every = book.db.query(api.SubmittedNotebook).filter_by(assignment=book.find_submission(*submission))
        every = every.options(joinedload(api.SubmittedNotebook.notebook), selectinload(api.SubmittedNotebook.grades))
        asked[submission] = {found.name: found for found in every}
    return asked[submission].get(notebook) or _find_submission_notebook(book, notebook, assignment, student)


def create_engine(url: str, **settings: object) -> sqlalchemy.Engine:
    """As SQLAlchemy's, but the same engine for the same arguments; a forked process has engines of its own."""
    engine, held = _engine(os.getpid(), url, **settings), _held.get() or {}
    if engine in held and held[engine].file != _file(engine):
        del held[engine]
        engine.dispose()
    return engine


def _file(engine: Engine) -> File:
    try:
        state = os.stat(engine.url.database or "")
    except OSError:
        return None
    return (state.st_dev, state.st_ino) if engine.dialect.name == "sqlite" else None


@functools.cache
def alembic_version() -> str:
    """The newest version of the gradebook's tables that nbgrader knows, which a new gradebook has.

    Each version's file names it and the one before it: alembic reads that, too, but takes 0.1 s to be imported.

    Errors  ValueError if the files do not name one that is the newest.
    """
    versions = Path(nbgrader.__file__).parent / "alembic" / "versions"
    text = "\n".join(path.read_text(encoding="utf-8") for path in versions.glob("*.py"))
    found = re.findall(r"""^(down_)?revision\b[^=\n]*= *['"](\w+)""", text, re.MULTILINE)
    (newest,) = {name for down, name in found if not down} - {name for down, name in found if down}
    return newest


_engine = functools.lru_cache(KEPT)(lambda _, url, **settings: sqlalchemy.create_engine(url, **settings))


@contextlib.contextmanager
def unsynced(root: Path) -> Iterator[None]:
    """Lets SQLite leave writing to the system's own pace, and keep in memory what it would take a change back with: a
    gradebook below `root` needn't survive a power cut, or a process that is killed while it writes.

    root    a full path
    """

    def connect(connection: object, _: object) -> None:
        if isinstance(connection, sqlite3.Connection):
            _, _, file = connection.execute("PRAGMA database_list").fetchone()
            if Path(file).is_relative_to(root):
                connection.execute("PRAGMA synchronous=OFF")
                connection.execute("PRAGMA journal_mode=MEMORY")  # else a file comes and goes with each change

    event.listen(Engine, "connect", connect)
    try:
        yield
    finally:
        event.remove(Engine, "connect", connect)
