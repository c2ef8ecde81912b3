"""Waiting for files, whatever their numbers."""

import os
import resource
import socket
import time
from collections.abc import Iterator

import pytest
from kernel_runs import Run, opened

from grading.sandbox.readable import is_readable


@pytest.fixture
def many_files() -> Iterator[None]:
    """A process in which every file that is opened gets a number above those that `select.select` takes."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], min(before[1], 2048)), before[1]))
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(1024)]
    yield
    for file in held:
        os.close(file)
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_a_file_of_any_number_is_waited_for_until_it_can_be_read_or_its_other_end_is_gone(many_files: None):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert ours.fileno() > 1023
        began = time.monotonic()
        assert not is_readable(ours, 0.05) and time.monotonic() - began >= 0.05
        theirs.send(b".")
        assert is_readable(ours, 0) and is_readable(ours.fileno())
        ours.recv(1)
        assert not is_readable(ours, 0)
        theirs.close()
        assert is_readable(ours)


def test_a_judge_with_more_files_open_than_select_takes_runs_a_notebook(many_files: None):
    with opened(gpu=False) as pool:
        assert Run(pool, "print(6 * 7)").printed == "42"
