"""Servers that tests start: a command with a home of its own, and no process of it left at the end."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

START_LIMIT_S = 300  # JupyterLab takes 4 s on a quiet machine, and 20 s on a busy one
STOP_LIMIT_S = 60
MARK = "ATTENTION_TEST_SERVER"  # in the environment of all that a server starts
KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "VIRTUAL_ENV", "SSL_CERT_FILE")  # of our own environment


@dataclass(frozen=True)
class Server:
    """A running server: its process, the file that it writes its log to, and the mark of all its processes."""

    process: psutil.Popen
    log: Path
    mark: str

    def wait(self, ready: Callable[[], object]) -> object:
        """What `ready` gives as soon as it gives something; a failure with the log's end if the server ends before."""
        end = time.monotonic() + START_LIMIT_S
        while not (found := ready()):
            if self.process.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"{self.process.args[:4]} did not start:\n{self.tail()}")
            time.sleep(0.05)
        return found

    def tail(self) -> str:
        """The end of the log."""
        return self.log.read_text(errors="replace")[-4000:]


@contextmanager
def running(command: list[str], cwd: Path, home: Path, wrapped: bool = False, **environment: str) -> Iterator[Server]:
    """Runs a command in `cwd` as a user with the home `home` and nothing of our environment that concerns Jupyter.

    At the end it, or what it wraps, is told to stop as by `kill`; a process of it that is still there then is a
    failure, and is ended.
    """
    home.mkdir(parents=True, exist_ok=True)
    mark, log = uuid.uuid4().hex, home / "server.log"
    ours = {name: os.environ[name] for name in KEPT if name in os.environ}
    ours["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), ours.get("PATH", os.defpath)])
    env = {**ours, "HOME": str(home), MARK: mark, **environment}
    with log.open("w") as out:
        process = psutil.Popen(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
    server = Server(process, log, mark)
    try:
        yield server
    finally:
        left = _stop(server, wrapped)
    assert not left, f"left over after {command[:4]}: {left}"


@contextmanager
def free_ports(number: int) -> Iterator[list[int]]:
    """Ports on which nothing listens, and which the system gives to nobody who asks for any port in the block.

    A server that wants to listen on one by its number may, as long as it sets SO_REUSEADDR, which all do.
    """
    with contextlib.ExitStack() as stack:
        held = [stack.enter_context(socket.socket()) for _ in range(number)]
        for each in held:
            each.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            each.bind(("127.0.0.1", 0))
        yield [each.getsockname()[1] for each in held]


def lab(home: Path) -> list[str]:
    """The command that opens JupyterLab where it runs; `home` gets settings: any free port, no browser."""
    settings = {"ServerApp": {"port": 0, "open_browser": False}, "IdentityProvider": {"token": "a-token"}}
    (home / ".jupyter").mkdir(parents=True)
    (home / ".jupyter" / "jupyter_server_config.json").write_text(json.dumps(settings))
    return [sys.executable, "-m", "grading", "lab"]


def lab_address(home: Path) -> str | None:
    """The address of the JupyterLab that runs in `home`, with its token, once it is there."""
    for file in (home / ".local" / "share" / "jupyter" / "runtime").glob("jpserver-*.json"):
        text = file.read_text()
        if text.endswith("}"):  # written to the end
            found = json.loads(text)
            return f"{found['url']}?token={found['token']}"  # as its own browser would be sent on
    return None


def _stop(server: Server, wrapped: bool) -> list[str]:
    """Stops a server and all it started; what had not ended by itself."""
    started = _family(server)
    for process in server.process.children() if wrapped and server.process.is_running() else [server.process]:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.terminate()
    psutil.wait_procs([server.process, *started], timeout=STOP_LIMIT_S)
    left = {}
    for process in {*started, *_family(server), server.process}:
        with contextlib.suppress(psutil.NoSuchProcess):
            if process.status() != psutil.STATUS_ZOMBIE:
                left[process] = " ".join(process.cmdline())[:200]
                process.kill()
    psutil.wait_procs(list(left), timeout=STOP_LIMIT_S)
    return list(left.values())


def _family(server: Server) -> list[psutil.Process]:
    """All processes that a server started: those below it, and those that bear its mark wherever they are now."""
    found = set(server.process.children(recursive=True)) if server.process.is_running() else set()
    for process in psutil.process_iter():
        try:
            if process.pid != server.process.pid and process.environ().get(MARK) == server.mark:
                found.add(process)
        except psutil.Error:  # ended meanwhile, or somebody else's
            continue
    return list(found)
