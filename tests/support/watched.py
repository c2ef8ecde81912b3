"""The service on a course of two small parts, as an instructor runs it, and the students' side of the exchange."""

import contextlib
import functools
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import busy
import nbformat
import psutil
from nbgrader.utils import notebook_hash

from dev.packages import REPOSITORY
from grading.__main__ import main
from grading.gradebook import course_folder, marks

COURSE = "optimisers"
COMPILED = shutil.ignore_patterns("__pycache__")
EXAMPLE = REPOSITORY / "examples" / COURSE
RIGHT = {
    "part01": "def sgd_step(w, g, v, lr, mu):\n    new = np.add(mu * v, g)\n    return [w - lr * new, new]",
    "part02": "def corrected(a, beta, t):\n    return a / (1 - np.power(beta, t))",
}
HALF = {"part01": "def sgd_step(w, g, v, lr, mu):\n    return w - lr * v, mu * v + g"}
SLOW, SLOWER = ({**RIGHT, "part01": f"sum(n * n for n in range({n} * 10**7))\n" + RIGHT["part01"]} for n in (3, 10))
ALL, SOME, NONE = 10.0, 2.0, 0.0  # what these earn
PATIENCE_S = 60  # for any one step
RENEWED_S = 1.5  # after which the service looks again at what it grades with


def released(root: Path, settings: str = "") -> Path:
    """A new course in `root`, released to an exchange of its own; `settings` are lines of its nbgrader_config.py."""
    shutil.copytree(_release().name, root, ignore=COMPILED)
    with (root / "nbgrader_config.py").open("a", encoding="utf-8") as file:
        file.write(f"\nc.Exchange.root = {str(root / 'exchange')!r}\n{settings}\n")
    for step in ("inbound", "outbound"):
        (root / "exchange" / COURSE / step).mkdir(parents=True)
    return root


@functools.cache
def _release() -> tempfile.TemporaryDirectory:
    """The course with its release, made once a process, for all of which one gets a copy: the solutions run for it."""
    made = tempfile.TemporaryDirectory(prefix="released-")
    shutil.copytree(EXAMPLE, made.name, ignore=COMPILED, dirs_exist_ok=True)
    assert main(["release", "--course", made.name]) == 0
    return made


