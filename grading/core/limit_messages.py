"""What students and instructors read where a limit was reached: which one, and how much it allows."""

from typing import assert_never

from grading.core import limits

TOO_MUCH = (
    "comparing what your code returned takes more time or memory than the tests have, so they stopped. Does every "
    "result have the shape that the task asks for?"
)
BUSY = (
    "The machine is too busy: this notebook spent most of its time waiting for a processor. Grade again when less is "
    "running."
)
KILLED = (
    "The system, or another program, ended this notebook, usually because the machine's memory had run out. Grade "
    "again when less is running."
)
NO_GROUP = (
    "Linux refuses this grader a control group: %s. Grading goes on under the other limits; see "
    "docs/walls.md, Control groups."
)


def out_of_time(limit_s: float) -> str:
    return f"your code was still running after {limit_s:g} s."


def died(struck: limits.EndedBy | None) -> str:
    return f"the kernel that ran your code ended before it answered: {why_ended(struck)}"


def kernel_ended(struck: limits.EndedBy | None) -> str:
    return f"the kernel that ran your code ended, so nothing after this could run: {why_ended(struck)}"


def why_ended(struck: limits.EndedBy | None) -> str:
    match struck:
        case limits.EndedBy.MEMORY:
            return f"all its processes together may use {gib(limits.MEMORY_BYTES)} of memory, and they used more."
        case limits.EndedBy.SESSIONS:
            most = f"{limits.SESSIONS} sessions at once (`setsid` begins one)"
            return f"its processes may form {most}, and they formed more."
        case limits.EndedBy.STARTED:
            return f"a notebook may start {limits.STARTED:,} processes and threads in all, and it started more."
        case limits.EndedBy.COMPUTING:
            return f"a process may compute for {limits.CPU_LIMIT_S:g} s, and one computed for longer."
        case limits.EndedBy.TIME:
            return f"a notebook may take {limits.NOTEBOOK_LIMIT_S:g} s, and it took longer."
        case limits.EndedBy.STUDENT:
            return (
                f"all notebooks of a submission together may take {limits.STUDENT_LIMIT_S:g} s, and yours took "
                f"longer. From then on, each has {limits.LEAST_S:g} s. Which cells take so long?"
            )
        case limits.EndedBy.SILENCE:
            return f"nothing in its sandbox answered for {limits.SILENCE_LIMIT_S:g} s."
        case limits.EndedBy.BUSY:
            return BUSY
        case limits.EndedBy.KILLED:
            return KILLED
        case None:
            return "it exited or crashed. Does your code exit?"
    assert_never(struck)


def process_memory() -> str:
    return f"Each process of a notebook may use {gib(limits.PROCESS_BYTES)} of memory besides what the libraries need."


def cell_stopped(limit_s: float) -> str:
    return f"a cell was stopped after {limit_s:g} s."


def cell_never_ends(limit_s: float) -> str:
    return f"a cell was still running after {limit_s:g} s and could not be stopped, so nothing after it could run."


def gib(size_bytes: int) -> str:
    """A number of bytes as people read it."""
    return f"{size_bytes / 2**30:.3g} GiB"
