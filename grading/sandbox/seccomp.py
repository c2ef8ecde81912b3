"""The filter that holds code inside the walls to the system calls it may make, as the kernel's seccomp reads it.

What is on the list (`system_calls`) is allowed, eleven calls by their arguments; all else ends in EPERM.
"""

import errno
import platform
import struct

from grading.sandbox.system_calls import (
    ALLOWED,
    CLONE,
    CLONE3,
    FCNTL,
    IOCTL,
    MMAP,
    PIDFD_SIGNAL,
    PRLIMIT,
    READING_WITH_FLAGS,
    SET_SCHEDULER,
    SETRLIMIT,
    SETSOCKOPT,
    SETXATTR,
    SOCKET,
)

ALLOW, DENY, KILL = 0x7FFF0000, 0x00050000, 0x80000000  # what a filter answers; DENY plus an errno
# Classic BPF: load a word, compare it, mask it, answer.
LOAD, EQUAL, AT_LEAST, ANY_BIT, AND, ANSWER = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
# Offsets in struct seccomp_data, little-endian.
NUMBER, ARCHITECTURE, FIRST_ARGUMENT, SECOND_ARGUMENT, THIRD_ARGUMENT, FOURTH_ARGUMENT = 0, 4, 16, 24, 32, 40
UPPER_HALF = 4  # from an argument's lower 32 bits to its upper ones
X32 = 0x40000000  # x86-64's second numbering, by which every entry of the table could be passed
NAMESPACES = 0x7E020000  # the CLONE_NEW… flags of clone
MAP_PRIVATE, MAP_TYPE, MAP_ANONYMOUS = 0x02, 0x0F, 0x20
FAMILIES = (1, 2, 10)  # AF_UNIX, AF_INET, AF_INET6; not AF_VSOCK, which reaches the host without a network
NETLINK = 16  # with protocol 0 alone, the list of network devices: without it ZeroMQ aborts the kernel
# ioctl's requests about networks: a kernel serves sockets of the judge's, which would tell of the host's networks.
NETWORKS, AFTER_NETWORKS = 0x8900, 0x8A00
TYPES_INTO_TERMINALS = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
# F_SETLEASE, which makes whoever opens a file wait 45 s, F_NOTIFY, and locks on parts of files that all may read: their
# places are numbers that another notebook could read (F_GETLK, F_SETLK, F_SETLKW, and the same of open files).
WATCHES_OTHERS = (1024, 1026, 5, 6, 7, 36, 37, 38)
SCHED_OTHER = 0
RLIMIT_CORE = 4  # stays at 1: at 0 a crash would start the program outside that the system hands dumps to
SOL_SOCKET, BUFFERS = 1, (7, 8, 32, 33)  # SO_SNDBUF, SO_RCVBUF and the same by force: nobody counts what lies in them

# AUDIT_ARCH_…, and the column in the list.
MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}


def program(machine: str | None = None) -> bytes:
    """The filter for a machine, by default this one, as the bytes of a struct sock_filter array.

    Errors  ValueError for a machine whose numbers are not in the list.
    """
    machine = machine or platform.machine()
    if machine not in MACHINES:
        raise ValueError(f"no filter of system calls is known for the machine {machine}")
    architecture, column = MACHINES[machine]
    deny, allow = _answer(DENY | errno.EPERM), _answer(ALLOW)
    code = [
        _step(LOAD, ARCHITECTURE),
        _step(EQUAL, architecture, 1, 0),
        _answer(KILL),
        _step(LOAD, NUMBER),
        *([_step(AT_LEAST, X32, 0, 1), deny] if machine == "x86_64" else []),
        _step(EQUAL, CLONE3[column], 0, 1),
        _answer(DENY | errno.ENOSYS),  # its flags lie in memory, unseen; libc then falls back to clone
    ]
    for numbers in SETXATTR:
        code += _only(numbers[column], [_answer(DENY | errno.EOPNOTSUPP)])  # at EPERM, cp -p and mv would fail
    for numbers in READING_WITH_FLAGS:
        code += _only(numbers[column], [_answer(DENY | errno.ENOSYS)])
    for numbers in ALLOWED.values():
        if numbers[column] is not None:
            code += [_step(EQUAL, numbers[column], 0, 1), allow]
    return b"".join([*code, *_by_arguments(column, deny, allow), deny])


