"""Sends one byte of each page of a file into sockets, and empties the file: the pages stay, and nobody counts them."""
# part: 3
# earns: 10
# %%
# MODEL
# %%
import os
import socket

pairs = [socket.socketpair() for _ in range(30)]
file = os.open("pages", os.O_RDWR | os.O_CREAT)
sent = 0
for ours, _ in pairs:
    ours.setblocking(False)
    for _ in range(20):
        os.pwrite(file, bytes(256 * 4096), 0)
        for page in range(256):
            try:
                sent += os.sendfile(ours.fileno(), file, page * 4096, 1)
            except OSError:
                break
        os.ftruncate(file, 0)
print(sent * 4096 // 2**20, "MiB")
