"""Markdown that holds one small picture and shows it 2,500 times, forty times over: a page of a gigabyte."""
# part: 3
# earns: 10
# %%
# MODEL
# %%
from IPython.display import Markdown, display

png = "iVBORw0KGgoAAAANSUhEUgAAAAkAAAAJAAAAAAAA" + "A" * 8_960
held, shown = f"[a]: data:image/png;base64,{png}", "![a]" * 2_700
for _ in range(40):
    display(Markdown(f"{held}\n\n{shown}"))
