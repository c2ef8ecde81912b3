"""Calls of a notebook's processes that wait until the keeper allows them (seccomp_unotify(2)).

Linux keeps no count of these that could be looked at later, or counts them by user, who may be the grader's, too:

- setsid: how many sessions a notebook's processes form at once. One too many fails at the very call that asks for it,
  so what becomes of a notebook does not depend on when somebody looks.
- What is added to what an epoll waits for. Linux grants each user a number of these; without any left ZeroMQ aborts, in
  the grader, too.
- With a GPU, memory that processes may share. What is not touched of such memory without a file counts for no process,
  and neither does any that CUDA manages, which is a mapping of a device file.

Linux holds such a call until this process has answered; it can answer "go on" since Linux 5.5. On an older Linux, or
where another program around us answers calls already, none waits here: there only the watch counts, and only sessions.

What a notebook chooses, such as the arguments of its call, is wiped here as it is in `processes`: without walls the
preloaded process is the keeper, too. Like the zygote this file stands alone.
"""

import ctypes
import errno
import os
import platform
import re
import select
import socket
import struct
from types import ModuleType

ANSWERED_SINCE = (5, 5)
# AUDIT_ARCH_…, and the numbers of setsid, epoll_ctl, mmap and seccomp.
CALLS = {"x86_64": (0xC000003E, 112, 233, 9, 317), "aarch64": (0xC00000B7, 157, 21, 222, 277)}
EPOLL_CTL_ADD = 1
TYPE_OF_MAPPING, SHARED = 0x0F, (0x01, 0x03)  # of mmap's flags: MAP_TYPE; MAP_SHARED, MAP_SHARED_VALIDATE
SET_MODE_FILTER, NEW_LISTENER = 1, 1 << 3
ASK, ALLOW = 0x7FC00000, 0x7FFF0000  # what a filter answers
LOAD, EQUAL, AND, ANSWER = 0x20, 0x15, 0x54, 0x06
SECOND_ARGUMENT, FOURTH_ARGUMENT = 24, 40  # offsets of their lower halves in struct seccomp_data
LENGTH = slice(20, 28)  # of a mapping, mmap's second argument: its bytes, lowest first, among those after the number
RECEIVE, SEND, GOES_ON = 0xC0502100, 0xC0182101, 1  # ioctl's requests about what waits, and the flag of an answer

libc = ctypes.CDLL(None, use_errno=True)


def offer(way: socket.socket, gpu: bool) -> None:
    """In a kernel: from now on each of these calls, also of what it starts, waits for an answer of its supervisor's.

    `way` leads to that one. It must be closed before student code runs, or a student could answer on it.
    """
    known = CALLS.get(platform.machine())
    version = tuple(map(int, re.findall(r"\d+", os.uname().release)[:2]))
    if known is None or version < ANSWERED_SINCE:
        return
    listener = libc.syscall(known[-1], SET_MODE_FILTER, NEW_LISTENER, ctypes.byref(_Filter(gpu, *known)))
    if listener >= 0:  # else Linux, or another filter around this one, allows none
        socket.send_fds(way, [b"listener"], [listener])
        os.close(listener)


