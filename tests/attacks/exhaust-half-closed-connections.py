"""Shuts the kernel's connections down in one direction each, so that no reply leaves; that is refused."""
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
            connection.shutdown(socket.SHUT_WR)
    except OSError:
        pass
