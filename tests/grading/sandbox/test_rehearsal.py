"""Before the first fork a shell is made and thrown away, which leaves nothing, and an empty application."""

import subprocess
import sys
from pathlib import Path

from dev.packages import REPOSITORY

SCRIPT = """
import builtins, contextvars, importlib, logging, os, signal, sys, threading, warnings
from grading.sandbox import zygote

for name in zygote.PRELOAD:
    importlib.import_module(name)
child = zygote.neighbour("child")
made = []

class Noted(child.ZMQInteractiveShell):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        made.append(os.path.realpath(self.profile_dir.location))

def state():
    return {
        "environment": dict(os.environ), "sys": {k: v for k, v in vars(sys).items() if k != "modules"},
        "path": list(sys.path), "modules": dict(sys.modules), "builtins": dict(vars(builtins)),
        "warnings": list(warnings.filters), "threads": threading.enumerate(), "context": [*contextvars.copy_context()],
        "signals": [signal.getsignal(n) for n in range(1, 32)], "folder": os.getcwd(),
        "home": sorted(os.walk(os.environ["HOME"])), "descriptors": os.listdir("/proc/self/fd"),
        "loggers": [logging.root.handlers[:], logging.root.level], "shell": Noted._instance,
    }

child.ZMQInteractiveShell = Noted
fresh = child.WalledKernelApp(log=child.SILENT)
before = state()
child.rehearse()
assert len(made) == 1 and not os.path.exists(made[0]), made
for name, after in state().items():
    assert after == before[name], name
app = child.WalledKernelApp.instance()
assert app._trait_values.keys() == fresh._trait_values.keys() and app.config == fresh.config == {}, app._trait_values
for name in ("shell", "kernel", "profile_dir", "session", "iopub_socket", "ipython_dir", "io_loop"):
    assert app._trait_values.get(name) is None, name
"""


def test_nothing_stays_of_the_shell_that_is_thrown_away(tmp_path: Path):
    env = {"HOME": str(tmp_path), "PYTHONPATH": str(REPOSITORY), "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    run = subprocess.run([sys.executable, "-c", SCRIPT], env=env, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
