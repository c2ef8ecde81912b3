"""What a process has computed, and may compute before Linux ends it. It stands alone, as all within the walls."""

import resource
import time


def cpu_limit_s(pid: int) -> float:
    """What a process may compute before Linux kills it. A notebook can lower it, and so end itself as if by us.

    Asked of Linux alone: its file in /proc has all other limits, too, each 64 bits of a notebook's choice. One that has
    ended has its limits until it is waited for.
    """
    limit_s, _ = resource.prlimit(pid, resource.RLIMIT_CPU)
    return float("inf") if limit_s == resource.RLIM_INFINITY else limit_s


def counted_s(pid: int) -> float:
    """What a process and its threads have computed as Linux counts it against that limit: tick by tick.

    Code that runs at the ticks and sleeps between them computes a tenth of it, which is what `wait4` tells.
    """
    return time.clock_gettime(~pid << 3)  # a clock by its process: CPUCLOCK_PROF of linux/posix-timers.h
