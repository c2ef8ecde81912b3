"""The process that keeps a sandbox's kernels: it has each of them forked, watches over it, and tells the judge its end.

Whoever watches learns what a notebook chose: how much memory its processes have, how many it started, how long they
computed. Such numbers stay in the memory of the process that read them, even in what it gave back, and each later
kernel has a copy of the preloaded process's memory. So within walls the keeper is a process of its own, forked from
that one before anything is loaded. The preloaded process alone can fork kernels, and bury them as their parent: it does
both when it is asked to, and reads nothing of a notebook. Without walls it is the keeper, too.

Linux takes some 50 ms, most of which nobody computes, to take a notebook's namespaces down. The next kernel is forked
meanwhile; its gate opens, and so its notebook begins, when nothing is left of the last one.

Like the zygote this file stands alone; `parts` are the files next to it.
"""

import contextlib
import os
import select
import signal
import socket
import struct
import time
from collections.abc import Callable
from types import ModuleType, SimpleNamespace

GONE = "the preloaded process has ended"
ENDED = struct.Struct("=i4x4q")  # how a process ended, as wait4 writes it: its status, and the first of struct rusage
NUMBERS = (2, 1)  # of a keeper in its sandbox, and of its parent
SLACK_S = 1.0  # so much below its limit on computing time a process that was killed had reached it


def apart(keep: Callable[[socket.socket], None]) -> socket.socket:
    """Has `keep` run in a fork; this process's end of the way to it, which breaks when either ends."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork() == 0:
        try:
            ours.close()
            quiet = os.open(os.devnull, os.O_RDWR)
            for fd in (1, 2):
                os.dup2(quiet, fd)
            keep(theirs)
        finally:
            os._exit(0)
    theirs.close()
    return ours


def signal_all(number: int) -> None:
    """Signals all of a notebook's processes at one moment: all in the sandbox but the preloaded one and this one.

    Of a notebook whose first process alone is killed Linux lets the others go on until that one has given its memory
    back. They can keep it from a processor for a minute, and nobody watches them any more.
    Errors  RuntimeError in any process but a keeper within walls, which would kill whatever the machine runs.
    """
    if (os.getpid(), os.getppid()) != NUMBERS:
        raise RuntimeError("a keeper alone may signal all processes that it sees")
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, number)


def kill_all(processes: ModuleType) -> None:
    """Kills all of a notebook's processes, and takes their memory back if there are several."""
    signal_all(signal.SIGKILL)
    if len(pids := processes.others(walled=True)) > 1:  # the addresses of one alone are limited, and it is faster
        processes.take_memory_back(pids)


class Preloaded:
    """The preloaded process, as a keeper asks it."""

    def __init__(self, way: socket.socket, packets: ModuleType) -> None:
        self._way, self._packets = way, packets

    def fork(self, request: dict, fds: list[int], ours: list[int]) -> int:
        """The number of a new kernel, without the files `ours`. Errors  OSError if there can be none."""
        self._packets.send(self._way, request, *fds)
        told, _ = self._packets.receive(self._way)
        if told is None or "failed" in told:
            raise OSError(told["failed"] if told else GONE)
        return told["forked"]

    def bury(self, pid: int) -> tuple[int, float]:
        """Waits for a kernel's end, as its parent must; its exit code, and what it and its children have computed."""
        self._packets.send(self._way, {"op": "bury", "pid": pid})
        if len(told := self._way.recv(ENDED.size)) < ENDED.size:
            raise BrokenPipeError(GONE)
        status, *spent = ENDED.unpack(told)
        return os.waitstatus_to_exitcode(status), spent[0] + spent[2] + (spent[1] + spent[3]) / 1e6


class Keeper:
    """Answers the judge, and keeps one kernel at a time, and the one before it as long as that is ending."""

    def __init__(self, control: socket.socket, settings: dict, preloaded: Preloaded, parts: SimpleNamespace) -> None:
        self._control, self._settings, self._preloaded, self._parts = control, settings, preloaded, parts
        self._kernel: Kernel | None = None
        self._ending: Kernel | None = None

    def serve(self) -> None:
        """Goes on until the judge is gone or a notebook's files resist."""
        while True:
            kernel, ending = self._kernel, self._ending
            watched = [self._control, *([ending.pidfd] if ending else []), *(kernel.watched() if kernel else [])]
            pause_s = kernel.next_look_s() if kernel is not None and kernel.going else None
            ready, _, _ = select.select(watched, [], [], pause_s)
            # The judge comes last, so that it knows of an end once it is answered.
            if kernel is not None and kernel.is_over(ready) and not self._let_end():
                return
            if ending is not None and ending.pidfd in ready and not self._ended():
                return
            if self._control in ready and not self._answered():
                return

    def failed(self, why: str) -> None:
        """Tells the judge why the kernel ends."""
        if self._kernel is not None:
            self._kernel.tell_failure(why)

    def _answered(self) -> bool:
        """Does what the judge asks for; False when it is gone, or a notebook's files resist."""
        request, fds = self._parts.packets.receive(self._control)
        if request is None:
            return False
        if request["op"] == "ping":
            self._parts.packets.send(self._control, {"pong": request["n"]})
        elif request["op"] == "go" and self._kernel is not None:
            self._kernel.going = True
            return self._ended()  # or the first look would count what the last notebook still has
        elif request["op"] == "start":
            if self._kernel is not None and not self._let_end():
                return False
            self._kernel = Kernel(request, fds, self._settings, self._preloaded, self._parts)
            if self._ending is None:
                self._kernel.open_gate()
        return True

    def _let_end(self) -> bool:
        """Kills the kernel; without walls waits for its end, because the next notebook has the same folder."""
        clean = self._ended()
        self._kernel.kill()
        self._kernel, self._ending = None, self._kernel
        return clean and (self._settings["walled"] or self._ended())

    def _ended(self) -> bool:
        """Waits until the kernel before has ended, and opens the next one's gate; False if anything is left of it."""
        ending, self._ending = self._ending, None
        if ending is None:
            return True
        clean = ending.end()
        if clean and self._kernel is not None:
            self._kernel.open_gate()
        return clean


