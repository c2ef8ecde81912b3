"""The coda's language model: grouped-query attention, 1.3 million weights, trained on Python's standard library.

`Speaker` reads tokens, pieces of text of a character or a few, and says how likely each token is to come next.
`dev/train_speaker.py` trained it; its weights are in speaker.npz, in half precision.
"""

import functools
import re
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn
from torch.nn.functional import cross_entropy, gelu

HERE = Path(__file__).resolve().parent
CHARACTERS = "\n" + "".join(map(chr, range(32, 127)))  # a line's end, and what ASCII prints; each is a token
CHUNK = re.compile(r"\n *| ?[A-Za-z]+| ?[^\sA-Za-z]+| +")  # no token reaches across the border of two chunks
SIZES = {"D": 160, "H": 8, "G": 2, "layers": 4, "context": 256, "vocabulary": 512}


class Tokenizer:
    """Cuts a text into tokens and numbers them. `pieces` are the tokens; every character should be one."""

    def __init__(self, pieces):
        self.pieces, number = list(pieces), {piece: i for i, piece in enumerate(pieces)}
        longest = max(map(len, pieces))

        @functools.cache
        def cut(chunk):
            tokens = []
            while chunk:  # the longest token that the chunk begins with
                n = next((n for n in range(longest, 1, -1) if chunk[:n] in number and n <= len(chunk)), 1)
                tokens.append(number.get(chunk[:n], number["?"]))
                chunk = chunk[n:]
            return tokens

        self._cut = cut

    def encode(self, text):
        """The numbers of a text's tokens, (L,). Characters that are no token become a question mark."""
        return torch.tensor([token for chunk in CHUNK.findall(text) for token in self._cut(chunk)])

    def decode(self, tokens):
        """The text of numbers."""
        return "".join(self.pieces[int(token)] for token in tokens)


