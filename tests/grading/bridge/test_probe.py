"""The transport to student code: each call ends with a value or a reason, and nothing leaks across."""

import contextlib
import contextvars
import math
import os
import sys
import threading
import time
import traceback
import warnings
from textwrap import indent

import busy
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transports import Canned, Names

from grading.bridge import capture, in_process, probe, reasons, remote, wire
from grading.bridge.probe import Reason, Why
from grading.core import limits
from grading.core.course import Calls

SETUP = "import torch\nimport torch.nn as nn\nimport numpy as np\n"


def beside(source: str) -> Names:
    return Names(SETUP + source)


@pytest.fixture(autouse=True)
def of_no_course():
    """Another test of this process may have asked in a course's name, and the settings of its calls would hold here."""
    with probe.through(in_process.InProcess(), Calls()):
        yield


@pytest.fixture
def student(monkeypatch: pytest.MonkeyPatch):
    """Binds the probe to student code; calls end after 0.3 s."""
    monkeypatch.setattr(limits, "CALL_LIMIT_S", 0.3)
    with contextlib.ExitStack() as ways:

        def bind(source: str) -> dict:
            ways.enter_context(probe.through(transport := beside(source)))
            return transport.names

        yield bind


def reason(source: str, student: object, *args: object) -> Reason:
    """The reason why `f` of this code gives no value."""
    student(source)
    got = probe.call("f", *args)
    assert isinstance(got, Reason), got
    return got


# Values ---------------------------------------------------------------------------------------------------------------


def test_a_call_gives_the_function_s_value(student):
    student("def f(x, n):\n    return x * n, [None, True, n, 0.5, 'text', {'a': x}]")
    product, rest = probe.call("f", probe.tensor(np.array([1.0, 2.0])), 3)
    assert isinstance(product, probe.Tensor) and product.array.tolist() == [3.0, 6.0]
    assert rest[:5] == [None, True, 3, 0.5, "text"] and rest[5]["a"].array.tolist() == [1.0, 2.0]


def test_tensors_arrive_as_tensors_and_arrays_as_arrays(student):
    student("def f(*args):\n    return [type(a).__module__.split('.')[0] + ' ' + str(a.dtype) for a in args]")
    got = probe.call("f", probe.tensor(np.zeros(1)), np.zeros(1), probe.tensor(np.zeros(1, dtype=np.float32)))
    assert got == ["torch torch.float64", "numpy float64", "torch torch.float32"]


def test_a_class_and_any_other_callable_can_be_called(student):
    student("class f:\n    def __new__(cls, n): return n + 1\nclass G:\n    def __call__(self, n): return n\ng = G()")
    assert probe.call("f", 1) == 2 and probe.call("g", 1) == 1


def test_the_arguments_of_the_test_are_never_changed(student):
    student("def f(x, a, items):\n    x.zero_()\n    a[:] = 0\n    items.clear()\n    items.append(x)\n    return x")
    x, a, items = np.ones(3), np.ones(3), [1, {"k": 2}]
    probe.call("f", probe.tensor(x), a, items)
    assert x.tolist() == a.tolist() == [1.0, 1.0, 1.0] and items == [1, {"k": 2}]


def test_a_returned_argument_is_a_copy(student):
    student("kept = []\ndef f(x):\n    kept.append(x)\n    return x\ndef g():\n    kept[0][:] = 7\n    return 0")
    got = probe.call("f", x := np.ones(2))
    probe.call("g")
    assert got.tolist() == x.tolist() == [1.0, 1.0]


def test_each_call_gets_copies_of_its_own(student):
    student("def f(x):\n    x += 1\n    return x")
    x = np.zeros(1)
    assert [probe.call("f", x).tolist() for _ in range(2)] == [[1.0], [1.0]]


def test_what_a_call_leaves_in_the_student_s_names_is_there_in_the_next(student):
    student("count = 0\ndef f():\n    global count\n    count += 1\n    return count")
    assert [probe.call("f") for _ in range(3)] == [1, 2, 3]


