"""Part 14's visible checks and pictures: what a token leaves in the cache, and one step of generation from it."""

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention

from attention_course import part14_data as data
from attention_course import symbols
from attention_course.answers import named, picture, pieces
from attention_course.figure import BLACK, BLUE, ORANGE, RED, SKY, SMALLEST, heading, lines, show, subplots
from attention_course.labels import scale, write
from attention_course.table import Table, expect, kind

NAMES = ("kv_cache_MHA", "kv_cache_MLA")
SYMBOLS = ("D", "r", "H", "G", "d")
KIB, GIB = 2**10, 2**30
# Llama 3 405B, arXiv:2407.21783: 405e9 weights and layers of H = 128, G = 8, d = 128; r = 512 as in DeepSeek-V2.
PARAMETERS, LLAMA, LATENT = 405e9, {"layers": 126, "H": 128, "d": 128}, 512
# Each curve has a colour, a line and a marker of its own.
CURVES = ((BLACK, "-", "o"), (BLUE, "--", "s"), (SKY, ":", "^"), (RED, "-.", "v"), (ORANGE, "-", "D"))

# Of published models: a dot, a ring, a disc and a diamond.
MARKS = (
    {"s": 14, "color": "0.45", "zorder": 2},
    {"s": 170, "facecolor": "none", "edgecolor": BLACK, "zorder": 5},
    {"s": 80, "color": BLUE, "zorder": 4},
    {"s": 90, "color": ORANGE, "edgecolor": BLACK, "marker": "D", "zorder": 4},
)


def check_part14(names):
    """Looks at the form of the two expressions, and prints a line per check. Their values are not looked at."""
    table = Table(14)
    for name in NAMES:
        with table.line(f"{name} is one expression"):
            _form(symbols.unquoted(named(names, name)))
        with table.line(f"{name} uses no symbols but D, r, H, G and d"):
            found = {str(symbol) for symbol in getattr(symbols.unquoted(names[name]), "free_symbols", ())}
            unknown = ", ".join(sorted(found - set(SYMBOLS)))
            expect(not unknown, f"expected D, r, H, G or d, got {unknown}")
    table.end()


def _form(value):
    """Fails the line unless a value is one number or expression."""
    from sympy import Expr

    asked = "expected an expression in the symbols, such as D + r, got"
    expect(not isinstance(value, str), f"{asked} {value!r}")
    number = isinstance(value, (int, float, np.number, Expr)) and not isinstance(value, bool)
    expect(number, f"{asked} {kind(value)}")
    letters = getattr(value, "free_symbols", None)
    expect(letters, f"{asked} {value}. A number fits a single model. Has one of the symbols been given a value?")


def check_cached_step(names, B=2, D=12, H=3, r=5, length=6):
    """Generates token by token with `cached_step`, compares with part 13's reduced model, and prints a line each."""
    table, case = Table(14), _texts(B, D, H, r, length)
    if "cached_step" not in names:
        print("  · cached_step: not written yet. It earns no points, and leaving it out costs none.")
        return
    with table.line(f"the first token: output of shape {(B, D)}, cache of shape {(B, 1, r)}"):
        _step(names["cached_step"], case, 0, torch.zeros(B, 0, r, dtype=torch.float64))
    with table.line("the first token attends to itself alone, with weight 1"):
        cache = _same(names["cached_step"], case, 0, torch.zeros(B, 0, r, dtype=torch.float64))
    with table.line(f"{length} tokens, one after the other, give what the reduced model of part 13 gives"):
        for t in range(1, length):
            cache = _same(names["cached_step"], case, t, cache)
    if table.unwritten:
        print("It earns no points, and leaving it out costs none.")
        return
    if table.failed:
        table.end()
    print(f"cached_step: {length} tokens generated from a cache of {r} numbers per token.")


def _texts(B, D, H, r, length):
    """The three matrices, H, and the tokens of B texts, (B, length, D), such that scores are near 1."""
    random = torch.Generator().manual_seed(14)
    shapes = ((r, D), (H * r, D), (D, H * r), (B, length, D))
    scales = (D**-0.5, 1.5 * D**-0.5, (H * r) ** -0.5, 1.0)
    data = [torch.randn(shape, generator=random, dtype=torch.float64) for shape in shapes]
    *W, x = (scale * values for scale, values in zip(scales, data, strict=True))
    return W, H, x


def _step(step, case, t, cache):
    """The output and the cache for token t; fails the line where their shapes are wrong."""
    W, H, x = case
    (B, _, D), (r, _) = x.shape, W[0].shape
    result = step(x[:, t].clone(), cache.clone(), *(w.clone() for w in W), H)
    output, longer = pieces(result, 2, "two tensors, the output and the longer cache")
    for name, value, shape in (("output", output, (B, D)), ("cache", longer, (B, t + 1, r))):
        asked = f"token {t}, {name}: expected a torch tensor of shape {shape}, got"
        expect(isinstance(value, torch.Tensor), f"{asked} {kind(value)}")
        expect(value.shape == shape, f"{asked} {tuple(value.shape)}")
    return output, longer