class GQA(nn.Module):
    """Part 7's attention from a text to itself, with one addition: a position attends to itself and those before it.

    Query head h reads key/value head h % G. W_Q and W_O have shape (D, D), W_K and W_V (G * d, D).
    """

    def __init__(self, D, H, G):
        super().__init__()
        self.H, self.G = H, G
        self.W_Q, self.W_O = nn.Linear(D, D, bias=False), nn.Linear(D, D, bias=False)
        self.W_K, self.W_V = nn.Linear(D, D // H * G, bias=False), nn.Linear(D, D // H * G, bias=False)

    def forward(self, x):
        """The output for x (B, L, D): (B, L, D)."""
        q = self.W_Q(x).unflatten(2, (self.H, -1)).transpose(1, 2)  # (B, H, L, d)
        k, v = (W(x).unflatten(2, (self.G, -1)).transpose(1, 2) for W in (self.W_K, self.W_V))  # (B, G, L, d)
        k, v = (t.repeat(1, self.H // self.G, 1, 1) for t in (k, v))  # (B, H, L, d): head h gets h % G
        o = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)  # (B, H, L, d)
        return self.W_O(o.transpose(1, 2).flatten(2))

    def step(self, x_t, cache):
        """One more position x_t (1, D), after those whose keys and values are in cache; returns output and cache."""
        new = torch.stack([self.W_K(x_t), self.W_V(x_t)]).unflatten(2, (self.G, -1))  # (2, 1, G, d)
        cache = new if cache is None else torch.cat([cache, new], dim=1)  # (2, l + 1, G, d)
        k, v = cache.repeat(1, 1, self.H // self.G, 1)  # (l + 1, H, d) each
        q = self.W_Q(x_t).unflatten(1, (self.H, -1))[0]  # (H, d)
        alpha = torch.softmax(torch.einsum("hd,lhd->hl", q, k) / q.shape[1] ** 0.5, dim=1)  # (H, l + 1)
        return self.W_O(torch.einsum("hl,lhd->hd", alpha, v).flatten()[None]), cache


class Block(nn.Module):
    """One layer: attention, then a small network for each position by itself; both add to what they read."""

    def __init__(self, D, H, G):
        super().__init__()
        self.norm, self.attention = nn.RMSNorm(D, eps=1e-6), GQA(D, H, G)
        self.norm_2, self.up, self.down = nn.RMSNorm(D, eps=1e-6), nn.Linear(D, 4 * D), nn.Linear(4 * D, D)

    def forward(self, x):
        """The layer's output for x (B, L, D): (B, L, D)."""
        return self._think(x + self.attention(self.norm(x)))

    def step(self, x_t, cache):
        """The output for one more position (1, D), and the attention's longer cache."""
        o, cache = self.attention.step(self.norm(x_t), cache)
        return self._think(x_t + o), cache

    def _think(self, x):
        return x + self.down(gelu(self.up(self.norm_2(x))))


class Speaker(nn.Module):
    """The whole model. tokens (B, L) of numbers, L at most 256, give logits (B, L, 512)."""

    def __init__(self, D, H, G, layers, context, vocabulary):
        super().__init__()
        self.token, self.position = nn.Embedding(vocabulary, D), nn.Embedding(context, D)
        self.blocks = nn.ModuleList(Block(D, H, G) for _ in range(layers))
        self.norm, self.out = nn.RMSNorm(D, eps=1e-6), nn.Linear(D, vocabulary, bias=False)

    def forward(self, tokens):
        """The logits of the next token after each position: (B, L, 512)."""
        x = self.token(tokens) + self.position.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.out(self.norm(x))

    def step(self, token, caches):
        """The logits (512,) after one more token, and the layers' longer caches; the first step gets None."""
        caches = caches or [None] * len(self.blocks)
        place = 0 if caches[0] is None else caches[0].shape[1]
        x = (self.token.weight[token] + self.position.weight[place])[None]
        longer = []
        for block, cache in zip(self.blocks, caches, strict=True):
            x, cache = block.step(x, cache)
            longer.append(cache)
        return self.out(self.norm(x))[0], longer


def load(path=HERE / "speaker.npz"):
    """The trained model, in float64, and its tokenizer."""
    with np.load(path, allow_pickle=False) as file:
        weights = {name: file[name] for name in file.files}
    tokenizer, model = Tokenizer(weights.pop("pieces").tolist()), Speaker(**SIZES)
    model.load_state_dict({name: torch.from_numpy(weight) for name, weight in weights.items()})
    return model.double().requires_grad_(False), tokenizer


def excerpts(tokenizer):
    """Text that the model has not seen, in windows of 256 tokens: 8 to calibrate with, 24 to validate on."""
    text = (HERE / "excerpts.txt").read_text(encoding="utf-8").partition("\n\n\n")[2]  # without the note on its licence
    windows = tokenizer.encode(text)[: 32 * SIZES["context"]].view(32, SIZES["context"])
    return windows[:8], windows[8:]


def validation_loss(model, tokenizer, windows):
    """How badly the model foresees what comes next, in nats per character; 0 is perfect."""
    loss = cross_entropy(model(windows[:, :-1]).flatten(0, 1), windows[:, 1:].flatten(), reduction="sum")
    return float(loss) / sum(len(tokenizer.decode(window[1:])) for window in windows)


def speak(model, tokenizer, prompt, length=160, temperature=0.0, seed=13):
    """A prompt and what the model writes after it, until there are `length` tokens; it reads each token once.

    At temperature 0 it takes the likeliest token each time; above, it draws one, the bolder the higher.
    """
    tokens, random, caches = tokenizer.encode(prompt).tolist(), np.random.default_rng(seed), None
    for place in range(min(length, SIZES["context"]) - 1):
        logits, caches = model.step(tokens[place], caches)
        if place == len(tokens) - 1:
            share = torch.softmax(logits / max(temperature, 1e-6), dim=0).cumsum(0)
            tokens.append(int((share < random.random() * share[-1]).sum()) if temperature else int(logits.argmax()))
    return tokenizer.decode(tokens)