# Reasons --------------------------------------------------------------------------------------------------------------


def test_a_variable_has_the_value_that_the_answer_gave_it_also_none(student):
    student("product = [1, 2]\nnothing = None")
    assert probe.variable("product") == [1, 2] and probe.variable("nothing") is None
    missing = probe.variable("factor")
    assert isinstance(missing, Reason) and missing.why is Why.MISSING and "`factor`" in missing.text


def test_a_missing_name_is_a_reason(student):
    got = reason("def g(): pass", student)
    assert got.why is Why.MISSING and "`f`" in got.text


@pytest.mark.parametrize("value", ["1", "None", "torch.ones(2)", "'text'"])
def test_a_name_of_what_is_no_function_is_a_reason(student, value: str):
    assert reason(f"f = {value}", student).why is Why.NOT_CALLABLE


RAISING = [
    ("ValueError('x')", "a ValueError"),
    ("IndexError", "an IndexError"),
    ("SystemExit(0)", "a SystemExit"),
    ("KeyboardInterrupt", "a KeyboardInterrupt"),
    ("GeneratorExit", "a GeneratorExit"),
    ("StopIteration", "a StopIteration"),
    ("BaseException", "a BaseException"),
    ("MemoryError", "a MemoryError"),
    ("type('Mine', (BaseException,), {})", "a BaseException"),
    ("type('Mine', (KeyError,), {})", "a KeyError"),
    ("type('Mine', (KeyError,), {'__module__': 'builtins'})", "a KeyError"),
    ("type('KeyError', (Exception,), {'__module__': 'builtins'})", "an Exception"),
    ("type('Mine', (Exception,), {'__str__': lambda self: 1 / 0, '__repr__': lambda self: 1 / 0})", "an Exception"),
    ("type('Mine', (Exception,), {'__traceback__': property(lambda e: 5, lambda e, t: None)})", "an Exception"),
    ("torch.linalg.LinAlgError('x')", "a RuntimeError"),
    ("np.linalg.LinAlgError('x')", "a ValueError"),
    ("ExceptionGroup('x', [ValueError()])", "an Exception"),
    ("5", "a TypeError"),
]


@pytest.mark.parametrize(("raised", "named"), RAISING)
def test_whatever_is_raised_is_a_reason_that_names_python_s_own_error_and_the_line(student, raised: str, named: str):
    got = reason(f"def f():\n    x = 1\n    raise {raised}", student)
    assert got.why is Why.RAISED
    named = named.replace("an Exception", "an ExceptionGroup") if raised.startswith("ExceptionGroup") else named
    assert named in got.text and "line 6 " in got.text  # below the three lines of the setup


TAKES_OTHERS = [
    "def f(a, b):\n    return a",
    "class f(nn.Module):\n    def __init__(self, a, b):\n        pass",
    "class f(nn.Module):\n    def forward(self, x, y):\n        return x\nf = f()",
]


@pytest.mark.parametrize("written", TAKES_OTHERS, ids=["a function", "a class", "a model"])
def test_code_that_takes_other_arguments_is_asked_which_it_takes_and_code_that_fails_is_not(student, written: str):
    student(written)
    assert probe.call("f", 1).text.endswith("Does it take the arguments that the task names, in their order?")
    student("def f(a):\n    return len(a)")
    assert "a TypeError in line 5 " in probe.call("f", 1).text and "?" not in probe.call("f", 1).text


@probe.remote
def makes_a_model():
    return model(1)  # noqa: F821  (a class of the student's)


def test_a_name_that_only_the_test_s_own_code_asks_for_is_said_to_be_missing(student):
    student("def model(n):\n    return nowhere")
    assert "a NameError in line 5 " in makes_a_model().text
    student("other = 1")
    got = makes_a_model()
    assert got.why is Why.MISSING and got.text.startswith("`model` is not there. Is it spelled like this, and did")


