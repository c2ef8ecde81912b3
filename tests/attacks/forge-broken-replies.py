"""Replies that do not decode: empty, truncated, nested, of odd types, with a content that is no mapping; each is wrong."""
# part: 3
# earns: 0
# %%
import struct
import sys
import threading


def attention_logits(q, K, D_qk):
    return None


M = b"attn1\n"
REPLIES = [b"", M, M + b"\xff" * 8, M + struct.pack("<Q", 2**63) + b"[]", M + struct.pack("<Q", 2) + b"[]"]
REPLIES += [M + struct.pack("<Q", 200000) + b"[" * 200000, M + struct.pack("<Q", 7) + b'["n"] \xff']
REPLIES += [M + struct.pack("<Q", len(h)) + h for h in (
    b'["d",[[["s","value"],["a","<f8",[1099511627776]]],[["s","printed"],["s",""]]]]',
    b'["d",[[["s","reason"],["s","raised"]],[["s","printed"],["s",""]],[["s","error"],["i","1"]],[["i","1"],["n"]]]]',
    b'["d",[[["s","value"],["a","|O",[1]]],[["s","printed"],["s",""]]]]',
    b'["d",[[["s","value"],["i","' + b"9" * 400 + b'"]],[["s","printed"],["s",""]]]]',
)]
COUNT = iter(range(10**6))


class Far:
    def answer(self, request, names):
        kernel, n = get_ipython().kernel, next(COUNT)
        for content in ([], None, "x", 10.0, {"token": None}, {"token": {"a": []}}):
            kernel.session.send(kernel.iopub_socket, "attention_reply", content, parent=kernel.get_parent("shell"))
        kernel.iopub_thread.send_multipart([b"garbage"])
        kernel.iopub_thread.send_multipart([b"a", b"<IDS|MSG>", b"", b"{}", b"[]", b"{}", b"{}"])
        return REPLIES[n % len(REPLIES)]


class Modules(dict):
    def __getitem__(self, name):
        return Far() if name == "attention_far" else dict.__getitem__(self, name)


sys.modules = Modules(sys.modules)
