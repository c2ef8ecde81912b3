"""The picture of start.ipynb: who reads what in MHA, GQA and MLA, and what each keeps in memory."""

from matplotlib.patches import Circle, Rectangle

from attention_course.figure import EDGE, SMALLEST, lines, show, subplots
from attention_course.heads import look
from attention_course.labels import write

WIDTH = 12.0  # of a panel
CAPTION = "boxes: what is kept per position; the wider a box, the more numbers it holds"


def draw_overview(H=12, G=3, d=64, r=256):
    """Draws query heads and what they read, and prints how many numbers each form keeps per position.

    H query heads and G key/value heads of width d; a latent of width r.
    """
    figure, panels = subplots(3, 1, figsize=(8, 6.8), bottom=0.26, top=0.3, down=0.34)
    for form, numbers in fill(panels, H, G, d, r).items():
        print(f"{form} keeps {numbers:4} numbers per position.")
    figure.supxlabel(CAPTION, y=EDGE / 6.8, fontsize=SMALLEST)
    show(
        figure,
        f"""Three rows of {H} circles, the query heads, with lines down to boxes, what they read. MHA: a box per head,
        {2 * H * d} numbers in all. GQA: {G} boxes of the same width, each read by {H // G} heads, {2 * G * d} numbers
        in all. MLA: one box, read by all heads, {r} numbers.""",
    )


def fill(panels, H, G, d, r):
    """Draws MHA, GQA and MLA into three panels; returns how many numbers each keeps per position."""
    forms = {
        "MHA: every query head has a key and a value of its own": (
            list(range(H)),
            [str(h) for h in range(H)],
            2 * H * d,
        ),
        f"GQA: {G} key/value heads, dealt out in turn to the query heads": (
            [h % G for h in range(H)],
            [str(g) for g in range(G)],
            2 * G * d,
        ),
        "MLA: every head reads the same short vector, the latent": ([0] * H, ["latent"], r),
    }
    for panel, (title, (readers, kept, numbers)) in zip(panels, forms.items(), strict=True):
        _panel(panel, readers, kept, numbers / len(kept) / (2 * d))
        panel.set_title(f"{title}\nkept per position: {numbers} numbers", fontsize=SMALLEST + 1)
    return {title[:3]: numbers for title, (_, _, numbers) in forms.items()}


def _panel(panel, readers, kept, size):
    """Query heads above, what is kept below, and a line from each head to what it reads; size 1: a key and a value."""
    step, share = WIDTH / len(readers), WIDTH / len(kept)
    pieces, looks = [], []
    for h, g in enumerate(readers):
        x, below = step * (h + 0.5), share * (g + 0.5)
        colour, line = look(g, len(kept))
        pieces.append([(x, 1.64), (below, 0.72)])
        looks.append((colour, line))
        panel.add_patch(Circle((x, 2.0), 0.36, facecolor="white", edgecolor=colour, lw=2, zorder=2))
        write(panel, x, 2.0, str(h), ha="center", va="center", fontsize=SMALLEST, zorder=3)
    lines(panel, pieces, *zip(*looks, strict=True))
    for g, label in enumerate(kept):
        width, x = 0.85 * step * size, share * (g + 0.5)
        box = {"facecolor": "white", "edgecolor": look(g, len(kept))[0], "lw": 2, "zorder": 2}
        panel.add_patch(Rectangle((x - width / 2, 0.1), width, 0.62, **box))
        write(panel, x, 0.41, label, ha="center", va="center", fontsize=SMALLEST, zorder=3)
    panel.set(xlim=(0, WIDTH), ylim=(0, 2.45), aspect="equal")
    panel.axis("off")
