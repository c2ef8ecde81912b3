"""Open files of /proc, for which Linux may keep memory that counts for no process.

Like the watch, which asks for it, this file stands alone, and wipes what it read.
"""

import ctypes
import functools
import os
import sys
import threading
from collections.abc import Callable
from types import ModuleType

# As long may a file of /proc be that tells the path of a mapped file: of each folder's name 255 signs, each written
# with 4. Linux reads it in one piece, which has twice the room, and keeps it for as long as somebody has it open.
FOLDER_KB = 2
LOOKS = 4  # in a row that must see a process's file of /proc open: honest code closes it again
USUAL_TEXTS = 10  # other files of /proc that a notebook may have open; an idle kernel has none
CACHED, TYPE_MODE_SIZE = 0x4000, 0x203  # statx's flag AT_STATX_DONT_SYNC, and what it is asked for
MODE, INODES_HIGHEST, SIZE, STATX_BYTES = slice(28, 30), 35, slice(40, 48), 256  # places in struct statx
SYSTEMS = 0xF0  # the highest byte, from here on, of inodes in /proc that belong to no process (PROC_DYNAMIC_FIRST)
READABLE_FILES = (0o100444, 0o100400, 0o100600)  # the modes of /proc's files that are texts, and that of `mem`
LINK_BYTES = 64  # of the path of a file in /proc, which begins with its process's number there
# In a process's `stat`, after its name: where its program's code begins and ends, and its stack. Only exec changes
# these, and whoever writes a program chooses all but the last, which Linux draws.
PROGRAM = slice(23, 26)
KIND, PROC = slice(0, 8), 0x9FA0  # the place in struct statfs, and there PROC_SUPER_MAGIC


class OpenFiles:
    """The memory that Linux may keep for the files of /proc that a notebook's processes have open, look by look."""

    def __init__(self, granted: dict, processes: ModuleType, patience: object) -> None:
        self._granted, self._processes, self._patience = granted, processes, patience
        self._listable = False  # whether any process's open files could be listed: none of a kernel's until it begins
        # Those of processes in /proc that were open at the last looks: of which one has ended, and others.
        self._ended, self._texts = [0] * LOOKS, [0] * LOOKS

    @property
    def none(self) -> bool:
        """Whether the last look could list the open files, and none of them was a process's."""
        return self._listable and not self._ended[-1] and not self._texts[-1]

    def kept_kb(self, largest_kb: int, meanwhile: Callable[[], object]) -> int:
        """What Linux may keep for open files of /proc: the path of a mapped file, or what a process held at its end.

        What it held stays while others read it through the process's `mem` or `pagemap`. Where there are many it takes
        a second to look at all: `meanwhile` is called before each thread's, and before each process's that has some.
        """
        ended, texts, systems = self._files_of_proc(meanwhile)
        self._ended, self._texts = [*self._ended[1:], ended], [*self._texts[1:], texts]
        text_kb = FOLDER_KB * self._granted["files"]
        texts_kb = (min(self._texts) + max(0, systems - USUAL_TEXTS)) * text_kb
        return min(self._ended) * max(largest_kb, text_kb) + texts_kb

    def _files_of_proc(self, meanwhile: Callable[[], object] = lambda: None) -> list[int]:
        """How many files of /proc are open: of processes that have ended or changed programs, of others, and of none.

        A thread may have open files of its own. If a process hides its files, each counts as one of the first kind. A
        file that forks inherited under the same number counts once.
        """
        owners, hidden, first, pids = [], 0, {}, set()
        for pid, name in self._processes.threads():
            thread = f"/proc/{pid}/task/{name}"
            meanwhile()
            pids.add(pid)
            try:
                found = self._patience.read(pid, functools.partial(self._of_thread, pid, name), list)
                owners += self._not_inherited(int(name), found, first)
                self._listable = True
            except PermissionError:
                if self._listable and self._processes.lines_of(f"{thread}/status", "VmSize:"):  # else it is ending
                    hidden += self._processes.lines_of(f"{thread}/status", "FDSize:") or 0
            except OSError:  # it has gone
                pass
        systems = owners.count(None)
        if systems == len(owners):  # as nearly always: nobody's number is asked for
            return [hidden, 0, systems]
        here = {self._processes.lines_of(f"/proc/{pid}/status", "NSpid:", column=-1): pid for pid in pids}
        as_begun = {owner: self._is_as_begun(here[owner], meanwhile) for owner in {*owners} & here.keys()}
        lasting = [as_begun.get(owner, False) for owner in owners if owner is not None]
        return [hidden + lasting.count(False), lasting.count(True), systems]

    def _not_inherited(self, thread: int, found: list[tuple[int, int | None]], first: dict) -> list[int | None]:
        """The processes of a thread's files that are no other one's; `first` has the first thread with each number.

        Each read is handed on to another thread here, so all numbers of one are compared in one: a notebook may have
        thousands, and nobody looks at its memory until a thread's are counted.
        """
        by_first: dict[int, list[tuple[int, int | None]]] = {}
        for fd, owner in found:
            by_first.setdefault(first.setdefault(fd, thread), []).append((fd, owner))
        own = [owner for _, owner in by_first.pop(thread, [])]
        for other, files in by_first.items():
            own += self._patience.read(other, functools.partial(self._differing, other, thread, files), list)
        return own

    def _differing(self, other: int, thread: int, files: list[tuple[int, int | None]]) -> list[int | None]:
        """The processes of those files that two threads don't share under their number."""
        compare, kind = self._processes.have_the_same, self._processes.FILE
        return [owner for fd, owner in files if not compare(kind, other, thread, fd)]

    def _is_as_begun(self, pid: int, meanwhile: Callable[[], object]) -> bool:
        """Whether a process lives and still runs the program it was forked in: then its files keep no extra memory."""
        meanwhile()
        own = self._processes.stat("/proc/self/stat")[PROGRAM]
        reading = functools.partial(self._processes.stat, f"/proc/{pid}/stat")
        return own == self._patience.read(pid, reading, list)[PROGRAM]

    def _of_thread(self, pid: int, name: str) -> list[tuple[int, int | None]]:
        """See `_of_proc`; nothing of a thread that has the same files as its process's first one."""
        if int(name) != pid and self._processes.have_the_same(self._processes.FILES, pid, int(name)):
            return []
        return _of_proc(f"/proc/{pid}/task/{name}/fd")


