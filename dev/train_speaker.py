"""Trains the coda's language model on Python's standard library: python -m dev.train_speaker [FILE [MINUTES]].

The text is whatever this Python brings, without its tests and tables. HELD_OUT names the modules that are kept for
validation. The weights go to FILE, in half precision; if none is named, to
source/attention/attention_course/speaker.npz. It ends after MINUTES, 30 if none are named.

The shipped weights had all 1500 steps: 3 minutes and 38 seconds on two cores of an Intel Xeon, 2026-11-23. On the
modules held out they reach 1.52 nats per character.
"""

import math
import sys
import sysconfig
import time
from collections import Counter
from pathlib import Path

import numpy as np
import torch

from dev.packages import REPOSITORY

# Not for longer than this, or whatever this process starts would find the package, too.
sys.path.append(str(REPOSITORY / "source" / "attention"))
from attention_course import speaker

sys.path.pop()

HELD_OUT = frozenset("textwrap heapq bisect shlex calendar statistics fractions queue sched graphlib".split())
LEFT_OUT = frozenset("site-packages test tests idlelib lib2to3 encodings pydoc_data turtledemo __pycache__".split())
SEED, BATCH, STEPS = 13, 8, 1500
WARM_UP, RATE, LEAST_RATE = 0.04, 3e-3, 1e-4


def library() -> tuple[list[str], list[str]]:
    """The modules of the standard library to train on, and those held out, as texts."""
    root = Path(sysconfig.get_path("stdlib"))
    training, held_out = [], []
    for path in sorted(root.rglob("*.py")):
        if not LEFT_OUT.intersection(path.relative_to(root).parts):
            text = path.read_text(encoding="utf-8", errors="replace").replace("\t", "        ")
            (held_out if path.stem in HELD_OUT else training).append(text)
    return training, held_out


def vocabulary(text: str, size: int) -> list[str]:
    """Strings to be tokens: all characters, and the most frequent pairs of tokens, one pair after the other."""
    counts = Counter(speaker.CHUNK.findall(text))
    chunks = [(list(chunk), count) for chunk, count in counts.items() if count > 9 and chunk.isascii()]
    pieces = list(speaker.CHARACTERS)
    while len(pieces) < size:
        pairs = Counter()
        for parts, count in chunks:
            for pair in zip(parts, parts[1:], strict=False):
                pairs[pair] += count
        first, second = min(pairs, key=lambda pair: (-pairs[pair], pair))
        pieces.append(first + second)
        for parts, _ in chunks:
            for i in range(len(parts) - 2, -1, -1):
                if parts[i : i + 2] == [first, second]:
                    parts[i : i + 2] = [first + second]
    return pieces


def windows(tokens: torch.Tensor, count: int, length: int, random: torch.Generator) -> torch.Tensor:
    """Random pieces of a text, (count, length)."""
    starts = torch.randint(len(tokens) - length, (count, 1), generator=random)
    return tokens[starts + torch.arange(length)]


def loss_on(model: torch.nn.Module, pieces: torch.Tensor) -> torch.Tensor:
    """How badly the model foresees each next character, in nats per token."""
    logits = model(pieces[:, :-1])
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), pieces[:, 1:].flatten())


def rate(progress: float) -> float:
    """The learning rate, when a part of the training from 0 to 1 is done: a short rise, then half a cosine."""
    if progress < WARM_UP:
        return RATE * (progress / WARM_UP + 0.01)
    return LEAST_RATE + (RATE - LEAST_RATE) * (1 + math.cos(math.pi * (progress - WARM_UP) / (1 - WARM_UP))) / 2


def started(sizes: dict[str, int]) -> speaker.Speaker:
    """A model with random weights, small where its layers add to what they read."""
    torch.manual_seed(SEED)
    model = speaker.Speaker(**sizes)
    with torch.no_grad():
        model.token.weight.mul_(0.1)
        model.position.weight.mul_(0.02)
        for block in model.blocks:
            for last in (block.attention.W_O, block.down):
                last.weight.mul_((2 * sizes["layers"]) ** -0.5)
    return model


def train(model: speaker.Speaker, tokens: torch.Tensor, steps: int, minutes: float, batch: int = BATCH) -> list[float]:
    """Trains a model on a text, and prints a line every 50 steps; returns the loss of each step, in nats per token.

    If the minutes are over before the steps are done, the learning rate falls faster, so that the end is the same.
    """
    decay = [{"params": [w for w in model.parameters() if (w.dim() == 2) == is_matrix]} for is_matrix in (True, False)]
    optimizer = torch.optim.AdamW(decay, betas=(0.9, 0.98))
    random, length = torch.Generator().manual_seed(SEED), model.position.weight.shape[0] + 1
    begin, progress, losses = time.perf_counter(), 0.0, []
    while progress < 1:
        for group, weight_decay in zip(optimizer.param_groups, (0.1, 0.0), strict=True):
            group.update(lr=rate(progress), weight_decay=weight_decay)
        loss = loss_on(model, windows(tokens, batch, length, random))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        seconds = time.perf_counter() - begin
        progress = max(len(losses) / steps, seconds / (60 * minutes))
        if len(losses) % 50 == 0 or progress >= 1:
            last = losses[-50:]
            print(f"step {len(losses):5}: {sum(last) / len(last):.3f} nats per token, {seconds:4.0f} s", flush=True)
    return losses


def save(model: speaker.Speaker, pieces: list[str], path: Path) -> None:
    """Writes a model's weights in half precision, and the strings of its tokens."""
    weights = {name: weight.detach().half().numpy() for name, weight in model.named_parameters()}
    np.savez(path, pieces=np.array(pieces), **weights)


def main(path: Path, minutes: float = 30.0) -> None:
    """Trains the coda's model, says how well it does on the modules held out, and saves it."""
    training, held_out = library()
    pieces = vocabulary("\n".join(training[::6]), speaker.SIZES["vocabulary"])
    tokenizer = speaker.Tokenizer(pieces)
    tokens, others = (tokenizer.encode("\n".join(texts)) for texts in (training, held_out))
    print(f"{len(tokens):,} tokens to train on, {len(others):,} in modules held out", flush=True)
    model = started(speaker.SIZES)
    print(f"{sum(weight.numel() for weight in model.parameters()):,} weights", flush=True)
    train(model, tokens, STEPS, minutes)
    save(model, pieces, path)
    with torch.no_grad():
        loss = loss_on(model, windows(others, 64, speaker.SIZES["context"], torch.Generator().manual_seed(SEED)))
    characters = len(tokenizer.decode(others)) / len(others)
    print(f"modules held out: {loss:.3f} nats per token, {loss / characters:.3f} per character", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else speaker.HERE / "speaker.npz", *map(float, sys.argv[2:]))
