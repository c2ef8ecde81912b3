"""Writes random bytes to the kernel's own connections, where they are no messages."""
# part: 3
# earns: 10
# %%
# MODEL
# %%
import os
import socket

for name in os.listdir("/proc/self/fd"):
    try:
        connection = socket.socket(fileno=os.dup(int(name)))
        if connection.family == socket.AF_UNIX:
            connection.setblocking(False)
            connection.send(os.urandom(100_000))
    except OSError:
        pass
