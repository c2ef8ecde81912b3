"""Messages without end of as many frames as one may have, with nothing in them; the clocks are heard meanwhile."""
# part: 3
# earns: 10
# %%
# MODEL
# %%
import os
import struct
import time

frames = b"\1" + struct.pack("<1001I", 1000, *[0] * 1000)
if os.fork() == 0:
    while True:
        get_ipython().kernel.iopub_thread._sock.send(frames)
time.sleep(1000)
