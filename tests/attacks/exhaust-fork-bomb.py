"""Forks that fork, without end; their number is limited and all of them end with the notebook."""
# part: 3
# earns: 10
# %%
# MODEL
# %%
import os
import time

if os.fork() == 0:
    os.setsid()
    while True:
        try:
            os.fork()
        except OSError:
            time.sleep(0.01)
