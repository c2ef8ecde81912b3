"""The judge's end of a forked kernel: whether it runs, how it ended, what it took, and its end."""

import contextlib
import os
import secrets
import signal
import socket
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from grading.core import limits
from grading.core.limits import EndedBy
from grading.sandbox import packets
from grading.sandbox.allowance import Allowance
from grading.sandbox.clock import Deadline
from grading.sandbox.readable import is_readable

if TYPE_CHECKING:
    from grading.sandbox.host import Sandbox

STOP_LIMIT_S = 5.0  # of own time, for ending a notebook's processes and removing its files
CHANNELS = 2  # sockets of a kernel: shell, iopub
# What may lie in a gate, as setsockopt takes it: eleven files, or the longest path of a submission's. All that are on
# the way to somebody count by user, and Linux sends none beyond the number that one process may have open.
GATE_BYTES = 4096


class Kernel:
    """The judge's end of a forked kernel: whether it runs, how it ended, and its end."""

    def __init__(
        self,
        box: "Sandbox",
        status: socket.socket,
        gate: socket.socket,
        channels: list[socket.socket],
        argv: list[str],
        env: dict,
    ) -> None:
        self.box, self.argv, self.env, self._status, self._gate, self._channels = box, argv, env, status, gate, channels
        self.returncode: int | None = None
        self.struck: EndedBy | None = None
        self.failure, self.cpu_s = "", 0.0
        self._started = self._began = None  # by the wall clock, and in own time
        self._stopped = False  # whether it was asked to end
        self._allowance: Allowance | None = None
        status.settimeout(limits.SILENCE_LIMIT_S)
        gate.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, GATE_BYTES)

    def waits_for(self, argv: list[str], env: dict[str, str]) -> bool:
        """Whether it is alive, and was forked as a notebook with these settings needs it."""
        self._read(0)
        return self.returncode is None and (self.argv, self.env) == (argv, env)

    def close(self) -> None:
        """Closes the judge's end, and takes its time off the allowance, once."""
        self._take_off()
        for sock in (self._status, self._gate, *self.channels()):
            sock.close()

    def channels(self) -> list[socket.socket]:
        """The judge's ends of its shell and iopub, once: whoever has them closes them."""
        channels, self._channels = self._channels, []
        return channels

    def begin(
        self, files: Iterable[tuple[str, int]], seed: int | None, allowance: Allowance | None, package: bool = False
    ) -> None:
        """Its notebook begins, and once it has these files, with open descriptors, in its folder, the judge's clock.

        With `package` the course's package is in its folder, too, as the sandbox has it.

        Until then it has run nothing of the student's, and a busy machine may be slow to start it.
        """
        # By the wall clock: no code of a student's runs yet that could take this long.
        self._gate.settimeout(limits.BUSY_FACTOR * limits.SILENCE_LIMIT_S)
        try:
            with self._gate:
                _, processes = packets.receive(self._gate)
                for pidfd in processes:
                    self.box.group.enter(pidfd)
                if package:
                    packets.send(self._gate, {"package": True})
                for path, fd in files:
                    try:
                        packets.send(self._gate, {"path": path}, fd)
                    finally:
                        os.close(fd)
                packets.send(self._gate, {"seed": secrets.randbits(64) if seed is None else seed})
        except TimeoutError:
            self._give_up(EndedBy.BUSY)
        except ConnectionError:  # it has ended, which its status says
            self._read(STOP_LIMIT_S)
        self._started, self._began = time.monotonic(), self.box.clock.now()
        self._allowance, own_limit_s = allowance, self.box.limits.notebook_s
        self._limit_s = own_limit_s if allowance is None else min(own_limit_s, allowance.left_s)

    def poll(self) -> int | None:
        """None while it runs, else its exit code; past a limit that the judge holds, the sandbox is killed here.

        For one that was asked to end it is the one that it will have.
        """
        self._read(0)
        if self.returncode is None and self._stopped:
            return -signal.SIGKILL
        if self.returncode is None and self._started is not None and (struck := self._out_of_time()):
            self._give_up(struck)
        elif self.returncode is None:
            try:
                if self.box.silent():
                    self._give_up(EndedBy.SILENCE)
            except ConnectionError:  # it is gone, and all that was inside is ending; its last word may be there
                self._read(0)
                if self.returncode is None:
                    self._give_up(self._killed())
        return self.returncode

    def signal(self, number: int) -> None:
        """Signals the kernel's process group."""
        try:
            packets.send(self._status, {"signal": int(number)})
        except OSError:
            self._read(0)

    def let_end(self) -> None:
        """Asks for the end of the kernel and of everything it started. This waits for nothing: `stop` does.

        Its time is over now. Linux takes some 50 ms, most of which nobody computes, to take its namespaces down.
        """
        if self.returncode is None and not self._stopped:
            self._stopped = True
            self._take_off()
            with contextlib.suppress(OSError):
                self._status.shutdown(socket.SHUT_WR)

    def stop(self) -> int:
        """Ends the kernel and everything it started, whatever that does, and gives its exit code."""
        self.let_end()
        end = Deadline(self.box.clock, STOP_LIMIT_S)
        with contextlib.suppress(OSError):
            while self.returncode is None and (pause := end.pause()) > 0:
                self._read(pause)
        if self.returncode is None:
            self._give_up(None)
        return self.returncode

    def _take_off(self) -> None:
        """Takes its time off the allowance, once."""
        allowance, self._allowance = self._allowance, None
        if allowance is not None:
            allowance.spent_s += min(self.box.clock.now() - self._began, self._limit_s)

    def _out_of_time(self) -> EndedBy | None:
        if self.box.clock.now() - self._began > self._limit_s:
            return EndedBy.TIME if self._limit_s == self.box.limits.notebook_s else EndedBy.STUDENT
        return EndedBy.BUSY if time.monotonic() - self._started > limits.BUSY_FACTOR * self._limit_s else None

    def _give_up(self, struck: EndedBy | None) -> None:
        self.struck, self.returncode = struck, -signal.SIGKILL
        self.close()
        self.box.close()

    def _read(self, limit_s: float) -> None:
        """Reads what the sandbox says about the kernel, waiting no longer than this."""
        end = time.monotonic() + limit_s
        while self.returncode is None and is_readable(self._status, max(0, end - time.monotonic())):
            message, _ = packets.receive(self._status)
            if message is None:  # the zygote is gone, and with it all that was inside
                self._give_up(self._killed())
            elif "failed" in message:
                self.failure = message["failed"]
            else:
                self.returncode, self.cpu_s = message["exit"], message["cpu_s"]
                self.struck = self._struck(message["struck"])
                self.close()

    def _struck(self, said: str | None) -> EndedBy | None:
        """The limit that ended it, from what the keeper tells, its group and its exit code."""
        out_of_memory, killed = self.box.group.leave(), self.returncode == -signal.SIGKILL
        if self.returncode == -signal.SIGXCPU or (killed and self.cpu_s > self.box.limits.cpu_s):
            return EndedBy.COMPUTING
        if said:
            return EndedBy(said)
        if killed:  # of the older kind of groups Linux may have ended another process of the notebook
            return EndedBy.MEMORY if out_of_memory else self._killed()
        return None

    def _killed(self) -> EndedBy | None:
        """KILLED unless it was asked to end."""
        return EndedBy.KILLED if self.box.killed_by_others and not self._stopped else None