def _same(step, case, t, cache):
    """The longer cache; fails the line where the output for token t is not the reduced model's."""
    (W_K_hat, W_Q_hat, W_O_hat), H, x = case
    got, cache = _step(step, case, t, cache)
    q = (x[:, t : t + 1] @ W_Q_hat.T).unflatten(2, (H, -1)).transpose(1, 2)
    k = (x[:, : t + 1] @ W_K_hat.repeat(H, 1).T).unflatten(2, (H, -1)).transpose(1, 2)
    expected = (scaled_dot_product_attention(q, k, k).transpose(1, 2).flatten(2) @ W_O_hat.T)[:, 0]
    miss = float((got - expected).abs().max() / expected.abs().max())
    question = (
        "Is its weight 1, and are the heads stacked in the order of h?"
        if t == 0
        else "Are the queries cut head by head? What is a score divided by?"
    )
    expect(miss < 1e-5, f"token {t}: the output is {100 * miss:.0f} % off. {question}")
    return cache


def draw_part14(names):
    """Shows by your expressions how a conversation fills the memory, and what published models cache."""
    with picture():
        mha, mla = (_counted(names, name) for name in NAMES)
        _draw_memory(mha, mla)
        _draw_models(mha, mla)


def _counted(names, name):
    """The expression of this name; fails the picture unless it counts something at the sizes of a real model."""
    expression = named(names, name)
    try:
        count = bytes_a_token(expression, **LLAMA | {"layers": 1}, G=8, r=LATENT) / 2
    except Exception:  # noqa: BLE001  (an answer may be anything)
        count = None
    expect(count is not None, f"{name}: expected an expression in D, r, H, G and d, got {expression!r:.60}")
    sizes = f"H = {LLAMA['H']}, G = 8, d = {LLAMA['d']} and r = {LATENT}"
    expect(0 < count < np.inf, f"{name}: for {sizes}, expected more than 0 numbers per position, got {count:g}")
    return expression


def bytes_a_token(expression, layers, rotary=0, **sizes):
    """Bytes that a token leaves in the caches of all layers, at 2 bytes per number; D counts all heads."""
    from sympy import sympify  # which no other part's figure needs

    sizes["D"], expression = sizes["H"] * sizes["d"], sympify(expression)
    numbers = expression.subs({symbol: sizes[symbol.name] for symbol in expression.free_symbols})
    return (float(numbers) + rotary) * layers * 2


def _draw_memory(mha, mla):
    """Memory against the length of a conversation: the weights, and the caches of one user and of 32."""
    weights, lengths = PARAMETERS * 2 / GIB, [2**n for n in range(10, 21)]
    costs = {
        "MHA, 128 key/value heads": bytes_a_token(mha, G=128, r=LATENT, **LLAMA),
        "GQA, 8 key/value heads": bytes_a_token(mha, **LLAMA | {"H": 8}, G=8, r=LATENT),
        f"MLA, r = {LATENT}": bytes_a_token(mla, G=1, r=LATENT, **LLAMA),
    }
    figure, panels = subplots(1, 2, figsize=(10, 4.4), left=0.75, bottom=1.0, top=0.48, across=0.15, sharey=True)
    said = []
    print(f"Llama 3 405B: the weights are {weights:.0f} GiB. The cache is larger than that")
    for axes, users in zip(panels, (1, 32), strict=True):
        axes.axhline(weights, color=BLACK, linewidth=6, alpha=0.35, label="weights of the model, stored once")
        for (name, cost), (colour, line, marker) in zip(costs.items(), (CURVES[0], CURVES[1], CURVES[4]), strict=True):
            sizes = [users * length * cost / GIB for length in lengths]
            axes.plot(lengths, sizes, line, color=colour, marker=marker, markersize=5, label=f"cache: {name}")
            tokens = PARAMETERS * 2 / cost / users
            said.append(f"with {name:25} from {tokens:9,.0f} tokens on, for {users:2} user{'s' * (users > 1)}")
            print(f"  {said[-1]}")
            if lengths[0] <= tokens <= lengths[-1]:
                axes.plot(tokens, weights, "o", markersize=11, markerfacecolor="none", markeredgecolor=BLACK, zorder=5)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_title("one user" if users == 1 else f"{users} users at once", fontsize=11)
        axes.spines[["top", "right"]].set_visible(False)
    for axes in panels:  # whose limits are known now
        scale(axes, "x", lengths[::2], ["1k", "4k", "16k", "64k", "256k", "1M"], name="tokens in each conversation")
        first, name = axes is panels[0], "memory in GiB, 2 bytes per number (log scale)"
        scale(axes, "y", None, None if first else [], name=name if first else "")
    heading(
        figure, f"Llama 3 405B: its caches against its weights, {weights:.0f} GiB. A ring: they are equal", fontsize=11
    )
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=2, fontsize=SMALLEST, frameon=False)
    show(
        figure,
        f"""Two panels with memory against the length of a conversation, up to {lengths[-1]:,} tokens. A thick
        horizontal line marks the model's weights, {weights:.0f} GiB. Three rising lines are its
        cache with MHA, GQA and MLA. The cache is larger than the weights {"; ".join(said)}.""",
    )


