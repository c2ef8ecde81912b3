"""A worker that has graded before: gives each student at once the result that another submission of the same kind had.

With it everything of a class's run is real but the grading, so that what is left is what the parent can do.
"""

import dataclasses
import functools
import os
import pickle
import uuid
from pathlib import Path

from grading.classroom import inputs, read_answers, worker
from grading.gradebook import snapshot
from grading.submission import bundle

RECORDED = "BENCHMARK_RECORDED"  # the environment variable that names the file


def record(results: dict[str, worker.Result], path: Path) -> None:
    """Notes results, by kind of student, for the workers to come."""
    path.write_bytes(pickle.dumps(results))
    os.environ[RECORDED] = str(path)


def grade(
    given: inputs.Inputs,
    submission: bundle.Submission,
    before: snapshot.Rows,
    feedback: bool = True,
    read: read_answers.Digests | None = None,
) -> worker.Result:
    """The recorded result of this student's kind, as if it were this student's."""
    kind = submission.student.partition("-")[2]
    found = _recorded()[kind]
    return dataclasses.replace(found, student=submission.student, after=_renamed(found, submission.student))


@functools.cache
def _recorded() -> dict[str, worker.Result]:
    return pickle.loads(Path(os.environ[RECORDED]).read_bytes())


def _renamed(found: worker.Result, student: str) -> snapshot.Rows:
    """A student's rows for another one: with other ids, where a student's own rows are meant."""
    ids = {i: uuid.uuid4().hex for table in snapshot.STUDENTS[1:] for i in found.after[table]} | {
        found.student: student
    }

    def renamed(row: dict[str, object]) -> dict[str, object]:
        return {column: ids.get(value, value) if isinstance(value, str) else value for column, value in row.items()}

    return {table: {ids[i]: renamed(row) for i, row in found.after[table].items()} for table in found.after}
