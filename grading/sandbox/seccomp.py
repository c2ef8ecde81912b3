"""The filter that holds code inside the walls to the system calls it may make, as the kernel's seccomp reads it.

What is on the list (`system_calls`) is allowed, twenty-two calls by their arguments. Everything else fails with
EPERM or, where that would make a library give up, with the error that makes it fall back. What writes files to a disk,
or chooses processors or a part of the memory, succeeds, and does nothing.
"""

import errno
import platform
import struct
from collections.abc import Iterable

from grading.sandbox.system_calls import (
    ADVICE,
    ALLOWED,
    CLONE,
    CLONE3,
    COMMANDS,
    CUDA_SOCKETS,
    F_SETFL,
    FCNTL,
    FLUSHING,
    GETSOCKOPT,
    IN_INTERRUPTS,
    IOCTL,
    KEEPERS_SIGNALS,
    MADVISE,
    MMAP,
    MSG_OOB,
    MSYNC,
    NAMELESS,
    NVIDIA_KIND,
    NVIDIA_NUMBERS,
    NVIDIA_UVM,
    O_DIRECT,
    OPEN,
    OPENAT,
    OPENAT2,
    OPTIONS,
    PIDFD_SIGNAL,
    PR_SET_PDEATHSIG,
    PRCTL,
    PRLIMIT,
    READING_WITH_FLAGS,
    REQUESTS,
    SENDING_FILES,
    SET_AFFINITY,
    SET_MEMORY_POLICY,
    SET_SCHEDULER,
    SETRLIMIT,
    SETSOCKOPT,
    SETXATTR,
    SIGNAL_OF_END,
    SOCKET,
    SOCKET_OPTIONS,
    SOCKETPAIR,
    SOCKETS,
    TOLD,
)

ALLOW, DENY, KILL = 0x7FFF0000, 0x00050000, 0x80000000  # what a filter answers; DENY plus an errno
DONE = DENY  # with no error: as if it had been done
# Classic BPF: load a word, compare it, mask it, answer.
LOAD, EQUAL, AT_LEAST, ANY_BIT, AND, JUMP, ANSWER = 0x20, 0x15, 0x35, 0x45, 0x54, 0x05, 0x06
# Offsets in struct seccomp_data, little-endian.
NUMBER, ARCHITECTURE, FIRST_ARGUMENT, SECOND_ARGUMENT, THIRD_ARGUMENT, FOURTH_ARGUMENT = 0, 4, 16, 24, 32, 40
UPPER_HALF = 4  # from an argument's lower 32 bits to its upper ones
X32 = 0x40000000  # x86-64's second numbering, by which every entry of the table could be passed
NAMESPACES = 0x7E020000  # the CLONE_NEW… flags of clone
MAP_SHARED, MAP_PRIVATE, MAP_SHARED_VALIDATE, MAP_TYPE, MAP_ANONYMOUS = 0x01, 0x02, 0x03, 0x0F, 0x20
MAP_HUGETLB = 0x40000
AF_UNIX, NETLINK, USUAL_PROTOCOL, SOL_SOCKET = 1, 16, 0, 1
# What ZeroMQ, which asks netlink for the list of network devices, takes as "there are none"; at others it aborts.
NO_NETLINK = errno.EOPNOTSUPP
SOCKET_FLAGS = 0x80800  # SOCK_CLOEXEC and SOCK_NONBLOCK, which come with a socket's type
KIND = 0xFF00  # of one of ioctl's requests: the part that says whose it is
SCHED_OTHER = 0
MS_SYNC = 4  # has msync write to the disk before it returns
RLIMIT_CORE = 4  # stays at 1: at 0 a crash would start the program outside that the system hands dumps to

# AUDIT_ARCH_…, and the column in the list.
MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}


