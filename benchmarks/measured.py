"""One command measured: wall time, computing time and memory of all the processes that it starts.

Computing time is what each process has used, read from /proc every LOOK_S and never counted twice: what a parent has
reaped of its children takes the place of what was seen of them. Memory counts a page that processes share once.
"""

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

LOOK_S = 0.2
MEMORY_LOOKS = 10  # memory is looked at every tenth time, because that takes longer
TICKS = os.sysconf("SC_CLK_TCK")
LAST_LINES = 3  # of a command that failed: what is to be done may take that many


@dataclass
class Cost:
    """What a command took: seconds by the clock, seconds of computing, those of the first process, and memory."""

    wall_s: float = 0.0
    cpu_s: float = 0.0
    parent_s: float = 0.0
    peak_mb: float = 0.0


@dataclass
class _Process:
    parent: int
    own_s: float = 0.0
    reaped_s: float = 0.0
    alive: bool = True


@dataclass(frozen=True)
class Memory:
    """At a moment, in seconds since 1970, the memory of the first process and of all."""

    at: float
    parent_mb: float
    all_mb: float


def run(argv: list[str], folder: Path, env: dict[str, str], log: Path) -> Cost:
    """Runs a command in a folder, its output in a file, and measures it.

    Errors  RuntimeError with the command's last lines if it fails.
    """
    started = time.perf_counter()
    with open(log, "w") as output:
        process = subprocess.Popen(argv, cwd=folder, env=env, stdout=output, stderr=subprocess.STDOUT)
        with Watch(process.pid) as watch:
            try:
                status = process.wait()
            except BaseException:
                process.terminate()
                process.wait()
                raise
            wall_s = time.perf_counter() - started
    if status:
        last = "\n".join(log.read_text(errors="replace").strip().splitlines()[-LAST_LINES:])
        raise RuntimeError(f"{' '.join(argv[:4])} … ended with {status}: {last or 'no word'}")
    return replace(watch.cost(), wall_s=wall_s)


class Watch:
    """Within it a running process and all below it are looked at every `look_s`."""

    def __init__(self, pid: int, look_s: float = LOOK_S) -> None:
        self._pid, self._look_s, self._over = pid, look_s, threading.Event()
        self._seen: dict[int, _Process] = {}
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._look_on)
        self.memory: list[Memory] = []

    def __enter__(self) -> "Watch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def cost(self) -> Cost:
        """What they have taken so far, as of the last look; `wall_s` is not known here.

        Errors  KeyError before the first look, which comes at once.
        """
        with self._lock:
            peak_mb = max((memory.all_mb for memory in self.memory), default=0.0)
            return Cost(0.0, _total(self._seen, self._pid), self._seen[self._pid].own_s, peak_mb)

    def _look_on(self) -> None:
        looks = 0
        while True:
            living = dict(_processes())
            known = set(_below(self._pid, living))
            with self._lock:
                _look(self._seen, living, known)
            if looks % MEMORY_LOOKS == 0:
                found = {pid: _proportional_mb(pid) for pid in known}
                if found:
                    self.memory.append(Memory(time.time(), found.get(self._pid, 0.0), sum(found.values())))
            looks += 1
            if self._over.wait(self._look_s):
                return


def memory_mb(code: str) -> float:
    """The memory of a Python that has run some code and waits."""
    code += "\nimport sys\nprint('ready', flush=True)\nsys.stdin.read()"
    argv = [sys.executable, "-c", code]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        found = _proportional_mb(process.pid)
        process.stdin.close()
    return found


def _look(seen: dict[int, _Process], living: dict[int, tuple[int, float, float]], known: set[int]) -> None:
    """Notes what the known processes have computed so far, and which have ended.

    What one computed between the look before and its end is known only if it was reaped: then its parent has it.
    """
    ended: dict[int, list[int]] = {}  # since the look before, by parent
    for pid, process in seen.items():
        if process.alive and pid not in known:
            process.alive = False
            ended.setdefault(process.parent, []).append(pid)
    for pid in known:
        parent, own_s, reaped_s = living[pid]
        process = seen.setdefault(pid, _Process(parent))
        if children := ended.get(pid):
            unseen_s = reaped_s - process.reaped_s - sum(_total(seen, child) for child in children)
            seen[children[0]].own_s += max(0.0, unseen_s)
        process.own_s, process.reaped_s = own_s, reaped_s


def _processes() -> Iterator[tuple[int, tuple[int, float, float]]]:
    """Every process: its parent, the seconds that it computed, and those of the children that it has reaped."""
    for name in reversed(os.listdir("/proc")):  # the youngest first: none is gone whose parent hasn't reaped it yet
        if name.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()  # a process's name may be any bytes
                user, system, user_reaped, system_reaped = (int(number) / TICKS for number in fields[11:15])
                yield int(name), (int(fields[1]), user + system, user_reaped + system_reaped)


def _below(root: int, living: dict[int, tuple]) -> Iterator[int]:
    children: dict[int, list[int]] = {}
    for pid, (parent, *_) in living.items():
        children.setdefault(parent, []).append(pid)
    waiting = [root] if root in living else []
    while waiting:
        pid = waiting.pop()
        yield pid
        waiting += children.get(pid, [])


def _total(seen: dict[int, _Process], root: int) -> float:
    """The computing of a process and all below it; of the dead the greater of what was seen and what was reaped."""
    children: dict[int, list[int]] = {pid: [] for pid in seen}
    for pid, process in seen.items():
        if pid != root and process.parent in seen:
            children[process.parent].append(pid)

    def total(pid: int) -> float:
        process = seen[pid]
        dead = sum(total(child) for child in children[pid] if not seen[child].alive)
        living = sum(total(child) for child in children[pid] if seen[child].alive)
        return process.own_s + max(process.reaped_s, dead) + living

    return total(root)


def _proportional_mb(pid: int) -> float:
    """The memory of a process, a shared page counted in parts; 0 for one that has gone."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/smaps_rollup") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("Pss:")) / 1024
    return 0.0
