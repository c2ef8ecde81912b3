"""Displays and results of 10.0 in many types, before an error, in every cell; the test cell holds none of them."""
# part: 3
# earns: 2
# %%
import torch
from IPython.display import display, publish_display_data


def attention_logits(q, K, D_qk):
    return torch.zeros(len(K))


for kind in ("text/plain", "text/html", "application/json", "application/vnd.nbgrader+json", "text/latex", "image/png"):
    publish_display_data({kind: "10.0"}, metadata={kind: {"points": 10.0}}, transient={"display_id": "part03-test"})
publish_display_data({"text/plain": "10.0"}, transient={"display_id": "part03-test"}, update=True)
display(10.0)
10.0
# %%
10.0
# %%
display(10.0)
raise ValueError("10.0")
