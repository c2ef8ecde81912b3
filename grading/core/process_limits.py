"""Whether this process may open as many files, and start as many processes, as grading takes: asked before it begins.

Where such a limit is reached meanwhile, what fails looks like a submission's fault, or a worker never starts.
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
    """Sees to it that so many workers find room; a limit that this process may raise itself is raised.

    Errors  CourseError if a limit is too low, and its owner must raise it.
    """
    if sys.platform != "linux":
        return
    import resource

    files = FILES + FILES_A_WORKER * workers
    if (allowed := _raised(resource.RLIMIT_NOFILE, files)) < files:
        found = f"a process may open {allowed} files here, and grading {_at_once(workers)} takes {files}"
        raise _too_low(found, f"raise the limit, with `ulimit -n {files}`", workers)
    if os.geteuid() == 0:  # the limit on processes does not hold for root
        return
    running, more = _running(), PROCESSES_A_WORKER * workers
    processes = running + more
    if (allowed := _raised(resource.RLIMIT_NPROC, processes)) < processes:
        found = f"you may run {allowed} processes and threads here, {running} are running"
        found += f", and grading {_at_once(workers)} takes up to {more} more"
        raise _too_low(found, f"raise the limit to {processes}, with `ulimit -u {processes}`", workers)


def _at_once(workers: int) -> str:
    return "one submission at a time" if workers == 1 else f"{workers} submissions at once"


def _too_low(found: str, mend: str, workers: int) -> errors.CourseError:
    fewer = "" if workers == 1 else "or grade fewer at once with --workers, "
    return errors.CourseError(
        f"{found}. Nothing is graded or lost: {mend} or as your administrator, {fewer}and run this again."
    )


def _raised(kind: int, wanted: int) -> float:
    """How much this process may have of a kind, once its limit is as high as is wanted, or as it may be."""
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