def _by_arguments(column: int, deny: bytes, allow: bytes) -> list[bytes]:
    """Steps for the system calls whose arguments decide; `column` is that of a machine's numbers."""
    code = _only(CLONE[column], [_step(LOAD, FIRST_ARGUMENT), _step(ANY_BIT, NAMESPACES, 0, 1), deny, allow])
    # Memory that is shared and has no file belongs to no process once it is not touched: nobody could count it.
    private = [_step(AND, MAP_TYPE), _step(EQUAL, MAP_PRIVATE, 1, 0), deny, allow]
    flags = [_step(LOAD, FOURTH_ARGUMENT), _step(ANY_BIT, MAP_ANONYMOUS, 1, 0), allow, *private]
    code += _only(MMAP[column], flags)
    family = [_step(LOAD, FIRST_ARGUMENT)]
    for number in FAMILIES:
        family += [_step(EQUAL, number, 0, 1), allow]
    refused = _answer(DENY | errno.EAFNOSUPPORT)
    family += [_step(EQUAL, NETLINK, 1, 0), refused, _step(LOAD, THIRD_ARGUMENT), _step(EQUAL, 0, 0, 1), allow, refused]
    code += _only(FCNTL[column], [_step(LOAD, SECOND_ARGUMENT), *_refuse(WATCHES_OTHERS), allow])
    networks = [_step(AT_LEAST, NETWORKS, 0, 2), _step(AT_LEAST, AFTER_NETWORKS, 1, 0), deny]
    code += _only(IOCTL[column], [_step(LOAD, SECOND_ARGUMENT), *networks, *_refuse(TYPES_INTO_TERMINALS), allow])
    # ZeroMQ asks for the usual one. With another a process could wait for long, which is not counted as its own time.
    code += _only(SET_SCHEDULER[column], [_step(LOAD, SECOND_ARGUMENT), _step(EQUAL, SCHED_OTHER, 1, 0), deny, allow])
    code += _only(SETRLIMIT[column], [_step(LOAD, FIRST_ARGUMENT), *_refuse((RLIMIT_CORE,)), allow])
    asks_only = [*_null(THIRD_ARGUMENT, allow), _step(LOAD, SECOND_ARGUMENT), *_refuse((RLIMIT_CORE,)), allow]
    code += _only(PRLIMIT[column], asks_only)
    code += _only(PIDFD_SIGNAL[column], [*_null(THIRD_ARGUMENT, allow), deny])
    buffers = [_step(LOAD, THIRD_ARGUMENT), *_refuse(BUFFERS), allow]
    of_socket = [_step(LOAD, SECOND_ARGUMENT), _step(EQUAL, SOL_SOCKET, 1, 0), allow]
    code += _only(SETSOCKOPT[column], [*of_socket, *buffers])
    return [*code, *_only(SOCKET[column], family)]


def _only(number: int, steps: list[bytes]) -> list[bytes]:
    """Steps that end in an answer, for one system call."""
    return [_step(EQUAL, number, 0, len(steps)), *steps]


def _refuse(values: tuple[int, ...]) -> list[bytes]:
    """Steps that refuse a call if what was loaded is one of the values."""
    return [step for value in values for step in (_step(EQUAL, value, 0, 1), _answer(DENY | errno.EPERM))]


def _null(argument: int, answer: bytes) -> list[bytes]:
    """Steps that give an answer if an argument, a pointer, is null."""
    upper = [_step(LOAD, argument + UPPER_HALF), _step(EQUAL, 0, 0, 1), answer]
    return [_step(LOAD, argument), _step(EQUAL, 0, 0, len(upper)), *upper]


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """One instruction; if_true and if_false count the instructions to skip."""
    return struct.pack("<HBBI", code, if_true, if_false, value)


def _answer(action: int) -> bytes:
    return _step(ANSWER, action)
