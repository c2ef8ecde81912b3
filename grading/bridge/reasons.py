"""Why a call of student code gave no value, in words of ours that the student reads."""

from dataclasses import dataclass
from enum import Enum

from grading.bridge import remote, wire
from grading.core import limits, messages

ERRORS = frozenset(error.__name__ for error in remote.ERRORS)


class Why(Enum):
    """Why a call gave no value."""

    MISSING = "missing"
    NOT_CALLABLE = "not callable"
    RAISED = "raised"
    TIME = "time"
    NOT_DATA = "not data"
    DIED = "died"


@dataclass(frozen=True)
class Reason:
    """Why there is no value, as a text that the student reads."""

    why: Why
    text: str


def worded(why: Why, name: str, limit_s: float, error: object = "", line: object = None) -> Reason:
    """The reason in words of ours: what a reply adds to it is taken from lists, so that it can tell nothing else."""
    error = error if isinstance(error, str) else ""
    line = line if type(line) is int and 0 < line <= limits.SOURCE_CHARS else None
    texts = {
        Why.MISSING: messages.missing(name),
        Why.NOT_CALLABLE: messages.not_callable(name),
        Why.RAISED: messages.raised(error if error in ERRORS else "Exception", line),
        Why.TIME: messages.out_of_time(limit_s),
        Why.NOT_DATA: messages.not_data(error if error in wire.REFUSALS else wire.NO_DATA),
        Why.DIED: messages.died(None),
    }
    return Reason(why, texts[why])
