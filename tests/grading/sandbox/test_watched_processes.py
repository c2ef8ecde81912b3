"""What the watch over a notebook reads of its processes, and that nothing of it stays in the process that watches."""

import ctypes
import mmap
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from kernel_runs import IN_MEMORY

from grading.sandbox import open_files, watch

# Run alone, where nothing else gives memory back and takes it. The name is never written in here as it is.
LOOKS = f"""{IN_MEMORY}
import ctypes, os, sys, time
sys.path.insert(0, sys.argv[1])
import watch

told, tell = os.pipe()
if (child := os.fork()) == 0:
    ctypes.CDLL(None).prctl(15, bytes(c - 1 for c in b'b.wfsz.pee.obnf'))
    os.write(tell, b'1')
    time.sleep(60)
os.read(told, 1)
looks = [watch.session, watch._resident_kb, watch._proportional_kb, lambda pid: watch._unread_kb([pid])]
found = [(look(child) >= 0, in_memory(b'a-very-od[d]-name')) for look in looks]
os.kill(child, 9)
print(found)
"""


def test_a_process_s_name_does_not_stay_in_the_memory_of_the_one_that_watches():
    command = [sys.executable, "-c", LOOKS, str(Path(watch.__file__).parent)]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == str([(True, 0)] * 4)


def test_what_is_read_of_this_process_is_what_linux_tells():
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    assert watch.lines_of("/proc/self/status", "Threads:", "Seccomp:") == sum(
        int(status[name]) for name in ("Threads", "Seccomp")
    )
    assert watch.session(os.getpid()) == os.getsid(0)
    assert watch.lines_of("/proc/0/status", "Threads:") is None and watch.session(0) == 0
    assert watch._resident_kb(os.getpid()) > 1000 < watch._proportional_kb(os.getpid())


def test_what_a_process_had_counts_until_linux_has_it_back():
    """Among busy ones on its processor that takes seconds after its end, in which it shows no memory any more."""
    looks = watch.Watch({"memory_bytes": 0, "files": 0}, int, True, open_files)
    processor, size = min(os.sched_getaffinity(0)), 200 * 2**20
    ended, other = _fork(lambda: _hold(size)), [_fork(lambda: _spin(processor)) for _ in range(25)]
    try:
        while (had_kb := watch._resident_kb(ended)) < size / 1024:
            time.sleep(0.05)
        assert looks._not_yet_free_kb({ended: had_kb}) == 0
        os.sched_setaffinity(ended, {processor})
        os.kill(ended, signal.SIGKILL)
        counted = []
        while (state := watch._stat(f"/proc/{ended}/stat")[0]) != b"Z":
            counted.append(looks._not_yet_free_kb({ended: watch._resident_kb(ended)}))
        assert max(counted) >= had_kb and looks._not_yet_free_kb({ended: 0}) == 0, state
    finally:
        for pid in [ended, *other]:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def test_what_processes_take_while_their_memory_is_read_slowly_counts(monkeypatch):
    """As where Linux has the reader wait for processes that fork, among busy ones on their processor."""
    looks = watch.Watch({"memory_bytes": 0, "files": 0}, int, True, open_files)
    pids = [_fork(lambda: time.sleep(60)) for _ in range(4)]
    monkeypatch.setattr(watch, "others", lambda walled: pids)
    monkeypatch.setattr(watch, "_proportional_kb", lambda pid: time.sleep(watch.USUAL_PAUSE_S) or 1000)
    try:
        before_kb = {pid: watch._resident_kb(pid) for pid in pids}
        assert looks._shared_kb(before_kb, 200 * 2**10) == 4000
        pids.append(_fork(lambda: time.sleep(0.1) or _hold(300 * 2**20)))
        before_kb[pids[-1]] = watch._resident_kb(pids[-1])
        assert looks._shared_kb(before_kb, 200 * 2**10) > 200 * 2**10
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def test_the_owner_of_an_open_file_is_found_in_whatever_namespace_it_is():
    told, tell = os.pipe()

    def keep() -> None:
        with open("/proc/self/maps"):
            os.write(tell, b"1")
            time.sleep(60)

    pid = _fork(keep)
    try:
        os.read(told, 1)
        files = open_files.OpenFiles({"files": 1}, lambda: [(pid, str(pid))], watch.lines_of, watch._stat)
        assert files._files_of_proc() == [0, 1, 0]
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(told)
        os.close(tell)


def test_of_a_fork_that_ends_its_share_alone_counts(monkeypatch):
    looks, shared = watch.Watch({"memory_bytes": 0, "files": 0}, int, True, open_files), bytearray(b"1") * 200 * 2**20
    pids = [_fork(lambda: time.sleep(60)) for _ in range(4)]
    monkeypatch.setattr(watch, "others", lambda walled: pids)
    monkeypatch.setattr(watch, "_is_ending", lambda pid: True)
    try:
        each_kb = {pid: watch._resident_kb(pid) for pid in pids}
        looks._not_yet_free_kb(each_kb)
        looks._shared_kb(each_kb, sum(each_kb.values()))
        for _ in range(watch.ENDING_LOOKS):
            counted_kb = looks._not_yet_free_kb(dict.fromkeys(pids, 0))
        one_kb = max(each_kb.values())  # and this process shares it, too: each has a fifth
        assert len(shared) / 1024 / 2 < counted_kb < 1.2 * one_kb < sum(each_kb.values()) / 2
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _fork(run):
    if (pid := os.fork()) == 0:
        run()
        os._exit(0)
    return pid


def _hold(size):
    taken = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    taken.madvise(15)  # MADV_NOHUGEPAGE: each small page is given back by itself
    ctypes.memset(ctypes.addressof(ctypes.c_char.from_buffer(taken)), 1, size)
    time.sleep(60)


def _spin(processor):
    os.sched_setaffinity(0, {processor})
    end = time.monotonic() + 60
    while time.monotonic() < end:
        pass
