"""A read that Linux has wait keeps no look waiting; one that computes, or waits for a processor, is waited for."""

import threading
import time

import busy
import pytest

from grading.sandbox import patience


@pytest.fixture
def reads():
    """A patience whose reads all end."""
    made = patience.Patience(walled=True)
    yield made
    made.end()


def test_what_is_read_is_given_and_what_it_raises_is_raised(reads):
    assert reads.read(7, lambda: 3, lambda: 4) == 3
    with pytest.raises(PermissionError):
        reads.read(7, _refuse, int)
    assert patience.Patience(walled=False).read(7, threading.get_native_id, int) == threading.get_native_id()


def test_a_read_that_waits_within_linux_is_left_alone_until_it_is_done(reads, monkeypatch):
    done, begun = threading.Event(), []

    def reading() -> int:
        begun.append(1)
        done.wait()
        return 3

    monkeypatch.setattr(patience, "_state", lambda thread: patience.ASLEEP)
    began = time.monotonic()
    assert [reads.read(7, reading, lambda: 4) for _ in range(50)] == [4] * 50
    assert reads.read(8, lambda: 5, int) == 5
    assert time.monotonic() - began < busy.patience(30) and begun == [1]
    done.set()
    while reads.read(7, reading, lambda: 4) != 3:
        time.sleep(0.01)


def test_one_may_wait_a_moment_for_the_reads_that_wait(reads, monkeypatch):
    done = threading.Event()
    monkeypatch.setattr(patience, "_state", lambda thread: patience.ASLEEP)
    began = time.monotonic()
    reads.wait()  # for none
    assert reads.read(7, lambda: done.wait() and 3, lambda: 4) == 4 and time.monotonic() - began < busy.patience(10)
    began = time.monotonic()
    reads.wait()
    assert time.monotonic() - began >= patience.WAIT_S and reads.read(7, done.wait, lambda: 4) == 4
    monkeypatch.setattr(patience, "WAIT_S", 600)
    threading.Timer(0.1, done.set).start()
    reads.wait()
    assert reads.read(7, lambda: 5, lambda: 4) == 5


def test_a_read_that_computes_is_waited_for(reads, monkeypatch):
    monkeypatch.setattr(patience, "WAIT_S", 0.01)
    assert reads.read(7, lambda: time.sleep(0.2) or 3, lambda: 4) == 3


def test_no_more_reads_wait_at_once_than_there_are_threads_for(reads, monkeypatch):
    done = threading.Event()
    monkeypatch.setattr(patience, "WAIT_S", 0.01)
    monkeypatch.setattr(patience, "_state", lambda thread: patience.ASLEEP)
    assert [reads.read(pid, done.wait, lambda: 4) for pid in range(patience.MOST)] == [4] * patience.MOST
    assert reads.read(patience.MOST, lambda: 3, lambda: 4) == 4
    done.set()


def test_where_no_thread_can_be_started_nobody_waits_for_one(reads, monkeypatch):
    monkeypatch.setattr(threading.Thread, "start", _refuse_a_thread)
    assert reads.read(7, lambda: 3, lambda: 4) == 4


def _refuse_a_thread(thread: threading.Thread) -> None:
    raise RuntimeError


def _refuse() -> None:
    raise PermissionError
