"""The process that keeps kernels: it answers the judge, has each kernel forked, watches over it and sees it end.

Whoever watches learns what a notebook chose: how much memory its processes have, how many it started, how long they
computed. Such numbers stay in the memory of the process that read them, even in what it gave back. Of the preloaded
process's memory each kernel gets a copy, so within walls that one reads nothing of a notebook: this process does, which
it was forked from before anything was loaded. Like the zygote this file stands alone; `parts` are the modules that it
needs, by their names.
"""

import contextlib
import os
import select
import signal
import socket
import struct
import sys
import time
from types import SimpleNamespace
from typing import Protocol

SLACK_S = 1.0  # so much below its limit on computing time a process that was killed had reached it
ENDED_BYTES, USAGE = 160, 16  # of what `Forker.bury` is sent: a status of wait4, and from there on its struct rusage


class Forks(Protocol):
    """Who forks kernels, and has them end."""

    def fork(self, request: dict, fds: list[int], ours: list[int]) -> tuple[int, int]:
        """A kernel's number and pidfd; its files are status, gate, supervisor and four to serve, none of them `ours`.

        All stay the caller's to close.
        """

    def bury(self, pid: int) -> tuple[int, float, bool]:
        """Exit code and processor time of a kernel that has ended, and whether nothing of it is left."""


class Forker:
    """Forks kernels in the process at the other end of a socket, which knows no more of them than their numbers."""

    def __init__(self, link: socket.socket, packets: object) -> None:
        self._link, self._packets, self.fileno = link, packets, link.fileno

    def fork(self, request: dict, fds: list[int], ours: list[int]) -> tuple[int, int]:
        """Asks for a fork, which has none of this process's files.

        Errors  ConnectionError if that process is gone, as it is where no kernel can be forked.
        """
        self._packets.send(self._link, request, *fds)
        answer, pidfds = self._packets.receive(self._link)
        if answer is None:
            raise ConnectionError("the preloaded process has ended")
        return answer["pid"], pidfds[0]

    def bury(self, pid: int) -> tuple[int, float, bool]:
        """What Linux tells, which that process hands on unread."""
        self._packets.send(self._link, {"bury": pid})
        told = self._link.recv(ENDED_BYTES)
        if len(told) < ENDED_BYTES:
            raise ConnectionError("the preloaded process has ended")
        seconds, micros, of_system, micros_of_system = struct.unpack_from("4q", told, USAGE)
        cpu_s = seconds + of_system + (micros + micros_of_system) / 1e6
        return os.waitstatus_to_exitcode(int.from_bytes(told[:4], sys.byteorder)), cpu_s, True


def serve(control: socket.socket, walled: bool, forks: Forks, parts: SimpleNamespace) -> None:
    """Answers requests and keeps watch over the kernel, until the judge is gone or a notebook's files resist."""
    kernel = None
    while True:
        watched = [control, *([forks] if walled else [])]
        watched += [kernel.status, kernel.pidfd, *kernel.supervisor.asked()] if kernel else []
        ready, _, _ = select.select(watched, [], [], kernel.next_look_s() if kernel and kernel.going else None)
        if kernel is not None:  # first, so that whoever is answered knows of its end
            kernel.supervisor.answer(ready)
            over = kernel.pidfd in ready
            if not over and kernel.status in ready:
                message, _ = parts.packets.receive(kernel.status)
                over = message is None
                if message is not None:
                    kernel.send_signal(message["signal"])
            elif not over and kernel.next_look_s() == 0:
                over = kernel.look() is not None
            if over:
                clean, kernel = kernel.end(), None
                if not clean:
                    return
        if forks in ready:  # it is gone
            return
        if control in ready:
            request, fds = parts.packets.receive(control)
            if request is None:
                return
            match request["op"]:
                case "ping":
                    parts.packets.send(control, {"pong": request["n"]})
                case "start":
                    if kernel is not None and not kernel.end():
                        return
                    kernel = Kernel(request, fds, walled, forks, parts)
                case "go" if kernel is not None:
                    kernel.going = True


class Kernel:
    """A forked kernel, as who keeps it sees it."""

    def __init__(self, request: dict, fds: list[int], walled: bool, forks: Forks, parts: SimpleNamespace) -> None:
        granted, self._walled, self._forks, self._parts = request["watched"], walled, forks, parts
        self.watch = parts.watch.Watch(
            granted, self.count_started, walled, parts.processes, parts.open_files, parts.mappings
        )
        self.supervisor = parts.supervisor.Supervisor(granted, parts.processes)
        self.struck, self.going, self._looked = None, False, time.monotonic()
        status, gate, *listening = fds
        given = [status, gate, self.supervisor.kernels.fileno(), *listening]
        self.pid, self.pidfd = forks.fork(request, given, self.supervisor.asked())
        self.status, self.started, self._last_pid = socket.socket(fileno=status), 0, parts.processes.last_pid()
        self.supervisor.kernels.close()
        for fd in (gate, *listening):
            os.close(fd)

    def next_look_s(self) -> float:
        """In how many seconds the next look at its limits is due."""
        return max(0.0, self._looked + self.watch.pause_s - time.monotonic())

    def look(self) -> str | None:
        """The limit that the notebook exceeds, or None."""
        self.struck = self.watch.exceeded()
        self._looked = time.monotonic()
        return self.struck

    def count_started(self) -> int:
        """How many processes and threads have been started since the kernel was."""
        before, self._last_pid = self._last_pid, self._parts.processes.last_pid()
        self.started += self._last_pid - before if self._last_pid >= before else self._last_pid
        return self.started

    def send_signal(self, number: int) -> None:
        """Signals the kernel and what it started in its own process group, as Jupyter does."""
        with contextlib.suppress(ProcessLookupError):
            try:
                os.killpg(self.pid, number)
            except ProcessLookupError:  # it has not come to its setsid yet
                os.kill(self.pid, number)

    def end(self) -> bool:
        """Ends the kernel and all that it started, and tells the judge how it ended; whether nothing of it is left.

        Errors  ConnectionError if who forked it is gone.
        """
        counted_s = limit_s = 0.0
        if self._walled:
            limit_s = self._parts.computing_time.cpu_limit_s(self.pid)
            signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)
            select.select([self.pidfd], [], [])  # which returns when the whole namespace is empty
            counted_s = self._parts.computing_time.counted_s(self.pid)
        code, cpu_s, clean = self._forks.bury(self.pid)
        if self._walled and self.struck is None and code == -signal.SIGKILL and counted_s > limit_s - SLACK_S:
            self.struck = "computing time"
        os.close(self.pidfd)
        self.supervisor.close()
        with contextlib.suppress(OSError):
            self._parts.packets.send(self.status, {"exit": code, "struck": self.struck, "cpu_s": cpu_s})
        self.status.close()
        return clean
