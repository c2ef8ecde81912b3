"""The far side of the door: what runs beside the student's names when a hidden test asks for something.

A request names a function of the student's, or brings a function of the test's as source; the reply is its value as
data, or the reason why there is none. This file and `wire` are all that the student's side needs.
"""

import builtins
import contextlib
import io
import signal
import sys
import threading
import warnings

from grading import wire

TEST_FILE = "<hidden test>"


class TimeUp(BaseException):
    """The call's time is over. Not an Exception, so that `except Exception` in an answer does not swallow it."""


def answer(request: bytes, names: dict) -> bytes:
    """The reply to one request of a hidden test.

    Shapes  request: a mapping of kind "call" or "remote", name, source, args, limit_s; the reply: a mapping with
            printed and either value, or reason, error and line.
    Errors  WireError if the request itself is no message: then the test is at fault, not the student.
    """
    asked = wire.decode(request, as_torch=True)
    printed = io.StringIO()
    try:
        with _quiet(printed), _settings(), _limit(asked["limit_s"]):
            if asked["kind"] == "remote":
                function = _compiled(asked["source"], asked["name"], names)
            elif asked["name"] not in names:
                return wire.encode({"reason": "missing", "printed": ""})
            else:
                function = names[asked["name"]]
            if not callable(function):
                return wire.encode({"reason": "not callable", "printed": ""})
            value = function(*asked["args"])
            message = wire.encode({"value": value, "printed": printed.getvalue()[: asked["printed_chars"]]})
        return message
    except TimeUp:
        reply = {"reason": "time"}
    except wire.WireError as error:
        reply = {"reason": "not data", "error": str(error)}
    except BaseException as error:  # SystemExit and KeyboardInterrupt of an answer are answers too
        reply = {"reason": "raised", "error": _builtin_name(error), "line": _line(error)}
    return wire.encode({**reply, "printed": printed.getvalue()[: asked["printed_chars"]]})


def _compiled(source: str, name: str, names: dict) -> object:
    """A function of the test's, beside a copy of the student's names in which nothing hides a builtin or a library."""
    import numpy
    import torch

    beside = {key: value for key, value in names.items() if not hasattr(builtins, key)}
    beside.update(torch=torch, nn=torch.nn, np=numpy)
    exec(compile(source, TEST_FILE, "exec"), beside)
    return beside[name]


@contextlib.contextmanager
def _quiet(printed: io.StringIO):
    """Keeps prints, warnings and displays of an answer out of the cell that examines it."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        if shell() is not None:
            from IPython.utils.capture import capture_output

            stack.enter_context(capture_output(stdout=False, stderr=False, display=True))
        stack.enter_context(contextlib.redirect_stdout(printed))
        stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        yield


@contextlib.contextmanager
def _settings():
    """float64 as the default dtype and gradients on, as the tests promise; the student's own settings come back."""
    import torch

    dtype, gradients = torch.get_default_dtype(), torch.is_grad_enabled()
    torch.set_default_dtype(torch.float64)
    torch.set_grad_enabled(True)
    try:
        yield
    finally:
        torch.set_default_dtype(dtype)
        torch.set_grad_enabled(gradients)


@contextlib.contextmanager
def _limit(limit_s: float):
    """Raises TimeUp once the time is over, and again every second, for answers that swallow it."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield  # no signals here: the cell's own limit holds
        return

    def ring(*_: object) -> None:
        raise TimeUp

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, limit_s, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def shell() -> object:
    """The IPython shell that this code runs in, or None."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


def _builtin_name(error: BaseException) -> str:
    """The error's nearest ancestor that Python itself defines: a name the student cannot make up."""
    return next(c.__name__ for c in type(error).__mro__ if c.__module__ == "builtins")


def _line(error: BaseException) -> int | None:
    """The last line of a notebook cell, the student's, on the way to the error."""
    line, trace = None, error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if "ipykernel_" in file or file.startswith("<ipython-input"):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
