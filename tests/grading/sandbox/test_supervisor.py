"""What waits for an answer: a session too many does not begin, and what epoll waits for is bounded; nobody is ended."""

import os
import platform
from dataclasses import replace
from pathlib import Path

import pytest
from kernel_runs import IN_MEMORY, Run, opened, rewritten

from grading.core import limits
from grading.core.limits import EndedBy
from grading.sandbox import processes, sandbox_limits, supervisor

NUMBER = supervisor.CALLS[platform.machine()][1]  # of setsid
BEGIN = """
import ctypes, os, time

def begin(how=os.setsid, seconds=30):
    told, tell = os.pipe()
    if os.fork() == 0:
        try:
            how()
            os.write(tell, b'1')
        except OSError as error:
            os.write(tell, b'0')
        time.sleep(seconds)
        os._exit(0)
    os.close(tell)
    return os.read(told, 1) == b'1'
"""


@pytest.fixture(scope="module")
def pool():
    with opened(bare=True) as pool:
        yield pool


def test_a_session_too_many_does_not_begin_however_short_they_are(pool):
    run = Run(
        pool,
        BEGIN,
        "print(sum([begin(seconds=0.1) for _ in range(12)]))\n[os.wait() for _ in range(12)]",
        "print(sum([begin() for _ in range(12)]))\ntime.sleep(2)",
        "print('still here')",
    )
    begun = str(limits.SESSIONS - 1)  # the kernel is in one
    assert run.printed.splitlines() == [begun, begun, "still here"] and not run.died and run.errors == []


def test_of_many_that_ask_at_the_same_moment_no_more_begin(pool):
    race = """
go, start = os.pipe()
told, tell = os.pipe()
for _ in range(40):
    if os.fork() == 0:
        os.close(start)
        os.read(go, 1)
        try:
            os.setsid()
            os.write(tell, b'1')
        except PermissionError:
            os.write(tell, b'0')
        time.sleep(30)
        os._exit(0)
os.close(start)
answers = b''
while len(answers) < 40:
    answers += os.read(told, 40)
print(answers.count(b'1'))
"""
    run = Run(pool, f"{BEGIN}\n{race}", "print('still here')")
    assert run.printed.splitlines() == [str(limits.SESSIONS - 1), "still here"] and not run.died


def test_a_session_ends_with_its_last_process_and_makes_room(pool):
    code = "for _ in range(10):\n    assert begin(seconds=0)\n    os.wait()\nprint('ten')"
    run = Run(pool, BEGIN, code, "!echo in a terminal of its own")
    assert run.errors == [] and run.printed.splitlines() == ["ten", "in a terminal of its own"]


def test_a_leader_s_own_call_fails_as_it_does_anywhere(pool):
    run = Run(pool, f"{BEGIN}\nprint(begin(lambda: (os.setpgid(0, 0), os.setsid())), begin())")
    assert run.printed == "False True" and run.errors == []


def test_who_asks_without_end_is_refused_without_being_heard():
    ask = """
import errno
errors = []
for _ in range(400):
    try:
        os.setsid()
    except OSError as error:
        errors.append(errno.errorcode[error.errno])
print({name: errors.count(name) for name in sorted({*errors})})
"""
    with opened(bare=True, granted=replace(sandbox_limits.Limits(), started=300)) as pool:
        run = Run(pool, f"{BEGIN}\n{ask}", "print('still here')")
    assert run.printed.splitlines() == ["{'ENOSYS': 100, 'EPERM': 300}", "still here"] and not run.died


def test_who_hears_a_signal_before_it_is_answered_may_ask_again():
    asked, ask = os.pipe()
    held = heard_by(asked, additions=9)
    held.answer([asked])  # something was there when it was last looked at, and is not any more
    assert held.asked() == [asked]
    os.close(ask)
    held.answer([asked])
    assert held.asked() == []


def test_who_takes_calls_back_without_end_is_not_heard_for_ever():
    asked, ask = os.pipe()
    held = heard_by(asked, additions=9)
    for _ in range(8):
        held.answer([asked])
    assert held.asked() == [asked]
    held.answer([asked])
    assert held.asked() == []
    os.close(ask)


def heard_by(asked: int, **granted: int) -> supervisor.Supervisor:
    """A supervisor whose listener is a pipe, which looks like one of whom nothing waits."""
    usual = {name: getattr(sandbox_limits.Limits(), name) for name in ("sessions", "started", "gpu_shared_mb")}
    held = supervisor.Supervisor({**usual, **granted}, processes)
    held.close()
    held._listener = asked
    return held


def test_no_notebook_uses_up_what_linux_grants_its_user_of_files_that_are_waited_for(pool):
    """One file under many numbers, each added for itself: 160 open files would have been a million of these."""
    fill = """
import itertools, os, select
held = []

def fill(files=6, numbers=range(115, 160)):
    opened, held[:] = [os.eventfd(0) for _ in range(files)], [select.epoll() for _ in range(files)]
    try:
        for done, (file, number, waiting) in enumerate(itertools.product(opened, numbers, held)):
            os.dup2(file, number)
            waiting.register(number)
    except OSError:
        return done
    return done + 1

told, tell = os.pipe()
if os.fork() == 0:
    os.write(tell, str(fill()).encode())
    os._exit(0)
first = int(os.read(told, 100))
print(first, fill(), sep='\\n')
"""
    run = Run(pool, fill, "print('still here')")
    first, second, still = run.printed.splitlines()
    assert limits.ADDITIONS - 100 < int(first) < limits.ADDITIONS  # some are the kernel's own
    assert (second, still) == ("0", "still here") and not run.died


def test_what_was_passed_with_the_call_is_not_in_the_memory_of_the_next_kernel(pool):
    words = [int.from_bytes(b"q1z7" + bytes([n]) * 4, "little") for n in range(6)]
    ask = f"ctypes.CDLL(None).syscall({NUMBER}, *map(ctypes.c_uint64, {words}))"
    look = rf"{IN_MEMORY}print(in_memory(rb'q1z[7]([\x00-\x05])\1\1\1'))"
    first = Run(pool, BEGIN, f"begin(lambda: {ask})\nkept = b''.join([n.to_bytes(8, 'little') for n in {words}])", look)
    assert int(first.printed) > 0
    assert Run(pool, look).printed == "0"


def test_where_linux_is_older_the_watch_ends_a_notebook_with_more(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    rewritten(monkeypatch, tmp_path, "supervisor.py", "ANSWERED_SINCE = (5, 5)", "ANSWERED_SINCE = (99, 0)")
    with opened(bare=True, granted=replace(sandbox_limits.Limits(), notebook_s=60.0)) as pool:
        run = Run(pool, BEGIN, "print([begin() for _ in range(5)])\ntime.sleep(60)", "print('after')")
    assert run.died and run.struck is EndedBy.SESSIONS and "after" not in run.printed


@pytest.mark.parametrize("walled", [True, False], ids=["walled", "plain"])
def test_no_socket_is_left_in_a_kernel_on_which_it_could_answer_itself(walled: bool):
    code = """
import os, socket
kinds = []
for number in map(int, os.listdir('/proc/self/fd')):
    try:
        with socket.socket(fileno=os.dup(number)) as found:
            kinds.append(found.type.name)
    except OSError:
        pass
print(*sorted(kinds))
"""
    with opened(bare=True, walled=walled) as pool:
        # Its two channels, and what asyncio wakes itself by.
        assert Run(pool, code).printed.split() == ["SOCK_SEQPACKET"] * 2 + ["SOCK_STREAM"] * 2
