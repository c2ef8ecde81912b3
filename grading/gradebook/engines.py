"""nbgrader's gradebook, opened often: one engine an address, so that its queries are compiled once.

nbgrader opens the gradebook 4.4 times a notebook, each time with an engine of its own that has yet to learn every
query. `keep_engines` hands it the engine that it had before. Closing a gradebook closes its connections, as ever.
For each new gradebook it starts Alembic as a program, to ask which version its tables have; we read that here, once.
"""

import contextlib
import functools
import os
import sqlite3
import warnings
from collections.abc import Iterator
from pathlib import Path

import nbgrader
import sqlalchemy
from nbgrader import api
from sqlalchemy import Engine, event

KEPT = 8  # engines; a process of ours uses one gradebook, or few


def keep_engines() -> None:
    """Makes nbgrader's gradebooks in this process share an engine an address; a second call changes nothing more."""
    # nbgrader's own way with SQLAlchemy, which warns of it at every submission and is right all the same.
    warnings.filterwarnings("ignore", message="Object of type <Submitted.* not in session")
    api.create_engine, api.get_alembic_version = create_engine, alembic_version


def create_engine(url: str, **settings: object) -> sqlalchemy.Engine:
    """As SQLAlchemy's, but the same engine for the same arguments; a forked process has engines of its own."""
    return _engine(os.getpid(), url, **settings)


@functools.cache
def alembic_version() -> str:
    """The newest version of the gradebook's tables that nbgrader knows, which a new gradebook has."""
    from alembic.script import ScriptDirectory  # not above: most processes make no new gradebook

    return ScriptDirectory(str(Path(nbgrader.__file__).with_name("alembic"))).get_current_head()


_engine = functools.lru_cache(KEPT)(lambda _, url, **settings: sqlalchemy.create_engine(url, **settings))


@contextlib.contextmanager
def unsynced(root: Path) -> Iterator[None]:
    """Lets SQLite leave writing to the system's own pace: a gradebook below `root` need not survive a power cut.

    root    a full path
    """

    def connect(connection: object, _: object) -> None:
        if isinstance(connection, sqlite3.Connection):
            _, _, file = connection.execute("PRAGMA database_list").fetchone()
            if Path(file).is_relative_to(root):
                connection.execute("PRAGMA synchronous=OFF")

    event.listen(Engine, "connect", connect)
    try:
        yield
    finally:
        event.remove(Engine, "connect", connect)
