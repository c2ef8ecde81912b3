"""Runs of `grade_once.py`, each in a process of its own, with or without busy processes next to it; nothing is left.

This process holds the other end of a run's standard input: when it ends, however that comes, the run ends too. A busy
process ends when its parent is another one.
"""

import argparse
import contextlib
import datetime
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import earned
import psutil

SCRIPT = Path(__file__).with_name("grade_once.py")
END_LIMIT_S = 60  # for a run that was interrupted to end by itself
BUSY = """
import os, sys
while os.getppid() == int(sys.argv[1]):
    for _ in range(1_000_000):
        pass
"""


@dataclass(frozen=True)
class Run:
    """One run: what was earned, seconds of grading, limits that struck by student, versions, sizes in bytes, and the
    machine's load at its end: processes that ran or waited for a processor, the mean of a minute."""

    earned: earned.Earned
    seconds: float
    struck: dict[str, list[str]]
    versions: dict[str, str]
    sizes: dict[str, int]
    load: float


def cores() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0))


def machine(versions: dict[str, str]) -> str:
    """The machine, the versions that matter most, and the day, in a line."""
    names = " ".join(f"{name} {versions[name]}," for name in ("Python", "torch", "numpy"))
    return f"{cores()} cores, {psutil.virtual_memory().total / 2**30:.0f} GiB, {names} {datetime.date.today()}"


def options(chosen: argparse.Namespace) -> list[str]:
    """The command line's words that say who is graded."""
    found = ["--only", chosen.only] if chosen.only else []
    return [*found, "--students", *chosen.students] if chosen.students else found


def grade(words: list[str], python: Path | str = sys.executable) -> Run:
    """Grades once with that Python; `words` are further words of the command line.

    Errors  RuntimeError if the run fails.
    """
    with _started(words, python) as finish:
        return finish()


def grade_at_once(words: list[str], count: int) -> list[Run]:
    """Grades that often, all at the same time: each run is the load of the others, and no computing is for nothing.

    Errors  RuntimeError if a run fails; the others are ended then.
    """
    with contextlib.ExitStack() as stack:
        return [finish() for finish in [stack.enter_context(_started(words)) for _ in range(count)]]


@contextlib.contextmanager
def busy(per_core: int) -> Iterator[None]:
    """So many processes per core that do nothing but compute.

    Errors  RuntimeError if one of them ended early: then the load was smaller than it says.
    """
    command = [sys.executable, "-I", "-S", "-c", BUSY, str(os.getpid())]
    processes = []
    try:
        for _ in range(per_core * cores()):
            processes.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True))
        yield
        if any(process.poll() is not None for process in processes):
            raise RuntimeError("a busy process has ended before it was stopped")
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()


def stop_on_signals() -> None:
    """Has the signals that end a program raise KeyboardInterrupt, so it can clean up; nohup still protects."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    """A temporary folder through which other users get: student code runs as one of them."""
    with tempfile.TemporaryDirectory(prefix="runs-", ignore_cleanup_errors=True) as name:
        os.chmod(name, 0o711)
        yield Path(name)


@contextlib.contextmanager
def _started(words: list[str], python: Path | str = sys.executable) -> Iterator[Callable[[], Run]]:
    """A run in a session of its own, as a function that waits for its result; ended if this process is interrupted."""
    with _folder() as folder:
        command = [str(python), str(SCRIPT), str(folder), *words]
        environment = {**os.environ, "TMPDIR": str(folder)}
        environment.pop("PYTHONPATH", None)  # which may name packages of another Python
        process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, start_new_session=True)

        def finish() -> Run:
            code, load = process.wait(), os.getloadavg()[0]
            if code != 0:
                raise RuntimeError(f"a run ended with exit status {code}")
            about = json.loads((folder / "run.json").read_text(encoding="utf-8"))
            return Run(earned.load((folder / "earned.json").read_text(encoding="utf-8")), load=load, **about)

        try:
            yield finish
        except BaseException:
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(END_LIMIT_S)
            raise
        finally:
            left = _below(process.pid) if process.poll() is None else []
            process.kill()
            for each in left:
                with contextlib.suppress(psutil.NoSuchProcess):
                    each.kill()
            process.stdin.close()
            process.wait()


def _below(pid: int) -> list[psutil.Process]:
    with contextlib.suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).children(recursive=True)
    return []
