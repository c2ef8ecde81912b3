"""Draws docs/overview.png: who reads what in MHA, GQA and MLA, and how many numbers each keeps per position.

Run from anywhere: python docs/overview.py
"""

from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt

H, G, d, r = 12, 3, 64, 256  # query heads, key/value heads, width of a head, rank of the latent
COLOURS = ["#2a6f97", "#e07a1f", "#5a8f3c"]


def heads(axes: plt.Axes, readers: list[int], kept: list[str], numbers: int, title: str) -> None:
    """Query heads above, what is kept below, a line from each head to what it reads."""
    width = 12.0
    places = [width * (g + 0.5) / len(kept) for g in range(len(kept))]
    for h, g in enumerate(readers):
        colour = COLOURS[g % 3]
        axes.plot([h + 0.5, places[g]], [2.62, 1.3], color=colour, lw=1.3, alpha=0.75, zorder=1)
        axes.add_patch(plt.Circle((h + 0.5, 2.8), 0.36, color=colour, zorder=2))
        axes.text(h + 0.5, 2.8, str(h), color="white", ha="center", va="center", fontsize=9, zorder=3)
    for g, label in enumerate(kept):
        size = 0.84 if len(kept) > 3 else 2.6 if len(kept) > 1 else 5.2
        box = plt.Rectangle((places[g] - size / 2, 0.7), size, 0.6, color=COLOURS[g % 3], alpha=0.9, zorder=2)
        axes.add_patch(box)
        axes.text(places[g], 1.0, label, color="white", ha="center", va="center", fontsize=9, zorder=3)
    axes.text(6, 3.55, title, ha="center", fontsize=13, weight="bold")
    axes.text(6, 0.12, f"kept per position: {numbers} numbers", ha="center", fontsize=11)
    axes.set(xlim=(-0.1, 12.1), ylim=(-0.1, 3.9), aspect="equal")
    axes.axis("off")


def main() -> None:
    """Draws the picture next to this file."""
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(15, 2.9))
    heads(left, list(range(H)), [str(h) for h in range(H)], 2 * H * d, "MHA: a key and a value for each head")
    heads(middle, [h % G for h in range(H)], [f"head {g}" for g in range(G)], 2 * G * d, "GQA: shared, h mod G")
    heads(right, [0] * H, ["one latent vector"], r, "MLA: all from one vector")
    caption = f"Query heads (circles) and what they read, for H = {H} heads of width d = {d}; G = {G}, r = {r}"
    figure.suptitle(caption, y=0.99, fontsize=12, color="#444444")
    figure.subplots_adjust(left=0.01, right=0.99, top=0.93, bottom=0.0, wspace=0.03)
    figure.savefig(Path(__file__).with_name("overview.png"), dpi=110, bbox_inches="tight", metadata={"Software": None})


if __name__ == "__main__":
    main()