@probe.remote
def calls_what_another_lacks(name):
    return globals()["helper"](name)


def test_a_name_that_a_test_never_asks_for_is_not_repeated(student):
    # Raised in no line of a cell, as a library's is; the reply could say anything.
    student("import functools\nhelper = functools.partial(exec, 'raise NameError(name=\"secret\")')")
    got = calls_what_another_lacks({})
    assert got.why is Why.RAISED and got.text.startswith("a name that is needed is not there. Was the cell")
    asked = reasons.asked_for("ask", None, ())
    assert reasons.worded(Why.UNWRITTEN, "ask", 1.0, asked, of="secret").text == "`ask` is not written yet."
    assert reasons.worded(Why.UNWRITTEN, "ask", 1.0, of="secret").text == "it is not written yet."


def test_an_error_that_lies_about_where_it_was_raised_is_a_reason(student):
    lie = "type('Mine', (Exception,), {'__traceback__': property(lambda self: 5)})"
    assert reason(f"def f():\n    raise {lie}", student).why is Why.RAISED


def test_what_is_not_written_yet_is_said_to_be_so(student):
    got = reason("def helper():\n    raise NotImplementedError\ndef f():\n    return helper()", student)
    assert (got.why, got.text) == (Why.UNWRITTEN, "`f` is not written yet.")
    student("class model:\n    def __init__(self, n):\n        raise NotImplementedError()")
    assert makes_a_model().text == "`model` is not written yet."


def test_what_pytorch_has_not_implemented_is_not_said_to_be_unwritten(student):
    got = reason("def f():\n    return torch.softmax(torch.ones(3).long(), 0)", student)
    assert got.why is Why.RAISED and "a NotImplementedError in line 5 " in got.text


def test_the_line_named_is_the_student_s_own_and_not_a_library_s(student):
    assert "line 5 " in reason("def f():\n    return torch.ones(2) @ torch.ones(3)", student).text


def test_an_error_outside_the_student_s_lines_names_no_line(student):
    got = reason("f = len", student, 1)
    assert got.why is Why.RAISED and "line" not in got.text


@pytest.mark.parametrize(
    "body",
    [
        "return f()",
        "return 1 / 0",
        "return exit()",
        "return open('/nowhere/at/all')",
        "return [0] * 10**18",
        "return f(1, 2)",
    ],
)
def test_code_that_fails_by_itself_is_a_reason(student, body: str):
    assert reason(f"def f():\n    {body}", student).why is Why.RAISED


LOOPS = [
    "while True: pass",
    "while True:\n        try:\n            pass\n        except Exception:\n            pass",
    "while True:\n        try:\n            pass\n        except BaseException:\n            pass",
    "while True:\n        try:\n            while True: pass\n        except BaseException:\n            pass",
    "while True:\n        try:\n            time.sleep(1)\n        except:\n            continue",
    "try:\n        while True: pass\n    finally:\n        while True: pass",
    "while True:\n        try:\n            raise KeyError\n        except BaseException:\n            sum(range(999))",
    "while True: print('x' * 100_000)",
    "while True: torch.ones(10) @ torch.ones(10)",
    "[None for _ in iter(int, 1)]",
    "x = Endless()\n    return x",
    "return Slow()",
]


@pytest.mark.parametrize("body", LOOPS)
def test_what_never_ends_is_a_reason_soon_after_the_limit(student, body: str):
    source = "import time\nclass Endless(dict):\n    def items(self):\n        while True: pass\n"
    source += "class Slow(float):\n    def __float__(self):\n        while True: pass\n"
    student(f"{source}def f():\n    {body}\ndef g(): return 1")
    started = time.process_time()
    got = probe.call("f")
    assert isinstance(got, Reason) and got.why is Why.TIME, got
    assert busy.within(time.process_time() - started, 5)  # 0.3 s, and 1 s until the second alarm
    assert probe.call("g") == 1