def write(root: Path, folder: Path, answers: dict[str, str]) -> None:
    """Writes a submission's notebooks into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted((root / "release" / COURSE).glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            if cell.id == f"{path.stem}-answer":
                cell.source = answers.get(path.stem, cell.source)
        nbformat.write(notebook, folder / path.name)


@dataclass(frozen=True)
class Submitted:
    """A submission in the exchange."""

    folder: Path
    secret: str

    def end(self) -> None:
        """Writes what `nbgrader submit` writes last."""
        (self.folder / "timestamp.txt").write_text(self.folder.name.split("+")[2], encoding="utf-8")
        (self.folder / "submission_secret.txt").write_text(self.secret, encoding="utf-8")

    def feedback(self, stem: str) -> str:
        """The page that a student fetches; empty as long as there is none."""
        name = notebook_hash(secret=self.secret, notebook_id=stem)
        path = self.folder.parents[1] / "feedback" / f"{name}.html"
        return path.read_text(encoding="utf-8") if path.exists() else ""


def submit(root: Path, student: str, answers: dict[str, str], end: bool = True) -> Submitted:
    """Submits to the exchange as `nbgrader submit` does; without `end` its last files are still to come."""
    submitted = place(root, student, COURSE)
    write(root, submitted.folder, answers)
    if end:
        submitted.end()
    return submitted


def place(root: Path, student: str, course: str) -> Submitted:
    """Where a submission would lie in the exchange; nothing is there yet."""
    now = time.time()
    moment = f"{time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime(now))}.{int(now % 1 * 1e6):06d} UTC"
    name = f"{student}+{course}+{moment}+{secrets.token_hex(4)}"
    return Submitted(root / "exchange" / course / "inbound" / name, secrets.token_hex(64))


@dataclass
class Service:
    """A running service: its process, and the lines that it has printed."""

    root: Path
    process: psutil.Popen
    lines: list[str] = field(default_factory=list)

    def read(self) -> None:
        """Collects what it prints, until it ends."""
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    @property
    def address(self) -> str:
        """The status page, with its token."""
        return self.wait(lambda: next(iter(re.findall(r"the queue: (\S+)", "\n".join(self.lines))), None))

    def ask(self, page: str, token: bool = True) -> tuple[int, str]:
        """The status and the text of one of its pages."""
        place, _, query = self.address.partition("?")
        try:
            with urllib.request.urlopen(f"{place}{page}{'?' + query + '&format=json' if token else ''}") as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def queue(self) -> dict:
        """The queue as JSON."""
        return json.loads(self.ask("")[1])

    def said(self, pattern: str) -> list[str]:
        """The lines that it printed that match a pattern."""
        return [line for line in list(self.lines) if re.search(pattern, line)]

    def wait(self, ready: Callable[[], object], patience_s: float = PATIENCE_S) -> object:
        """What `ready` gives as soon as it gives something."""
        end = time.monotonic() + busy.patience(patience_s)
        while not (found := ready()):
            assert time.monotonic() < end, "\n".join(self.lines)
            assert self.process.poll() is None, "\n".join(self.lines)
            time.sleep(0.02)
        return found

    def wait_said(self, pattern: str, times: int = 1) -> list[str]:
        """Waits until it has printed so many lines that match."""
        return self.wait(lambda: found if len(found := self.said(pattern)) >= times else None)


@contextmanager
def running(root: Path, *options: str, workers: int = 1, **environment: str) -> Iterator[Service]:
    """Runs the service; at the end it is stopped as systemd does, if it still runs, and nothing of it is left."""
    command = [sys.executable, "-m", "grading", "watch", "--course", str(root), "--port", "0"]
    command += ["--workers", str(workers), *options]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "stdin": subprocess.DEVNULL, "text": True}
    env = {**os.environ, "PYTHONPATH": str(REPOSITORY), **environment}
    service = Service(root, psutil.Popen(command, cwd=root, env=env, **pipes))
    reader = threading.Thread(target=service.read)
    reader.start()
    try:
        yield service
        if service.process.poll() is not None:
            return
        family = service.process.children(recursive=True) if service.process.is_running() else []
        service.process.terminate()
        status = service.process.wait(busy.patience(PATIENCE_S))
        assert status == 0, "\n".join([f"ended with {status}", *service.lines])
        _, left = psutil.wait_procs(family, timeout=busy.patience(10))
        assert not left, left
    finally:
        for process in [*_children(service.process), service.process]:
            if process.is_running():
                process.kill()
        reader.join()
        service.process.wait()


def kill(service: Service) -> None:
    """As a power cut does it to the service; its workers find out by themselves."""
    family = _children(service.process)
    service.process.kill()
    service.process.wait()
    psutil.wait_procs(family, timeout=busy.patience(PATIENCE_S))


def kill_workers(service: Service) -> None:
    """Ends its workers' processes."""
    for each in _workers(service):
        with contextlib.suppress(psutil.NoSuchProcess):
            each.kill()


@contextmanager
def stopped_workers(service: Service) -> Iterator[None]:
    """Its workers stand still meanwhile, so that whoever is at work stays so."""
    stopped = _workers(service)
    try:
        for each in stopped:
            each.suspend()
        yield
    finally:
        for each in stopped:
            each.resume()


def earned(root: Path) -> dict[str, float]:
    """Each student's points, as the gradebook has them."""
    course = course_folder.course(root)
    with course_folder.gradebook(root) as book:
        return {row.student: row.total for row in marks.read(book, course)}


def _workers(service: Service) -> list[psutil.Process]:
    """Its workers' processes, which are forked from a fork of it."""
    found = []
    for each in _children(service.process):
        with contextlib.suppress(psutil.NoSuchProcess):  # a zombie, too
            if each.ppid() != service.process.pid and each.cmdline() == service.process.cmdline():
                found.append(each)
    return found


def _children(process: psutil.Process) -> list[psutil.Process]:
    return process.children(recursive=True) if process.is_running() else []
