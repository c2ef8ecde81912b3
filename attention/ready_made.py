"""Whether PyTorch's own attention runs when a hidden test of part 5 or 7 calls the student's model.

The rule `no_ready_made_attention` reads the notebook's text, in which a name can be hidden; what runs is seen here.
What the kernel tells is shown only where it is a name on a list.
"""

from attention.questions import models
from attention.rules import READY_MADE, Breach
from attention.structure import Model, Sizes

SHOWN = READY_MADE | {"_native_multi_head_attention", "_transformer_encoder_layer_fwd"}


def attention_ran(model: Model, cases: list[Sizes]) -> Breach | None:
    """The breach, if attention of PyTorch's own runs as models of these sizes are made and called, or another process
    starts, in which it would run unseen."""
    seen = models.ready_made(model.name, cases)
    if not isinstance(seen, list) or not seen or not all(isinstance(name, str) for name in seen):
        return None  # what can't be called loses other points
    shown = next((f"`{name}`" for name in sorted(SHOWN) if name in seen), "attention of PyTorch's own")
    if seen == ["process"]:
        return Breach(
            f"When the test calls your `{model.name}`, it starts another process or thread. Call everything in "
            "`forward` itself."
        )
    return Breach(
        f"When the test calls your `{model.name}`, {shown} runs. This part asks you to build attention yourself. "
        "Replace it."
    )
