"""A PostgreSQL server of the tests' own, on a socket in a folder, which can be stopped and started again."""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import busy
import psycopg

from dev import installation


class Server:
    """One database, empty at first; PostgreSQL refuses to run as root."""

    def __init__(self) -> None:
        self.place = Path(tempfile.mkdtemp(prefix="pg-"))
        path = os.pathsep.join([installation.POSTGRES, os.environ["PATH"]])
        programs = {name: shutil.which(name, path=path) for name in ("initdb", "postgres")}
        assert all(programs.values()), "PostgreSQL is missing: apt-get install postgresql"
        other = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}
        if other:
            shutil.chown(self.place, "nobody")
        self._common = {"cwd": self.place, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **other}
        first = ["-D", self.place / "data", "-U", "grader", "-A", "trust", "-E", "UTF8", "--no-sync"]
        subprocess.run([programs["initdb"], *first], check=True, **self._common)
        settings = ["-k", self.place, "-c", "listen_addresses=", "-c", "fsync=off"]
        self._command = [programs["postgres"], "-D", self.place / "data", *settings]
        self.address = f"postgresql+psycopg://grader@/postgres?host={self.place}"
        self.start()

    def start(self) -> None:
        """Starts it, and waits until it answers: it says "starting up" for a while after its socket is there."""
        self._server = subprocess.Popen(self._command, **self._common)
        busy.wait_for(self._answers)

    def _answers(self) -> bool:
        assert self._server.poll() is None
        with contextlib.suppress(psycopg.OperationalError), psycopg.connect(self.address.replace("+psycopg", "")):
            return True
        return False

    def stop(self) -> None:
        """Stops it, whoever is connected."""
        self._server.send_signal(signal.SIGINT)
        self._server.wait()

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self.place)
