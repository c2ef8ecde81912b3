"""Who reads what: query heads as circles, key/value heads as boxes, and a line from each reader to what it reads."""

from attention_course import figure

COLOURS, LINES = (figure.BLUE, figure.RED, figure.GREEN), ("-", "--", ":")


def look(g, G):
    """The colour and the line of key/value head g of G; one grey for all, where there are more than looks."""
    return (COLOURS[g], LINES[g]) if 1 < G <= len(COLOURS) else ("0.35", "-")


def draw_heads(axes, reads, G):
    """Draws len(reads) query heads above G key/value heads; reads[h] is the one that h reads, None if there is none."""
    width = len(reads)
    places = [width * (g + 0.5) / G for g in range(G)]
    for h, g in enumerate(reads):
        known = g is not None
        colour, line = look(g, G) if known else ("0.6", "-")
        if known:
            axes.plot([h + 0.5, places[g]], [2.28, 1.0], color=colour, linestyle=line, linewidth=1.8, zorder=1)
        axes.scatter(h + 0.5, 2.5, s=330, color=colour, zorder=2)
        axes.text(h + 0.5, 2.49, str(h), color="white", ha="center", va="center", fontsize=10, weight="bold", zorder=3)
    for g, place in enumerate(places):
        box = {"boxstyle": "round,pad=0.35", "facecolor": look(g, G)[0], "edgecolor": "none"}
        axes.text(place, 0.9, str(g), color="white", ha="center", va="center", weight="bold", bbox=box, zorder=3)
    axes.text(-0.3, 2.5, "query head $h$", ha="right", va="center", fontsize=10)
    axes.text(-0.3, 0.9, "key/value head $g$", ha="right", va="center", fontsize=10)
    axes.set(xlim=(-2.9, width + 0.2), ylim=(0.3, 3.0))
    axes.axis("off")
