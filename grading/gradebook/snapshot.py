"""Rows of a gradebook as data: what all students share, and one student's; read anywhere, written to another gradebook.

Rows keep their ids, so that what nbgrader changes in a copy is seen by comparing, and written back alone.
"""

from nbgrader.api import Base
from sqlalchemy import Connection, Engine, create_engine, event, insert, inspect, select, text

from grading.gradebook import engines

Rows = dict[str, dict[str, dict[str, object]]]  # by table, by id, by column

_TABLES = Base.metadata.tables
# Parents stand before what refers to them.
SHARED = ("course", "assignment", "notebook", "base_cell", "grade_cells", "solution_cells", "task_cells", "source_cell")
STUDENTS = ("student", "submitted_assignment", "submitted_notebook", "grade", "comment")


def engine(url: str) -> Engine:
    """An engine whose transactions are whole: what one reads stands still until it ends."""
    if not url.startswith("sqlite"):
        return create_engine(url, isolation_level="SERIALIZABLE")
    made = create_engine(url)

    @event.listens_for(made, "connect")
    def connect(connection: object, _: object) -> None:
        connection.isolation_level = None  # else Python begins a transaction at its first writing, after the reading

    @event.listens_for(made, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return made


def shared(connection: Connection, assignment: str) -> Rows:
    """The rows that describe an assignment, and those of the course."""
    found: Rows = {"course": _where(connection, "course")}
    found["assignment"] = _where(connection, "assignment", name=[assignment])
    found["notebook"] = _where(connection, "notebook", assignment_id=list(found["assignment"]))
    notebooks = list(found["notebook"])
    found["base_cell"] = _where(connection, "base_cell", notebook_id=notebooks)
    for table in ("grade_cells", "solution_cells", "task_cells"):
        found[table] = _where(connection, table, id=list(found["base_cell"]))
    found["source_cell"] = _where(connection, "source_cell", notebook_id=notebooks)
    return found


def of_student(connection: Connection, name: str, student: str) -> Rows:
    """One student's rows for the assignment of this name; empty tables if the gradebook doesn't know the student."""
    submitted, assignment = _TABLES["submitted_assignment"], _TABLES["assignment"]
    query = select(submitted).join(assignment, assignment.c.id == submitted.c.assignment_id)
    query = query.where(assignment.c.name == name, submitted.c.student_id == student)
    found: Rows = {"student": _where(connection, "student", id=[student])}
    found["submitted_assignment"] = {row["id"]: dict(row) for row in connection.execute(query).mappings()}
    found["submitted_notebook"] = _where(
        connection, "submitted_notebook", assignment_id=list(found["submitted_assignment"])
    )
    for table in ("grade", "comment"):
        found[table] = _where(connection, table, notebook_id=list(found["submitted_notebook"]))
    return found


def add(connection: Connection, found: Rows) -> None:
    """Inserts rows that are not there."""
    for table in (*SHARED, *STUDENTS):
        if rows := list(found.get(table, {}).values()):
            connection.execute(insert(_TABLES[table]), rows)


def apply(connection: Connection, before: Rows, after: Rows) -> None:
    """Writes what changed from `before` to `after`: new rows, and of the others the columns that differ."""
    add(
        connection, {table: {i: row for i, row in after[table].items() if i not in before[table]} for table in STUDENTS}
    )
    for table in STUDENTS:
        columns = _TABLES[table].c
        for name, row in after[table].items():
            old = before[table].get(name, row)
            changed = {column: value for column, value in row.items() if old[column] != value}
            if changed:
                connection.execute(_TABLES[table].update().where(columns.id == name).values(changed))


def new(path: str, found: Rows, version: str) -> None:
    """Makes an SQLite gradebook of these rows; `version` is that of the tables, as nbgrader and alembic note it."""
    made = engine(f"sqlite:///{path}")
    Base.metadata.create_all(made)
    with made.begin() as connection:
        connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
        connection.execute(text("INSERT INTO alembic_version (version_num) VALUES (:version)"), {"version": version})
        add(connection, found)
    made.dispose()


def version(connection: Connection) -> str:
    """The version of a gradebook's tables; where none is noted, the newest, as nbgrader too goes on with these.

    nbgrader makes the tables, then looks for the program alembic, and notes nothing where that isn't on the PATH. Where
    alembic was stopped, its table has no row.
    """
    if not inspect(connection).has_table("alembic_version"):
        return engines.alembic_version()
    noted = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return noted or engines.alembic_version()


def _where(connection: Connection, table: str, **wanted: list) -> dict[str, dict[str, object]]:
    if not all(wanted.values()):  # of what is not there nothing is looked for
        return {}
    query = select(_TABLES[table])
    for column, values in wanted.items():
        query = query.where(_TABLES[table].c[column].in_(values))
    return {row["id"]: dict(row) for row in connection.execute(query).mappings()}