@pytest.mark.parametrize("levels", [1, 2] if hasattr(sys, "monitoring") else [1])
def test_code_that_swallows_every_alarm_in_its_sleep_is_stopped_by_one_of_the_first_hundreds(student, levels: int):
    """Alarms at even distances all fell into the sleep, tens of thousands of them, and on a busy machine for longer.

    Python 3.12 hears those that fall elsewhere as if they fell into the sleep, too.
    """
    body = "time.sleep(1)"
    for _ in range(levels):
        body = f"while True:\n    try:\n{indent(body, 8 * ' ')}\n    except BaseException:\n        n += 1"
    student(f"import time\nn = 0\ndef swallowed(): return n\ndef f():\n    global n\n{indent(body, 4 * ' ')}")
    assert probe.call("f").why is Why.TIME
    assert 1 <= probe.call("swallowed") < 1000


def test_no_alarm_is_left_over_after_a_call(student):
    student("def f():\n    while True: pass\ndef g(): return 1")
    for name in ("f", "g"):
        probe.call(name)
        assert remote.signal.getitimer(remote.signal.ITIMER_REAL) == (0.0, 0.0)
        assert remote.signal.getsignal(remote.signal.SIGALRM) is remote.signal.SIG_DFL


def test_an_alarm_that_comes_as_a_call_ends_sets_no_other_one(student, monkeypatch: pytest.MonkeyPatch):
    """Nobody would hear it: Linux would end the kernel, by luck."""
    set_alarm = remote.signal.setitimer

    def set_late(which: int, seconds: float) -> None:
        set_alarm(which, seconds)
        if seconds == 0:
            os.kill(os.getpid(), remote.signal.SIGALRM)

    monkeypatch.setattr(remote.signal, "setitimer", set_late)
    student("def f(): return 1")
    try:
        assert probe.call("f") == 1
        assert remote.signal.getitimer(remote.signal.ITIMER_REAL) == (0.0, 0.0)
    finally:
        set_alarm(remote.signal.ITIMER_REAL, 0)


@pytest.mark.skipif(not hasattr(sys, "monitoring"), reason="only from Python 3.12 on do lines end")
def test_no_line_of_a_library_s_ends_that_we_run_ourselves(student, monkeypatch: pytest.MonkeyPatch):
    """As an answer swallows alarms in the end of a `with`, contextlib's code runs, and again as we leave the call."""
    left: list[str] = []

    class TimeUp(remote.TimeUp):
        def __init__(self) -> None:
            names = [frame.f_code.co_name for frame, _ in traceback.walk_stack(sys._getframe())]
            left.extend(names if "_run" not in names else [])

    monkeypatch.setattr(remote, "TimeUp", TimeUp)
    student(
        "import contextlib, time\n@contextlib.contextmanager\ndef never():\n    yield\n    while True:\n"
        "        try:\n            time.sleep(1)\n        except BaseException:\n            pass\n"
        "def f():\n    with never():\n        pass"
    )
    assert probe.call("f").why is Why.TIME
    assert left == []


def test_an_alarm_never_strikes_outside_the_student_s_code():
    deadline = time.monotonic() + 0.2
    with remote._limit(0.01):  # rings at once, and all the time after a second; nothing of _run is running
        while time.monotonic() < deadline:
            pass


def test_a_call_that_ends_in_time_is_not_cut_short(student):
    student("import time\ndef f():\n    time.sleep(0.15)\n    return 1")
    assert [probe.call("f") for _ in range(4)] == [1] * 4  # together longer than the limit of one


def test_once_the_test_s_time_is_used_up_calls_are_cut_short(student, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "TEST_LIMIT_S", 0.1)
    monkeypatch.setattr(limits, "CALL_LIMIT_S", 30.0)
    student("def f():\n    while True: pass")
    monkeypatch.setattr(probe._way.get(), "overtime_s", 0.2)
    started = time.process_time()
    assert "0.5 s" in probe.call("f").text
    assert busy.within(time.process_time() - started, 5)
    with probe.through(probe._way.get().transport):
        assert probe._way.get().overtime_s == 0.0


