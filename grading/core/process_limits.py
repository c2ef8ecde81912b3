"""Whether this process may open as many files, and start as many processes, as grading takes: asked before it begins.

If such a limit were reached during a run, a submission would seem to be at fault, or a worker would never start.
"""

import os
import sys
from pathlib import Path

from grading.core import errors, limits

# Measured with 1 to 12 workers: a worker and what is around it has 83 files open, the parent 24 and 11 for each worker.
# A kernel may open limits.OPEN_FILES, so that none gets less than another one elsewhere.
FILES, FILES_A_WORKER = limits.OPEN_FILES, 16
# A worker with a notebook has up to 29 processes and threads, and the notebook may start limits.PROCESSES.
PROCESSES_A_WORKER = 32 + limits.PROCESSES
PROC = Path("/proc")


def suffice(workers: int) -> None:
    """Makes sure that so many workers find room; raises a limit where this process may raise it itself.

    Errors  CourseError if a limit is too low, and its owner must raise it.
    """
    if sys.platform != "linux":
        return
    import resource

    files = FILES + FILES_A_WORKER * workers
    if (allowed := _raised(resource.RLIMIT_NOFILE, files)) < files:
        found = f"a process may open {allowed} files here, and grading {_at_once(workers)} takes {files}"
        raise _too_low(found, f"ulimit -n {files}", workers)
    if os.geteuid() == 0:  # the limit on processes does not hold for root
        return
    running, more = _running(), PROCESSES_A_WORKER * workers
    processes = running + more
    if (allowed := _raised(resource.RLIMIT_NPROC, processes)) < processes:
        found = f"you may run {allowed} processes and threads here, {running} are running"
        found += f", and grading {_at_once(workers)} takes up to {more} more"
        raise _too_low(found, f"ulimit -u {processes}", workers)


def _at_once(workers: int) -> str:
    return "one submission at a time" if workers == 1 else f"{workers} submissions at once"


def _too_low(found: str, command: str, workers: int) -> errors.CourseError:
    asking, fewer = "ask your administrator to raise it", "grade fewer at once with --workers"
    others = f"or {asking}" if workers == 1 else f"{asking}, or {fewer}"
    return errors.CourseError(
        f"{found}. Nothing is lost: raise the limit with `{command}`, {others}, and run this again."
    )


def _raised(kind: int, wanted: int) -> float:
    """How much of a kind this process may have, after raising its limit to what is wanted, or as far as allowed."""
    import resource

    pair = resource.getrlimit(kind)
    soft, hard = (float("inf") if value == resource.RLIM_INFINITY else value for value in pair)
    if soft >= (most := min(wanted, hard)):
        return soft
    resource.setrlimit(kind, (int(most), pair[1]))
    return most


def _running(proc: Path = PROC) -> int:
    """How many processes and threads this user has."""
    own, found = os.getuid(), 0
    for folder in proc.iterdir():
        if not folder.name.isdigit():
            continue
        try:
            if folder.stat().st_uid == own:
                found += len(os.listdir(folder / "task"))
        except OSError:  # it has ended
            continue
    return found