def _of_proc(folder: str) -> list[tuple[int, int | None]]:
    """A thread's open files that are /proc's, of size 0 and of a few modes, each with its process; None for no process.

    A notebook chooses its own files' times and sizes, so these are wiped here.
    Errors  PermissionError for a thread that hides its files, OSError for one that has gone.
    """
    folder_fd, found, state = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC), [], _own.state
    try:
        for name in os.listdir(folder_fd):
            if libc.statx(folder_fd, name.encode(), CACHED, TYPE_MODE_SIZE, state) != 0:
                continue  # it is closed by now
            if int.from_bytes(state[MODE], sys.byteorder) in READABLE_FILES and not any(state[SIZE]):
                is_systems = state[INODES_HIGHEST] >= SYSTEMS
                is_there = libc.statfs(f"{folder}/{name}".encode(), state) == 0
                if is_there and int.from_bytes(state[KIND], sys.byteorder) == PROC:
                    found.append((int(name), None if is_systems else _owner(folder_fd, name)))
    finally:
        os.close(folder_fd)
        ctypes.memset(state, 0, STATX_BYTES)
    return found


def _owner(folder_fd: int, name: str) -> int:
    """The number, in its own sandbox's /proc, of the process that such an open file is of; -1 if it can't be told."""
    state = _own.state
    length = libc.readlinkat(folder_fd, name.encode(), state, LINK_BYTES)
    parts = bytes(state[: max(0, length)]).split(b"/")  # /proc/NUMBER/…
    return int(parts[2]) if len(parts) > 2 and parts[2].isdigit() else -1


class _Own(threading.local):
    """What each thread reads into."""

    def __init__(self) -> None:
        self.state = (ctypes.c_ubyte * STATX_BYTES)()


libc, _own = ctypes.CDLL(None), _Own()