def program(machine: str | None = None, gpu: bool = False) -> bytes:
    """The filter for a machine, by default this one, as the bytes of a struct sock_filter array.

    With a GPU, what its driver is asked by ioctl is allowed, too, and what CUDA does not start without; memory that it
    shares is bounded by `supervisor`.
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
    for numbers in (*READING_WITH_FLAGS, *IN_INTERRUPTS.values()):
        if numbers[column] is not None:
            code += _only(numbers[column], [_answer(DENY | errno.ENOSYS)])
    for numbers in SENDING_FILES:
        code += _only(numbers[column], [_answer(DENY | errno.EINVAL)])
    code += _only(OPENAT2[column], [_answer(DENY | errno.ENOSYS)])
    for numbers, flags in ((OPEN, SECOND_ARGUMENT), (OPENAT, THIRD_ARGUMENT)):
        if numbers[column] is not None:
            code += _only(numbers[column], [*_not_past_the_cache(flags, column), allow])
    for name, which in (("kill", SECOND_ARGUMENT), ("tkill", SECOND_ARGUMENT), ("tgkill", THIRD_ARGUMENT)):
        code += _only(ALLOWED[name][column], [_step(LOAD, which), *_refuse(KEEPERS_SIGNALS), allow])
    out_of_turn = [_step(ANY_BIT, MSG_OOB, 0, 1), _answer(DENY | errno.EOPNOTSUPP), allow]
    code += _only(ALLOWED["sendto"][column], [_step(LOAD, FOURTH_ARGUMENT), *out_of_turn])
    named = [_step(LOAD, THIRD_ARGUMENT), _step(EQUAL, NAMELESS, 0, 1), _answer(DENY | errno.EINVAL), allow]
    code += _only(ALLOWED["bind"][column], named)
    for numbers in (*FLUSHING, SET_AFFINITY, SET_MEMORY_POLICY):
        code += _only(numbers[column], [_answer(DONE)])
    for numbers in ALLOWED.values():
        if numbers[column] is not None:
            code += [_step(EQUAL, numbers[column], 0, 1), allow]
    return b"".join([*code, *_by_arguments(column, gpu, deny, allow), *_sockets(column, gpu, deny), deny])


def _by_arguments(column: int, gpu: bool, deny: bytes, allow: bytes) -> list[bytes]:
    """Steps for the system calls whose arguments decide; `column` is that of a machine's numbers."""
    code = [_step(LOAD, FIRST_ARGUMENT), _step(ANY_BIT, NAMESPACES, 0, 1), deny]
    code = _only(CLONE[column], [*code, _step(AND, SIGNAL_OF_END), *_refuse(KEEPERS_SIGNALS), allow])
    # Memory that is shared and has no file belongs to no process once it is not touched: nobody could count it.
    # CUDA starts with some: with a GPU, `supervisor` bounds it.
    types = (MAP_PRIVATE, MAP_SHARED, MAP_SHARED_VALIDATE) if gpu else (MAP_PRIVATE,)
    flags = [_step(LOAD, FOURTH_ARGUMENT), *_no_pages_of_the_machines(), _step(ANY_BIT, MAP_ANONYMOUS, 1, 0), allow]
    code += _only(MMAP[column], [*flags, _step(AND, MAP_TYPE), *_allow(types), deny])
    # As an older Linux answers, which knows less advice. Without MS_SYNC, msync tells what memory is there, no more.
    code += _only(MADVISE[column], [_step(LOAD, THIRD_ARGUMENT), *_allow(_all(ADVICE)), _answer(DENY | errno.EINVAL)])
    code += _only(MSYNC[column], [_step(LOAD, THIRD_ARGUMENT), _step(ANY_BIT, MS_SYNC, 0, 1), _answer(DONE), allow])
    direct = _not_past_the_cache(THIRD_ARGUMENT, column)
    commands = [_step(EQUAL, F_SETFL, 0, len(direct)), *direct, _step(LOAD, SECOND_ARGUMENT), *_allow(_all(COMMANDS))]
    code += _only(FCNTL[column], [_step(LOAD, SECOND_ARGUMENT), *commands, deny])
    requests = [*_allow(_all(REQUESTS)), *(_driver(allow) if gpu else []), deny]
    code += _only(IOCTL[column], [_step(LOAD, SECOND_ARGUMENT), *requests])
    at_an_end = [_step(LOAD, SECOND_ARGUMENT), *_refuse(KEEPERS_SIGNALS), allow]
    options = [*_any((PR_SET_PDEATHSIG,), at_an_end), *_allow(_all(OPTIONS)), deny]
    code += _only(PRCTL[column], [_step(LOAD, FIRST_ARGUMENT), *options])
    # ZeroMQ asks for the usual one. With another a process could wait for long, which is not counted as its own time.
    code += _only(SET_SCHEDULER[column], [_step(LOAD, SECOND_ARGUMENT), _step(EQUAL, SCHED_OTHER, 1, 0), deny, allow])
    code += _only(SETRLIMIT[column], [_step(LOAD, FIRST_ARGUMENT), *_refuse((RLIMIT_CORE,)), allow])
    asks_only = [*_null(THIRD_ARGUMENT, allow), _step(LOAD, SECOND_ARGUMENT), *_refuse((RLIMIT_CORE,)), allow]
    code += _only(PRLIMIT[column], asks_only)
    signals = [_step(LOAD, SECOND_ARGUMENT), *_refuse(KEEPERS_SIGNALS), *_null(THIRD_ARGUMENT, allow), deny]
    return [*code, *_only(PIDFD_SIGNAL[column], signals)]


