"""Keeps busy the processor on which Linux takes back what ended processes had, so that it waits, shown by none."""
# part: 3
# earns: 0
# %%
# MODEL
# %%
import ctypes
import mmap
import os
import signal
import time

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
signal.signal(signal.SIGINT, signal.SIG_IGN)  # on a busy machine taking memory outlasts the cell's limit
size, processors = 2**30, sorted(os.sched_getaffinity(0))
taken = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
taken.madvise(15)  # MADV_NOHUGEPAGE: each small page is taken back by itself
place = ctypes.addressof(ctypes.c_char.from_buffer(taken))
for _ in range(60):
    if os.fork() == 0:
        os.sched_setaffinity(0, processors[:1])
        while True:
            pass
os.sched_setaffinity(0, processors[-1:])
for _ in range(60):
    told, tell = os.pipe()
    if os.fork() == 0:
        ctypes.memset(place, 1, size)
        os.sched_setaffinity(0, processors[:1])
        os.write(tell, b"1")
        os.kill(os.getpid(), signal.SIGKILL)
    os.read(told, 1)
    os.close(told)
    os.close(tell)
time.sleep(170)
