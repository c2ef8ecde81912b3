"""Two usual mistakes at once, in parts 5 and 7: looked for where no single one explains an answer's numbers.

Two steps of `attention` that replace different things are taken together, and so are a scale and the axis of the
softmax, which are one step there.
"""

import itertools
from collections.abc import Callable, Mapping
from functools import partial

from attention.mistakes.attention import SCALES, STEPS, attention, scaled
from attention.oracles import Array
from grading.marking.diagnosis import BOTH

AXES = {
    "softmax-over-queries": 2,
    "softmax-over-heads": 1,
    "softmax-over-samples": 0,
    "softmax-over-everything": (0, 1, 2, 3),
}
NEVER = {"token-added", "queries-from-y"}  # there is a result for each token of y, and only x is at hand to be added
READ = {  # which key and which value a query head of part 7 reads
    "neighbouring-heads": {"keys_read": lambda h, H, G: h // (H // G)},
    "values-of-neighbouring-heads": {"values_read": lambda h, H, G: h // (H // G)},
    "first-head-for-all": {"keys_read": lambda h, H, G: 0},
}


def _of(steps: Mapping[str, dict]) -> dict[str, Callable[..., Array | None]]:
    """What each two of these steps give together, where they replace different things."""
    found = {
        f"{axis}{BOTH}{scale}": partial(attention, weigh=partial(scaled, by=by, axis=AXES[axis]))
        for axis, (scale, by) in itertools.product(AXES, SCALES.items())
    }
    for (one, first), (other, second) in itertools.combinations(steps.items(), 2):
        if first.keys().isdisjoint(second) and {one, other} != NEVER:
            found[f"{one}{BOTH}{other}"] = partial(attention, **first, **second)
    return found


MHA = _of(STEPS)
GQA = _of(STEPS | READ)