def _not_past_the_cache(flags: int, column: int) -> list[bytes]:
    """Steps that refuse O_DIRECT among a file's flags, as a file system does that knows none."""
    return [_step(LOAD, flags), _step(ANY_BIT, O_DIRECT[column], 0, 1), _answer(DENY | errno.EINVAL)]


def _no_pages_of_the_machines() -> list[bytes]:
    """Steps that refuse huge pages which the machine sets aside, as Linux does where it has none, which is the default.

    With `vm.nr_overcommit_hugepages` it makes them as it is asked, and until somebody touches them no process has them.
    """
    return [_step(ANY_BIT, MAP_HUGETLB, 0, 1), _answer(DENY | errno.ENOMEM)]


def _driver(allow: bytes) -> list[bytes]:
    """Steps for a request of ioctl's that may be one to NVIDIA's driver."""
    first, after = NVIDIA_NUMBERS
    numbers = [_step(AT_LEAST, first, 0, 2), _step(AT_LEAST, after, 1, 0), allow]
    return [*_allow(NVIDIA_UVM), *numbers, _step(AND, KIND), _step(EQUAL, NVIDIA_KIND << 8, 0, 1), allow]


def _sockets(column: int, gpu: bool, deny: bytes) -> list[bytes]:
    """Steps for the system calls that make sockets and set their options."""
    types = (*SOCKETS, *CUDA_SOCKETS) if gpu else SOCKETS
    asked = [_step(LOAD, THIRD_ARGUMENT), *_allow((USUAL_PROTOCOL,)), _answer(DENY | errno.EPROTONOSUPPORT)]
    asked = [_step(LOAD, SECOND_ARGUMENT), _step(AND, ~SOCKET_FLAGS & 0xFFFFFFFF), *_any(types, asked)]
    kinds = [_step(LOAD, FIRST_ARGUMENT), *_any((AF_UNIX,), asked)]
    others = [*_any((NETLINK,), [_answer(DENY | NO_NETLINK)]), _answer(DENY | errno.EAFNOSUPPORT)]
    code = _only(SOCKET[column], [*kinds, _step(LOAD, FIRST_ARGUMENT), *_any((AF_UNIX,), [deny]), *others])
    code += _only(SOCKETPAIR[column], [_step(LOAD, FIRST_ARGUMENT), _step(EQUAL, AF_UNIX, 1, 0), deny, *kinds, deny])
    unknown = _answer(DENY | errno.ENOPROTOOPT)  # as an older Linux answers, which knows fewer
    code += _only(SETSOCKOPT[column], _options(SOCKET_OPTIONS, deny))
    return [*code, *_only(GETSOCKOPT[column], _options((*SOCKET_OPTIONS, *TOLD), unknown))]


def _options(names: tuple[int, ...], refusal: bytes) -> list[bytes]:
    """Steps that allow these options of a socket, and refuse all others."""
    asked = [_step(LOAD, THIRD_ARGUMENT), *_allow(names), refusal]
    return [_step(LOAD, SECOND_ARGUMENT), *_any((SOL_SOCKET,), asked), refusal]


def _only(number: int, steps: list[bytes]) -> list[bytes]:
    """Steps that end in an answer, for one system call."""
    return [_step(EQUAL, number, 0, len(steps)), *steps]


def _any(values: Iterable[int], steps: list[bytes]) -> list[bytes]:
    """Steps that are taken if what was loaded is one of the values, else left out."""
    values = list(values)
    tests = [_step(EQUAL, value, len(values) - n, 0) for n, value in enumerate(values)]
    return [*tests, _step(JUMP, len(steps)), *steps]


def _allow(values: Iterable[int]) -> list[bytes]:
    """Steps that allow a call if what was loaded is one of the values."""
    return _any(values, [_answer(ALLOW)])


def _all(table: dict[str, tuple[int, ...]]) -> list[int]:
    return [value for values in table.values() for value in values]


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
