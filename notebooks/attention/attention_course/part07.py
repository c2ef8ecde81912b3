"""Part 7's visible check, and its figure: which key/value head each query head of a student's MyGQA reads."""

import torch
from matplotlib.colors import to_rgb

from attention_course.answers import result
from attention_course.figure import heading, show, subplots
from attention_course.heads import COLOURS
from attention_course.labels import scale, write
from attention_course.models import check_average, check_model, check_shapes, output, set_weights
from attention_course.table import Table, expect

ALT = """Two tables, one for keys and one for values, with a row for each of the {G} key/value heads and a column for
each of the {H} query heads. A filled cell, marked 1.0, says that this query head reads this key/value head."""


def check_part07(names):
    """Looks at the MyGQA among a notebook's names: layers, shapes, and what it gives for zeros and for equal tokens."""
    table = Table(7)
    sizes = {"D_1": 10, "D_2": 9, "D_qk": 5, "D_v": 4, "H": 6, "G": 2}
    alike = {"D_1": 6, "D_2": 6, "D_qk": 2, "D_v": 2, "H": 3, "G": 3}
    model = check_model(table, names, "MyGQA", sizes, alike)
    lengths = {
        "a batch": (3, 7, 8),
        "one sample": (1, 7, 8),
        "one position in x": (3, 1, 8),
        "one position in y": (3, 7, 1),
    }
    check_shapes(table, model, 10, 9, lengths)
    with table.line("where y is 0, all values are 0, and so is the output"):
        output = model(torch.ones(3, 7, 10), torch.zeros(3, 8, 9))
        expect((output == 0).all(), f"expected zeros, got numbers up to {output.abs().max():.2g}")
    check_average(table, model, 10, 9)
    table.end()


def draw_part07(names, H, G):
    """Draws which key/value head each query head of your MyGQA reads, found out from the output of your model."""
    tables = result(names, "MyGQA", lambda gqa: _who_reads_whom(gqa, H, G))
    if tables is not None:
        show(_drawn(tables, H, G), ALT.format(H=H, G=G))


def _drawn(tables, H, G):
    """The figure of two tables (G, H), for keys and for values; prints who reads what."""
    figure, panels = subplots(2, 1, figsize=(8.5, 4.8), left=0.43, bottom=0.48, top=0.51, down=0.35, sharex=True)
    colours = torch.tensor([to_rgb(COLOURS[g % 3]) for g in range(G)])
    for panel, what, table in zip(panels, ("keys", "values"), tables, strict=True):
        shade = table[:, :, None].float()
        panel.imshow((1 - shade + shade * colours[:, None]).nan_to_num(0.5).numpy(), aspect="auto")
        panel.set_title(f"Whose {what} are read")
        panel.vlines([h + 0.5 for h in range(H - 1)], -0.5, G - 0.5, colors="lightgrey", linewidths=0.8)
        panel.hlines([g + 0.5 for g in range(G - 1)], -0.5, H - 0.5, colors="lightgrey", linewidths=0.8)
        last = panel is panels[-1]
        scale(panel, "x", range(H), None if last else [], name="query head $h$" if last else "")
        scale(panel, "y", range(G), name="key/value head $g$")
        for g, h in torch.nonzero(table > 0.05).tolist():
            colour = "white" if table[g, h] > 0.5 else "black"
            write(panel, h, g, f"{table[g, h]:.1f}", ha="center", va="center", fontsize=9, color=colour)
        for g in range(G):
            readers = [h for h in range(H) if table[g, h] > 0.5]
            print(f"The {what} of key/value head {g} are read by the query heads {readers}.")
    heading(figure, f"Which key/value head each query head of your MyGQA reads, for H = {H} and G = {G}")
    return figure


def _who_reads_whom(gqa, H, G):
    """How far each query head reads the keys, and the values, of each key/value head: two tables (G, H) from 0 to 1.

    All heads have width 1, and y holds a mark that in sample g only key/value head g can see.
    """
    model = gqa(H, G + 1, 1, 1, H, G)
    head_g, carrier = torch.eye(G, G + 1), torch.eye(G + 1)[G].expand(G, G + 1)
    x, y = torch.ones(G, 1, H), torch.zeros(G, 2, G + 1)  # every query is 1; y has an empty position and a marked one
    own = torch.eye(H)  # W_Q and W_O, so entry h of the output is what query head h has read
    y[:, 1] = 50 * head_g + carrier  # a key of 50 draws all weight to the marked position, a key of 0 half of it
    set_weights(model, (x, y), {"W_Q": own, "W_K": head_g, "W_V": carrier, "W_O": own})
    keys = 2 * output(model, x, y)[:, 0] - 1
    y[:, 1] = 2 * head_g
    set_weights(model, (x, y), {"W_K": torch.zeros(G, G + 1), "W_V": head_g})  # now both positions have half the weight
    values = output(model, x, y)[:, 0]
    return keys.clamp(0, 1), values.clamp(0, 1)
