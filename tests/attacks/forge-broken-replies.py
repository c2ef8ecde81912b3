"""Replies that do not decode: empty, truncated, nested, of odd types, with a content that is no mapping; each is wrong."""
# part: 3
# earns: 0
# %%
import struct


def attention_logits(q, K, D_qk):
    return None


M = b"wire1\n"
REPLIES = [b"", M, M + b"\xff" * 8, M + struct.pack("<Q", 2**63) + b"[]", M + struct.pack("<Q", 2) + b"[]"]
REPLIES += [M + struct.pack("<Q", 200000) + b"[" * 200000, M + struct.pack("<Q", 7) + b'["n"] \xff']
REPLIES += [M + struct.pack("<Q", len(h)) + h for h in (
    b'["d",[[["s","value"],["a","<f8",[1099511627776]]],[["s","printed"],["s",""]]]]',
    b'["d",[[["s","reason"],["s","raised"]],[["s","printed"],["s",""]],[["s","error"],["i","1"]],[["i","1"],["n"]]]]',
    b'["d",[[["s","value"],["a","|O",[1]]],[["s","printed"],["s",""]]]]',
    b'["d",[[["s","value"],["i","' + b"9" * 400 + b'"]],[["s","printed"],["s",""]]]]',
)]
COUNT = iter(range(10**6))


KERNEL = get_ipython().kernel


def answer(message):
    for content in ([], None, "x", 10.0, {"token": None}, {"token": {"a": []}}):
        KERNEL.session.send(KERNEL.iopub_socket, "grading_reply", content, parent=message)
    KERNEL.iopub_thread.send_multipart([b"garbage"])
    KERNEL.iopub_thread.send_multipart([b"a", b"<IDS|MSG>", b"", b"{}", b"[]", b"{}", b"{}"])
    reply = REPLIES[next(COUNT) % len(REPLIES)]
    KERNEL.session.send(KERNEL.iopub_socket, "grading_reply", message["content"], parent=message, buffers=[reply])


KERNEL.answer = answer
