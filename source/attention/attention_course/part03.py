"""Part 3's visible check and figure: form, sign and spread of the logits. The formula is not in here."""

import numpy as np
import torch

from attention_course.answers import function
from attention_course.figure import BLUE, ORANGE, SMALLEST, YELLOW, show, subplots
from attention_course.labels import scale
from attention_course.table import Table, expect, numbers, three_digits

WIDTHS = (4, 64, 1024)
QUERIES, KEYS = 250, 8


def check_part03(names):
    """Calls the `attention_logits` of a notebook's names where the answer is plain to see; prints a line per check."""
    table = Table(3)
    with table.line("3 keys give 3 logits"):
        attention_logits = function(names, "attention_logits")
        logits = numbers(attention_logits(torch.ones(2), torch.zeros(3, 2), 2))
        expect(logits.shape == (3,), f"expected shape (3,), got {logits.shape}")
    with table.line("1 key gives 1 logit"):
        single = numbers(attention_logits(torch.ones(2), torch.zeros(1, 2), 2))
        expect(single.shape == (1,), f"expected shape (1,), got {single.shape}")
    with table.line("keys of zeros agree with no query"):
        expect((logits == 0).all(), f"expected zeros, got {three_digits(logits)}")
    keys = torch.tensor([[1.0, 2.0], [-1.0, -2.0], [2.0, -1.0]])
    with table.line("signs: + for the same direction, - for the opposite one, 0 for perpendicular"):
        same, opposite, perpendicular = numbers(attention_logits(torch.tensor([1.0, 2.0]), keys, 2)).tolist()
        expect(same > 0, f"same direction: expected a positive logit, got {same:.3f}")
        expect(opposite < 0, f"opposite direction: expected a negative logit, got {opposite:.3f}")
        expect(abs(perpendicular) < 1e-5, f"perpendicular: expected 0, got {perpendicular:.3f}")
    table.end()


def draw_part03(names):
    """How far your logits spread for random queries and keys, with your constant factor and without it."""
    figure, panels = subplots(
        2, 3, figsize=(10.5, 5.4), left=0.62, bottom=0.46, across=0.13, down=0.5, sharey="row", sharex="row"
    )
    said = []
    for column, (D_qk, colour) in enumerate(zip(WIDTHS, (BLUE, ORANGE, YELLOW), strict=True)):
        found = _spread(names.get("attention_logits"), D_qk)
        if found is None:
            said.append(f"D_qk = {D_qk:>4}: no logits to draw yet")
        for row, logits in enumerate(found or (None, None)):
            panel, what = panels[row, column], ("without your factor", "as you return them")[row]
            panel.set_title(f"$D_{{qk}}$ = {D_qk}, {what}", fontsize=10)
            if logits is None:
                panel.text(0.5, 0.5, "?", ha="center", va="center", fontsize=20, transform=panel.transAxes)
            else:
                panel.hist(logits.ravel(), bins=41, density=True, histtype="stepfilled", color=colour, edgecolor="0.2")
                at = {"transform": panel.transAxes, "ha": "right", "va": "top", "fontsize": 10}
                largest, spread = _largest_weight(logits), _digits(logits.std())
                panel.text(0.97, 0.94, f"spread {spread}\nlargest of\n{KEYS} weights\n{largest:.2f}", **at)
                text = f"{what}: spread {spread}, largest of {KEYS} weights {largest:.2f}"
                said.append(f"D_qk = {D_qk:>4}, {text}")
    for (row, column), panel in np.ndenumerate(panels):
        drawn = any(other.patches for other in panels[row])
        scale(panel, "x", _inner(panel) if drawn else [], name="logit" if row else "", size=SMALLEST)
        name = "" if column else "share per unit"
        scale(panel, "y", None if drawn else [], [] if column or not drawn else None, name=name, size=SMALLEST)
    print(*said, sep="\n")
    show(figure, f"Histograms of logits for three widths. {'; '.join(said)}.")


def _spread(attention_logits, D_qk: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Logits of random queries, each with 8 keys: without the answer's factor, and as returned; None if there are none.

    The factor is what the answer gives to a query and a key that are both (1, 0, 0, …).
    """
    random = np.random.default_rng(3)
    q = torch.tensor(random.standard_normal((QUERIES, D_qk)))
    K = torch.tensor(random.standard_normal((QUERIES, KEYS, D_qk)))
    first = torch.eye(D_qk, dtype=torch.float64)[0]
    try:
        logits = np.stack([numbers(attention_logits(*pair, D_qk)).astype(float) for pair in zip(q, K, strict=True)])
        factor = float(numbers(attention_logits(first, first[None], D_qk)).ravel()[0])
        right = logits.shape == (QUERIES, KEYS) and np.isfinite(logits).all() and np.isfinite(factor) and factor
        return (logits / factor, logits) if right else None
    except Exception:  # noqa: BLE001  (an answer may raise anything, and is drawn when it no longer does)
        return None


def _inner(panel) -> list[float]:
    """Where a panel's horizontal scale has marks whose labels don't reach into the panel next to it."""
    low, high = panel.get_xlim()
    edge = 0.1 * (high - low)
    return [place for place in panel.xaxis.get_majorticklocs() if low + edge < place < high - edge]


def _digits(spread: float) -> str:
    """A spread with one digit after the point; a small one with the digit that isn't 0."""
    return f"{spread:.1f}" if spread >= 0.1 else f"{spread:.1g}"


def _largest_weight(logits: np.ndarray) -> float:
    """The largest weight that a query gives, on average over queries."""
    raised = np.exp(logits - logits.max(1, keepdims=True))
    return float((raised.max(1) / raised.sum(1)).mean())
