"""Part 12's visible check and figure: the form of the four functions, and the matrices that merge."""

import torch
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.path import Path

from attention_course.answers import function, picture
from attention_course.figure import BLACK, BLUE, ORANGE, SKY, SMALLEST, YELLOW, show, subplots
from attention_course.labels import write
from attention_course.table import Table, Unmet, expect, kind

CHECKED = ((6, 3, 5), (8, 2, 1))  # D, H and r
D, H, r = 12, 3, 5  # of the picture
d = D // H


def check_part12(names):
    """Calls the four functions on matrices of ones, and both identities where every matrix is one number."""
    table, ones = Table(12), torch.ones
    calls = {
        "K_hat": ("(r, D)", lambda f, D, H, r: (f(ones(r, D)), (r, D))),
        "V_hat": ("(r, D)", lambda f, D, H, r: (f(ones(r, D)), (r, D))),
        "Q_hat_h": ("(r, D)", lambda f, D, H, r: (f(ones(D // H, r), ones(D // H, D), r, D, H), (r, D))),
        "O_hat_h": ("(D, r)", lambda f, D, H, r: (f(ones(D, D // H), ones(D // H, r)), (D, r))),
    }
    for name, (letters, call) in calls.items():
        with table.line(f"{name} returns a torch tensor of shape {letters}"):
            for sizes in CHECKED:
                _shaped(*call(function(names, name), *sizes), sizes)
    with table.line("all sizes 1, W_DKV = 2, W_UK_h = 3, W_Q_h = 5: Q_hat_h times K_hat is 30"):
        score = names["Q_hat_h"](_one(3.0), _one(5.0), 1, 1, 1) * names["K_hat"](_one(2.0))
        expect(abs(score.item() - 30) < 1e-3, f"expected 30, got {score.item():.4g}")
    with table.line("all sizes 1, W_DKV = 2, W_UV_h = 7, W_O_h = 11: O_hat_h times V_hat is 154"):
        output = names["O_hat_h"](_one(11.0), _one(7.0)) * names["V_hat"](_one(2.0))
        expect(abs(output.item() - 154) < 1e-2, f"expected 154, got {output.item():.4g}")
    table.end()


def _one(number):
    """A new (1, 1) matrix, since a function may change its argument."""
    return torch.tensor([[number]])


def _shaped(matrix, shape, sizes):
    expect(matrix is not None, "got None. Does the function end with a return?")
    expect(isinstance(matrix, torch.Tensor), f"expected a torch tensor, got {kind(matrix)}")
    found = tuple(matrix.shape)
    expect(found == shape, "D = {}, H = {}, r = {}: expected shape {}, got {}".format(*sizes, shape, found))


def draw_part12(names):
    """Shows which matrices merge in the reduced form, and compares its numbers with the vanilla ones."""
    with picture():
        scores, outputs = _scores(names), _outputs(names)
        for h, (vanilla, yours) in enumerate(zip(*scores, strict=True)):
            print(f"head {h}: score, vanilla {vanilla:8.2f}   reduced {yours:8.2f}")
        print("output, vanilla", *(f"{number:8.2f}" for number in outputs[0][:4]), " …")
        print("output, reduced", *(f"{number:8.2f}" for number in outputs[1][:4]), " …")
        agree = [torch.allclose(*pair, rtol=1e-4, atol=1e-4) for pair in (scores, outputs)]
        figure, panels = subplots(4, 1, figsize=(10, 7))
        drawings = (_vanilla_score, _score, _vanilla_output, _output)
        for panel, draw, title in zip(panels, drawings, _titles(agree), strict=True):
            panel.set(xlim=(0, 12), ylim=(-0.75, 1.35))
            panel.set_title(title, fontsize=11, loc="left")
            panel.axis("off")
            draw(panel)
        show(
            figure,
            f"""Four chains of boxes. In the vanilla score, W_Q of head h stands on the query's side, W_UK of head h and
            W_DKV on the key's side. In the reduced score, W_UK and W_Q have merged into one box, Q hat, on the query's
            side, and the key's side has one box, K hat, that all heads share. In the vanilla output, W_DKV and W_UV
            stand before the weighted sum, W_O after it; in the reduced output, W_UV and W_O have merged into one box, O
            hat, after the sum, and V hat is shared. Along the arrows, a token has {D} numbers and a latent {r}. A key
            and a value are {d} numbers per head in the vanilla form, and {r} for all heads in the reduced one.""",
        )


def _titles(agree):
    said = ["the numbers agree" if same else "the numbers DIFFER so far" for same in agree]
    return (
        f"Score of head h, vanilla: every head has a key of its own, and q·k is divided by √{d}",
        f"Score of head h, reduced: one key for all heads, and the product is divided by √{r} ({said[0]})",
        "Output, vanilla: every head has a value of its own",
        f"Output, reduced: one value for all heads ({said[1]})",
    )


def _random(*shapes):
    """Matrices of small whole numbers, the same on every machine."""
    random = torch.Generator().manual_seed(12)
    return [torch.randint(-2, 3, shape, generator=random).float() for shape in shapes]


def _scores(names):
    """Per head the vanilla score of two tokens, and the reduced one."""
    W_DKV, W_UK, W_Q, x, y = _random((r, D), (H, d, r), (H, d, D), (D,), (D,))
    vanilla = torch.stack([(W_Q[h] @ x) @ (W_UK[h] @ W_DKV @ y) / d**0.5 for h in range(H)])
    key, query = _yours("K_hat", function(names, "K_hat")(W_DKV.clone()), (r, D)) @ y, function(names, "Q_hat_h")
    blocks = [_yours("Q_hat_h", query(W_UK[h].clone(), W_Q[h].clone(), r, D, H), (r, D)) for h in range(H)]
    return vanilla, torch.stack([block @ x @ key / r**0.5 for block in blocks])


def _outputs(names):
    """The output of three attended tokens, whose weights differ from head to head: vanilla and reduced."""
    W_DKV, W_UV, W_O, y = _random((r, D), (H, d, r), (H, D, d), (3, D))
    alpha = torch.tensor([[0.5, 0.25, 0.25], [0.0, 0.75, 0.25], [1.0, 0.0, 0.0]])
    vanilla = sum(W_O[h] @ W_UV[h] @ W_DKV @ (alpha[h] @ y) for h in range(H))
    value, block = _yours("V_hat", function(names, "V_hat")(W_DKV.clone()), (r, D)), function(names, "O_hat_h")
    blocks = [_yours("O_hat_h", block(W_O[h].clone(), W_UV[h].clone()), (D, r)) for h in range(H)]
    return vanilla, sum(blocks[h] @ value @ (alpha[h] @ y) for h in range(H))


def _yours(name, matrix, shape):
    """A matrix of the answer in float32; fails the picture unless it is a tensor of its shape."""
    try:
        _shaped(matrix, shape, (D, H, r))
    except Unmet as unmet:
        raise Unmet(f"{name}: {unmet}") from None
    return matrix.detach().float()


QUERY, KEY, LATENT = (BLUE, "white", ""), (ORANGE, BLACK, "///"), (YELLOW, BLACK, "")


def _vanilla_score(axes):
    _token(axes, 0.4, "token\nx")
    _arrow(axes, 0.8, 2.2, D)
    _box(axes, 2.2, 3.6, "$W^Q_h$", QUERY)
    _arrow(axes, 3.6, 4.88, d)
    _join(axes, 5.1, "q·k")
    _arrow(axes, 6.6, 5.32, f"{d} per head")
    _box(axes, 6.6, 8.0, "$W^{UK}_h$", KEY)
    _arrow(axes, 9.0, 8.0, r)
    _box(axes, 9.0, 10.4, "$W^{DKV}$", LATENT)
    _arrow(axes, 11.2, 10.4, D)
    _token(axes, 11.6, "token\ny")


def _score(axes):
    _token(axes, 0.4, "token\nx")
    _arrow(axes, 0.8, 2.2, D)
    _box(axes, 2.2, 3.6, "", QUERY)
    _box(axes, 3.6, 5.0, "", KEY)
    _label(axes, 3.6, r"$\hat Q_h$")
    _arrow(axes, 5.0, 6.28, r)
    _join(axes, 6.5, r"$\hat q\cdot\hat k$")
    _arrow(axes, 9.0, 6.72, f"{r} for all heads")
    _box(axes, 9.0, 10.4, r"$\hat K$", LATENT)
    _arrow(axes, 11.2, 10.4, D)
    _token(axes, 11.6, "token\ny")


def _vanilla_output(axes):
    _token(axes, 0.4, "token\ny")
    _arrow(axes, 0.8, 1.8, D)
    _box(axes, 1.8, 3.2, "$W^{DKV}$", LATENT)
    _arrow(axes, 3.2, 4.2, r)
    _box(axes, 4.2, 5.6, "$W^{UV}_h$", KEY)
    _arrow(axes, 5.6, 6.73, f"{d} per head")
    _join(axes, 6.95, r"$\Sigma\,\alpha$")
    _arrow(axes, 7.17, 8.6, d)
    _box(axes, 8.6, 10.0, "$W^O_h$", QUERY)
    _arrow(axes, 10.0, 11.2, D)
    _token(axes, 11.6, "output")


def _output(axes):
    _token(axes, 0.4, "token\ny")
    _arrow(axes, 0.8, 1.8, D)
    _box(axes, 1.8, 3.2, r"$\hat V$", LATENT)
    _arrow(axes, 3.2, 5.33, f"{r} for all heads")
    _join(axes, 5.55, r"$\Sigma\,\alpha$")
    _arrow(axes, 5.77, 7.2, r)
    _box(axes, 7.2, 8.6, "", KEY)
    _box(axes, 8.6, 10.0, "", QUERY)
    _label(axes, 8.6, r"$\hat O_h$")
    _arrow(axes, 10.0, 11.2, D)
    _token(axes, 11.6, "output")


def _box(axes, left, right, text, look):
    colour, ink, hatch = look
    style = {"facecolor": colour, "edgecolor": BLACK, "hatch": hatch}
    axes.add_patch(Rectangle((left, 0), right - left, 1, **style))
    _label(axes, (left + right) / 2, text, ink if not hatch else BLACK)


def _label(axes, x, text, ink=BLACK):
    back = "white" if ink == BLACK and text else None
    write(axes, x, 0.5, text, ha="center", va="center", fontsize=13, color=ink, behind=back, margin=2.5)


def _arrow(axes, start, end, numbers):
    tip = Path([(-1 if start < end else 1, 0.5), (0, 0), (-1 if start < end else 1, -0.5)])
    look = {"color": BLACK, "linewidth": 1.4, "marker": tip, "markersize": 8, "markevery": [1]}
    axes.add_artist(Line2D([start, end], [0.5, 0.5], markerfacecolor="none", markeredgewidth=1.4, **look))
    write(axes, (start + end) / 2, 0.62, str(numbers), ha="center", fontsize=SMALLEST + 1)


def _token(axes, x, text):
    write(axes, x, 0.5, text, ha="center", va="center", fontsize=11)


def _join(axes, x, text):
    disc = {"marker": "o", "markersize": 25, "markerfacecolor": SKY, "markeredgecolor": BLACK}
    axes.add_artist(Line2D([x], [0.5], **disc))
    write(axes, x, 0.5, text, ha="center", va="center", fontsize=11)
