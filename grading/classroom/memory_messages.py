"""What an instructor reads where the machine's memory is not enough: for a notebook, or for all that run."""

import shlex

from grading.core import limit_messages, limits

KILLED_AMONG_OTHERS = (
    "the system ended one of its notebooks while others were being graded, "
    "usually because the machine's memory had run out"
)


def killed_before(times: int) -> str:
    """Why a submission is set aside that the system killed in earlier runs."""
    runs = "the last run" if times == 1 else f"the last {times} runs"
    return f"the system ended one of its notebooks in {runs}, with nothing else being graded"


def killed_alone(student: str, times: int) -> str:
    """A sentence about a submission that the system killed although no other one was being graded."""
    return (
        f"The system, or another program, ended one of its notebooks in {_runs(times)}, with nothing else being "
        "graded, usually because the machine's memory had run out. Close other programs, or give its notebooks half "
        "as much memory: "
        f"{limits.PREFIX}MEMORY_BYTES={limits.MEMORY_BYTES // 2} .venv/bin/python -m grading autograde "
        f"--student {shlex.quote(student)}"
    )


def small_machine() -> str:
    """For the instructor, where notebooks may use less memory than usual because the machine has little; else empty."""
    if limits.MACHINE_BYTES is None or limits.MEMORY_BYTES >= limits.USUAL_MEMORY_BYTES:
        return ""
    what = f"This machine has {limit_messages.gib(limits.MACHINE_BYTES)} of memory, so a notebook may use"
    usual = f"{limit_messages.gib(limits.MEMORY_BYTES)} (usually {limit_messages.gib(limits.USUAL_MEMORY_BYTES)})"
    if limits.MEMORY_BYTES > limits.MACHINE_BYTES - limits.GRADER_BYTES - limits.SCRATCH_BYTES - limits.SHARED_BYTES:
        return f"{what} {usual}. Even that may be too much: the system may end notebooks. Grade on a larger machine."
    reached = "If a notebook reaches the limit, grade it on a larger machine."
    return f"{what} {usual}. That is enough for the model answers. {reached}"


def _runs(times: int) -> str:
    return "this run" if times == 1 else f"{times} runs in a row"
