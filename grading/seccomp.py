"""The system calls that code inside the walls is refused: a seccomp filter, as bubblewrap loads it.

Refused is what hands out memory that no limit counts (memfd, System V), what looks into other processes, and what only
an administrator or an attacker on the kernel asks for. torch, NumPy, matplotlib and IPython need none of it.
"""

import errno
import platform
import struct

ALLOW, DENY, KILL = 0x7FFF0000, 0x00050000, 0x80000000  # what a filter answers; DENY plus an errno
LOAD, EQUAL, AT_LEAST, ANY_BIT, ANSWER = 0x20, 0x15, 0x35, 0x45, 0x06  # classic BPF
NUMBER, ARCHITECTURE, FIRST_ARGUMENT, THIRD_ARGUMENT = 0, 4, 16, 32  # offsets in struct seccomp_data, little-endian
X32 = 0x40000000  # x86-64's second numbering, by which every entry of the table could be passed
NAMESPACES = 0x7E020000  # the CLONE_NEW… flags of clone
FAMILIES = (1, 2, 10)  # AF_UNIX, AF_INET, AF_INET6; not AF_VSOCK, which reaches the host without a network
NETLINK = 16  # with protocol 0 alone, the list of network devices: without it ZeroMQ aborts the kernel

# AUDIT_ARCH_…, and the column in CALLS.
MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}

# Name: number on x86-64, number on aarch64; None where the machine has no such call.
CALLS = {
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "sched_setattr": (314, 274),
    "ioprio_set": (251, 30),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "acct": (163, 89),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "syslog": (103, 116),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
}
SOCKET, CLONE, CLONE3 = (41, 198), (56, 220), (435, 435)


def program(machine: str | None = None) -> bytes:
    """The filter for a machine, by default this one, as the bytes of a struct sock_filter array.

    Errors  ValueError for a machine whose numbers are not in the table.
    """
    machine = machine or platform.machine()
    if machine not in MACHINES:
        raise ValueError(f"no filter of system calls is known for the machine {machine}")
    architecture, column = MACHINES[machine]
    deny = _answer(DENY | errno.EPERM)
    code = [
        _step(LOAD, ARCHITECTURE),
        _step(EQUAL, architecture, 1, 0),
        _answer(KILL),
        _step(LOAD, NUMBER),
        *([_step(AT_LEAST, X32, 0, 1), deny] if machine == "x86_64" else []),
        _step(EQUAL, CLONE3[column], 0, 1),
        _answer(DENY | errno.ENOSYS),  # its flags lie in memory, unseen; libc then falls back to clone
    ]
    for numbers in CALLS.values():
        if numbers[column] is not None:
            code += [_step(EQUAL, numbers[column], 0, 1), deny]
    code += [
        _step(EQUAL, CLONE[column], 0, 4),
        _step(LOAD, FIRST_ARGUMENT),
        _step(ANY_BIT, NAMESPACES, 0, 1),
        deny,
        _answer(ALLOW),
        _step(EQUAL, SOCKET[column], 0, 5 + len(FAMILIES)),
        _step(LOAD, FIRST_ARGUMENT),
        *[_step(EQUAL, family, 3 + len(FAMILIES) - place, 0) for place, family in enumerate(FAMILIES)],
        _step(EQUAL, NETLINK, 0, 2),
        _step(LOAD, THIRD_ARGUMENT),
        _step(EQUAL, 0, 1, 0),
        _answer(DENY | errno.EAFNOSUPPORT),
        _answer(ALLOW),
    ]
    return b"".join(code)


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """One instruction; if_true and if_false count the instructions to skip."""
    return struct.pack("<HBBI", code, if_true, if_false, value)


def _answer(action: int) -> bytes:
    return _step(ANSWER, action)