def test_without_signals_a_call_still_has_its_value(student):
    student("def f(): return 1")
    found = []
    here = contextvars.copy_context()
    thread = threading.Thread(target=here.run, args=(lambda: found.append(probe.call("f")),))
    thread.start()
    thread.join()
    assert found == [1]


NOT_DATA = [
    "object()",
    "lambda: 1",
    "(n for n in ())",
    "{1, 2}",
    "1j",
    "b'x'",
    "nn.Linear(1, 1)",
    "np.array([None])",
    "np.array(['a'])",
    "torch.ones(2).to_sparse()",
    "[[object()]]",
    "{(1, 2): 3}",
    "np.broadcast_to(np.zeros(1), (10**10,))",
    "10**1000",
    "g()",
]


@pytest.mark.parametrize("value", NOT_DATA)
def test_what_is_no_data_is_a_reason(student, value: str):
    got = reason(f"async def g(): pass\ndef f():\n    return {value}", student)
    assert got.why is Why.NOT_DATA and got.text.startswith("the tests can't compare what your code returned: ")


LIARS = [
    "class L:\n    __class__ = {claimed}",
    "class L:\n    __class__ = property(lambda self: 1 / 0)",
    "class L:\n    __class__ = {claimed}\n    def __iter__(self):\n        while True: yield self",
    "class L:\n    __class__ = property(lambda self: {claimed})\n    def __array__(self, *a, **k): return np.array(L)",
    "class L(float):\n    def __float__(self): raise SystemExit",
    "class L(dict):\n    def items(self): return [(self, self)]",
    "class L(str):\n    __class__ = int",
]


@pytest.mark.parametrize("claimed", ["int", "float", "str", "tuple", "list", "dict", "np.ndarray", "torch.Tensor"])
@pytest.mark.parametrize("source", LIARS)
def test_an_object_that_lies_about_itself_ends_in_a_reason_or_in_plain_data(student, source: str, claimed: str):
    student(source.replace("{claimed}", claimed) + "\ndef f(): return L()")
    got = probe.call("f")
    assert type(got) in {Reason, float, int, str, list, dict, np.ndarray}, got


# Replies --------------------------------------------------------------------------------------------------------------

SECRET = "x3ff0a1"
REPLIES = [
    b"",
    b"noise",
    wire.encode(None),
    wire.encode([]),
    wire.encode("printed"),
    wire.encode(np.zeros(3)),
    remote.encode(torch.ones(2)),
    wire.encode({}),
    wire.encode({"value": 1}),
    wire.encode({"value": 1, "printed": 5}),
    wire.encode({"value": 1, "printed": None}),
    wire.encode({"printed": ""}),
    wire.encode({"reason": SECRET, "printed": ""}),
    wire.encode({"reason": None, "printed": ""}),
    wire.encode({"reason": np.zeros(2), "printed": ""}),
    wire.encode({"reason": "raised", "printed": "", "name": 1}),
    wire.encode({"reason": "raised", "printed": "", "why": 1, SECRET: 1}),
    wire.encode({"reason": "raised", "printed": "", 1: 2}),
    wire.encode({"reason": "raised", "printed": ""}),
    wire.encode({"reason": "raised", "printed": "", "error": SECRET, "line": SECRET}),
    wire.encode({"reason": "raised", "printed": "", "error": ["KeyError"], "line": 10**300}),
    wire.encode({"reason": "raised", "printed": "", "error": "KeyError", "line": -1}),
    wire.encode({"reason": "not data", "printed": "", "error": SECRET}),
    wire.encode({"reason": "not data", "printed": "", "error": "neither numbers nor text", "of": SECRET}),
    wire.encode({"reason": "not data", "printed": "", "error": ["too large"], "of": {SECRET: 1}}),
    wire.encode({"reason": "time", "printed": ""}),
    wire.encode({"reason": "died", "printed": "", "error": SECRET}),
    wire.encode({"reason": "missing", "printed": ""}),
    wire.encode({"reason": "not callable", "printed": "x" * 100_000}),
]


