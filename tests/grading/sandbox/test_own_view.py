"""No lock that a notebook takes on a folder of the system's is one that others wait for."""

import itertools
import os
import platform
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import kernel_runs
import pytest
import torch

from grading.sandbox import bubblewrap, concealed, namespaces, own_view

FOLDER = Path(torch.__file__).resolve().parent
LIBRARY = max((FOLDER / "lib").glob("*.so*"), key=lambda path: path.stat().st_size)
SECONDS = 8
WITHOUT = [
    (not sys.platform.startswith("linux") or bubblewrap.available() is not None, "no walls here"),
    (sys.platform.startswith("linux") and "overlay" not in Path("/proc/filesystems").read_text(), "no overlays here"),
]
pytestmark = [pytest.mark.skipif(found, reason=reason) for found, reason in WITHOUT]

# A process has a folder locked while memory for its list is waited for, which 60 of its threads that change a mapping
# of 4 GB over and over make long; another asks for a new name there. This is the machine code of the threads, because
# in Python they would wait for one another:
#
#     if (mode == 0) for (;;) { mprotect(at, bytes, PROT_READ); mprotect(at, bytes, PROT_READ | PROT_WRITE); }
#     for (to = at; to < at + bytes; to += 4096) { lseek(fd, 0, SEEK_SET); getdents64(fd, to, 4096); nanosleep(1 ms); }
THREADS = """
415741564155415455534989f14989d04885ff752841ba0a000000bd01000000bb030000004c89d04c89cf4c89c64889ea0f054c
89d04889da0f05ebe84889cd48c74424e80000000048c74424f040420f004c8d24164885d27e744889f341bf0800000041ba0000
000041bed90000004c8d6c24e84c89f84889ef4c89d64c89d20f054c89f04889deba001000000f054881c300100000b823000000
4c89ef4c89d64c89d20f054c39e37cc9498d40ff48c1e80c4883c0014d39e1ba01000000480f4dc25b5d415c415d415e415fc3b8
00000000ebee
"""
LOCKS = f"""
import ctypes, os, threading, time

libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]

def lists():
    code = bytes.fromhex({"".join(THREADS.split())!r})
    size, own = {min(LIBRARY.stat().st_size, 400 * 2**20)} & ~4095, 2**27
    at = libc.mmap(None, 4096, 7, 0x22, -1, 0)
    ctypes.memmove(at, code, len(code))
    run = ctypes.CFUNCTYPE(ctypes.c_long, *[ctypes.c_long] * 4)(at)
    copies = 4 * 2**30 // size
    large = libc.mmap(None, own + copies * size, 3, 0x4022, -1, 0)  # private, and none of it is there
    library, folder = os.open({str(LIBRARY)!r}, os.O_RDONLY), os.open({str(FOLDER)!r}, os.O_RDONLY)
    for n in range(copies):
        libc.mmap(large + own + n * size, size, 1, 0x8012, library, 0)
    threading.stack_size(2**18)
    def later(seconds, *call):
        time.sleep(seconds)
        run(*call)
    for n in range(2):
        threading.Thread(target=later, args=(1.5, 1, large + n * own // 2, own // 2, folder)).start()
    for n in range(60):
        threading.Thread(target=later, args=(2, 0, large, own + copies * size, 0)).start()

def makes():
    while True:
        try:
            os.mkdir({str(FOLDER / "new")!r})
        except OSError:
            time.sleep(0.001)

for part in lists, makes:
    if os.fork() == 0:
        part()
time.sleep({SECONDS})
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the threads' machine code is x86-64's")
def test_no_notebook_keeps_others_from_a_folder_of_the_systems():
    # Where the folder's lock is everybody's, one list waits until the notebook ends: 4 s here.
    lists, beats, over = [], [], threading.Event()

    def look() -> None:
        while not over.wait(0.02):
            began, before_s = time.monotonic(), waited_s()
            os.listdir(FOLDER)
            lists.append((began, time.monotonic(), waited_s() - before_s))

    def beat() -> None:
        while not over.wait(0.02):
            beats.append(time.monotonic())

    def took_s(began: float, ended: float, waited_s: float) -> float:
        """Without what it waited for a processor, or the whole machine stood still."""
        still_s = [min(after, ended) - max(before, began) for before, after in itertools.pairwise(beats)]
        return ended - began - max([waited_s, *still_s])

    def waited_s() -> float:
        return int(Path(f"/proc/self/task/{threading.get_native_id()}/schedstat").read_text().split()[1]) / 1e9

    with kernel_runs.opened(bare=True) as pool:
        pool.give_back(pool.take())
        threads = [threading.Thread(target=run) for run in (look, beat)]
        for thread in threads:
            thread.start()
        try:
            run = kernel_runs.Run(pool, LOCKS)
        finally:
            over.set()
            for thread in threads:
                thread.join()
    assert not run.errors
    assert max(took_s(*each) for each in lists) < 1.0


def test_what_is_hidden_within_the_systems_folders_stays_hidden(monkeypatch: pytest.MonkeyPatch):
    hidden = Path("/usr/local/share")
    monkeypatch.setattr(concealed, "EXCHANGE", hidden)
    looks = f"""
import os
print(os.listdir({str(hidden)!r}))
views = [line.split()[4] for line in open("/proc/self/mountinfo") if " - overlay " in line]
print(*("/usr" + name in views for name in ("", "/local", "/local/bin", "/share")))
"""
    with kernel_runs.opened(bare=True) as pool:
        run = kernel_runs.Run(pool, looks)
    assert run.printed.splitlines() == ["[]", "False False True True"]


def test_a_folder_is_seen_as_a_whole_unless_something_is_mounted_in_it(tmp_path: Path):
    for name in ("a/b/hidden", "a/b/shown", "a/c/d"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "a/link").symlink_to(tmp_path / "a/c")
    top, mounted = str(tmp_path / "a"), str(tmp_path / "a/b/hidden")
    assert [*own_view._without_mounts(top, ["/", f"{top}else/x", top])] == [top]
    assert {*own_view._without_mounts(top, [mounted])} == {mounted, f"{top}/b/shown", f"{top}/c"}
    assert len(own_view._views(top, [mounted])) == 3
    for number in range(own_view.MOST):
        (tmp_path / f"a/b/{number}").mkdir()
    assert own_view._views(top, [mounted]) == []


def test_where_linux_allows_no_overlay_a_notebook_begins_without():
    def refused(*_: object) -> None:
        raise PermissionError

    names = {
        name: getattr(namespaces, name) for name in ("MS_RDONLY", "MS_NOSUID", "MS_NODEV", "TERMINALS_AT", "mounted")
    }
    own_view.over({"system": ["/usr"]}, SimpleNamespace(mount=refused, **names))
