"""48 busy processes that each ask for a session of its own, for 48 shares of the processors: they get three more.

The notebook ends by its limit on time, as any does that keeps the processors busy.
"""
# part: 3
# earns: 0
# %%
# MODEL
# %%
import os

for _ in range(48):
    if os.fork() == 0:
        try:
            os.setsid()
        except PermissionError:
            pass
        while True:
            pass
# %%
import time

time.sleep(5)