def _draw_models(mha, mla):
    """Published models' caches by the two expressions; below, one step as it was measured."""
    figure, (axes, below) = subplots(
        2, figsize=(9.5, 8.5), left=1.51, right=1.57, bottom=0.48, top=0.76, down=0.9, height_ratios=(1.1, 1)
    )
    _draw_caches(axes, mha, mla)
    _draw_speeds(below)
    longest = min(len(found) for found in data.SPEEDS.values()) - 1
    order = sorted(data.SPEEDS, key=lambda name: -data.SPEEDS[name][longest])
    show(
        figure,
        f"""Above, a row for each of six published models with the kilobytes that a token leaves in its cache, on a log
        axis. Dots mark 1, 2, 4 and so on key/value heads, a ring marks MHA at the right end, a disc what the MHA or GQA
        models cache, a diamond what the two DeepSeek models cache with MLA, far to the left of their rings. Below, the
        speed of one step of generation against the tokens in the cache, a falling line for each form of attention. From
        fast to slow, with {data.CONTEXTS[longest] // 1024}k tokens in the cache: {"; ".join(order)}.""",
    )


def _draw_caches(axes, mha, mla):
    """A row per published model: its cache for each number of key/value heads; and the same as a printed table."""
    bars, marks = [], ([], [], [], [])
    dots, rings, discs, diamonds = marks
    print("\nWhat one token leaves in the cache of all layers:")
    for row, (name, layers, H, G, d, r, rotary, source) in enumerate(data.MODELS):
        choices = [2**n for n in range(H.bit_length())]
        costs = {g: bytes_a_token(mha, layers, H=g, d=d, G=g, r=r) / KIB for g in choices}
        bars.append([(costs[1], row), (costs[H], row)])
        dots += [(cost, row) for cost in costs.values()]
        rings.append((costs[H], row))
        if G is None:
            used, how = bytes_a_token(mla, layers, rotary, H=H, d=d, G=1, r=r) / KIB, f"MLA, r = {r}"
            diamonds.append((used, row))
        else:
            used, how = costs[G], "MHA" if G == H else f"GQA, G = {G}"
            discs.append((used, row))
        size = f"{used:.0f}" if 1000 <= used < 1e6 else f"{used:.3g}"
        write(axes, used, row, size, offset=(0, 9), ha="center", fontsize=SMALLEST)
        print(f"{name:17} {how:13} {used:6.1f} KiB per token; as MHA {costs[H]:6.1f} KiB   {source}")
    lines(axes, bars, "0.85", width=5, capstyle="round")
    drawn = [axes.scatter(*zip(*of, strict=True), **look) for of, look in zip(marks, MARKS, strict=True)]
    names = [model[0] for model in data.MODELS]
    axes.set(xscale="log", ylim=(len(names) - 0.5, -0.6))
    low, high = axes.get_xlim()
    axes.set_xlim(min(low, 10), max(high, 11_000))
    name = "kv-cache in KiB per token, all layers, 2 bytes per number (log scale)"
    usual = low > 1 and high < 1e5
    marks = ([1e1, 1e2, 1e3, 1e4], ["10", "100", "1000", "10 000"]) if usual else ()
    scale(axes, "x", *marks, name=name)
    scale(axes, "y", range(len(names)), names)
    axes.set_title("What one token leaves in the cache", pad=42)
    caches = [f"what the model caches: {which}" for which in ("MHA or GQA", "MLA")]
    labels = ["GQA with G = 1, 2, 4, … key/value heads", "MHA: G = H", *caches]
    place = {"loc": "lower center", "bbox_to_anchor": (0.42, 1.0), "ncols": 2, "fontsize": SMALLEST, "frameon": False}
    axes.legend(drawn, labels, **place)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_speeds(axes):
    """The measured speeds, whatever the answer is; and the same as a printed table."""
    for (name, found), (colour, line, marker) in zip(data.SPEEDS.items(), CURVES, strict=False):
        axes.plot(data.CONTEXTS[: len(found)], found, line, color=colour, marker=marker, markersize=5, label=name)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    scale(axes, "x", data.CONTEXTS, [f"{context // 1024}k" for context in data.CONTEXTS], name="tokens in the cache")
    scale(axes, "y", name=f"{data.UNIT}, log scale")
    axes.set_title(
        f"One step of generation in one layer: {data.LAYER}\nmeasured on {data.DEVICE}, {data.DATE}", fontsize=10
    )
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=SMALLEST, frameon=False, handlelength=3.5)
    axes.spines[["top", "right"]].set_visible(False)
    print(f"\nMeasured on {data.DEVICE}, {data.DATE}: {data.UNIT}, by tokens in the cache")
    print(f"{'':12} " + " ".join(f"{f'{context // 1024}k':>8}" for context in data.CONTEXTS))
    for name, found in data.SPEEDS.items():
        print(f"{name:12} " + " ".join(f"{speed:8,.0f}" if speed >= 100 else f"{speed:8.3g}" for speed in found))
