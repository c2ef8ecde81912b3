"""The numbers of system calls are Linux's own, on each machine that the walls know."""

import platform
import re
from pathlib import Path

import pytest

from grading.sandbox import seccomp, system_calls

# aarch64 has the numbers that Linux gives every newer machine. All these files come with what a C compiler needs.
HEADERS = {
    "x86_64": ["/usr/include/x86_64-linux-gnu/asm/unistd_64.h"],
    "aarch64": ["/usr/include/asm-generic/unistd.h"],
}
if platform.machine() == "x86_64":
    HEADERS["x86_64"] += ["/usr/include/asm/unistd_64.h"]  # where a system has one machine's headers only
NUMBER = re.compile(r"^#define __NR(?:3264)?_(\w+)\s+(\d+)", re.MULTILINE)
NEWER = {"epoll_pwait2", "futex_waitv", "fchmodat2", "futex_wake", "futex_wait", "futex_requeue"}  # than some headers
# What is not in the list itself, but allowed by its arguments or refused with an error of its own.
ALONE = "socket socketpair setsockopt getsockopt clone clone3 mmap madvise msync ioctl fcntl prctl setrlimit".split()
OTHERS = {
    **{name: getattr(system_calls, name.upper()) for name in ALONE},
    "prlimit64": system_calls.PRLIMIT,
    "openat2": system_calls.OPENAT2,
    "sched_setaffinity": system_calls.SET_AFFINITY,
    "set_mempolicy": system_calls.SET_MEMORY_POLICY,
    "sched_setscheduler": system_calls.SET_SCHEDULER,
    "pidfd_send_signal": system_calls.PIDFD_SIGNAL,
    **dict(zip(("preadv2", "pwritev2"), system_calls.READING_WITH_FLAGS, strict=True)),
    **dict(zip(("setxattr", "lsetxattr", "fsetxattr"), system_calls.SETXATTR, strict=True)),
    **dict(zip(("fsync", "fdatasync", "sync_file_range"), system_calls.FLUSHING, strict=True)),
    **dict(zip(("sendfile", "splice"), system_calls.SENDING_FILES, strict=True)),
}


@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_each_system_call_has_the_number_that_linux_gives_it(machine: str):
    found = [path for path in map(Path, HEADERS[machine]) if path.exists()]
    if not found:
        pytest.skip("the headers of Linux are not installed here")
    linux = {name: int(number) for name, number in NUMBER.findall(found[0].read_text(encoding="utf-8"))}
    if "fstatat" in linux:  # as the shared file calls it
        linux["newfstatat"] = linux["fstatat"]
    _, column = seccomp.MACHINES[machine]
    ours = {name: numbers[column] for name, numbers in {**system_calls.ALLOWED, **OTHERS}.items()}
    unknown = NEWER - linux.keys()
    wrong = {n: (ours[n], linux.get(n)) for n in ours if ours[n] != linux.get(n) and n not in unknown}
    assert wrong == {}
