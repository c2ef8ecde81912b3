"""How a hidden test reaches student code: by name or with a function of its own; data goes in, only data comes out.

Whatever the student's code does, raises, prints or returns, a call ends with a value or with a `Reason`, never with
an exception of ours. Without a judge (JupyterLab, nbval, plain nbgrader) the code runs in this very kernel, on copies;
`through` puts another transport in that place, and no test cell can tell the difference.
"""

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np

from grading.bridge import in_process, precision, sent_code, wire
from grading.bridge.reasons import Reason, Why, asked_for, worded
from grading.bridge.wire import Tensor
from grading.core import limits, messages
from grading.core.course import Calls

__all__ = ["Reason", "Tensor", "Way", "Why", "call", "call_as", "printed", "remote", "tensor", "through"]
__all__ += ["unanswered", "unpacked", "variable"]


class Transport(Protocol):
    """Where requests go: `remote.answer` in this kernel, or in another one."""

    def ask(self, request: bytes, limit_s: float) -> bytes | Reason: ...


@dataclass
class Way:
    """Where a hidden test's requests go, how its calls are made, and what went wrong: `overtime_s` adds up the limits
    of the calls that ran out of time, and `late` says it of the first; `unanswered` counts the requests that nothing
    answered any more, and `ended` says why.
    """

    transport: Transport
    calls: Calls = Calls()
    overtime_s: float = 0.0
    late: str = ""
    unanswered: int = 0
    ended: str = ""


def tensor(array: np.ndarray) -> Tensor:
    """Marks an array to arrive as a torch tensor of the same dtype."""
    return Tensor(np.asarray(array), str(np.asarray(array).dtype))


def call(name: str, *args: object) -> object:
    """The value of a student's function at copies of args, or a Reason; in float32 if only that works (`settled`)."""
    return precision.called(_way.get(), args, lambda: _ask(name, None, args)[0])


def printed(name: str, *args: object) -> tuple[object, str]:
    """As `call`, with what the call printed next to it."""
    return _ask(name, None, args)


def variable(name: str) -> object:
    """The value of a variable of the student's, or a Reason."""
    return unpacked(name, _value(name))


def unpacked(name: str, reply: object) -> object:
    """A variable's value, out of the list that carries it; for an empty list, the Reason that there is none."""
    match reply:
        case [value]:
            return value
        case []:
            return Reason(Why.MISSING, messages.missing(name))
    return reply


def remote(
    function: Callable | None = None, *, reply_bytes: int = wire.REPLY_BYTES, using: tuple[Callable, ...] = ()
) -> Callable:
    """Makes a test's function run next to the student's names; its code is sent, so it must stand alone.

    The functions that it uses are sent with it. What it puts into the mapping `kept` is there for the next such
    function. A value of more bytes is refused.
    """
    if function is None:
        return partial(remote, reply_bytes=reply_bytes, using=using)
    compiled = np.frombuffer(sent_code.compiled(*using, function), np.uint8)

    def ask(*args: object) -> object:
        return _ask(function.__name__, compiled, args, reply_bytes)[0]

    return ask


@contextlib.contextmanager
def through(transport: Transport, calls: Calls | None = None) -> Iterator["Way"]:
    """Sends what is asked within the block through another transport, with a fresh allowance of time."""
    before = _way.set(Way(transport, _way.get().calls if calls is None else calls))
    try:
        yield _way.get()
    finally:
        _way.reset(before)


def call_as(calls: Calls) -> None:
    """Applies a course's settings to the calls that follow, with a fresh allowance of time. A test calls it itself, for
    the student's own kernel, where no judge does.
    """
    way = _way.get()
    way.calls, way.overtime_s = calls, 0.0


def settled(trial: Callable[[], object]) -> None:
    """Makes a test's later calls in float32 if a trial of the answer raises in float64 but not in float32.

    A student's own notebook computes in float32, so code that says `.float()` is right there.
    """
    precision.settle(_way.get(), trial)


def unanswered() -> tuple[int, str]:
    """How many questions nothing has answered, because the kernel had ended or was stopped, and why that was."""
    return _way.get().unanswered, _way.get().ended


def _ask(name: str, code: np.ndarray | None, args: tuple, most: int = wire.REPLY_BYTES) -> tuple[object, str]:
    way = _way.get()
    limit_s = limits.CALL_LIMIT_S if way.calls.limit_s is None else way.calls.limit_s
    if way.overtime_s >= limits.TEST_LIMIT_S:
        limit_s = 0.5
    request = {"name": name, "code": code, "args": list(args), "dtype": way.calls.dtype}
    request.update(limit_s=limit_s, printed_chars=limits.PRINTED_CHARS, reply_bytes=most)
    message = wire.encode(precision.request(request, way.calls))
    reply = way.transport.ask(message, limit_s)
    if isinstance(reply, Reason):
        way.unanswered, way.ended = way.unanswered + 1, reply.text
        way.late = way.late or reply.text
        return reply, ""
    try:
        match wire.decode(reply, most_bytes=most):
            case {"value": value, "printed": str(shown)}:
                return value, shown[: limits.PRINTED_CHARS]
            case {"reason": str(why), "printed": str(shown), **content}:
                reason = worded(Why(why), name, limit_s, asked_for(name, code, args), **content)
            case _:
                raise ValueError("no reply")
    except (wire.WireError, TypeError, ValueError):
        return Reason(Why.NOT_DATA, messages.unreadable_reply(name)), ""
    if reason.why is Why.TIME:
        way.overtime_s += limit_s
        way.late = way.late or reason.text
    return reason, shown[: limits.PRINTED_CHARS]


@remote
def _value(name):
    return [globals()[name]] if name in globals() else []


# Without a judge: this kernel's own names, as they are when this module is first imported, by a test cell.
_way: ContextVar[Way] = ContextVar("way", default=Way(in_process.InProcess()))  # noqa: B039  (one kernel's way)
