"""Hangs at its end, in exit hooks, threads and children that ignore every signal they can; they are not asked."""
# part: 3
# earns: 10
# %%
# MODEL
# %%
import atexit
import os
import signal
import subprocess
import sys
import threading
import time

code = "import signal, time\nfor n in range(1, 32):\n    try: signal.signal(n, signal.SIG_IGN)\n    except (OSError, ValueError): pass\ntime.sleep(10000)"
for _ in range(2):  # with two more sessions, as many as a notebook may have
    subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(10000)
    os._exit(0)
atexit.register(time.sleep, 10000)
threading.Thread(target=time.sleep, args=(10000,), daemon=False).start()
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
