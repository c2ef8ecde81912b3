"""Replies that repeat an error which no message told, 4 MB each, in four cells: outputs that take no room from the others."""
# part: 3
# earns: 10
# %%
# MODEL
# %%
SEND, KERNEL = get_ipython().kernel.session.send, get_ipython().kernel
LONG = {"status": "error", "ename": "E", "evalue": "y" * 2_000_000, "traceback": ["z" * 2_000_000]}


def send(stream, kind, content=None, *more, **settings):
    return SEND(stream, kind, LONG if kind == "execute_reply" else content, *more, **settings)


KERNEL.session.send = send
# %%
1
# %%
1
# %%
1
# %%
1