@pytest.mark.parametrize("reply", REPLIES, ids=range(len(REPLIES)))
def test_a_reply_of_any_form_ends_in_a_reason_in_our_words(reply: bytes):
    with probe.through(Canned(reply)):
        got, text = probe.printed("f")
    assert isinstance(got, Reason) and SECRET not in got.text and "10000" not in got.text
    assert len(text) <= limits.PRINTED_CHARS


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["value", "reason", "printed", "error", "of", "line", "name", "x"]),
        st.sampled_from([w.value for w in Why]) | st.integers() | st.text() | st.none() | st.lists(st.integers()),
    )
)
def test_a_reply_of_any_content_ends_in_data_or_a_reason(reply: dict):
    with probe.through(Canned(wire.encode(reply))):
        got, text = probe.printed("f")
    assert isinstance(text, str) and (isinstance(got, Reason) or got == reply["value"])


def test_a_reason_of_the_transports_own_is_handed_on():
    with probe.through(Canned(own := Reason(Why.DIED, "ended"))):
        assert probe.call("f") is own and probe.printed("f") == (own, "")


# What stays inside ----------------------------------------------------------------------------------------------------


def test_prints_and_warnings_stay_out_of_the_test(
    student, capfd: pytest.CaptureFixture, recwarn: pytest.WarningsRecorder
):
    student("import sys, warnings\ndef f():\n    print('out')\n    print('err', file=sys.stderr)\n"
            "    warnings.warn('w')\n    np.log(np.zeros(1))\n    return 1\nasync def g(): pass")  # fmt: skip
    assert probe.call("f") == 1
    assert isinstance(probe.call("g"), Reason)  # its coroutine is never awaited
    assert capfd.readouterr() == ("", "") and not recwarn.list


def test_printed_hands_over_what_was_printed_also_before_an_error(student):
    student("def f(n):\n    print('shape', (2, 3))\n    print('é', end='')\n    return n\n"
            "def g():\n    print('before')\n    1 / 0\ndef h():\n    print('while')\n    while True: pass")  # fmt: skip
    assert probe.printed("f", 1) == (1, "shape (2, 3)\né")
    assert probe.printed("g")[1] == "before\n" and probe.printed("h")[1] == "while\n"


def test_time_is_told_of_each_thread_and_no_file_of_it_stays_open():
    remote._times()
    before = len(os.listdir("/proc/self/fd"))
    _, _, waited_ns = remote._times()
    assert len(os.listdir("/proc/self/fd")) == before
    assert str(threading.get_native_id()) in waited_ns and len(waited_ns) >= threading.active_count()
    with open(f"/proc/self/task/{threading.get_native_id()}/schedstat", encoding="ascii") as file:
        assert waited_ns[str(threading.get_native_id())] <= int(file.read().split()[1])


def test_what_was_printed_is_cut_at_its_limit_and_kept_nowhere(student, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "CALL_LIMIT_S", 10.0)
    student("def f():\n    for _ in range(100):\n        print('x' * 10**6, end='')\n    return 1")
    got, text = probe.printed("f")
    assert got == 1 and text == "x" * limits.PRINTED_CHARS
    kept = capture.Shown(5)
    assert kept.write("1234567") == 7 and kept.write("8") == 1 and kept.getvalue() == "12345"


def test_what_an_answer_makes_is_on_the_processor_wherever_the_student_has_new_tensors_made(student):
    there = beside("torch.set_default_device('meta')\ndef f():\n    return torch.ones(2)")
    try:
        with probe.through(there):
            assert probe.call("f").device == "cpu"
        assert torch.get_default_device().type == "meta"
    finally:
        torch.set_default_device(None)


