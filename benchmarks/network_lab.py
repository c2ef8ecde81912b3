"""A lab on a wire: a machine for the class command, one for the scheduler, and three for a worker each.

Scheduler and workers are started as docs/scaling.md says. The scheduler has none of our code.
"""

import argparse
import contextlib
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import network_machines
import ways  # finds `grading`
from network_machines import Machine
from network_wire import Wire

from dev.packages import REPOSITORY
from grading.classroom import inputs

WORKERS = ("lab1", "lab2", "lab3")
WORKER = "until false; do dask worker {} --nworkers 1 --nthreads 1 --memory-limit 0; sleep 5; done"
JOIN_LIMIT_S, RUN_LIMIT_S = 60.0, 900.0
JOINED = "import sys; from distributed import Client; Client(sys.argv[1]).wait_for_workers(int(sys.argv[2]), {})"
LOOK_S = 0.1

Row = dict[str, object]


@dataclass
class Lab:
    """Machines on a wire, and the course that is graded from the first of them."""

    wire: Wire
    head: Machine
    scheduler: Machine
    workers: list[Machine]
    place: Path
    root: Path

    @property
    def address(self) -> str:
        """Where the scheduler listens."""
        return f"tcp://{self.scheduler.address}:8786"

    def run(self, machine: Machine, words: list[str], code: Path | None) -> subprocess.Popen:
        """Starts a program on a machine that has our code in a folder, or none."""
        env = {**ways.environment(), "PYTHONPATH": str(code or ""), "TMPDIR": str(self.place)}
        return machine.start(words, self.place, env, self.log(machine))

    def log(self, machine: Machine) -> Path:
        """What the programs of a machine have said."""
        return self.place / f"{machine.name}.log"

    def start_worker(self, machine: Machine, code: Path = REPOSITORY) -> None:
        """Starts a worker, and another one whenever it has ended."""
        self.run(machine, ["sh", "-c", WORKER.format(self.address)], code)

    def start_workers(self) -> None:
        """Starts a worker on each machine, and waits until all have joined."""
        for machine in self.workers:
            self.start_worker(machine)
        self.joined(len(self.workers))

    def joined(self, number: int) -> None:
        """Waits for so many workers.

        Errors  RuntimeError if they do not come.
        """
        words = [sys.executable, "-c", JOINED.format(JOIN_LIMIT_S), self.address, str(number)]
        if self.run(self.head, words, REPOSITORY).wait():
            raise RuntimeError(f"{number} workers have not joined: {last_line(self.log(self.head))}")

    def command(self) -> subprocess.Popen:
        """Starts the class command on the first machine."""
        words = [sys.executable, "-m", "grading", "autograde", "--course", str(self.root), "--scheduler", self.address]
        return self.run(self.head, words, REPOSITORY)

    def timed(self, step: Callable[[], object] = lambda: None) -> Row:
        """The class command's time, and what went over its machine's cable; `step` is called meanwhile.

        Errors  RuntimeError if the command fails.
        """
        sent, received = self.head.traffic()
        started = time.monotonic()
        process = self.command()
        while process.poll() is None:
            step()
            time.sleep(LOOK_S)
            if time.monotonic() > started + RUN_LIMIT_S:
                raise RuntimeError(f"not done after {RUN_LIMIT_S:.0f} s: {last_line(self.log(self.head))}")
        wall_s = time.monotonic() - started
        if process.returncode:
            raise RuntimeError(f"the command failed: {last_line(self.log(self.head))}")
        now_sent, now_received = self.head.traffic()
        return {"wall_s": wall_s, "sent_kb": (now_sent - sent) / 1000, "received_kb": (now_received - received) / 1000}

    def graded(self) -> int:
        """How many students have feedback by now."""
        return len(list((self.root / "feedback").glob("*/*/index.html")))


@contextlib.contextmanager
def lab(chosen: argparse.Namespace, place: Path, root: Path) -> Iterator[Lab]:
    """All machines, with a scheduler that has been started; of `place` all but the first see nothing."""
    wire = Wire(chosen.delay_ms / 1000, chosen.jitter_ms / 1000, chosen.loss)
    own = {"head": None, **dict.fromkeys(("scheduler", *WORKERS), place)}
    with wire, network_machines.room(wire, own) as (head, scheduler, *workers):
        made = Lab(wire, head, scheduler, workers, place, root)
        made.run(scheduler, ["dask", "scheduler", "--no-dashboard"], None)
        yield made


def another_version(folder: Path) -> None:
    """Our packages with a comment more."""
    folder.chmod(0o711)  # student code runs as another user, who must get through
    for package in ("attention", "grading"):
        shutil.copytree(REPOSITORY / package, folder / package, ignore=shutil.ignore_patterns(*inputs.LEFTOVERS))
    with (folder / "grading" / "judge" / "execution.py").open("a") as file:
        file.write("# another version\n")


def last_line(log: Path) -> str:
    """The last line that a program has said."""
    lines = log.read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else "no word"
