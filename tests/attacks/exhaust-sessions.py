"""48 busy processes, each in a session of its own, for 48 shares of the processors."""
# part: 3
# earns: 0
# %%
# MODEL
# %%
import os

for _ in range(48):
    if os.fork() == 0:
        os.setsid()
        while True:
            pass
# %%
import time

time.sleep(5)
