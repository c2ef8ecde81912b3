"""1,000 displays of one name, and one update of 900 kB, which would stand 1,000 times in the graded notebook."""
# part: 3
# earns: 10
# %%
# MODEL
# %%
from IPython.display import publish_display_data

for _ in range(1000):
    publish_display_data({"text/plain": "x"}, transient={"display_id": "p"})
# %%
publish_display_data({"text/plain": "y" * 900_000}, transient={"display_id": "p"}, update=True)