def test_the_default_dtype_is_the_course_s_inside_and_the_student_s_own_outside(student):
    student(
        "def f():\n    return str(torch.get_default_dtype()), torch.is_grad_enabled(), torch.ones(1).numpy()\n"
        "def g():\n    torch.set_default_dtype(torch.half)\n    torch.set_grad_enabled(0 > 1)\n    f(1)"
    )
    torch.set_grad_enabled(False)
    try:
        assert probe.call("f")[:2] == ("torch.float32", True)  # a course that sets none
        probe.call_as(Calls(dtype="float64"))
        dtype, gradients, ones = probe.call("f")
        assert (dtype, gradients, ones.dtype) == ("torch.float64", True, np.float64)
        assert torch.get_default_dtype() == torch.float32 and not torch.is_grad_enabled()
        probe.call("g")
        assert torch.get_default_dtype() == torch.float32 and not torch.is_grad_enabled()
    finally:
        torch.set_grad_enabled(True)


def test_a_course_s_own_limit_of_a_call_holds_and_another_course_s_stays_as_it_was(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "CALL_LIMIT_S", 30.0)
    with probe.through(beside("import time\ndef f():\n    time.sleep(5)\n    return 1"), Calls(limit_s=0.2)):
        assert "0.2 s" in probe.call("f").text
        with probe.through(beside("def f():\n    return str(torch.get_default_dtype())"), Calls(dtype="float64")):
            assert probe.call("f") == "torch.float64" and probe._way.get().calls.limit_s is None
        assert probe._way.get().calls == Calls(limit_s=0.2)


def test_warnings_are_filtered_as_before_after_a_call(student):
    before = list(warnings.filters)
    student("import warnings\ndef f():\n    warnings.simplefilter('error')\n    return 1")
    probe.call("f")
    assert warnings.filters == before


# Functions of the test's ----------------------------------------------------------------------------------------------


@probe.remote
def doubled(x):
    return helper(x) * two  # noqa: F821


@probe.remote
def of_builtins(x):
    return [
        len(x),
        sum(x),
        max(x),
        abs(-1.0),
        isinstance(x, list),
        type(x).__name__,
        str(torch.ones(1).tolist()),
        np.pi,
    ]


@probe.remote
def own_names(x):
    global helper
    helper = 5
    two = x
    return two


@probe.remote
def failing(x):
    raise KeyError


@probe.remote
def with_a_class():
    class Layer(nn.Module):  # noqa: F821
        def forward(self, x):
            return x + 1

    return Layer()(torch.zeros(1))


def once_more(x):
    return x + 1


def twice_more(x):
    return once_more(once_more(x))


@probe.remote(using=(once_more, twice_more))
def more(x):
    return [twice_more(x), of_mine(x)]  # noqa: F821


SPOILT = "len = sum = max = abs = isinstance = type = str = lambda *a: 'spoilt'\ntorch = np = nn = None\n"


def test_a_remote_function_sees_the_student_s_names(student):
    student("two = 2\ndef helper(x): return x + 1")
    assert doubled(3) == 8


def test_a_remote_function_has_builtins_and_libraries_that_the_student_s_names_do_not_hide(student):
    student(SPOILT + "__builtins__ = {'len': len}")
    assert of_builtins([1, 2]) == [2, 3, 2, 1.0, True, "list", "[1.0]", math.pi]
    assert with_a_class().array.tolist() == [1.0]


def test_student_code_keeps_its_own_names_when_a_remote_function_calls_it(student):
    student("len = lambda x: 'mine'\ntwo = 1\ndef helper(x): return len(x)")
    assert doubled([1]) == "mine"


def test_what_a_remote_function_uses_is_sent_with_it_and_takes_no_name_of_the_student_s(student):
    names = student("once_more = 'mine'\ndef of_mine(x): return once_more")
    assert more(3) == [5, "mine"] and names["once_more"] == "mine" and "twice_more" not in names