class Kernel:
    """A forked kernel, as its keeper sees it."""

    def __init__(
        self, request: dict, fds: list[int], settings: dict, preloaded: Preloaded, parts: SimpleNamespace
    ) -> None:
        granted, self._walled = request["watched"], settings["walled"]
        self._settings, self._preloaded, self._parts = settings, preloaded, parts
        self._patience = parts.patience.Patience(self._walled)
        of_notebook = (parts.processes, parts.open_files, parts.mappings, self._patience, signal_all)
        self._watch = parts.watch.Watch(granted, self.count_started, self._walled, *of_notebook)
        self._supervisor = parts.supervisor.Supervisor(granted, parts.processes)
        self.going, self._struck, self._looked = False, None, time.monotonic()
        self._status, self._gate = socket.socket(fileno=fds[0]), socket.socket(fileno=fds[1])
        try:
            self.pid = preloaded.fork(
                request, [*fds[:2], self._supervisor.kernels.fileno(), *fds[2:]], self._supervisor.asked()
            )
        except OSError as error:
            self.tell_failure(str(error))
            raise
        finally:
            self._supervisor.kernels.close()
            for fd in fds[2:]:
                os.close(fd)
        self.pidfd, self._started, self._last_pid = os.pidfd_open(self.pid), 0, parts.processes.last_pid()

    def tell_failure(self, why: str) -> None:
        """Tells the judge what of ours went wrong."""
        with contextlib.suppress(OSError):
            self._parts.packets.send(self._status, {"failed": why})

    def open_gate(self) -> None:
        """Lets its notebook come: nothing of another one is there any more."""
        self._last_pid = self._parts.processes.last_pid()
        with contextlib.suppress(OSError):
            self._parts.packets.send(self._gate, {}, self.pidfd)
        self._gate.close()

    def watched(self) -> list:
        """At which something may become ready that `is_over` has to hear of."""
        return [self._status, self.pidfd, *self._supervisor.asked()]

    def is_over(self, ready: list) -> bool:
        """Whether the kernel has ended, or is to end; answers and looks where that is due."""
        self._supervisor.answer(ready)
        if self.pidfd in ready:
            return True
        if self._status in ready:
            message, _ = self._parts.packets.receive(self._status)
            if message is not None:
                self.send_signal(message["signal"])
            return message is None
        return self.going and self.next_look_s() == 0 and self.look() is not None

    def next_look_s(self) -> float:
        """In how many seconds the next look at its limits is due."""
        return max(0.0, self._looked + self._watch.pause_s - time.monotonic())

    def look(self) -> str | None:
        """The limit that the notebook exceeds, or None."""
        self._struck = self._watch.exceeded()
        self._looked = time.monotonic()
        return self._struck

    def count_started(self) -> int:
        """How many processes and threads have been started since its gate was opened."""
        before, self._last_pid = self._last_pid, self._parts.processes.last_pid()
        self._started += self._last_pid - before if self._last_pid >= before else self._last_pid
        return self._started

    def send_signal(self, number: int) -> None:
        """Signals the kernel and what it started in its own process group, as Jupyter does."""
        with contextlib.suppress(ProcessLookupError):
            try:
                os.killpg(self.pid, number)
            except ProcessLookupError:  # it has not come to its setsid yet
                os.kill(self.pid, number)

    def kill(self) -> None:
        """Begins its end: of the first process of its namespaces, and of all others there."""
        if self._walled:
            signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)
            kill_all(self._parts.processes)

    def end(self) -> bool:
        """Waits for its end, and tells the judge how it ended; whether nothing of it is left."""
        if self._walled:
            select.select([self.pidfd], [], [])  # until the whole namespace is empty
            computing = self._parts.computing_time
            limit_s, counted_s = computing.cpu_limit_s(self.pid), computing.counted_s(self.pid)
            code, cpu_s = self._preloaded.bury(self.pid)
            if self._struck is None and code == -signal.SIGKILL and counted_s > limit_s - SLACK_S:
                self._struck = "computing time"
            clean = True
        else:
            code, cpu_s = self._parts.processes.sweep().get(self.pid, (-signal.SIGKILL, 0.0))
            clean = self._preloaded.wipe()
        os.close(self.pidfd)
        self._patience.end()
        self._supervisor.close()
        self._gate.close()
        with contextlib.suppress(OSError):
            self._parts.packets.send(self._status, {"exit": code, "struck": self._struck, "cpu_s": cpu_s})
        self._status.close()
        return clean
