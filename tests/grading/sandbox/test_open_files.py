"""Open files of /proc, for which Linux may keep memory that counts for no process."""

import os
import signal
import time

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
