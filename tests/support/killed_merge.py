"""A process that dies in the middle of putting a result into the course: for scripts, in which `os._exit` is fine."""

import os
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import Engine, event

from grading.gradebook import snapshot

STATUS = 9  # with which it ends


def dying(step: int, engine: Engine) -> None:
    """Ends this process right before its change of that number: of a file, of rows, or a commit; counted from 1."""
    counted = iter(range(1, 1000))

    def before(function: Callable) -> Callable:
        def counting(*arguments: object, **more: object) -> object:
            if next(counted) == step:
                os._exit(STATUS)
            return function(*arguments, **more)

        return counting

    for name in ("unlink", "rename", "replace"):
        setattr(Path, name, before(getattr(Path, name)))
    snapshot.apply = before(snapshot.apply)
    event.listen(engine, "commit", before(lambda connection: None))
