"""Why a call of student code gave no value, in words of ours that the student reads."""

import marshal
from dataclasses import dataclass
from enum import Enum
from types import CodeType

import numpy as np

from grading.bridge import remote, wire
from grading.core import limit_messages, limits, messages

ERRORS = frozenset(error.__name__ for error in remote.ERRORS)
NAME_NOT_THERE = "a name that is needed is not there. Was the cell that defines it run without an error?"


class Why(Enum):
    """Why a call gave no value."""

    MISSING = "missing"
    NOT_CALLABLE = "not callable"
    RAISED = "raised"
    UNWRITTEN = "unwritten"
    TIME = "time"
    NOT_DATA = "not data"
    DIED = "died"


REFUSED = {
    wire.Refusal.TOO_LARGE: "a value that is too large to hand over",
    wire.Refusal.TOO_DEEP: "a value of too many pieces, or nested too deeply",
    wire.Refusal.TOO_LONG: f"an integer of more than {wire.MAX_DIGITS} digits",
    wire.Refusal.NO_DATA: "a value that is neither numbers nor text",
    wire.Refusal.NO_KEYS: "a mapping with keys that are neither texts nor numbers",
    wire.Refusal.NO_NUMBERS: "an array of things that are not numbers, or of too many axes",
    wire.Refusal.NOT_DENSE: "a tensor that is not a plain, dense one",
    wire.Refusal.ODD_DTYPE: "a tensor of an unusual dtype or device",
}


@dataclass(frozen=True)
class Reason:
    """Why there is no value, as a text that the student reads."""

    why: Why
    text: str


def asked_for(name: str, code: np.ndarray | None, args: tuple) -> frozenset[str]:
    """The names that a request is about: that of the student's function, or all in the test's code and arguments."""
    if code is None:
        return frozenset({name})
    inner = [one for one in marshal.loads(code).co_consts if isinstance(one, CodeType)]
    for function in inner:
        inner += [one for one in function.co_consts if isinstance(one, CodeType)]
    used = {name for function in inner for name in function.co_names}
    return frozenset(used | {one for one in args if isinstance(one, str)})


def worded(
    why: Why,
    name: str,
    limit_s: float,
    asked: frozenset[str] = frozenset(),
    error: object = "",
    of: object = "",
    line: object = None,
) -> Reason:
    """The reason in words of ours: what a reply adds to it is taken from lists, so that it can tell nothing else."""
    error = error if isinstance(error, str) else ""
    line = line if type(line) is int and 0 < line <= limits.SOURCE_CHARS else None
    known = of if isinstance(of, str) and of in asked else name if name in asked else ""
    if why is Why.RAISED and (error, line) == ("NameError", None):  # in no cell of the student's: in what the test asks
        return Reason(Why.MISSING, messages.missing(known)) if known and known == of else Reason(why, NAME_NOT_THERE)
    texts = {
        Why.MISSING: messages.missing(name),
        Why.NOT_CALLABLE: messages.not_callable(name),
        Why.RAISED: messages.raised(error if error in ERRORS else "Exception", line),
        Why.UNWRITTEN: messages.unwritten(known),
        Why.TIME: limit_messages.out_of_time(limit_s),
        Why.NOT_DATA: messages.not_data(_refused(error, of)),
        Why.DIED: limit_messages.died(None),
    }
    return Reason(why, texts[why])


def _refused(refusal: str, of: object) -> str:
    """What was returned that could not cross; NO_DATA for whatever a reply calls otherwise."""
    known = next((one for one in wire.Refusal if one.value == refusal), wire.Refusal.NO_DATA)
    if known is wire.Refusal.NO_DATA and isinstance(of, str) and of in wire.NAMED_TYPES:
        return f"a value of the type {of}"
    return REFUSED[known]
