"""A process held by a pidfd: its parent can end it, and a fork of its parent too, where Python takes it for gone."""

import contextlib
import os
import signal
import subprocess
import threading

from grading.sandbox.readable import is_readable


class Process:
    """A process that was started, as far as the judge needs it."""

    def __init__(self, argv: list[str], **settings: object) -> None:
        """Takes what subprocess.Popen takes, and fails as it does."""
        self._popen = subprocess.Popen(argv, **settings)
        self.pid, self.stderr = self._popen.pid, self._popen.stderr
        self._pidfd, self._open, self._lock = os.pidfd_open(self.pid), True, threading.Lock()

    def kill(self) -> None:
        """Kills it, from whatever thread, if it is still there."""
        with self._lock, contextlib.suppress(ProcessLookupError):
            if self._open:  # else its descriptor's number may be another one's
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def wait(self, limit_s: float | None = None) -> None:
        """Waits until it has ended, or for as long as the limit says."""
        if is_readable(self._pidfd, limit_s):
            self._popen.wait()  # which in a fork has nothing to wait for

    def close(self) -> None:
        """Closes what this process holds of it."""
        self.stderr.close()
        with self._lock:
            self._open = False
            os.close(self._pidfd)
