"""Sandboxes as the judge holds them: walls with a preloaded process inside that forks a kernel a notebook.

Nothing is shared with a sandbox but open sockets: a notebook's files go to its kernel one by one, a kernel's messages
go through sockets that listen where no student can look. The judge keeps every clock; what does not answer is killed. A
sandbox serves the next notebook, whoever handed it in, if all of the last one is gone and nothing else has changed.
"""

import contextlib
import functools
import glob
import os
import secrets
import select
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from grading import cgroups, limits, walls, zygote
from grading.allowance import Allowance
from grading.clock import Clock, Deadline
from grading.limits import Struck
from grading.walls import Limits

STOP_LIMIT_S = 5.0  # for ending a notebook's processes and removing its files
CHANNELS = 4  # sockets of a kernel: shell, iopub, stdin, control
SOCKET_PATH_CHARS = 70  # of the 107 that a socket's path may have, what its folder may take


class SandboxError(RuntimeError):
    """There is no sandbox: our failure, not the student's. One line says why."""


class Sandbox:
    """Walls around one notebook at a time; it starts in the background, `ready` waits for it."""

    def __init__(self, walled: bool = True, granted: Limits | None = None, gpu: bool = True) -> None:
        self.walled, self.limits = walled, granted or Limits()
        self._gpu = gpu and bool(glob.glob("/dev/nvidia*"))
        if self._gpu:
            self.limits = replace(self.limits, process_bytes=None)
        parent = tempfile.gettempdir() if len(tempfile.gettempdir()) < SOCKET_PATH_CHARS else "/tmp"
        self._base = Path(tempfile.mkdtemp(prefix="grading-", dir=parent))
        self._base.chmod(0o711)
        for name in ("sockets", "disk", "stage"):
            (self._base / name).mkdir(mode=0o711 if name == "stage" else 0o700)
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._process: subprocess.Popen | None = None
        self.group = cgroups.Group()
        self._up = self._closed = False
        self.clock = Clock(lambda: self._process.pid if self._process else None)
        self._kernels = self._pings = self._pongs = 0
        self._ahead: Kernel | None = None
        self._last: Kernel | None = None
        self._asked = 0.0
        self._starting = _spawner(os.getpid()).submit(self._start, theirs)

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
        self._up = True
        self._process.stderr.close()

    def answers(self) -> bool:
        """Whether the sandbox is alive and has carried out everything it was asked before; waits for it."""
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
        """Whether the sandbox has left a question without an answer for limits.SILENCE_LIMIT_S; waits for nothing."""
        try:
            self._listen(0)
            if self._pongs == self._pings:
                self._ping()
        except OSError:
            return True
        return self.clock.now() - self._asked > limits.SILENCE_LIMIT_S

    def fork_ahead(self) -> None:
        """Has the next notebook's kernel forked like the last one; it waits, and its clock stands still until then."""
        if self._last is not None and self._ahead is None and not self._closed:
            with contextlib.suppress(SandboxError):  # which is found out when this sandbox is next asked for
                self._ahead = self._fork(self._last.argv, self._last.env)

    def _fork(self, argv: list[str], env: dict[str, str]) -> "Kernel":
        """A kernel that waits for its folder; SandboxError if the sandbox is gone."""
        if self._closed:
            raise SandboxError("The sandbox has ended.")
        address = str(self._base / "sockets" / str(self._kernels))
        self._kernels += 1
        (ours, theirs), (gate, inner) = (socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(2))
        listening = [_listener(f"{address}-{port}") for port in range(1, CHANNELS + 1)]
        kernel = Kernel(self, ours, gate, address, argv, env)
        request = {"op": "start", "key": kernel.key.decode(), "argv": argv, "env": env, "limits": self._rlimits()}
        request["watched"] = {
            "memory_bytes": self.limits.memory_bytes,
            "sessions": self.limits.sessions,
            "started": self.limits.started,
        }
        request["granted_bytes"] = self.limits.process_bytes
        try:
            self._control.settimeout(limits.SILENCE_LIMIT_S)
            zygote.send(self._control, request, *[sock.fileno() for sock in (theirs, inner, *listening)])
        except OSError as error:
            kernel.close()
            self.close()
            raise SandboxError(f"The sandbox does not answer: {error}") from error
        finally:
            for sock in (theirs, inner, *listening):
                sock.close()
        return kernel

    def start(
        self,
        folder: Path | None,
        argv: list[str],
        env: dict[str, str],
        seed: int | None = None,
        allowance: Allowance | None = None,
    ) -> "Kernel":
        """A kernel that has a copy of the folder as its working folder; one at a time.

        Its random numbers follow from `seed`, from 0 to 2**64 - 1; None: from one that nobody knows. What it takes of
        own time is taken off the allowance.

        Errors  SandboxError if the sandbox is gone.
        """
        self.ready()
        kernel, self._ahead = self._ahead, None
        if kernel is not None and not kernel.waits_for(argv, env):
            kernel.stop()
            kernel = None
        kernel = kernel or self._fork(argv, env)
        try:
            self._control.settimeout(limits.SILENCE_LIMIT_S)
            zygote.send(self._control, {"op": "go"})
        except OSError as error:
            self.close()
            raise SandboxError(f"The sandbox does not answer: {error}") from error
        kernel.begin(_files(folder, self.limits) if folder is not None else (), seed, allowance)
        self._last = kernel
        return kernel

    def kill(self) -> None:
        """Kills everything inside, from whatever thread; `close` is still to come."""
        self._process.kill()

    def close(self) -> None:
        """Kills everything inside, at once, and removes what it had on the disk."""
        if self._closed:
            return
        self._closed = True
        self._control.close()
        if self._ahead is not None:
            self._ahead.close()
        if self._starting.exception() is None:
            if not self.walled and self._up:  # without a process namespace the zygote itself must end what it forked
                _wait(self._process, STOP_LIMIT_S)
            self._process.kill()
            self._process.wait()
            self._process.stderr.close()
        self.group.close()
        shutil.rmtree(self._base, ignore_errors=True)

    def _start(self, theirs: socket.socket) -> None:
        with theirs:
            control, disk = theirs.fileno(), self._base / "disk"
            if self.walled:
                command = walls.walled(control, self.limits, self._gpu, self._base / "stage")
                self.group = cgroups.around(self.limits)
            else:
                command = walls.plain(control, disk)
            try:
                self._process = subprocess.Popen(
                    self.group.inside(command.argv),
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
        found = {
            "RLIMIT_NPROC": granted.processes if self.walled else None,  # else it counts all processes of the user
            "RLIMIT_NOFILE": granted.open_files,
            "RLIMIT_FSIZE": granted.written_bytes,
            "RLIMIT_CORE": 1,  # no dump, and unlike 0 no program outside either that the system would hand one to
        }
        pairs = {name: (value, value) for name, value in found.items() if value is not None}
        return {**pairs, "RLIMIT_CPU": (granted.cpu_s, granted.cpu_s + 2)}  # first SIGXCPU, then SIGKILL

    def _ping(self) -> None:
        self._pings, self._asked = self._pings + 1, self.clock.now()
        self._control.settimeout(limits.SILENCE_LIMIT_S)
        zygote.send(self._control, {"op": "ping", "n": self._pings})

    def _listen(self, limit_s: float) -> None:
        """Reads the answers that come within a time; OSError if the sandbox is gone."""
        while select.select([self._control], [], [], limit_s)[0]:
            message, _ = zygote.receive(self._control)
            if message is None:
                raise ConnectionError("the sandbox has ended")
            self._pongs, limit_s = message["pong"], 0

    def _first_word(self, end: Deadline) -> tuple[dict | None, list[int]]:
        """What the sandbox says once its libraries are loaded, or cannot be; TimeoutError if it says nothing."""
        while (pause := end.pause()) > 0:
            if select.select([self._control], [], [], pause)[0]:
                return zygote.receive(self._control)
        raise TimeoutError(f"it is not ready after {limits.SANDBOX_LIMIT_S:g} s")

    def _last_words(self) -> str:
        """The end of what bubblewrap or Python had to say."""
        self._process.kill()
        lines = self._process.stderr.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it ended without a word"


class Kernel:
    """The judge's end of a forked kernel: whether it runs, how it ended, and its end."""

    def __init__(
        self, box: Sandbox, status: socket.socket, gate: socket.socket, address: str, argv: list[str], env: dict
    ) -> None:
        self.box, self.address, self.argv, self.env, self._status, self._gate = box, address, argv, env, status, gate
        self.key = secrets.token_hex(32).encode()  # signs its messages
        self.returncode: int | None = None
        self.struck: Struck | None = None
        self.failure, self.cpu_s = "", 0.0
        self._started = self._began = None  # by the wall clock, and in own time
        self._allowance: Allowance | None = None
        status.settimeout(limits.SILENCE_LIMIT_S)

    def waits_for(self, argv: list[str], env: dict[str, str]) -> bool:
        """Whether it is alive, and was forked as a notebook with these settings needs it."""
        self._read(0)
        return self.returncode is None and (self.argv, self.env) == (argv, env)

    def close(self) -> None:
        """Closes the judge's end, removes the files of its sockets, and takes its time off the allowance, once."""
        allowance, self._allowance = self._allowance, None
        if allowance is not None:
            allowance.spent_s += min(self.box.clock.now() - self._began, self._limit_s)
        self._status.close()
        self._gate.close()
        for port in range(1, CHANNELS + 1):
            Path(f"{self.address}-{port}").unlink(missing_ok=True)

    def begin(self, files: Iterable[tuple[str, int]], seed: int | None, allowance: Allowance | None) -> None:
        """Its notebook begins, and with it the judge's clock; these files, with open descriptors, are its folder's."""
        self._started, self._began = time.monotonic(), self.box.clock.now()
        self._allowance, own_limit_s = allowance, self.box.limits.notebook_s
        self._limit_s = own_limit_s if allowance is None else min(own_limit_s, allowance.left_s)
        # By the wall clock: no code of a student's runs yet that could take this long.
        self._gate.settimeout(limits.BUSY_FACTOR * limits.SILENCE_LIMIT_S)
        try:
            with self._gate:
                _, processes = zygote.receive(self._gate)
                for pidfd in processes:
                    self.box.group.enter(pidfd)
                for path, fd in files:
                    with open(fd, "rb"):
                        zygote.send(self._gate, {"path": path}, fd)
                zygote.send(self._gate, {"seed": secrets.randbits(64) if seed is None else seed})
        except TimeoutError:
            self._give_up(Struck.SILENCE)
        except ConnectionError:  # it has ended, which its status says
            self._read(STOP_LIMIT_S)
        except OSError:  # the control group refuses the notebook: our failure, not the student's
            self._give_up(None)
            raise

    def poll(self) -> int | None:
        """None while it runs, else its exit code; past a limit that the judge holds, the sandbox is killed here."""
        self._read(0)
        if self.returncode is None and self._started is not None and (struck := self._out_of_time()):
            self._give_up(struck)
        elif self.returncode is None and self.box.silent():
            self._read(0)
            if self.returncode is None:
                self._give_up(Struck.SILENCE)
        return self.returncode

    def signal(self, number: int) -> None:
        """Signals the kernel's process group."""
        try:
            zygote.send(self._status, {"signal": int(number)})
        except OSError:
            self._read(0)

    def stop(self) -> int:
        """Ends the kernel and everything it started, whatever that does, and gives its exit code."""
        if self.returncode is None:
            with contextlib.suppress(OSError):
                self._status.shutdown(socket.SHUT_WR)
                self._read(STOP_LIMIT_S)
        if self.returncode is None:
            self._give_up(None)
        return self.returncode

    def _out_of_time(self) -> Struck | None:
        if self.box.clock.now() - self._began > self._limit_s:
            return Struck.TIME if self._limit_s == self.box.limits.notebook_s else Struck.STUDENT
        return Struck.BUSY if time.monotonic() - self._started > limits.BUSY_FACTOR * self._limit_s else None

    def _give_up(self, struck: Struck | None) -> None:
        self.struck, self.returncode = struck, -signal.SIGKILL
        self.close()
        self.box.close()

    def _read(self, limit_s: float) -> None:
        """Takes in what the sandbox says about the kernel, within a time."""
        end = time.monotonic() + limit_s
        while self.returncode is None and select.select([self._status], [], [], max(0, end - time.monotonic()))[0]:
            message, _ = zygote.receive(self._status)
            if message is None:  # the zygote is gone, and with it all that was inside
                self._give_up(None)
            elif "failed" in message:
                self.failure = message["failed"]
            else:
                self.returncode, self.cpu_s = message["exit"], message["cpu_s"]
                out_of_memory = self.box.group.leave()
                self.struck = Struck(message["struck"]) if message["struck"] else None
                if out_of_memory and self.struck is None:
                    self.struck = Struck.MEMORY
                spent = self.returncode == -signal.SIGKILL and self.cpu_s > self.box.limits.cpu_s
                if spent or self.returncode == -signal.SIGXCPU:
                    self.struck = Struck.COMPUTING
                self.close()


@functools.cache
def _spawner(_: int) -> ThreadPoolExecutor:
    """The thread that starts all sandboxes of this process: they die with the thread that started them."""
    return ThreadPoolExecutor(1, thread_name_prefix="sandboxes")


def _listener(path: str) -> socket.socket:
    sock = socket.socket(socket.AF_UNIX)
    sock.bind(path)
    sock.listen()
    return sock


def _files(folder: Path, granted: Limits) -> Iterator[tuple[str, int]]:
    """Relative path and open descriptor of the regular files below a folder, as far as half the scratch space goes."""
    left, room = limits.FILES, granted.scratch_bytes // 2
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            try:
                fd = os.open(os.path.join(place, name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            except OSError:
                continue
            state = os.fstat(fd)
            if not stat.S_ISREG(state.st_mode) or state.st_size > room or not left:
                os.close(fd)
                continue
            left, room = left - 1, room - state.st_size
            yield os.path.relpath(os.path.join(place, name), folder), fd


def _wait(process: subprocess.Popen, limit_s: float) -> None:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(limit_s)
