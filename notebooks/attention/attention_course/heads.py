"""Who reads what: query heads as circles, key/value heads as boxes, and a line from each reader to what it reads."""

from attention_course import figure
from attention_course.labels import write

COLOURS, LINES = (figure.BLUE, figure.RED, figure.GREEN), ("-", "--", ":")


def look(g, G):
    """The colour and the line of key/value head g of G; one grey for all, where there are more than looks."""
    return (COLOURS[g], LINES[g]) if 1 < G <= len(COLOURS) else ("0.35", "-")


def draw_heads(axes, reads, G):
    """Draws len(reads) query heads above G key/value heads; reads[h] is the one that h reads, None if there is none."""
    width = len(reads)
    places = [width * (g + 0.5) / G for g in range(G)]
    known = {h: g for h, g in enumerate(reads) if g is not None}
    if known:
        pieces = [[(h + 0.5, 2.28), (places[g], 1.0)] for h, g in known.items()]
        figure.lines(axes, pieces, *zip(*(look(g, G) for g in known.values()), strict=True), width=1.8)
    colours = [look(known[h], G)[0] if h in known else "0.6" for h in range(width)]
    axes.scatter([h + 0.5 for h in range(width)], [2.5] * width, s=330, color=colours, zorder=2)
    for h in range(width):
        write(
            axes, h + 0.5, 2.49, str(h), color="white", ha="center", va="center", fontsize=10, weight="bold", zorder=3
        )
    for g, place in enumerate(places):
        box = {"boxstyle": "round,pad=0.35", "facecolor": look(g, G)[0], "edgecolor": "none"}
        write(axes, place, 0.9, str(g), color="white", ha="center", va="center", weight="bold", bbox=box, zorder=3)
    write(axes, -0.3, 2.5, "query head $h$", ha="right", va="center", fontsize=10)
    write(axes, -0.3, 0.9, "key/value head $g$", ha="right", va="center", fontsize=10)
    axes.set(xlim=(-2.9, width + 0.2), ylim=(0.3, 3.0))
    axes.axis("off")
