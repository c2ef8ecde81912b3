"""The coda's figures: validation loss against cache, and what rotary positions do to absorbed scores."""

import matplotlib
import torch

from attention_course.coda import rotate
from attention_course.figure import BLUE, GREEN, RED, SMALLEST, show, subplots

matplotlib.rcParams["font.size"] = 10


def draw_trade(losses, layers=4):
    """Validation loss against numbers cached, by what `trade` measured: {way: {numbers: loss}}."""
    figure, axes = subplots(figsize=(8.5, 4.8), left=0.65, bottom=0.48)
    looks = ((BLUE, "o", "-"), (GREEN, "s", "--"), (RED, "D", ""))
    for (way, found), (colour, marker, line) in zip(losses.items(), looks, strict=True):
        axes.plot(*zip(*found.items(), strict=True), color=colour, marker=marker, linestyle=line, label=way)
        print(f"{way:30}" + "  ".join(f"{numbers:3}: {loss:.2f}" for numbers, loss in found.items()))
    exact = min(losses["mean-pooled heads"].items(), key=lambda pair: -pair[0])
    axes.axhline(exact[1], color="0.6", linewidth=1, zorder=0)
    axes.annotate("the model as it was trained", (8, exact[1]), xytext=(0, 4), textcoords="offset points", fontsize=9)
    sizes = sorted({numbers for found in losses.values() for numbers in found})
    axes.set_xticks(sizes, [str(numbers) for numbers in sizes])
    axes.set(
        xlabel=f"numbers cached per token in each of the {layers} layers", ylabel="validation loss, nats per character"
    )
    axes.set_title("A smaller cache, and what it costs on text the model has not seen")
    axes.legend(fontsize=SMALLEST, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    first, second, heads = losses.values()
    alt = f"""Two curves and two points of validation loss over numbers cached per token, from {sizes[0]} to
    {sizes[-1]}. At {sizes[-1]} all give {exact[1]:.2f} nats per character. At 40, mean-pooled heads give
    {heads[40]:.2f}, the SVD of the weights {first[40]:.2f}, the weighted one {second[40]:.2f}. At 8 the SVDs give
    {first[8]:.2f} and {second[8]:.2f}."""
    show(figure, alt)


def draw_rotary(mla, model, decoupled_logits, h=0, d_R=8):
    """One query and one key of the speaker moved apart: their logit with rotary positions, and two ways to absorb."""
    x, y = model.blocks[0].norm(model.token.weight[[65, 80]])  # what layer 0 reads where the letters ` and o stand
    distances = torch.arange(65)
    rotated, absorbed = _in_between(mla, x, y, h, distances)
    direct, decoupled, alone = _next_to_it(mla, x, y, h, distances, decoupled_logits, d_R)
    figure, (left, right) = subplots(1, 2, figsize=(10.5, 4.2), left=0.68, bottom=0.48, across=0.62, sharex=True)
    left.plot(distances, rotated, color=RED, label="rotated query · rotated key")
    left.plot(distances, absorbed, color=BLUE, linestyle="--", label="absorbed: one matrix for all distances")
    left.set(title="Rotation in between: absorption fails", ylabel="logit")
    right.plot(distances, direct, color=RED, label="key multiplied out, plus rotary part")
    dots = {"linestyle": "", "marker": "o", "label": "your decoupled_logits, from the cache"}
    right.plot(distances[::4], decoupled[::4], color=BLUE, **dots)
    cached = f"{mla.W_DKV.shape[0]} + {d_R}"
    right.set(title=f"Rotation next to it: {cached} cached numbers suffice", ylabel="logit")
    right.axhline(alone, color=BLUE, linestyle="--", label="content term alone: flat, so it absorbs")
    for axes in (left, right):
        axes.set_xlabel("distance between query and key, in tokens")
        axes.margins(y=0.45)
        axes.legend(fontsize=SMALLEST, frameon=False, loc="upper right")
        axes.spines[["top", "right"]].set_visible(False)
    gap, rest = float((rotated - absorbed).abs().max()), float((decoupled - direct).abs().max())
    off = f"{100 * gap / float(rotated.abs().max()):.0f} %"
    print(f"rotation in between: absorbed and true logit differ by up to {off} of the largest logit")
    print(f"rotation next to it: the difference is {'below' if rest < 1e-9 else 'NOT below'} 1e-09")
    alt = f"""Two panels, logit over distance from 0 to 64. Left: with rotary positions the logit swings, while the
    absorbed one is a flat line that meets it at distance 0 and differs by up to {off} of the largest logit.
    Right: the logits of decoupled_logits, dots, lie on the curve computed with the key multiplied out,
    which swings around a flat line: the content term alone."""
    show(figure, alt)


def _content(mla, x, y):
    """The query of x, (H, d), the latent of y, (r,), and the key that the latent gives, (H, d)."""
    latent = mla.W_DKV @ y
    return (mla.W_Q @ x).view(mla.H, -1), latent, (mla.W_UK @ latent).view(mla.H, -1)


def _in_between(mla, x, y, h, distances):
    """Head h's logits where the key, multiplied out, is rotated, and where W_UK is absorbed: each (distances,)."""
    q, latent, k = _content(mla, x, y)
    d = q.shape[1]
    rotated = torch.stack([rotate(q[h], 64) @ rotate(k[h], 64 - n) for n in distances]) / d**0.5
    absorbed = (mla.W_UK.view(mla.H, d, -1)[h].T @ q[h]) @ latent / d**0.5
    return rotated, absorbed.expand(len(distances))


def _next_to_it(mla, x, y, h, distances, decoupled_logits, d_R):
    """Head h's logits with a rotary part of d_R numbers: multiplied out, by decoupled_logits, and its content alone."""
    (q, latent, k), D = _content(mla, x, y), mla.W_Q.shape[1]
    random = torch.Generator().manual_seed(13)
    W_QR, W_KR = (torch.randn(n, D, generator=random, dtype=x.dtype) / D**0.5 for n in (mla.H * d_R, d_R))
    q_R = (W_QR @ x).view(mla.H, d_R)
    keys = rotate((W_KR @ y).expand(len(distances), -1), 64 - distances)  # (distances, d_R)
    cache = torch.cat([latent.expand(len(distances), -1), keys], dim=1)
    decoupled = decoupled_logits(q.flatten(), rotate(q_R, 64), cache, mla.W_UK, mla.H)[h]
    far = torch.stack([rotate(q_R[h], n) @ (W_KR @ y) for n in distances])
    content, root = q[h] @ k[h], (q.shape[1] + d_R) ** 0.5
    return (content + far) / root, decoupled, float(content) / root
