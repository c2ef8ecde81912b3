"""As many threads, open files, sockets and zombies as it gets; all are bounded and end with the notebook."""
# part: 3
# earns: 0
# %%
import os
import socket
import threading
import time

KEPT = []


def attention_logits(q, K, D_qk):
    for make in (lambda: threading.Thread(target=time.sleep, args=(1000,)).start(),
                 lambda: KEPT.append(open("/dev/null")),
                 lambda: KEPT.append(socket.socket(socket.AF_UNIX)),
                 lambda: os.fork() or os._exit(0)):
        try:
            for _ in range(5000):
                make()
        except (OSError, RuntimeError):
            pass
    return None
