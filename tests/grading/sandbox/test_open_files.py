"""Open files of /proc, for which Linux may keep memory that counts for no process."""

import os
import signal
import time
from collections.abc import Callable

from grading.sandbox import open_files, processes
from grading.sandbox.patience import Patience


def test_the_owner_of_an_open_file_is_found_in_whatever_namespace_it_is(monkeypatch):
    told, tell = os.pipe()
    if (pid := os.fork()) == 0:
        with open("/proc/self/maps"):
            os.write(tell, b"1")
            time.sleep(60)
        os._exit(0)
    try:
        os.read(told, 1)
        monkeypatch.setattr(processes, "threads", lambda: [(pid, str(pid))])
        files = open_files.OpenFiles({"files": 1}, processes, Patience(walled=False))
        assert files._files_of_proc() == [0, 1, 0]
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(told)
        os.close(tell)


def test_files_are_compared_and_their_owners_looked_at_all_at_once(monkeypatch):
    """One by one 12,600 took a minute on a busy machine, and for half of it nobody looked at a notebook's memory."""
    told, tell = os.pipe()
    pids = [_fork(lambda: (_open(50), _say(tell, _fork(lambda: (_open(50), _say(tell, 0))))))]
    try:
        pids.append(sum(int.from_bytes(os.read(told, 4), "little") for _ in pids * 2))  # the inner one says 0
        monkeypatch.setattr(processes, "threads", lambda: [(pid, str(pid)) for pid in pids])
        patience = _Counted(walled=False)
        files = open_files.OpenFiles({"files": 1}, processes, patience)
        assert files._files_of_proc() == [0, 100, 0] and patience.reads <= 5
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pids[0], 0)
        os.close(told)
        os.close(tell)


class _Counted(Patience):
    """Counts what it reads."""

    reads = 0

    def read(self, *asked: object) -> object:
        self.reads += 1
        return super().read(*asked)


def _fork(run: Callable[[], object]) -> int:
    """A process that runs this and then sleeps."""
    if (pid := os.fork()) == 0:
        try:
            run()
            time.sleep(60)
        finally:
            os._exit(0)
    return pid


def _open(count: int) -> None:
    for _ in range(count):
        os.open("/proc/self/stat", os.O_RDONLY)


def _say(tell: int, pid: int) -> None:
    os.write(tell, pid.to_bytes(4, "little"))
