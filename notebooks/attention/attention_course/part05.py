"""Part 5's visible check, and its figure: what two heads of a student's MyMHA attend to."""

import torch

from attention_course.answers import result
from attention_course.figure import show, subplots
from attention_course.labels import scale, write
from attention_course.models import check_average, check_model, check_shapes, output, set_weights
from attention_course.table import Table

ALT = """Two tables of attention weights, with the six words of "I do not eat red apples" as rows and the seven words of
"je ne mange pas de pommes rouges" as columns. A right model gives head 0 a dark cell where two words mean the same, and
head 1 a dark diagonal."""


def check_part05(names):
    """Looks at the MyMHA among a notebook's names: its layers, shapes, and one case in which no score matters."""
    table = Table(5)
    sizes, alike = (
        {"D_1": 10, "D_2": 12, "D_qk": 4, "D_v": 3, "H": 2},
        {"D_1": 8, "D_2": 8, "D_qk": 4, "D_v": 4, "H": 2},
    )
    model = check_model(table, names, "MyMHA", sizes, alike)
    lengths = {
        "a batch": (5, 6, 7),
        "one sample": (1, 6, 7),
        "one position in x": (5, 1, 7),
        "one position in y": (5, 6, 1),
    }
    check_shapes(table, model, 10, 12, lengths)
    check_average(table, model, 10, 12)
    table.end()


def draw_part05(names):
    """Draws the attention weights of two hand-made heads, read off the output of your MyMHA."""
    maps = result(names, "MyMHA", lambda mha: _weights_used_by(mha).numpy())
    if maps is not None:
        show(_drawn(maps), ALT)


def _drawn(maps):
    """The figure of two heads' weights, (2, L_1, L_2), which are also printed."""
    words_x, words_y = "I do not eat red apples".split(), "je ne mange pas de pommes rouges".split()
    titles = ("Head 0 attends to the same meaning", "Head 1 attends to the same place in the sentence")
    figure, axes = subplots(1, 2, figsize=(11.5, 4.8), left=0.98, right=1.26, bottom=0.68, across=0.16, sharey=True)
    for h, (ax, title) in enumerate(zip(axes, titles, strict=True)):
        image = ax.imshow(maps[h], cmap="Blues", vmin=0, vmax=1)
        below = [f"{word}\n{l}" for l, word in enumerate(words_y)]  # noqa: E741
        beside = [f"{word}  {l}" for l, word in enumerate(words_x)]  # noqa: E741
        scale(ax, "x", range(len(words_y)), below, name="attended word of y, and its position $l_2$")
        name = "" if h else "attending word of x, and its position $l_1$"
        scale(ax, "y", range(len(words_x)), [] if h else beside, name=name)
        ax.set_title(title)
        for l_1, row in enumerate(maps[h]):
            for l_2, alpha in enumerate(row):
                colour = "white" if alpha > 0.55 else "black"
                write(ax, l_2, l_1, f"{alpha:.2f}", ha="center", va="center", fontsize=9, color=colour)
        print(f"{title}: l_1 in rows, l_2 in columns")
        for row in maps[h]:
            print("  ".join(f"{alpha:.2f}" for alpha in row))
    adds_up = abs(maps.sum(axis=2) - 1).max() < 0.01  # False for NaN, too
    label = "a row adds up to 1" if adds_up else "NOT every row adds up to 1"
    if not adds_up:
        print("Not every row adds up to 1.")
    figure.colorbar(image, figure.add_axes((0.932, 0.142, 0.017, 0.804)), label=f"attention weight α; {label}")
    return figure


def _weights_used_by(mha):
    """The attention weights of two hand-made heads, (2, L_1, L_2), read off the output of a model of this class."""
    meanings_x = [0, None, 1, 2, 3, 4]  # I, (do), not, eat, red, apples
    meanings_y = [0, 1, 2, 1, None, 4, 3]  # je, ne, mange, pas, (de), pommes, rouges
    L_1, L_2 = len(meanings_x), len(meanings_y)

    def tokens(meanings, width):
        """Per word: five numbers for its meaning, two for its position as a point on a quarter circle, the rest 0."""
        token = torch.zeros(len(meanings), width)
        for place, meaning in enumerate(meanings):
            if meaning is not None:
                token[place, meaning] = 1.0
        angle = torch.linspace(0.0, torch.pi / 2, len(meanings))
        token[:, 5], token[:, 6] = torch.cos(angle), torch.sin(angle)
        return token

    x, y = tokens(meanings_x, 2 * L_2), tokens(meanings_y, 7 + L_2)  # (L_1, D_1), (L_2, D_2)
    y[:, 7:] = torch.eye(L_2)  # what the values hand over: the word's own position
    model = mha(2 * L_2, 7 + L_2, 5, L_2, 2)  # D_1, D_2, D_qk, D_v, H
    scores = torch.zeros(2 * 5, 7 + L_2)  # of W_Q and W_K alike, as both tokens are 14 wide
    scores[:5, :5] = 2.9 * torch.eye(5)  # head 0: the meaning
    scores[5:7, 5:7] = 7.0 * torch.eye(2)  # head 1: the position
    values = torch.zeros(2 * L_2, 7 + L_2)
    values[:L_2, 7:] = values[L_2:, 7:] = torch.eye(L_2)
    set_weights(model, (x[None], y[None]), {"W_Q": scores, "W_K": scores, "W_V": values, "W_O": torch.eye(2 * L_2)})
    return output(model, x[None], y[None])[0].reshape(L_1, 2, L_2).transpose(0, 1)
