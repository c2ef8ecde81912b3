"""The coda's other models: the speaker with multi-head latent attention in place of its own.

`converted` and `reduced` build them with functions that a student wrote.
"""

import copy
import time

import torch
import torch.nn as nn

from attention_course.speaker import speak, validation_loss

WIDTH_BYTES = 2  # of a cached number, as in the figures of part 14


class MLA(nn.Module):
    """Multi-head latent attention in the vanilla form: every head makes keys and values from the latent."""

    def __init__(self, W_DKV, W_UK, W_UV, W_Q, W_O, H):
        super().__init__()
        self.W_DKV, self.W_UK, self.W_UV, self.W_Q, self.W_O, self.H = W_DKV, W_UK, W_UV, W_Q, W_O, H

    def forward(self, x):
        """The output for x (B, L, D): (B, L, D). A position attends to itself and those before it."""
        latent = x @ self.W_DKV.T  # (B, L, r)
        q, k, v = (_heads(t, self.H) for t in (x @ self.W_Q.T, latent @ self.W_UK.T, latent @ self.W_UV.T))
        return _joined(nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)) @ self.W_O.T


class Reduced(nn.Module):
    """Multi-head latent attention in the reduced form, which decodes by a student's `cached_step`."""

    def __init__(self, W_K_hat, W_Q_hat, W_O_hat, H, cached_step):
        super().__init__()
        self.W_K_hat, self.W_Q_hat, self.W_O_hat, self.H, self.cached_step = W_K_hat, W_Q_hat, W_O_hat, H, cached_step

    def forward(self, x):
        """The output for x (B, L, D): (B, L, D). A position attends to itself and those before it."""
        q, k = _heads(x @ self.W_Q_hat.T, self.H), _heads(x @ self.W_K_hat.T, 1)  # (B, H, L, r), (B, 1, L, r)
        k = k.expand(q.shape)
        return _joined(nn.functional.scaled_dot_product_attention(q, k, k, is_causal=True)) @ self.W_O_hat.T

    def step(self, x_t, cache):
        """The output for one more position (1, D), and the longer cache (1, l + 1, r)."""
        cache = x_t.new_zeros(1, 0, len(self.W_K_hat)) if cache is None else cache
        return self.cached_step(x_t, cache, self.W_K_hat, self.W_Q_hat, self.W_O_hat, self.H)


def _heads(t, H):
    return t.unflatten(2, (H, -1)).transpose(1, 2)


def _joined(o):
    return o.transpose(1, 2).flatten(2)


def with_attention(model, make):
    """A copy of a model in which `make(attention)` stands in place of each layer's attention."""
    model = copy.deepcopy(model)
    for block in model.blocks:
        block.attention = make(block.attention)
    return model


def converted(model, gqa_to_mla):
    """The speaker as MLA, by a student's conversion of W_K and W_V."""

    def make(gqa):
        W_DKV, W_UK, W_UV = gqa_to_mla(gqa.W_K.weight, gqa.W_V.weight, gqa.H)
        return MLA(W_DKV, W_UK, W_UV, gqa.W_Q.weight, gqa.W_O.weight, gqa.H)

    return with_attention(model, make)


def reduced(model, absorb, cached_step):
    """A converted speaker in the reduced form, by a student's `absorb`."""

    def make(mla):
        hats = absorb(mla.W_DKV, mla.W_UK, mla.W_UV, mla.W_Q, mla.W_O, mla.H)
        return Reduced(*hats, mla.H, cached_step)

    return with_attention(model, make)


