"""The student's side of the bridge: what runs next to the student's names when a hidden test asks for something.

A request names a function of the student's, or brings a function of the test's, compiled; the reply is its value as
data, or the reason why there is none. This file, `capture` and `wire` are all that the student's side needs.
"""

import builtins
import contextlib
import marshal
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import CodeType, FrameType

import numpy as np

from grading.bridge import capture, wire

SLACK_S = 0.02  # less than this is not waited for again
SWALLOWED_S = 50e-6  # at most between alarms of an answer that swallowed the first: soon one falls outside its `try`
GOLDEN = 0.6180339887  # whose multiples modulo 1 lie evenly, so that no loop is as long as all pauses between alarms
MONITORING = getattr(sys, "monitoring", None)  # from Python 3.12 on, where an alarm after a `try` may strike within it
TOOL = 4  # its number for us; no debugger or profiler has it
# Whose code also runs in other threads, and once the answer has ended.
PASSED = (capture.Shown.write.__code__.co_filename, os.path.dirname(contextlib.__file__))
NO_MEMORY = "DefaultCPUAllocator: can't allocate memory"
_kept: dict = {}  # what a test's functions leave for those that are asked for next
ERRORS = tuple(e for e in vars(builtins).values() if isinstance(e, type) and issubclass(e, BaseException))


def encode(value: object, most_bytes: int = wire.MAX_BYTES) -> bytes:
    """As `wire.encode`, with torch tensors among what can cross."""
    return wire.encode(value, _from_torch, most_bytes)


def decode(message: bytes) -> object:
    """As `wire.decode`, with torch tensors, new ones, in place of each `Tensor`."""

    def tensor(data: wire.Tensor) -> object:
        import torch  # which a course may do without

        return torch.from_numpy(data.array).to(getattr(torch, data.dtype))

    return wire.decode(message, tensor)


def _from_torch(value: object) -> wire.Tensor | None:
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(value, torch.Tensor):
        return None
    with torch._C.DisableTorchFunctionSubclass():  # a subclass is read as the plain tensor that it holds
        if value.layout != torch.strided or value.is_meta or value.is_nested:
            raise wire.Refused(wire.Refusal.NOT_DENSE)
        plain = torch.Tensor.detach(value).as_subclass(torch.Tensor)
        name, device = str(plain.dtype).removeprefix("torch."), str(plain.device)
        if name not in wire.CARRIERS:
            raise wire.Refused(wire.Refusal.ODD_DTYPE)
        carrier = getattr(torch, wire.CARRIERS[name])
        if plain.numel() * carrier.itemsize > wire.MAX_BYTES:  # before the copy: a view may be larger than its memory
            raise wire.Refused(wire.Refusal.TOO_LARGE)
        return wire.Tensor(plain.cpu().resolve_conj().resolve_neg().to(carrier).numpy(), name, device)


class TimeUp(BaseException):
    """The call's time is over. Not an Exception, so that `except Exception` in an answer does not swallow it."""


def answer(request: bytes, names: dict) -> bytes:
    """The reply to one request of a hidden test.

    Shapes  request: a mapping with name, code (None for a function of the student's), args, dtype, limit_s,
            printed_chars and reply_bytes; the reply: one with printed and either value, or reason, error and line.
    Errors  WireError if the request itself is not a message: then the test is at fault, not the student.
    """
    asked = decode(request)
    printed = capture.Shown(asked["printed_chars"])
    with capture.quiet(printed), _settings(asked["dtype"]):
        try:
            with _limit(asked["limit_s"]):
                return _run(asked, names, printed)
        except TimeUp:
            reply = {"reason": "time"}
        except wire.Refused as error:
            reply = {"reason": "not data", "error": error.refusal.value, "of": error.of}
        except BaseException as error:  # SystemExit and KeyboardInterrupt of an answer are answers too
            reply = {"reason": "unwritten" if _is_unwritten(error) else "raised", **_told(error)}
    return encode({**reply, "printed": printed.text()})


def _run(asked: dict, names: dict, printed: capture.Shown) -> bytes:
    """Runs what is asked for, and encodes its value: all that the student's code can influence."""
    if asked["code"] is not None:
        function = _of_test(asked["code"], asked["name"], names)
    elif asked["name"] not in names:
        return encode({"reason": "missing", "printed": ""})
    else:
        function = names[asked["name"]]
    if not callable(function):
        return encode({"reason": "not callable", "printed": ""})
    value = function(*asked["args"])
    return encode({"value": value, "printed": printed.text()}, asked["reply_bytes"])


def _of_test(code: np.ndarray, name: str, names: dict) -> object:
    """A function of the test's, next to a copy of the student's names in which nothing hides a builtin or a library.

    Its code comes compiled: a kernel is new for each notebook, and would compile the same functions each time.
    """
    beside = {key: value for key, value in names.items() if not hasattr(builtins, key)}
    if (torch := sys.modules.get("torch")) is not None:
        beside.update(torch=torch, nn=torch.nn)
    beside.update(np=np, kept=_kept, __builtins__=builtins)
    exec(marshal.loads(code), beside)
    return beside[name]


