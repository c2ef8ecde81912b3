"""What is read of a notebook's processes in /proc, and that nothing of it stays in the process that reads."""

import ctypes
import errno
import mmap
import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import busy
import pytest
from kernel_runs import IN_MEMORY

from grading.sandbox import processes

SNDBUF = (socket.SOL_SOCKET, socket.SO_SNDBUF)
# Run alone, where nothing else gives memory back and takes it. Neither the name nor the limit is written in here as it
# is, which is among what a process's `stat` tells.
LOOKS = f"""{IN_MEMORY}
import ctypes, os, resource, sys, time
sys.path.insert(0, sys.argv[1])
import processes

told, tell = os.pipe()
if (child := os.fork()) == 0:
    ctypes.CDLL(None).prctl(15, bytes(c - 1 for c in b'b.wfsz.pee.obnf'))
    resource.setrlimit(resource.RLIMIT_RSS, (7123400320 + 1, 7123400320 + 9))
    os.write(tell, b'1')
    time.sleep(60)
    os._exit(0)
os.read(told, 1)
each = [processes.session, processes.resident_kb, processes.proportional_kb, lambda pid: processes.unread_kb([pid]),
        lambda pid: processes.descendants().index(pid)]
found = [(look(child) >= 0, in_memory(b'a-very-od[d]-name|71234003[2][1-9]')) for look in each]
os.kill(child, 9)
print(found)
"""


def test_neither_a_process_s_name_nor_its_limits_stay_in_the_memory_of_the_one_that_watches():
    command = [sys.executable, "-c", LOOKS, str(Path(processes.__file__).parent)]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == str([(True, 0)] * 5)


def test_what_is_read_of_this_process_is_what_linux_tells():
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    assert processes.lines_of("/proc/self/status", "Pid:", "Seccomp:") == int(status["Pid"]) + int(status["Seccomp"])
    assert processes.session(os.getpid()) == os.getsid(0)
    assert processes.lines_of("/proc/0/status", "Threads:") is None and processes.session(2**22 + 1) == 0
    assert processes.resident_kb(os.getpid()) > 1000 < processes.proportional_kb(os.getpid())


@pytest.mark.parametrize("room_bytes", [212_992, 10 * 2**20])
def test_what_may_wait_in_sockets_follows_from_the_room_that_this_machine_gives_them(room_bytes, monkeypatch):
    monkeypatch.setattr(socket.socket, "getsockopt", lambda _, *asked: {SNDBUF: room_bytes}[asked])
    monkeypatch.setattr(processes, "lines_of", lambda *_, **__: processes.USUAL_SOCKETS + 3)
    assert processes.unread_kb([os.getpid()]) == 3 * 2 * room_bytes // 1024


def test_a_read_that_heeds_no_signal_ends_once_memory_is_taken_back():
    """Of a file in memory such as a notebook's own are. Whether it was caught half-way, each try may tell."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(processes.PROCESS_MRELEASE, -1, 0) != 0 and ctypes.get_errno() == errno.ENOSYS:
        pytest.skip("this Linux takes no memory back")
    size = 2**30
    with tempfile.TemporaryFile(dir="/dev/shm") as file:
        file.truncate(size)
        busy.wait_for(lambda: _read_and_killed(file.fileno(), size) < size // 2)


def test_of_whoever_has_gone_no_memory_is_taken_back_whatever_linux_calls_that(monkeypatch: pytest.MonkeyPatch):
    """The first two have gone; the number of the second one is still that of its group."""
    refused = {2**22 - 2: ProcessLookupError(), 2**22 - 1: OSError(errno.EINVAL, "as Linux before 6.15 says it")}
    opened, taken = os.pidfd_open, []

    def pidfd_open(pid):
        if pid in refused:
            raise refused[pid]
        return opened(pid)

    monkeypatch.setattr(processes.os, "pidfd_open", pidfd_open)
    monkeypatch.setattr(processes, "libc", SimpleNamespace(syscall=lambda *asked: taken.append(asked[0])))
    processes.take_memory_back([*refused, os.getpid()])
    assert taken == [processes.PROCESS_MRELEASE]


def _read_and_killed(file, size):
    """The bytes that a process of its own was given, that read a file and was killed meanwhile."""
    before_kb = processes.status_kb(os.getpid(), "RssAnon:")
    if (child := os.fork()) == 0:
        taken = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        taken.madvise(mmap.MADV_NOHUGEPAGE)
        os.preadv(file, [taken], 0)
        os._exit(0)
    while not os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        if processes.status_kb(child, "RssAnon:") > before_kb + size / 1024 / 8:
            os.kill(child, signal.SIGKILL)
            processes.take_memory_back([child])
            break
    _, _, used = os.wait4(child, 0)
    return used.ru_minflt * mmap.PAGESIZE  # its memory itself counts with what this process had
