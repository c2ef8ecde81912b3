"""A socket that listens for the judge says nothing of where."""

import os
import socket
from pathlib import Path

import pytest

from grading.core import limits
from grading.sandbox import listener


def test_who_knows_the_path_connects_and_who_holds_the_socket_does_not_learn_it(tmp_path: Path):
    before = len(os.listdir("/proc/self/fd"))
    with listener.at(tmp_path / "one") as sock, socket.socket(socket.AF_UNIX) as client:
        client.connect(str(tmp_path / "one"))
        accepted, _ = sock.accept()
        with accepted:
            assert not [each for each in (sock, accepted) if str(tmp_path) in str(each.getsockname())]
            assert str(tmp_path) not in str(client.getsockname())
    assert len(os.listdir("/proc/self/fd")) == before


def test_where_the_system_has_no_proc_it_listens_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(listener, "OPEN_FILES", tmp_path / "none")
    with listener.at(tmp_path / "one"), socket.socket(socket.AF_UNIX) as client:
        client.connect(str(tmp_path / "one"))


def test_a_name_that_is_taken_is_an_error_and_leaves_nothing_open(tmp_path: Path):
    (tmp_path / "one").touch()
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(OSError, match="in use"):
        listener.at(tmp_path / "one")
    assert len(os.listdir("/proc/self/fd")) == before


def test_the_longest_path_that_there_may_be_has_room():
    tail = "/grading-12345678/sockets/" + "0" * 8 + "-4"
    assert limits.SOCKET_PATH_CHARS - 1 + len(tail) < 107
