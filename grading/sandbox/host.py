"""Sandboxes as the judge holds them: walls with a preloaded process inside that forks one kernel per notebook.

Nothing is shared with a sandbox but open sockets. The course's package is in there from the start, a notebook's own
files go to its kernel one by one, and a kernel's messages go through sockets that listen where no student can look. The
judge keeps every clock; what does not answer is killed. A sandbox serves the next notebook once the last one is gone.
"""

import contextlib
import glob
import logging
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from grading.core import limits
from grading.core.course import Libraries
from grading.sandbox import (
    bubblewrap,
    cgroups,
    course_package,
    frames,
    gpu_trial,
    kernel_handle,
    notebook_folder,
    packets,
    pidfd_process,
    sandbox_folder,
)
from grading.sandbox.allowance import Allowance
from grading.sandbox.clock import Clock, Deadline
from grading.sandbox.kernel_handle import CHANNELS, Kernel
from grading.sandbox.readable import is_readable
from grading.sandbox.sandbox_limits import Limits

LOG = logging.getLogger(__name__)
NOT_USED = "The GPU is not used, because it does not compute behind the walls: %s. Everything runs on the processor."

# If memory runs out, the system should end a notebook rather than the grader, the gradebook or an editor, unless one of
# them alone holds half of the memory. What runs inside cannot take it back: its /proc is read-only.
END_FIRST = 'echo 500 2>/dev/null >/proc/self/oom_score_adj; exec "$@"'


class SandboxError(RuntimeError):
    """There is no sandbox: our failure, not the student's. One line says why."""