def compressed(model, compress, r, calibration=None):
    """A converted speaker with latents of r numbers, by a student's `compress`.

    With calibration tokens (B, L), an error counts as much as what a layer reads there makes of it: the matrix that is
    approximated is W_DKV S, where S S is the mean of x x^T, and S is taken out of the result again.
    """
    if calibration is None:
        seen = [None] * len(model.blocks)
    else:
        seen, x = [], model.token(calibration) + model.position.weight[: calibration.shape[1]]
        for block in model.blocks:
            seen.append(block.norm(x).flatten(0, 1))
            x = block(x)
    small = copy.deepcopy(model)
    for block, x in zip(small.blocks, seen, strict=True):
        mla = block.attention
        S = torch.eye(mla.W_DKV.shape[1], dtype=mla.W_DKV.dtype) if x is None else _root(x.T @ x / len(x))
        W_DKV, mla.W_UK, mla.W_UV = compress(mla.W_DKV @ S, mla.W_UK, mla.W_UV, r)
        mla.W_DKV = torch.linalg.solve(S, W_DKV.T).T
    return small


def pooled(model, pool_heads, G):
    """The speaker with fewer key/value heads, by a student's `pool_heads`."""

    def make(gqa):
        fewer = copy.deepcopy(gqa)
        fewer.G = G
        for layer, old in ((fewer.W_K, gqa.W_K), (fewer.W_V, gqa.W_V)):
            layer.weight = nn.Parameter(pool_heads(old.weight, gqa.G, G), requires_grad=False)
        return fewer

    return with_attention(model, make)


def _root(C):
    """The square root of a covariance, with a small floor so that it can be inverted."""
    values, vectors = torch.linalg.eigh(C)
    return vectors * values.clamp(min=1e-6 * float(values[-1])).sqrt() @ vectors.T


class Silent(nn.Module):
    """Attention that says nothing: each position is left with its own token."""

    def forward(self, x):
        """Zeros, in the shape of x."""
        return torch.zeros_like(x)


class Recomputed(nn.Module):
    """Any model, decoding without a cache: it reads the whole text again for each token."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def step(self, token, tokens):
        """The logits after one more token, and all tokens so far in place of a cache."""
        tokens = [*(tokens or []), token]
        return self.model(torch.tensor([tokens]))[0, -1], tokens


def race(models, tokenizer, prompt, length=256):
    """Lets models of several names write the same text, and prints what each keeps per token, and how fast it is."""
    print(f"{'':28} {'numbers':>8} {'bytes':>6} {'tokens/s':>9}")
    for name, (model, numbers) in models.items():
        started = time.perf_counter()
        speak(model, tokenizer, prompt, length)
        speed = (length - 1) / (time.perf_counter() - started)
        print(f"{name:28} {numbers:8} {numbers * WIDTH_BYTES:6} {speed:9.0f}")


def trade(model, mla, tokenizer, windows, calibration, compress, pool_heads, sizes=(80, 64, 48, 40, 32, 24, 16, 8)):
    """Validation losses by numbers cached per token and layer: {way: {numbers: nats per character}}."""

    def loss(small):
        return validation_loss(small, tokenizer, windows)

    d = len(model.blocks[0].attention.W_K.weight) // model.blocks[0].attention.G
    return {
        "SVD of the weights": {r: loss(compressed(mla, compress, r)) for r in sizes},
        "SVD weighted by what is read": {r: loss(compressed(mla, compress, r, calibration)) for r in sizes},
        "mean-pooled heads": {2 * G * d: loss(pooled(model, pool_heads, G)) for G in (2, 1)},
    }


def rotate(x, position, base=10000.0):
    """Rotary positions: pair i of the last axis, x[i] and x[i + n / 2], turned by position * base**(-2 i / n).

    position is a number, or a tensor that fits the axes of x before the last one.
    """
    n = x.shape[-1]
    speed = base ** (-torch.arange(0, n, 2, dtype=x.dtype) / n)
    angle = torch.as_tensor(position, dtype=x.dtype)[..., None] * speed
    first, second = x[..., : n // 2], x[..., n // 2 :]
    return torch.cat([first * angle.cos() - second * angle.sin(), first * angle.sin() + second * angle.cos()], dim=-1)
