"""What a process has computed, and may compute before Linux ends it. It stands alone, as all within the walls."""

import time


def cpu_limit_s(pid: int) -> float:
    """What a process may compute before Linux kills it. A notebook can lower it, and so end itself as if by us."""
    with open(f"/proc/{pid}/limits", "rb") as file:  # of one that has ended, too, until it is waited for
        words = next((line.split() for line in file if line.startswith(b"Max cpu time")), [])
    return float(words[4]) if len(words) > 4 and words[4].isdigit() else float("inf")


def counted_s(pid: int) -> float:
    """What a process and its threads have computed as Linux counts it against that limit: tick by tick.

    Code that runs at the ticks and sleeps between them computes a tenth of it, which is what `wait4` tells.
    """
    return time.clock_gettime(~pid << 3)  # a clock by its process: CPUCLOCK_PROF of linux/posix-timers.h
