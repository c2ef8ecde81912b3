"""Fills memory that no process shows: shared mappings that are not touched again, and bytes unread in sockets."""
# part: 3
# earns: 0
# %%
# MODEL
# %%
import mmap
import os
import socket
import time

kept = []
try:
    for _ in range(40):
        shared = mmap.mmap(-1, 64 * 2**20)
        shared.write(b"x" * len(shared))
        shared.madvise(mmap.MADV_DONTNEED)
        kept.append(shared)
except OSError:
    pass
for _ in range(6):
    os.fork()
for _ in range(60):
    for end in (pair := socket.socketpair()):
        kept.append(end)
        end.setblocking(False)
        try:
            while True:
                end.send(bytes(4096))
        except BlockingIOError:
            pass
time.sleep(60)
