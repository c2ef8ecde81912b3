"""A call as bytes. Who passes it on, a scheduler for one, needs none of our code; a worker that lacks it says so.

Without that, a worker that cannot read a task ends without a word, and a scheduler that cannot read it fails all tasks.
"""

import pickle
from collections.abc import Callable

OPEN = pickle.loads  # of a sealed call is the call, and what it returns
UNREADABLE = (ImportError, AttributeError, TypeError, pickle.UnpicklingError)  # raised where other code opens it


def call(function: Callable, *arguments: object) -> bytes:
    """A call of a function that can be imported by its name; whoever opens it makes the call."""
    return pickle.dumps(_Call(function, arguments), pickle.HIGHEST_PROTOCOL)


class _Call:
    """An object that is read as the result of a call."""

    def __init__(self, function: Callable, arguments: tuple) -> None:
        self._made_by = function, arguments

    def __reduce__(self) -> tuple[Callable, tuple]:
        return self._made_by