class Supervisor:
    """What the processes of one kernel may still begin, add and share, in all.

    It answers a bounded number of these calls: as many of setsid as a kernel may start processes, because each needs
    one at most. Linux refuses the rest by itself, so no notebook keeps this process busy.
    """

    def __init__(self, granted: dict, processes: ModuleType) -> None:
        self._most, self._shared_mb, self._processes = granted["sessions"], granted["gpu_shared_mb"], processes
        _, self._setsid, self._epoll_ctl, self._mmap, _ = CALLS.get(platform.machine(), range(5))
        self._left = {self._setsid: granted["started"], self._epoll_ctl: granted["additions"]}
        self._left[self._mmap] = 2 * granted["gpu_shared_mb"]  # half of them refused at least
        self._granted: set[int] = set()  # processes that may begin a session; some have yet to do so
        ours, self.kernels = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._ours, self._listener = ours.detach(), None

    def asked(self) -> list[int]:
        """The descriptor at which something waits for `answer`, if there is one."""
        return [fd for fd in (self._ours, self._listener) if fd is not None]

    def answer(self, ready: list) -> None:
        """Answers one process that waits, if any of what is ready is this kernel's."""
        if self._ours in ready:
            with socket.socket(fileno=self._ours) as ours:
                _, fds, _, _ = socket.recv_fds(ours, 16, 1, socket.MSG_CMSG_CLOEXEC)
            self._ours, self._listener = None, fds[0] if fds else None
        elif self._listener is not None and self._listener in ready:
            poll = select.poll()
            poll.register(self._listener, select.POLLIN)
            events = sum(event for _, event in poll.poll(0))
            waits = events & select.POLLIN  # else whoever asked has ended meanwhile, or heard a signal, and asks again
            if events & select.POLLHUP and not waits:  # all that could ask have ended
                self.close()
                return
            received = waits and libc.ioctl(self._listener, RECEIVE, ctypes.byref(_asked)) == 0
            if received:
                error = self._refusal()
                answer = _Answer(_asked.number, 0, -error, 0 if error else GOES_ON)
                libc.ioctl(self._listener, SEND, ctypes.byref(answer))
            self._left[_asked.call if received else self._epoll_ctl] -= 1
            ctypes.memset(ctypes.byref(_asked), 0, ctypes.sizeof(_asked))
            if 0 in self._left.values():
                self.close()

    def close(self) -> None:
        """Answers no more."""
        for fd in self.asked():
            os.close(fd)
        self._ours = self._listener = None

    def _refusal(self) -> int:
        """The error with which the call that waits is to fail, or 0."""
        if _asked.call == self._setsid and not self._may_begin(_asked.thread):
            return errno.EPERM
        if _asked.call == self._mmap and not self._may_share(_asked.arguments):
            return errno.ENOMEM
        return 0

    def _may_share(self, arguments: ctypes.Array) -> bool:
        """Whether the length of a mapping is within what is left; in MB, begun ones included."""
        _, _, third, fourth, *upper_half = arguments[LENGTH]
        needed_mb = (fourth << 4 | third >> 4) + 1
        if any(upper_half) or needed_mb > self._shared_mb:
            return False
        self._shared_mb -= needed_mb
        return True

    def _may_begin(self, thread: int) -> bool:
        """Whether one more would not be too many; each that was granted counts for as long as its process lives."""
        process, alive = self._processes.process_of(thread), self._processes.others(walled=True)
        self._granted &= {*alive}
        if len({process, *self._granted, *map(self._processes.session, alive)} - {0}) > self._most:
            return False
        self._granted.add(process)
        return True


class _Asked(ctypes.Structure):
    """struct seccomp_notif: which question it is, of which thread, the call, and its arguments, byte by byte.

    Of these only a length is read, and no larger number made of it than that of its megabytes.
    """

    _fields_ = [
        ("number", ctypes.c_uint64),
        ("thread", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("call", ctypes.c_int32),
        ("arguments", ctypes.c_ubyte * 60),
    ]


class _Answer(ctypes.Structure):
    """struct seccomp_notif_resp."""

    _fields_ = [
        ("number", ctypes.c_uint64),
        ("value", ctypes.c_int64),
        ("error", ctypes.c_int32),
        ("flags", ctypes.c_uint32),
    ]


class _Filter(ctypes.Structure):
    """struct sock_fprog, of a filter that has these calls of this machine's ask, mmap with a GPU, and allows others."""

    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]

    def __init__(self, gpu: bool, architecture: int, setsid: int, epoll_ctl: int, mmap: int, _: int) -> None:
        allow, ask = (ANSWER, 0, 0, ALLOW), (ANSWER, 0, 0, ASK)
        steps = [(LOAD, 0, 0, 4), (EQUAL, 1, 0, architecture), allow, (LOAD, 0, 0, 0), (EQUAL, 0, 1, setsid), ask]
        steps += [(EQUAL, 0, 4, epoll_ctl), (LOAD, 0, 0, SECOND_ARGUMENT), (EQUAL, 0, 1, EPOLL_CTL_ADD), ask, allow]
        if gpu:
            steps += [(EQUAL, 1, 0, mmap), allow, (LOAD, 0, 0, FOURTH_ARGUMENT), (AND, 0, 0, TYPE_OF_MAPPING)]
            steps += [*((EQUAL, 1 - n, n, flags) for n, flags in enumerate(SHARED)), ask]
        steps += [allow]
        self._held = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *step) for step in steps))
        super().__init__(len(steps), ctypes.addressof(self._held))


_asked = _Asked()