@contextlib.contextmanager
def _settings(default: str):
    """torch with the course's default dtype, on the processor and with gradients on, where a test's numbers are;
    afterwards the student's own settings are back.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    dtype, gradients, device = torch.get_default_dtype(), torch.is_grad_enabled(), torch.get_default_device()
    if device.type != "cpu":
        torch.set_default_device("cpu")
    torch.set_default_dtype(getattr(torch, default) if default else dtype)
    torch.set_grad_enabled(True)
    try:
        yield
    finally:
        torch.set_default_dtype(dtype)
        torch.set_grad_enabled(gradients)
        if torch.get_default_device() != device:
            torch.set_default_device(device)


@contextlib.contextmanager
def _limit(limit_s: float):
    """Raises TimeUp in what `_run` runs once its own time is over. An answer may swallow it, so it comes again after a
    second, and then all the time. It never strikes elsewhere, such as between a value and its reply.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield  # no signals here: the cell's own limit holds
        return
    rings, started = 0, _times()

    def ring(_: int, frame: FrameType | None) -> None:
        nonlocal rings
        if not rings and (left_s := limit_s - _own_time(started)) > SLACK_S:
            signal.setitimer(signal.ITIMER_REAL, left_s)
            return
        rings, inside, own = rings + 1, set(), _run.__code__
        while frame is not None and frame.f_code is not own:
            inside |= set() if frame.f_code.co_filename.startswith((own.co_filename, *PASSED)) else {frame.f_code}
            frame = frame.f_back
        if frame is not None and rings > 1 and MONITORING:
            with contextlib.suppress(ValueError):  # the answer has taken the number: the cell's own limit holds
                end_lines(inside)
        # Once each time, and at the end: alarms that come faster than they are heard would never let go.
        signal.setitimer(signal.ITIMER_REAL, 1.0 if rings == 1 else SWALLOWED_S * (rings * GOLDEN % 1))
        if frame is not None:
            raise TimeUp

    with _ending_lines() as end_lines:
        before = signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, limit_s)
        try:
            yield
        finally:
            signal.signal(signal.SIGALRM, signal.SIG_IGN)  # first, or a ring that comes now sets the alarm that ends us
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def _ending_lines() -> Iterator[Callable[[set[CodeType]], None]]:
    """Gives a function after which each further line of some code raises TimeUp."""
    ended: set[CodeType] = set()

    def end(*_: object) -> None:
        raise TimeUp

    def end_lines(codes: set[CodeType]) -> None:
        if not ended:
            MONITORING.use_tool_id(TOOL, __name__)
            MONITORING.register_callback(TOOL, MONITORING.events.LINE, end)
        for code in codes:
            ended.add(code)
            MONITORING.set_local_events(TOOL, code, MONITORING.events.LINE)

    try:
        yield end_lines
    finally:
        with contextlib.suppress(ValueError):  # the answer has given the number back
            for code in ended:
                MONITORING.set_local_events(TOOL, code, 0)
            if ended:
                MONITORING.free_tool_id(TOOL)


def _times() -> tuple[float, float, dict[str, int]]:
    """Seconds by the wall clock, those that this process computed, ns that each thread waited for a processor."""
    waited_ns = {}
    with contextlib.suppress(OSError, ValueError, IndexError):  # elsewhere than on Linux nobody tells
        for thread in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{thread}/schedstat", "rb", buffering=0) as file:  # for each request, so no text
                waited_ns[thread] = int(file.read().split()[1])
    return time.monotonic(), time.process_time(), waited_ns


def _own_time(started: tuple[float, float, dict[str, int]]) -> float:
    """Seconds of own time since `started`: what was computed and slept, not what was waited for a processor.

    As the judge counts it (`clock`), of this process alone: with the waits of the two threads that waited longest.
    """
    (began_s, computed_s, before_ns), (now_s, computed_now_s, now_ns) = started, _times()
    waits_ns = sorted(waited - before_ns.get(thread, 0) for thread, waited in now_ns.items())
    return max(computed_now_s - computed_s, now_s - began_s - sum(waits_ns[-2:]) / 1e9)


def _builtin_name(error: BaseException) -> str:
    """The error's nearest ancestor that Python itself defines: a name the student cannot make up.

    PyTorch says with a RuntimeError that there is no memory.
    """
    said = BaseException.args.__get__(error)
    if type(said) is tuple and said and type(said[0]) is str and NO_MEMORY in said[0]:
        return MemoryError.__name__
    return next(known.__name__ for ancestor in type.mro(type(error)) for known in ERRORS if ancestor is known)


def _is_unwritten(error: BaseException) -> bool:
    """Whether an answer's stub raised it; a NotImplementedError of PyTorch's has a text: what it can't do."""
    return NotImplementedError in type.mro(type(error)) and BaseException.args.__get__(error) == ()


def _told(error: BaseException) -> dict:
    """Its Python name; the innermost line of the student's cells on the way to it; and of what it is, if that is known:
    of the function or class of the student's that was called, or of the name that the test's own code lacks.
    """
    steps, trace = [], BaseException.__traceback__.__get__(error)  # whatever the error's own class says
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if "ipykernel_" in file or file.startswith("<ipython-input"):
            steps.append((trace.tb_frame.f_code.co_qualname, trace.tb_lineno))
        trace = trace.tb_next
    called, line = (steps[0][0].partition(".")[0], steps[-1][1]) if steps else ("", None)
    lacks = NameError.name.__get__(error) if not steps and NameError in type.mro(type(error)) else None
    of = lacks if type(lacks) is str else called
    return {"error": _builtin_name(error), "of": of if of.isidentifier() else "", "line": line}
