"""What runs when a hidden test calls an answer, and may not: PyTorch's own attention, PyTorch at all, a loop.

The rules read the notebook's text, in which a name can be hidden; what runs is seen here. What the kernel tells is
shown only where it is a name on a list, or leads to a line of the notebook.
"""

from collections.abc import Mapping

from attention import oracles
from attention.questions import running as questions
from attention.rules import READY_MADE, Breach, operations
from attention.rules.ran import loop_that_ran
from attention.structure import Model, Sizes
from grading.bridge import probe

SHOWN = READY_MADE | {"_native_multi_head_attention", "_transformer_encoder_layer_fwd"}


def of_models(answer_id: str, model: Model, cases: Mapping[Sizes, Sizes]) -> Breach | None:
    """The breach, if attention of PyTorch's own runs as models of these sizes are made and called, or a loop of the
    student's, or another process starts, in which either would run unseen.

    `cases` are sizes of models, and with each B, L_1 and L_2. Weights and tokens are such as those tests draw that look
    at values, so that no model can tell this call from theirs by what it is given.
    """
    given = [_drawn(sizes, lengths, 640 + n) for n, (sizes, lengths) in enumerate(cases.items())]
    match questions.of_models(model.name, given):
        case (list(seen), list(ran)) if all(isinstance(name, str) for name in (*seen, *ran)):
            return _seen(model.name, seen) if seen else _by_functions(answer_id, model.name, ran)
    return None  # what can't be called loses other points


def _drawn(sizes: Sizes, lengths: Sizes, seed: int) -> tuple:
    """A model's sizes, weights for it, x (B, L_1, D_1) and y (B, L_2, D_2)."""
    weights = oracles.mha_weights(*sizes, seed=seed)
    given = {name: probe.tensor(weight) for name, weight in weights.items()}
    return (sizes, given, *map(probe.tensor, oracles.tokens(sizes, lengths, seed)))


def of_function(answer_id: str, name: str, *given: object, with_torch: bool = True) -> Breach | None:
    """The breach, if a loop of the student's runs in a call of a function; `with_torch` off, also if PyTorch computes
    in it, or another process starts, in which either would run unseen. (With PyTorch, compiling may start one.)"""
    match questions.of_function(name, *given):
        case (bool(by_torch), bool(process), list(ran)) if all(isinstance(one, str) for one in ran):
            if by_torch and not with_torch:
                return Breach(f"When the test calls your `{name}`, PyTorch runs. This part must be done without it.")
            if process and not with_torch:
                return Breach(_process(name, "the function"))
            return _by_functions(answer_id, name, ran)
    return None


def one_statement_each(answer_id: str, name: str, *given: object) -> Breach | None:
    """The breach, if two statements compute one of a function's outputs as it is called, by PyTorch's operations."""
    call = operations.of_call(name, *given)
    if call is None:
        return None  # what can't be called loses other points
    if len(call.operations) > operations.MOST:
        times = f"When the test calls your `{name}`, PyTorch computes more than {operations.MOST} times"
        return Breach(f"{times}, more than we follow. Let it compute each output once, and nothing else.")
    return operations.second_statement(answer_id, call)


def _by_functions(answer_id: str, name: str, ran: list[str]) -> Breach | None:
    """The breach, if a function with a loop ran, or one that is in no cell: what that does is read by nobody."""
    if "file" in ran:
        return Breach(f"When the test calls your `{name}`, a function in a file of yours runs. Put it into a cell.")
    return loop_that_ran(answer_id, ran)


def _process(name: str, where: str) -> str:
    return f"When the test calls your `{name}`, it starts another process or thread. Call everything in {where} itself."


def _seen(name: str, seen: list[str]) -> Breach:
    """The breach that these names of attention, or of another process, show."""
    shown = next((f"`{one}`" for one in sorted(SHOWN) if one in seen), "attention of PyTorch's own")
    if seen == ["process"]:
        return Breach(_process(name, "`forward`"))
    return Breach(
        f"When the test calls your `{name}`, {shown} runs. This part asks you to build attention yourself. Replace it."
    )
