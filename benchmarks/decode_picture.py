"""The figures of benchmarks/decode.py: cache bytes per token of published models, and speed by context length.

python benchmarks/decode_picture.py [benchmarks/results/decode-cpu.csv …]
"""

import csv
import itertools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import published
from csv_table import RESULTS

COLOURS = {"MHA": "#2a6f97", "MLA vanilla": "#8fb8d0", "MLA rebuilt": "#a04040", "MLA reduced": "#e07a1f"}
GREENS = ("#2f5d1f", "#5a8f3c", "#9cc487", "#c9dfbd")  # GQA, from many key/value heads to one


def read(path: Path) -> list[dict[str, str]]:
    """The lines of a CSV file of decode.py."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def best(lines: list[dict[str, str]], dtype: str, figure: str) -> dict[str, dict[int, float]]:
    """Of each variant, by context, the figure of the operator that is fastest there.

    Of the lines for several numbers of texts at once, those for the first of them.
    """
    found: dict[str, dict[int, float]] = {}
    for line in lines:
        if line["dtype"] == dtype and line["B"] == lines[0]["B"]:
            by_context, context = found.setdefault(line["variant"], {}), int(line["context"])
            by_context[context] = max(by_context.get(context, 0.0), float(line[figure]))
    return found


def short(context: int) -> str:
    """A number of tokens as people write it: 16k, 1M."""
    return f"{context // 2**20}M" if context >= 2**20 else f"{context // 2**10}k"


def models(folder: Path) -> Path:
    """Draws what a token leaves in the cache: each published model as MHA, GQA, and as it is."""
    figure, axes = plt.subplots(figsize=(9, 4.6), layout="constrained")
    for row, model in enumerate(published.MODELS):
        Gs = [2**n for n in range(model.H.bit_length())]
        kib = {G: model.cache_bytes(G) / 1024 for G in Gs}
        axes.plot([kib[1], kib[model.H]], [row, row], color="0.87", linewidth=5, solid_capstyle="round", zorder=1)
        axes.scatter([kib[G] for G in Gs], [row] * len(Gs), s=16, color=GREENS[1], zorder=2)
        axes.scatter(kib[model.H], row, s=60, facecolor="white", edgecolor=COLOURS["MHA"], linewidth=1.6, zorder=3)
        used = model.used_bytes() / 1024
        marker, colour = ("o", "0.2") if model.G else ("D", COLOURS["MLA reduced"])
        axes.scatter(used, row, s=75, color=colour, marker=marker, zorder=4)
        for value in {used, kib[model.H]}:
            where = {"xytext": (0, 9), "textcoords": "offset points", "ha": "center", "fontsize": 9}
            axes.annotate(f"{value:,.0f}".replace(",", " ") if value >= 100 else f"{value:.3g}", (value, row), **where)
    names = [f"{model.name}\n{model.paper}" for model in published.MODELS]
    axes.set(xscale="log", xlim=(8, 12_000), ylim=(len(names) - 0.5, -0.7), yticks=range(len(names)))
    axes.set_yticklabels(names, fontsize=8.5)
    axes.set_xticks([10, 100, 1000, 10_000], ["10", "100", "1000", "10 000"])
    axes.set_xlabel("KiB a token, all layers, 2 bytes a number (log scale)")
    axes.set_title("What one token leaves in the cache", pad=26)
    keys = [
        axes.scatter([], [], s=16, color=GREENS[1], label="GQA with G = 1, 2, 4, …"),
        axes.scatter([], [], s=60, facecolor="white", edgecolor=COLOURS["MHA"], linewidth=1.6, label="MHA: G = H"),
        axes.scatter([], [], s=75, color="0.2", label="as published: MHA or GQA"),
        axes.scatter([], [], s=75, color=COLOURS["MLA reduced"], marker="D", label="as published: MLA"),
    ]
    axes.legend(handles=keys, loc="lower center", bbox_to_anchor=(0.45, 1.0), ncols=4, fontsize=8.5, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    return _save(figure, folder / "cache-bytes.png")


def speeds(path: Path) -> Path:
    """Draws tokens a second by context length, or where there are only ratios, these; a panel a dtype."""
    lines = read(path)
    first = lines[0]
    absolute = bool(first["tokens_a_second"])
    column = "tokens_a_second" if absolute else "of_shortest_mha"
    dtypes = list(dict.fromkeys(line["dtype"] for line in lines))
    figure, panels = plt.subplots(1, len(dtypes), figsize=(10.5, 4.4), sharey=True, layout="constrained", squeeze=False)
    for axes, dtype in zip(panels[0], dtypes, strict=True):
        found = best(lines, dtype, column)
        greens = iter(GREENS)
        for name, by_context in found.items():
            colour = COLOURS.get(name) or next(greens)
            line, order = ("--", 3) if name == "MLA vanilla" else ("-", 2)  # it lies on MHA's
            points = list(by_context), list(by_context.values())
            axes.plot(*points, marker="o", ms=4, ls=line, lw=2, color=colour, label=name, zorder=order)
        contexts = sorted({context for by_context in found.values() for context in by_context})
        axes.set_xscale("log", base=2)
        ticks = contexts[:: 1 + len(contexts) // 9]
        axes.set_xticks(ticks, [short(context) for context in ticks])
        axes.set(yscale="log", title=dtype, xlabel="tokens in the cache, for each text")
        axes.grid(axis="y", color="0.9")
        axes.spines[["top", "right"]].set_visible(False)
    unit = "tokens a second, one layer" if absolute else "tokens a second, of MHA's at 1k"
    panels[0][0].set_ylabel(f"{unit} (log scale)")
    panels[0][-1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    sizes = f"H = {first['H']}, d = {first['d']}, r = {first['r']}, B = {first['B']}"
    figure.suptitle(f"One step of generation: {first['device']}, {first['date']}, torch {first['torch']}\n{sizes}")
    return _save(figure, path.with_suffix(".png"))


def of_fastest(lines: list[dict[str, object]], dtype: str) -> dict[str, tuple[int, list[float]]]:
    """Of each variant the share that its best operator reaches of what was read or copied fastest in the whole run.

    Returns the longest context that the variant has for all numbers of texts, and a share there for each number. Those
    without such a context are left out.
    """
    fastest = max(1.0, *(float(line["of_copy"]) for line in lines))  # a step can be faster than the copy
    batches, found = sorted({int(line["B"]) for line in lines if line["dtype"] == dtype}), {}
    for name in dict.fromkeys(line["variant"] for line in lines):
        own = [line for line in lines if (line["dtype"], line["variant"]) == (dtype, name)]
        if common := set.intersection(*({int(li["context"]) for li in own if int(li["B"]) == B} for B in batches)):
            at = [line for line in own if int(line["context"]) == max(common)]
            best_of = [max(float(line["of_copy"]) for line in at if int(line["B"]) == B) for B in batches]
            found[name] = max(common), [share / fastest for share in best_of]
    return found


def shares(path: Path) -> list[Path]:
    """Draws, by texts at once, how fast each variant reads its cache; nothing where one number of texts was measured.

    In the first dtype, at the longest context that a variant has for all numbers of texts.
    """
    lines = read(path)
    dtype = lines[0]["dtype"]
    batches = sorted({int(line["B"]) for line in lines if line["dtype"] == dtype})
    if len(batches) == 1:
        return []
    figure, axes = plt.subplots(figsize=(7.5, 4.4), layout="constrained")
    greens, found = iter(GREENS), of_fastest(lines, dtype)
    for name in dict.fromkeys(line["variant"] for line in lines):
        colour = COLOURS.get(name) or next(greens)
        if name in found:
            context, reached = found[name]
            style = "--" if name == "MLA vanilla" else "-"  # it lies on MHA's
            axes.plot(
                batches, reached, style, marker="o", ms=4, lw=2, color=colour, label=f"{name}, {context // 1024}k"
            )
    axes.set_xscale("log", base=2)
    axes.set_xticks(batches, list(map(str, batches)))
    axes.set(xlabel="texts at once", ylabel="share of the fastest reading", ylim=(0, 1.05))
    axes.grid(axis="y", color="0.9")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, title="tokens in the cache")
    first = lines[0]
    figure.suptitle(f"Cache and weights, each read once a step: {first['device']}\n{dtype}, {first['date']}")
    return [_save(figure, path.with_name(f"{path.stem}-batches.png"))]


def _save(figure: plt.Figure, path: Path) -> Path:
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)
    return path


def main() -> None:
    """Draws the figures of the CSV files given, or of all in results/."""
    given = [Path(name) for name in sys.argv[1:]] or sorted(RESULTS.glob("decode-*.csv"))
    for made in [models(RESULTS), *map(speeds, given), *itertools.chain.from_iterable(map(shares, given))]:
        print(f"written: {made.name}")


if __name__ == "__main__":
    main()
