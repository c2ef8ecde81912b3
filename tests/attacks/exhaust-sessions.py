"""48 processes that each ask for a session of its own, for 48 shares of the processors; three get one and keep busy."""
# part: 3
# earns: 10
# %%
# MODEL
# %%
import os

for _ in range(48):
    if os.fork() == 0:
        try:
            os.setsid()
        except PermissionError:
            os._exit(0)
        while True:
            pass
