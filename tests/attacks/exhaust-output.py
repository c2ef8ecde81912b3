"""Prints 300 MB in large and small pieces, and displays as much; the graded notebook stays small, the marks are its own."""
# part: 3
# earns: 10
# %%
# MODEL
# %%
for _ in range(10):
    print("x" * 10**7)
# %%
for _ in range(50_000):
    print("y" * 10, flush=True)
# %%
from IPython.display import HTML, display

for _ in range(20):
    display(HTML("<div>" * 10**5))
