"""A fork of the preloaded process that keeps one kernel: it forks it, watches over it, and sees it end.

Whoever watches learns what the notebook chose: how much memory its processes have, how many it started, how long they
computed. Such numbers stay in the memory of the process that read them, even in what it gave back, and of the preloaded
process's memory each later kernel gets a copy. So that one reads nothing of a notebook, and the fork ends with the
kernel. Like the zygote this file stands alone.
"""

import ctypes
import os
from collections.abc import Callable

PR_SET_CHILD_SUBREAPER = 36


def in_a_fork(keep: Callable[[], bool], fds: list[int]) -> bool:
    """What `keep`, called in a fork, says of the kernel that it kept; False if the fork ended in another way.

    The open files `fds` are that one's. It takes in, as this process does, what its children leave behind.
    """
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
            code = int(not keep())
        finally:
            os._exit(code)
    for fd in fds:
        os.close(fd)
    return os.waitpid(pid, 0)[1] == 0
