"""A class over a network: marks, time and traffic, with workers on three machines that vanish and come back.

    python benchmarks/network.py [--students 96] [--parts 1 4 …] [--only well vanish version] [--results FOLDER]

By root. One class is graded on this machine, and then from a machine of its own by workers on three others: namespaces
(benchmarks/network_machines.py), joined by a wire that delays packets and loses some (benchmarks/network_wire.py).
Three times:

well      all goes well
vanish    two machines vanish at once: one loses its power and comes back after a while, the other one's cable is out
          for longer than connections live
version   one machine has another version of the code, and the command refuses it; that machine is switched off, and a
          while later the class is graded on the others

Fails if marks are others than those of this machine, or a student has none. Writes benchmarks/results/network.csv, a
line a run, and prints it; `--print` prints the last run again.
"""

import argparse
import datetime
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import csv_table
import grading_runs
import network_lab
import network_machines
import network_table
import ways  # finds `grading`
from network_lab import Lab, Row

from grading.classroom import inputs
from grading.core import errors
from grading.core.command_line import positive
from grading.gradebook import course_folder

STUDENTS, PARTS = 96, [1, 4, 6, 8]  # a class that takes longer than a machine is away
VANISH_AFTER = 1 / 12  # of the class graded
AWAY_S = 5.0  # without power
PULLED_S = 40.0  # Dask gives a connection up after 30 s of silence
WORK_KB = 50.0  # a machine that has sent more has sent a student's pages


def main() -> int:
    """Runs the class in all ways, compares marks, and prints what it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=positive, default=STUDENTS)
    ways.choose_parts(parser, PARTS)
    parser.add_argument("--delay-ms", type=float, default=20.0, help="of a packet, one way")
    parser.add_argument("--jitter-ms", type=float, default=5.0, help="more or less than that")
    parser.add_argument("--loss", type=float, default=0.01, help="the share of packets that are lost")
    parser.add_argument("--only", nargs="+", choices=list(SCENES), default=list(SCENES))
    parser.add_argument("--results", type=Path, default=csv_table.RESULTS)
    parser.add_argument("--print", action="store_true", help="print the last run again")
    chosen = parser.parse_args()
    table = chosen.results / "network.csv"
    if not chosen.print:
        if why := network_machines.missing():
            print(f"network: {why}", file=sys.stderr)
            return 1
        grading_runs.stop_on_signals()
        try:
            rows = measure(chosen)
        except (RuntimeError, errors.CourseError) as error:
            print(f"network: {error}", file=sys.stderr)
            return 1
        network_table.write(table, rows)
        print()
    print(network_table.summary(network_table.read(table)))
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
        found = [{"what": "local", **_local(root, place)}]
        expected = _marks(root, chosen.students)
        shared = {"shared_kb": _shared_kb(root)}
        for what in chosen.only:
            ways.reset(root, ways.JUDGE)
            with network_lab.lab(chosen, place, root) as lab:
                taken = SCENES[what](lab, chosen.students)
                lost = lab.wire.lost / (lab.wire.lost + lab.wire.carried)
            if _marks(root, chosen.students) != expected:
                raise RuntimeError(f"{what}: other marks than on this machine")
            found.append({"what": what, **shared, **taken, "lost": lost})
            print(f"{what}: {taken['wall_s']:.1f} s, the marks of this machine", flush=True)
    network = {"delay_ms": chosen.delay_ms, "jitter_ms": chosen.jitter_ms}
    about = {"date": str(datetime.date.today()), "machine": network_table.machine(), **network}
    return [{**about, "students": chosen.students, "notebooks": len(chosen.parts), **row} for row in found]


def _local(root: Path, place: Path) -> Row:
    """The class on this machine's own workers."""
    ways.reset(root, ways.JUDGE)
    words = [sys.executable, "-m", "grading", "autograde", "--course", str(root), "--workers", "2"]
    log, started = place / "local.log", time.monotonic()
    with log.open("w") as output:
        status = subprocess.run(words, cwd=place, env=ways.environment(), stdout=output, stderr=output).returncode
    if status:
        raise RuntimeError(f"on this machine: {network_lab.last_line(log)}")
    wall_s = time.monotonic() - started
    print(f"local: {wall_s:.1f} s", flush=True)
    return {"wall_s": wall_s}


def _shared_kb(root: Path) -> float:
    """The files that all workers are given."""
    with course_folder.engine(root) as engine:
        return len(inputs.read(root, engine).archive) / 1000


def _well(lab: Lab, students: int) -> Row:
    lab.start_workers()
    return lab.timed()


def _vanish(lab: Lab, students: int) -> Row:
    lab.start_workers()
    done: dict[str, float] = {}
    steps = _events(lab, students, done)
    row = lab.timed(lambda: next(steps, None))
    if len(done) < 2:
        raise RuntimeError("the class was graded before both machines were back: take more students or parts")
    away, cut_off = lab.workers[1:]
    back_kb = min(m.traffic()[0] / 1000 - done[m.name] for m in (away, cut_off))
    if back_kb < WORK_KB:
        raise RuntimeError(f"a machine that is back has sent no result, only {back_kb:.0f} KB")
    return {**row, "back_kb": back_kb}


def _events(lab: Lab, students: int, done: dict[str, float]) -> Iterator[None]:
    """Has two machines vanish and come back, going on whenever asked to; notes what each had sent before."""
    away, cut_off = lab.workers[1:]
    yield from _until(lambda: lab.graded() >= VANISH_AFTER * students)
    lab.wire.pull(cut_off.address)
    away.off()
    yield from _for(AWAY_S)
    away.on()
    lab.start_worker(away)
    done[away.name] = 0.0
    yield from _for(PULLED_S - AWAY_S)
    lab.wire.put_back(cut_off.address)
    done[cut_off.name] = cut_off.traffic()[0] / 1000


def _until(so_far) -> Iterator[None]:
    while not so_far():
        yield


def _for(seconds: float) -> Iterator[None]:
    end = time.monotonic() + seconds
    return _until(lambda: time.monotonic() >= end)


def _version(lab: Lab, students: int) -> Row:
    *right, wrong = lab.workers
    with tempfile.TemporaryDirectory(prefix="version-") as name:
        network_lab.another_version(Path(name))
        for machine in right:
            lab.start_worker(machine)
        lab.start_worker(wrong, Path(name))
        lab.joined(len(lab.workers))
        status = lab.command().wait(network_lab.RUN_LIMIT_S)
    said = network_lab.last_line(lab.log(lab.head))
    if status != 1 or f"a worker on {wrong.name} has grading " not in said or "but here is grading " not in said:
        raise RuntimeError(f"another version of the code was not refused: the command ended with {status}: {said}")
    print(f"  {said}", flush=True)
    wrong.off()
    time.sleep(AWAY_S)
    return lab.timed()


SCENES = {"well": _well, "vanish": _vanish, "version": _version}


def _marks(root: Path, students: int) -> str:
    """What marks.csv says, if it has a line for each student and none is without feedback."""
    found = (root / "marks.csv").read_text(encoding="utf-8")
    (root / "marks.csv").unlink()
    pages = len(list((root / "feedback").glob("*/*/index.html")))
    if (len(found.splitlines()) - 1, pages) != (students, students):
        raise RuntimeError(f"of {students} students {len(found.splitlines()) - 1} have marks, {pages} feedback")
    return found


if __name__ == "__main__":
    sys.exit(main())