class Sandbox:
    """Walls around one notebook at a time; it starts in the background, `ready` waits for it."""

    def __init__(
        self,
        walled: bool = True,
        granted: Limits | None = None,
        gpu: bool = True,
        libraries: Libraries = Libraries(),  # noqa: B008  (it is frozen)
        package: dict[str, bytes] | None = None,
    ) -> None:
        self.walled, self.limits = walled, granted or Limits()
        self._given = libraries, package or course_package.read(libraries.package)
        wanted = os.environ.get(gpu_trial.VISIBLE, "all") not in ("", "-1")  # as CUDA itself reads it
        self.gpu = gpu and wanted and bool(glob.glob("/dev/nvidia*"))
        if self.gpu:
            self.limits = replace(self.limits, process_bytes=None)
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._base = sandbox_folder.make()
        self._process: pidfd_process.Process | None = None
        self.group = cgroups.Group()
        self._up = self._closed = self._killed = False
        self.clock = Clock(lambda: self._process.pid if self._process else None)
        self._pings = self._pongs = 0
        self._ahead: Kernel | None = None
        self._last: Kernel | None = None
        self._asked = 0.0
        # A sandbox dies with the thread that started it. This one waits as long as somebody holds the sandbox.
        self._starter = ThreadPoolExecutor(1, thread_name_prefix="sandbox")
        try:
            self._starting = self._starter.submit(self._start, theirs)
        except RuntimeError as error:  # no new thread
            shutil.rmtree(self._base, ignore_errors=True)
            raise SandboxError(f"The sandbox does not start: {error}") from error

    def ready(self) -> None:
        """Waits until the libraries are loaded.

        Errors  SandboxError if the sandbox cannot start, or needs longer than limits.SANDBOX_LIMIT_S.
        """
        if self._up:
            return
        try:
            self._starting.result(limits.SANDBOX_LIMIT_S)
            message, _ = self._first_word(Deadline(self.clock, limits.SANDBOX_LIMIT_S))
        except (OSError, ValueError, TimeoutError) as error:
            self.close()
            raise SandboxError(f"The sandbox does not start: {error}") from error
        if message is None or "up" not in message:
            reason = message["failed"] if message else self._last_words()
            self.close()
            raise SandboxError(f"The sandbox does not start: {reason}")
        if message["gpu_hidden"]:
            self.gpu = False
            LOG.warning(NOT_USED, message["gpu_hidden"])
        self._up = True
        self._process.stderr.close()

    def answers(self) -> bool:
        """Whether the sandbox is alive and has carried out everything it was asked before; waits for it."""
        if self._last is not None and not self._closed:
            self._last.stop()
        if self._closed:
            return False
        try:
            self.ready()
            self._ping()
            end = Deadline(self.clock, limits.SILENCE_LIMIT_S)
            while self._pongs < self._pings and (pause := end.pause()) > 0:
                self._listen(pause)
        except (OSError, SandboxError):
            return False
        return self._pongs == self._pings

    def silent(self) -> bool:
        """Whether the sandbox has left a question without an answer for limits.SILENCE_LIMIT_S; waits for nothing.

        Errors  ConnectionError if it is gone.
        """
        self._listen(0)
        if self._pongs == self._pings:
            self._ping()
        return self.clock.now() - self._asked > limits.SILENCE_LIMIT_S

    def fork_ahead(self) -> None:
        """Orders the next kernel, forked like the last one; it waits, without a clock, until its notebook comes."""
        if self._last is not None and self._ahead is None and not self._closed:
            with contextlib.suppress(SandboxError):  # which is found out when this sandbox is next asked for
                self._ahead = self._fork(self._last.argv, self._last.env)

    def _fork(self, argv: list[str], env: dict[str, str]) -> Kernel:
        """A kernel that waits for its folder; SandboxError if the sandbox is gone, or no socket can be opened."""
        if self._closed:
            raise SandboxError("The sandbox has ended.")
        with self._answering():
            return self._forked(argv, env)

    @contextlib.contextmanager
    def _answering(self) -> Iterator[None]:
        """Closes the sandbox, and raises SandboxError, if it cannot be reached."""
        try:
            yield
        except OSError as error:
            self.close()
            raise SandboxError(f"The sandbox does not answer: {error}") from error

    def _forked(self, argv: list[str], env: dict[str, str]) -> Kernel:
        (ours, theirs), (gate, inner) = (socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(2))
        channels, served = zip(*(socket.socketpair(socket.AF_UNIX, frames.KIND) for _ in range(CHANNELS)), strict=True)
        kernel = Kernel(self, ours, gate, list(channels), argv, env)
        request = {"op": "start", "argv": argv, "env": env, "limits": self._rlimits()}
        watched = ("memory_bytes", "sessions", "started", "additions", "gpu_shared_mb", "files")
        request["watched"] = {name: getattr(self.limits, name) for name in watched}
        request["granted_bytes"] = self.limits.process_bytes
        try:
            self._control.settimeout(limits.SILENCE_LIMIT_S)
            packets.send(self._control, request, *[sock.fileno() for sock in (theirs, inner, *served)])
        except OSError:
            kernel.close()
            raise
        finally:
            for sock in (theirs, inner, *served):
                sock.close()
        return kernel

    def start(
        self,
        folder: Path | None,
        argv: list[str],
        env: dict[str, str],
        seed: int | None = None,
        allowance: Allowance | None = None,
        package: bool = False,
    ) -> Kernel:
        """A kernel whose working folder has a copy of the folder, and with `package` the course's; one at a time.

        Its random numbers follow from `seed`, below 2**64; None: one nobody knows. Own time is taken off the allowance.

        Errors  SandboxError if the sandbox is gone, or this process may open no more files.
        """
        self.ready()
        kernel, self._ahead = self._ahead, None
        if kernel is not None and not kernel.waits_for(argv, env):
            kernel.stop()
            kernel = None
        kernel = kernel or self._fork(argv, env)
        self._last = kernel  # from now on the sandbox closes it
        with self._answering():
            self._control.settimeout(limits.SILENCE_LIMIT_S)
            packets.send(self._control, {"op": "go"})
            files = notebook_folder.opened(folder, self.limits) if folder is not None else ()
            kernel.begin(files, seed, allowance, package)
        return kernel

    def kill(self) -> None:
        """Kills everything inside, from whatever thread; `close` is still to come."""
        self._killed = True
        self._process.kill()

    @property
    def killed_by_others(self) -> bool:
        """Whether an end that nobody here asked for came from outside.

        From inside only a lowered limit on computing time ends a kernel like that, and the keeper tells that one apart.
        """
        return self.walled and not self._killed

    def wait_for_process(self) -> None:
        """Waits until its process is there, or could not be started, which `ready` says."""
        self._starting.exception()

    def leave(self) -> None:
        """Leaves it to a process that was forked from this one, with which it ends; `close` is still to come."""
        self._control.close()

    def close(self) -> None:
        """Has everything inside end, kills what is left after a while, and removes what it had on the disk."""
        if self._closed:
            return
        self._closed = True
        self._control.close()
        for kernel in filter(None, (self._last, self._ahead)):
            kernel.close()
        if self._starting.exception() is None:
            if self._up:  # the keeper takes memory back; without a process namespace the zygote must end what it forked
                self._process.wait(kernel_handle.STOP_LIMIT_S)
            self._process.kill()
            self._process.wait()
            self._process.close()
        self._starter.shutdown()
        self.group.close()
        shutil.rmtree(self._base, ignore_errors=True)

    def _start(self, theirs: socket.socket) -> None:
        with theirs:
            control, disk = theirs.fileno(), self._base / "disk"
            if self.walled:
                command = bubblewrap.walled(control, self.limits, self.gpu, self._base / "stage", *self._given)
            else:
                command = bubblewrap.plain(control, disk, *self._given)
            try:
                self.group = cgroups.around(self.limits) if self.walled else self.group
                self._process = pidfd_process.Process(
                    ["sh", "-c", END_FIRST, "end-first", *self.group.inside(command.argv)],
                    env=command.env,
                    pass_fds=[control, *command.fds],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    start_new_session=True,  # Ctrl-C is for the judge, who then closes
                )
            finally:
                command.close()

    def _rlimits(self) -> dict[str, tuple[int, int]]:
        granted = self.limits
        found = {"RLIMIT_NOFILE": granted.open_files, "RLIMIT_FSIZE": granted.written_bytes}
        found["RLIMIT_MEMLOCK"] = limits.LOCKED_BYTES
        if self.walled:  # else they count all of the user's
            found |= {"RLIMIT_NPROC": granted.processes, "RLIMIT_SIGPENDING": limits.SIGNALS}
        pairs = {name: (value, value) for name, value in found.items()}
        return {**pairs, "RLIMIT_CPU": (granted.cpu_s, granted.cpu_s + 2)}  # first SIGXCPU, then SIGKILL

    def _ping(self) -> None:
        self._pings, self._asked = self._pings + 1, self.clock.now()
        self._control.settimeout(limits.SILENCE_LIMIT_S)
        packets.send(self._control, {"op": "ping", "n": self._pings})

    def _listen(self, limit_s: float) -> None:
        """Reads the answers that come within a time; OSError if the sandbox is gone."""
        while is_readable(self._control, limit_s):
            message, _ = packets.receive(self._control)
            if message is None:
                raise ConnectionError("the sandbox has ended")
            self._pongs, limit_s = message["pong"], 0

    def _first_word(self, end: Deadline) -> tuple[dict | None, list[int]]:
        """What the sandbox says once its libraries are loaded, or cannot be; TimeoutError if it says nothing."""
        while (pause := end.pause()) > 0:
            if is_readable(self._control, pause):
                return packets.receive(self._control)
        raise TimeoutError(f"it is not ready after {limits.SANDBOX_LIMIT_S:g} s")

    def _last_words(self) -> str:
        """The end of what bubblewrap or Python had to say."""
        self._process.kill()
        lines = self._process.stderr.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it ended without an error message"
