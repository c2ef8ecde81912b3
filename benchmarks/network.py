"""A class over a network: marks, time and traffic of workers on three machines, which vanish and come back.

    python benchmarks/network.py [--students 24] [--parts 1 4 8 12] [--results FOLDER]

By root. One class is graded on this machine, then by machines of its own: one for the command, one for the scheduler, three
for a worker each, started as docs/scaling.md says. They are namespaces (benchmarks/machines.py), joined by a wire that
delays packets and loses some (benchmarks/wire.py). Once all is well; once one machine has a power cut and comes back, and another
one's cable is out for longer than connections live; once a machine has another version of the code.

Fails if marks are others than those of this machine, or a student has none. Writes benchmarks/results/network.csv, a
line a run, and prints it.
"""

import argparse
import contextlib
import datetime
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import grading_runs
import machines
import network_table
import ways  # finds `grading`
from machines import Machine
from network_table import Row
from wire import Wire

from attention import course
from dev.packages import REPOSITORY
from grading.classroom import inputs
from grading.core.command_line import positive

PARTS = [1, 4, 8, 12]
LABS = ("lab1", "lab2", "lab3")
CUT_AFTER, PULLED_AFTER = 1 / 6, 1 / 3  # of the class graded: the power goes, the other machine's cable is out
AWAY_S = 5.0  # without power
PULLED_S = 45.0  # Dask gives a connection up after 30 s of silence
JOIN_LIMIT_S, RUN_LIMIT_S = 60.0, 900.0
JOINED = "import sys; from distributed import Client; Client(sys.argv[1]).wait_for_workers(int(sys.argv[2]), {limit})"
RESULTS = REPOSITORY / "benchmarks" / "results"


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

    def run(self, machine: Machine, words: list[str], folder: Path, code: Path = REPOSITORY) -> subprocess.Popen:
        """Starts a program on a machine that has our code there, in a folder; its log is named after the machine."""
        env = {**ways.environment(), "PYTHONPATH": str(code), "TMPDIR": str(self.place)}
        return machine.start(words, folder, env, self.log(machine))

    def log(self, machine: Machine) -> Path:
        """What the programs of a machine have said."""
        return self.place / f"{machine.name}.log"

    def start_worker(self, machine: Machine, code: Path = REPOSITORY) -> None:
        """Starts a worker as docs/scaling.md says."""
        words = ["dask", "worker", self.address, "--nworkers", "1", "--nthreads", "1", "--memory-limit", "0"]
        self.run(machine, words, code, code)

    def joined(self, number: int) -> None:
        """Waits for so many workers.

        Errors  RuntimeError if they do not come.
        """
        words = [sys.executable, "-c", JOINED.format(limit=JOIN_LIMIT_S), self.address, str(number)]
        if self.run(self.head, words, self.place).wait():
            raise RuntimeError(f"{number} workers have not joined: {last_line(self.log(self.head))}")

    def command(self) -> subprocess.Popen:
        """Starts the class command on the first machine."""
        words = [sys.executable, "-m", "grading", "autograde", "--course", str(self.root), "--scheduler", self.address]
        return self.run(self.head, words, self.place)

    def graded(self) -> int:
        """How many students have feedback by now."""
        return len(list((self.root / "feedback").glob("*/*/index.html")))


def main() -> int:
    """Runs the class in all four ways, compares marks, and prints what it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=positive, default=24)
    parser.add_argument("--parts", type=int, nargs="+", default=PARTS, choices=list(course.PARTS))
    parser.add_argument("--delay-ms", type=float, default=20.0, help="of a packet, one way")
    parser.add_argument("--jitter-ms", type=float, default=5.0)
    parser.add_argument("--loss", type=float, default=0.01)
    parser.add_argument("--only", nargs="+", choices=list(SCENES), default=list(SCENES))
    parser.add_argument("--results", type=Path, default=RESULTS)
    chosen = parser.parse_args()
    if why := machines.missing():
        print(f"network: {why}", file=sys.stderr)
        return 1
    grading_runs.stop_on_signals()
    try:
        rows = measure(chosen)
    except RuntimeError as error:
        print(f"network: {error}", file=sys.stderr)
        return 1
    network_table.write(chosen.results / "network.csv", rows)
    print(f"\n{network_table.summary(rows)}")
    return 0


def measure(chosen: argparse.Namespace) -> list[Row]:
    """A row for each way in which the class was graded.

    Errors  RuntimeError if marks differ, or a run ends otherwise than it should.
    """
    with tempfile.TemporaryDirectory(prefix="network-") as name:
        place = Path(name)
        place.chmod(0o711)  # student code runs as another user, who must get through
        root = place / "course"
        ways.build(root, chosen.students, chosen.parts)
        local = _local(root, place)
        expected = _marks(root, chosen.students)
        found = [{"what": network_table.LOCAL, **local}]
        print(f"{network_table.LOCAL}: {local['wall_s']:.1f} s", flush=True)
        for what in chosen.only:
            ways.reset(root, ways.JUDGE)
            with _lab(chosen, place, root) as lab:
                taken = SCENES[what](lab, chosen.students)
                lost = lab.wire.lost
            if _marks(root, chosen.students) != expected:
                raise RuntimeError(f"{what}: other marks than on one machine")
            found.append({"what": what, **taken, "packets_lost": lost})
            print(f"{what}: {taken['wall_s']:.1f} s", flush=True)
    network = {"delay_ms": chosen.delay_ms, "jitter_ms": chosen.jitter_ms, "loss": chosen.loss}
    about = {"date": str(datetime.date.today()), "machine": network_table.machine(), **network}
    return [{**about, "students": chosen.students, "notebooks": len(chosen.parts), **row} for row in found]


def _local(root: Path, place: Path) -> Row:
    """The class on this machine's own workers."""
    ways.reset(root, ways.JUDGE)
    words = [sys.executable, "-m", "grading", "autograde", "--course", str(root), "--workers", "2"]
    started = time.monotonic()
    with open(place / "local.log", "w") as log:
        done = subprocess.run(words, cwd=place, env=ways.environment(), stdout=log, stderr=log).returncode
    if done:
        raise RuntimeError(f"on one machine: {last_line(place / 'local.log')}")
    return {"wall_s": time.monotonic() - started}


