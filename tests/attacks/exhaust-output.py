"""Prints 20 MB in large and small pieces, and displays 10 MB; the graded notebook stays small, the marks are its own."""
# part: 3
# earns: 10
# %%
# MODEL
# %%
for _ in range(10):
    print("x" * 2 * 10**6)
# %%
for _ in range(10_000):
    print("y" * 10, flush=True)
# %%
from IPython.display import HTML, display

for _ in range(20):
    display(HTML("<div>" * 10**5))
