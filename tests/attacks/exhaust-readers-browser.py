"""Shows what holds a reader's browser up: an SVG of SVGs, lines of Thai and of N'Ko without end, a page of headings."""

# part: 3
# earns: 10
# %%
# MODEL
# %%
from IPython.display import HTML, SVG, display

pieces = "".join(f"<g id='a{n}'>" + f"<use href='#a{n - 1}' x='{n}'/>" * 10 + "</g>" for n in range(1, 9))
display(
    SVG(f"<svg xmlns='http://www.w3.org/2000/svg'><defs><g id='a0'><rect/></g>{pieces}</defs><use href='#a8'/></svg>")
)
display({"text/latex": "\u0e01" * 100_000, "text/plain": "x"}, raw=True)
print("\u0e01" * 40_000)
# %%
for _ in range(44):
    display(HTML("<h1>x" * 4_400))
# %%
for _ in range(44):
    display(HTML("<h1>x" * 4_400))
# %%
raise ValueError("\u07ca" * 100_000)
