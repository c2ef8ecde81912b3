"""What `grading` logs while nbgrader runs, passed on to nbgrader's own log."""

import contextlib
import logging
from collections.abc import Iterator


@contextlib.contextmanager
def passed_on_to(log: logging.Logger) -> Iterator[None]:
    """Passes on, with its traceback, what is logged under `grading` while the block runs."""
    handler = logging.Handler()
    handler.emit = lambda record: log.log(record.levelno, "%s", handler.format(record))
    logger = logging.getLogger("grading")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
