"""How many sessions a notebook's processes form at once: each setsid waits until the preloaded process allows it.

Linux holds the call until this process has counted (seccomp_unotify(2); that it may answer "go on" is new in Linux
5.5). One session too many fails with EPERM, at the very call that asks for it. So what becomes of a notebook does not
depend on when somebody looks. Where Linux is older, or another program around us answers calls already, it does: there
only the watch counts.

In the same way it counts what is added to what an epoll waits for: Linux grants each user a number of these, and an
ordinary account that grades is one user with all its sandboxes. Without any left ZeroMQ aborts, in the grader, too.

What a notebook chooses, such as the arguments of its call, is wiped here as it is in the watch. Like the zygote this
file stands alone.
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
# AUDIT_ARCH_…, and the numbers of setsid, epoll_ctl and seccomp.
CALLS = {"x86_64": (0xC000003E, 112, 233, 317), "aarch64": (0xC00000B7, 157, 21, 277)}
EPOLL_CTL_ADD = 1
SET_MODE_FILTER, NEW_LISTENER = 1, 1 << 3
ASK, ALLOW = 0x7FC00000, 0x7FFF0000  # what a filter answers
LOAD, EQUAL, ANSWER = 0x20, 0x15, 0x06
SECOND_ARGUMENT = 24  # its offset, and that of its lower half, in struct seccomp_data
RECEIVE, SEND, GOES_ON = 0xC0502100, 0xC0182101, 1  # ioctl's requests about what waits, and the flag of an answer

libc = ctypes.CDLL(None, use_errno=True)


class Sessions:
    """The sessions that the processes of one kernel form, as the watch sees them, and the most that they may form.

    It answers as many of these calls as a kernel may start processes, because each needs one at most, and allows as
    many additions as are granted. Linux refuses the rest by itself, so no notebook keeps this process busy.
    """

    def __init__(self, granted: dict, watch: ModuleType) -> None:
        self._most, self._watch = granted["sessions"], watch
        self._left = {True: granted["started"], False: granted["additions"]}  # by whether it is setsid that asks
        self._granted: set[int] = set()  # processes that may begin one; some have yet to do so
        ours, self.kernels = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._ours, self._listener = ours.detach(), None

    def asked(self) -> list[int]:
        """The descriptor at which something waits for `answer`, if there is one."""
        return [fd for fd in (self._ours, self._listener) if fd is not None]

    def offer(self) -> None:
        """In the kernel: from now on each setsid and addition, also of what it starts, waits for an answer."""
        known = CALLS.get(platform.machine())
        version = tuple(map(int, re.findall(r"\d+", os.uname().release)[:2]))
        if known is None or version < ANSWERED_SINCE:
            return
        listener = libc.syscall(known[-1], SET_MODE_FILTER, NEW_LISTENER, ctypes.byref(_Filter(*known)))
        if listener >= 0:  # else Linux, or another filter around this one, allows none
            socket.send_fds(self.kernels, [b"listener"], [listener])
            os.close(listener)

    def answer(self, ready: list) -> None:
        """Answers one process that waits, if any of what is ready is this kernel's."""
        if self._ours in ready:
            with socket.socket(fileno=self._ours) as ours:
                _, fds, _, _ = socket.recv_fds(ours, 16, 1, socket.MSG_CMSG_CLOEXEC)
            self._ours, self._listener = None, fds[0] if fds else None
        elif self._listener is not None and self._listener in ready:
            poll = select.poll()
            poll.register(self._listener, select.POLLIN)
            if not any(event & select.POLLIN for _, event in poll.poll(0)):  # all that could ask have ended
                self.close()
                return
            received = libc.ioctl(self._listener, RECEIVE, ctypes.byref(_asked)) == 0  # else it has ended meanwhile
            begins = _asked.call == CALLS[platform.machine()][1]
            if received:
                error, flags = (0, GOES_ON) if not begins or self._may_begin(_asked.thread) else (-errno.EPERM, 0)
                libc.ioctl(self._listener, SEND, ctypes.byref(_Answer(_asked.number, 0, error, flags)))
            self._left[begins] -= 1
            ctypes.memset(ctypes.byref(_asked), 0, ctypes.sizeof(_asked))
            if 0 in self._left.values():
                self.close()

    def close(self) -> None:
        """Answers no more."""
        for fd in self.asked():
            os.close(fd)
        self._ours = self._listener = None

    def _may_begin(self, thread: int) -> bool:
        """Whether one more would not be too many; each that was granted counts for as long as its process lives."""
        process, alive = self._watch.process_of(thread), self._watch.others(walled=True)
        self._granted &= {*alive}
        if len({process, *self._granted, *map(self._watch.session, alive)} - {0}) > self._most:
            return False
        self._granted.add(process)
        return True


class _Asked(ctypes.Structure):
    """struct seccomp_notif: which question it is, of which thread, the call, and its arguments, which nobody reads."""

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
    """struct sock_fprog, of a filter that has two calls of this machine's ask and allows all others."""

    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]

    def __init__(self, architecture: int, setsid: int, epoll_ctl: int, _: int) -> None:
        steps = [(LOAD, 0, 0, 4), (EQUAL, 0, 5, architecture), (LOAD, 0, 0, 0), (EQUAL, 4, 0, setsid)]
        steps += [(EQUAL, 0, 2, epoll_ctl), (LOAD, 0, 0, SECOND_ARGUMENT), (EQUAL, 1, 0, EPOLL_CTL_ADD)]
        steps += [(ANSWER, 0, 0, ALLOW), (ANSWER, 0, 0, ASK)]
        self._held = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *step) for step in steps))
        super().__init__(len(steps), ctypes.addressof(self._held))


_asked = _Asked()
