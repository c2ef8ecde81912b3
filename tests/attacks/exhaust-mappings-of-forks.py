"""Has Linux fill memory with notes of its own: on mappings, and how each came about from fork to fork."""
# part: 3
# earns: 0
# %%
# MODEL
# %%
import ctypes
import mmap
import os
import time

count, libc = 31_000, ctypes.CDLL(None)
taken = mmap.mmap(-1, 2 * 4096 * count, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
place = ctypes.addressof(ctypes.c_char.from_buffer(taken))
for n in range(count):
    taken[2 * 4096 * n] = 1
    libc.mprotect(ctypes.c_void_p(place + 2 * 4096 * n + 4096), 4096, 0)
for _ in range(115):
    if os.fork() > 0:
        break
time.sleep(170)