@contextlib.contextmanager
def _lab(chosen: argparse.Namespace, place: Path, root: Path) -> Iterator[Lab]:
    """All machines, with a scheduler that listens."""
    wire = Wire(chosen.delay_ms / 1000, chosen.jitter_ms / 1000, chosen.loss)
    names = {"head": None, **dict.fromkeys(("scheduler", *LABS), place)}
    with wire, machines.room(wire, names) as (head, scheduler, *workers):
        lab = Lab(wire, head, scheduler, workers, place, root)
        lab.run(scheduler, ["dask", "scheduler", "--no-dashboard"], place)
        yield lab


def _well(lab: Lab, students: int) -> Row:
    """All goes well."""
    for machine in lab.workers:
        lab.start_worker(machine)
    lab.joined(len(lab.workers))
    return _timed(lab, lambda: None)


def _vanishing(lab: Lab, students: int) -> Row:
    """One machine loses its power, and comes back; another one's cable is out for a while."""
    for machine in lab.workers:
        lab.start_worker(machine)
    lab.joined(len(lab.workers))
    away, cut_off = lab.workers[1:]
    steps = _events(lab, students, away, cut_off)
    row = _timed(lab, lambda: next(steps, None))
    if next(steps, None) is not None:
        raise RuntimeError("the class was graded before all had come back: take more students")
    return {**row, "after_kb": away.traffic()[0] / 1000}


def _events(lab: Lab, students: int, away: Machine, cut_off: Machine) -> Iterator[str]:
    """Makes machines vanish and come back, a step whenever its time has come; says what it waits for."""
    while lab.graded() < CUT_AFTER * students:
        yield "a machine to vanish"
    away.off()
    since = time.monotonic()
    while time.monotonic() < since + AWAY_S:
        yield "it to come back"
    away.on()
    lab.start_worker(away)
    while lab.graded() < PULLED_AFTER * students:
        yield "a cable to be pulled"
    lab.wire.pull(cut_off.address)
    since = time.monotonic()
    while time.monotonic() < since + PULLED_S:
        yield "it to be put back"
    lab.wire.put_back(cut_off.address)


def _other_version(lab: Lab, students: int) -> Row:
    """A machine has another version of the code: the run ends with a line; without it, the next one goes on."""
    *right, wrong = lab.workers
    with tempfile.TemporaryDirectory(prefix="version-") as name:
        code = Path(name)
        code.chmod(0o711)
        for package in ("attention", "grading"):
            shutil.copytree(REPOSITORY / package, code / package, ignore=shutil.ignore_patterns(*inputs.LEFTOVERS))
        with (code / "grading" / "judge" / "execution.py").open("a") as file:
            file.write("# another version\n")
        for machine in right:
            lab.start_worker(machine)
        lab.start_worker(wrong, code)
        lab.joined(len(lab.workers))
        process = lab.command()
        if process.wait(RUN_LIMIT_S) != 1:
            raise RuntimeError("a worker with another version of the code has not been refused")
    said = last_line(lab.log(lab.head))
    if not said.startswith(f"autograde: a worker on {wrong.name} has grading ") or "but here is grading " not in said:
        raise RuntimeError(f"a worker with another version of the code has not been named: {said}")
    wrong.off()
    return _timed(lab, lambda: None)


SCENES = {network_table.WELL: _well, network_table.VANISHING: _vanishing, network_table.OTHER: _other_version}


def _timed(lab: Lab, step) -> Row:
    """The class command's time, and what went over its machine's cable; `step` is called meanwhile.

    Errors  RuntimeError if the command fails.
    """
    sent, received = lab.head.traffic()
    started = time.monotonic()
    process = lab.command()
    while process.poll() is None:
        step()
        time.sleep(0.1)
        if time.monotonic() > started + RUN_LIMIT_S:
            raise RuntimeError(f"not done after {RUN_LIMIT_S:.0f} s: {last_line(lab.log(lab.head))}")
    wall_s = time.monotonic() - started
    if process.returncode:
        raise RuntimeError(f"the command failed: {last_line(lab.log(lab.head))}")
    now_sent, now_received = lab.head.traffic()
    return {"wall_s": wall_s, "sent_kb": (now_sent - sent) / 1000, "received_kb": (now_received - received) / 1000}


def _marks(root: Path, students: int) -> str:
    """What marks.csv says, if it has a line for each student."""
    found = (root / "marks.csv").read_text(encoding="utf-8")
    if len(found.splitlines()) != students + 1:
        raise RuntimeError(f"marks.csv has {len(found.splitlines()) - 1} students, not {students}")
    return found


def last_line(log: Path) -> str:
    """The last line that a program has said."""
    lines = log.read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else "no word"


if __name__ == "__main__":
    sys.exit(main())
