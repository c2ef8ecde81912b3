"""SIGSTOP to itself and all others it may reach; a stopped sandbox does not stop the run."""
# part: 3
# earns: 10
# %%
# MODEL
# %%
import os
import signal

try:
    os.kill(-1, signal.SIGSTOP)
except ProcessLookupError:  # there is nobody else
    pass
os.kill(os.getpid(), signal.SIGSTOP)