def test_what_a_remote_function_sets_does_not_reach_the_student_s_names(student):
    names = student("def helper(x): return x\ntwo = 2")
    assert own_names(7) == 7 and names["two"] == 2 and callable(names["helper"]) and "own_names" not in names


def test_a_remote_function_that_fails_over_student_code_is_a_reason(student):
    student("two = 2\ndef helper(x):\n    return x['a']")
    got = doubled(3)
    assert got.why is Why.RAISED and "a TypeError in line 6" in got.text
    student("pass")
    assert doubled(3).why is Why.MISSING and failing(1).why is Why.RAISED


def test_what_cannot_be_sent_is_a_failure_of_ours_and_not_a_reason(student):
    student("def f(x): return x")
    with pytest.raises(wire.WireError):
        probe.call("f", object())


IN_FLOAT64 = Calls(dtype="float64")
MIXED = "def f(a, b):\n    return a.float() @ b, str(torch.get_default_dtype())\nkinds = []\n"
MIXED += "def g(a, b):\n    kinds.append(str(a.dtype))\n    return kinds"


def test_a_call_that_works_in_float32_alone_is_made_in_it_and_the_next_one_in_float64_again():
    a, b = probe.tensor(np.ones((2, 3))), probe.tensor(np.ones(3))
    with probe.through(beside(MIXED), IN_FLOAT64):
        got, default = probe.call("f", a, b)
        assert (got.dtype, default, got.array.tolist()) == ("float32", "torch.float32", [3.0, 3.0])
        assert probe.call("g", a, b) == ["torch.float64"]
    with probe.through(beside(MIXED)):  # a course that sets no dtype
        assert probe.call("f", a, b).why is probe.Why.RAISED


def test_an_answer_that_calls_float64_not_implemented_is_called_in_float32_too():
    a, b = probe.tensor(np.ones((2, 3))), probe.tensor(np.ones(3))
    refuses = "def f(a, b):\n    if a.dtype != torch.float32:\n        raise NotImplementedError\n    return a @ b"
    with probe.through(beside(refuses), IN_FLOAT64):
        assert probe.call("f", a, b).array.tolist() == [3.0, 3.0]


def test_a_trial_that_fails_in_float64_alone_settles_all_further_calls_of_the_test():
    a, b = probe.tensor(np.ones((2, 3))), probe.tensor(np.ones(3))
    ask = probe.remote(_asked)
    with probe.through(beside(MIXED), IN_FLOAT64):
        probe.settled(lambda: probe.call("g", a, b))
        assert ask([a], {"b": b}) == ["torch.float64"] * 3
        probe.settled(lambda: probe.call("nothing", a, b))
        assert ask([a], {"b": b}) == ["torch.float64"] * 3
        probe.settled(lambda: ask([b], {"b": probe.tensor(np.ones(4))}))  # raises in both
        assert ask([a], {"b": b}) == ["torch.float64"] * 3
        probe.settled(lambda: _mixed([a], {"b": b}))
        assert ask([a], {"b": b}) == ["torch.float32"] * 3
        probe.call_as(IN_FLOAT64)  # the next test
        assert ask([a], {"b": b}) == ["torch.float64"] * 3


@probe.remote
def _mixed(first, second):
    return globals()["f"](first[0], second["b"])


def _asked(first, second):
    first[0] @ second["b"]
    return [str(first[0].dtype), str(second["b"].dtype), str(torch.get_default_dtype())]


def test_a_missing_name_that_nobody_knows_is_given_none():
    """Code of a library's may raise NameError by itself, and a reply may say so without a name."""
    assert (
        reasons.worded(Why.RAISED, "f", 1.0, frozenset({"g"}), error="NameError", of="").text == reasons.NAME_NOT_THERE
    )
    assert "`g`" in reasons.worded(Why.RAISED, "f", 1.0, frozenset({"g"}), error="NameError", of="g").text
