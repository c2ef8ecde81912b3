"""Part 14's cache calculator: sliders in a notebook that somebody has open, a printed table anywhere else."""

from attention_course.answers import named, picture
from attention_course.part14 import GIB, KIB, NAMES, bytes_a_token
from attention_course.sliders import somebody_looks

START = {"H": 32, "G": 8, "d": 128, "r": 512, "layers": 32, "context": 8192, "users": 1}
CHOICES = {
    "H": [2**n for n in range(8)],
    "G": [2**n for n in range(8)],
    "d": [16, 32, 64, 128, 256],
    "r": [2**n for n in range(4, 13)],
    "layers": [1, 2, 4, 8, 16, 32, 64, 128],
    "context": [2**n for n in range(10, 21)],
    "users": [2**n for n in range(11)],
}
BAR = 40  # characters of the longest bar


def calculator(names):
    """Shows what the caches of MHA, GQA and MLA take, by your two expressions, for sizes that you choose."""
    with picture():
        mha, mla = (named(names, name) for name in NAMES)
        report(mha, mla, **START)  # raises here, where it is caught, if an expression can't be evaluated
        if somebody_looks():
            _sliders(mha, mla)
        else:
            print("Open this notebook in JupyterLab, run the cell again, and these sizes become sliders.")
            for change in ({}, {"context": 131072}, {"context": 131072, "users": 32}):
                print()
                print(report(mha, mla, **START | change))


def report(mha, mla, *, H, G, d, r, layers, context, users):
    """The caches in words, numbers and bars."""
    if H % G:
        return f"G = {G} does not divide H = {H}. Choose a smaller G."
    sizes = {"layers": layers, "d": d, "r": r}
    costs = {
        f"MHA, G = {H}": bytes_a_token(mha, H=H, G=H, **sizes),
        f"GQA, G = {G}": bytes_a_token(mha, H=G, G=G, **sizes),
        f"MLA, r = {r}": bytes_a_token(mla, H=H, G=1, **sizes),
    }
    most = max(costs.values())
    lines = [f"H = {H}, d = {d}, layers = {layers}; conversations of {context:,} tokens, users: {users}"]
    for name, cost in costs.items():
        bar = "█" * max(1, round(BAR * cost / most))
        total = cost * context * users / GIB
        lines.append(f"{name:13} {cost / KIB:9,.1f} KiB per token {total:12,.2f} GiB in all  {bar}")
    return "\n".join(lines)


def _sliders(mha, mla):
    """A slider per size, and the report below them."""
    import ipywidgets
    from IPython.display import display

    sliders = {
        name: ipywidgets.SelectionSlider(options=options, value=START[name], description=name)
        for name, options in CHOICES.items()
    }
    out = ipywidgets.interactive_output(lambda **sizes: print(report(mha, mla, **sizes)), sliders)
    display(ipywidgets.VBox([*sliders.values(), out]))
