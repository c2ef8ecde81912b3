"""Calls in float32, for answers that raise in a course's float64 alone: code that says `.float()` is right where
everything is float32, as it is in a student's own notebook."""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from grading.bridge.reasons import Reason, Why
from grading.bridge.wire import Tensor
from grading.core.course import Calls

FAILED = (Why.RAISED, Why.UNWRITTEN)  # an answer may raise NotImplementedError for a dtype


class Single(Calls):
    """The settings of calls that are made in float32, in a course that uses float64."""


class Way(Protocol):
    """What this module needs of `probe.Way`: the settings of its calls."""

    calls: Calls


def settle(way: Way, trial: Callable[[], object]) -> None:
    """As `probe.settled`."""
    usual, first = way.calls, trial()
    if _fails_in_float64(usual, first):
        way.calls = Single(usual.limit_s, "float32")
        if isinstance(trial(), Reason):
            way.calls = usual


def called(way: Way, args: tuple, ask: Callable[[], object]) -> object:
    """A call's value; where it takes tensors and raised in float64, its value in float32, if there is one."""
    usual, value = way.calls, ask()
    if not any(isinstance(one, Tensor) for one in args) or not _fails_in_float64(usual, value):
        return value
    way.calls = Single(usual.limit_s, "float32")
    try:
        second = ask()
    finally:
        way.calls = usual
    return value if isinstance(second, Reason) else second


def request(asked: dict, calls: Calls) -> dict:
    """A request as it is sent: in float32 if its calls are."""
    return narrowed(asked) if isinstance(calls, Single) else asked


def narrowed(value: object) -> object:
    """An argument with float32 for float64 in all of its tensors."""
    match value:
        case Tensor(dtype="float64"):
            return Tensor(value.array.astype(np.float32), "float32", value.device)
        case list() | tuple():
            return type(value)(map(narrowed, value))
        case dict():
            return {key: narrowed(one) for key, one in value.items()}
    return value


def _fails_in_float64(calls: Calls, value: object) -> bool:
    return calls.dtype == "float64" and isinstance(value, Reason) and value.why in FAILED
