"""One statement an output, by what PyTorch does in a call of the function: ways in which the text hides a second."""

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import busy
import numpy as np
import pytest
from hand_written import notebook
from transports import Canned, Names

from attention import running
from attention.questions.versions import fingerprint
from attention.rules import operations
from grading.bridge import probe, wire

FOLDERS = Path(__file__).parent, Path(__file__).parents[2] / "support"  # of this file, and of what it imports
HEAD = "def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):\n"
END = "\nreturn W_DKV, W_DKV, {Q}, torch.mm(W_O, W_UV)"
TWO = {  # what comes before the return, what the return names as Q, and the line of the second statement
    "by a function that a decorator calls": (
        "Q = W_UK @ W_Q\ndef at_once(do): return do()\n@at_once\ndef scaled(): return 2 * Q",
        "scaled",
        4,
    ),
    "in what a parameter is by default": ("def scaled(Q=W_UK @ W_Q): return 2 * Q", "scaled()", 2),
    "in a class's body": ("class Hats:\n    Q = W_UK @ W_Q", "2 * Hats.Q", 3),
    "in a name of the notebook's": ("global kept\nkept = W_UK @ W_Q", "2 * globals()['kept']", 3),
    "by two functions that share a name": (
        "Q = None\ndef one():\n    nonlocal Q\n    Q = W_UK @ W_Q\ndef two():\n"
        "    nonlocal Q\n    Q = 2 * Q\none()\ntwo()",
        "Q",
        9,
    ),
    "in a list of the notebook's": ("HATS.append(W_UK @ W_Q)\nHATS.append(2 * HATS[-1])", "HATS[-1]", 2),
    "in an attribute": (
        "class Hats: pass\nhats = Hats()\nhats.__setattr__('Q', W_UK @ W_Q)",
        "2 * hats.Q",
        4,
    ),
    "by filter": ("Q = W_UK @ W_Q\nlist(filter(lambda one: one.mul_(2) is None, [Q]))", "Q", 2),
    "by sorted": ("Q = W_UK @ W_Q\nsorted([Q], key=lambda one: id(one.mul_(2)))", "Q", 2),
    "in a list in a list": ("Q = W_UK @ W_Q\ntorch._foreach_mul_([*[Q]], 2)", "Q", 2),
    "by its name among the locals": ("Q = W_UK @ W_Q", "2 * vars()['Q']", 2),
    "over a tree": ("Q = W_UK @ W_Q", "torch.utils._pytree.tree_map(lambda one: 2 * one, [Q])[0]", 2),
    "by what awaits nothing": (
        "async def product(): return W_UK @ W_Q\ntry:\n    product().send(None)\n"
        "except StopIteration as ended:\n    Q = ended.value",
        "2 * Q",
        6,
    ),
    "through memory that is shared": ("Q = W_UK @ W_Q\nP = torch.from_dlpack(Q)\nP *= 2", "Q", 3),
    "reshaped": ("Q = W_UK @ W_Q", "Q.reshape(2, 8)", 2),
    "turned in place": ("Q = W_UK @ W_Q\nQ.t_()", "Q", 2),
    "filled": ("Q = torch.empty(4, 4, dtype=W_Q.dtype)\nQ[:] = W_UK @ W_Q", "Q", 2),
    "through an attribute of a tensor": ("Q = W_UK @ W_Q\nQ.data = 2 * Q.data", "Q", 2),
    "joined": ("Q = W_UK @ W_Q", "torch.cat([Q])", 2),
    "filled with an input": ("Q = torch.empty(4, 4, dtype=W_Q.dtype)\nQ.copy_(W_Q)", "Q", 2),
}
FREE = {
    "a product": ("", "2 * (W_UK @ W_Q).reshape(2, 8)"),
    "views first": ("UK, Q = W_UK.view(2, 2, 4), W_Q.T.contiguous().view(2, 2, 4)", "(UK.mT @ Q).reshape(8, 4)"),
    "inputs turned, cut and joined first": ("UK = torch.cat([W_UK.flip(0), W_UK[[1, 0]]])[:4].roll(1)", "UK @ W_Q"),
    "inputs on a diagonal first": ("UK = torch.zeros(2, 4, 2, 4, dtype=W_UK.dtype)\n"
    "UK[[0, 1], :, [0, 1]] = W_UK.view(2, 4, 2).mT.reshape(2, 2, 4).repeat(1, 2, 1)",
    "UK.view(8, 8) @ W_Q.repeat(2, 2)"),
    "a scalar in a tensor": ("scale = torch.tensor(4 / H).sqrt()\nones = torch.ones_like(W_Q[:1])\nones /= 2",
    "scale * ones * (W_UK @ W_Q)"),
    "converted afterwards": ("Q = W_UK @ W_Q\nQ = nn.Parameter(Q.detach().clone().float()).cpu()", "Q.contiguous()"),
    "looked at on the way": ("Q = W_UK @ W_Q\nprint(Q.T @ Q, Q.sum(), Q.reshape(2, 8).shape)\n"
    "assert (Q @ Q).isfinite().all()", "Q"),
    "turned and turned back on the way": ("Q = W_UK @ W_Q\nprint(Q.T.T, Q.view(2, 8).view(4, 4))", "Q"),
    "a number that the arguments give": ("size = W_UK.norm()", "size * ((W_UK / size) @ W_Q)"),
    "one of two in a tensor": ("both = torch.stack([W_UK @ W_Q, W_O @ W_Q])\nQ, _ = both", "both[0]"),
    "by a helper": ("", "helper(W_UK, W_Q)"),
    "by vmap": ("", "torch.vmap(helper)(W_UK.view(2, 2, 4), W_Q.view(2, 4, 2).mT.reshape(2, 4, 2))"),
    "by a product that TorchScript traced": ("", "torch.jit.trace(product, (W_UK, W_Q))(W_UK, W_Q)"),
    "in a module's buffers": (
        "class Hats(nn.Module):\n    def __init__(self, Q):\n        super().__init__()\n"
        "        self.register_buffer('Q', Q)\n    def all(self): return [*self.buffers()]",
        "Hats(W_UK[[1, 0, 2, 3]] @ W_Q).all()[0]",
    ),
    "by NumPy's numbers": ("mask = torch.from_numpy(np.eye(4))", "np.sqrt(4 / H) * (W_UK * mask) @ W_Q"),
    "written into in the same statement": ("", "torch.empty(4, 4, dtype=W_Q.dtype).copy_(W_UK @ W_Q).mul_(2)"),
}  # fmt: skip
BY_NUMPY = [  # SECURITY.md says so
    ("Q = W_UK @ W_Q\nnp.multiply(Q.numpy(), 2, Q.numpy())", "Q"),
    ("Q = W_UK.numpy()\nQ *= 2", "torch.from_numpy(Q) @ W_Q"),
    ("Q = torch.from_numpy(W_UK.numpy() @ W_Q.numpy())", "2 * Q"),
    ("K = torch.tensor(2 * W_UK.numpy())", "K @ W_Q"),
]
NOTEBOOK = "HATS = []\ndef helper(A, B):\n    product = A @ B\n    return 2 * product.reshape(-1, 2)\n"
NOTEBOOK += "def product(A, B):\n    return torch.mm(A, B)\n"


def kernel(answer: str) -> Names:
    return Names("import torch\nimport torch.nn as nn\nimport numpy as np\nimport functools", answer)


def given() -> list[object]:
    """Five matrices of shape (4, 4), and H."""
    rng = np.random.default_rng(1)
    return [*(probe.tensor(rng.standard_normal((4, 4))) for _ in range(5)), 2]


def breach(answer: str) -> str | None:
    """The text of the breach as a test calls reduced_matrices of an answer cell."""
    with notebook("part13", answer), probe.through(kernel(answer)):
        answered = probe.call("reduced_matrices", *given())
        assert isinstance(answered, tuple) and all(isinstance(one, probe.Tensor) for one in answered)
        found = running.one_statement_each("part13-answer", "reduced_matrices", *given())
    return found.text if found else None


def function(before: str, Q: str, head: str = HEAD) -> str:
    return head + textwrap.indent(before + END.replace("{Q}", Q), "    ")


@pytest.mark.parametrize(("before", "Q", "line"), TWO.values(), ids=TWO)
def test_a_second_statement_is_found_however_a_value_went_on(before: str, Q: str, line: int):
    text = breach(function(before, Q) + "\n" + NOTEBOOK)
    assert text.startswith(f"Answer, line {line + 1}, ") and "computes output 3 of 4" in text


@pytest.mark.parametrize(("before", "Q"), FREE.values(), ids=FREE)
def test_what_one_statement_computes_is_free(before: str, Q: str):
    assert breach(function(before, Q) + "\n" + NOTEBOOK) is None


@pytest.mark.parametrize(("before", "Q"), BY_NUMPY)
def test_nobody_sees_what_numpy_computes(before: str, Q: str):
    assert breach(function(before, Q) + "\n" + NOTEBOOK) is None


def test_a_function_around_the_answer_that_scales_what_it_gives_is_found():
    around = (
        "def around(do):\n    def scaled(*given):\n        K, V, Q, O = do(*given)\n        return K, V, 2 * Q, O\n"
    )
    around += "    return scaled\n@around\n"
    assert breach(around + function("", "W_UK @ W_Q")).startswith("Answer, line 4, `return K, V, 2 * Q, O`")


def test_a_list_that_computes_as_it_is_read_is_found():
    made = "class Hats(tuple):\n    def __iter__(self): return iter([*self[:2], 2 * self[2], self[3]])\n"
    answer = made + HEAD + "    Q, O = W_UK @ W_Q, W_O @ W_UV\n    return Hats((W_DKV, W_DKV, Q, O))"
    assert "computes output 3 of 4" in breach(answer)


def test_a_decorator_of_pytorchs_stands_around_no_statement():
    assert breach("@torch.no_grad()\n" + function("", "2 * (W_UK @ W_Q)")) is None
    assert "line 4, `return" in breach("@torch.no_grad()\n" + function("Q = W_UK @ W_Q", "2 * Q"))


def test_operations_without_end_are_no_way_past_the_rule():
    endless = "def padded(n):\n    return torch.ones(2) + (padded(n - 1) if n else 0)\n"
    answer = endless + function("for_nothing = [padded(400), *map(padded, [400] * 5)]\nQ = W_UK @ W_Q", "2 * Q")
    assert "more than 2000 times" in breach(answer)


def made_up(reply: object) -> Canned:
    return Canned(wire.encode({"value": reply, "printed": ""}))


@pytest.mark.parametrize(
    "reply",
    [
        None,
        [],
        [[], [], "-", 3],
        [["mm 0 - -"], [], "-", []],
        [["mm 0 - - 1"], [], "-", []],
        [[3], [], "-", []],
        [["mm x - - -"], [], "-", []],
        [["mm 0 - - - -"], [], "-", []],
        [[], ["code"], "-", []],
        [[], [], "a:b", []],
        [[], [], "-", [3]],
        [["mm 0 0:0 - 1:1"], ["code -3"], "0:0", ["1:1,2:2"]],
        [["mm 7 0:0 - 1:1"], [], "0:0", ["1:1"]],
    ],
)
def test_what_a_kernel_makes_up_breaks_no_rule_and_ends_no_test(reply: object):
    with notebook("part13", function("", "W_UK")), probe.through(made_up(reply)):
        assert running.one_statement_each("part13-answer", "reduced_matrices", *given()) is None


def test_what_a_kernel_makes_up_is_read_where_it_has_the_form_that_was_asked_for():
    answer = function("Q = W_UK", "W_UK @ Q")
    code = {}
    exec(compile(answer, "<cell>", "exec"), code)
    places = [f"{fingerprint(code['reduced_matrices'].__code__)} {at}" for at in (4, 12)]
    told = [["mm 0 0:0 - 1:1", "mm 1 1:1 - 2:2"], places, "0:0", ["0:0", "2:2"]]
    with notebook("part13", answer), probe.through(made_up(told)):
        found = running.one_statement_each("part13-answer", "reduced_matrices", *given())
    assert "computes output 2 of 2" in found.text


def test_the_line_is_the_answers_though_a_cell_has_a_copy():
    answer = function("Q = W_UK @ W_Q", "2 * Q")
    with notebook("part13", "1\n" + answer, answer), probe.through(kernel(answer)):
        found = running.one_statement_each("part13-answer", "reduced_matrices", *given())
    assert found.text.startswith("Answer, line 4")


def test_thousands_of_functions_alike_are_looked_at_in_no_time():
    many = "class Many:\n" + "".join(f"    def f{n}(self): return {n}\n" for n in range(3000))
    answer = function("Q = W_UK @ W_Q", "2 * Q") + "\n" + many + many.replace("return ", "return 1 + ")
    started = time.process_time()
    assert "line 3" in breach(answer)
    assert busy.within(time.process_time() - started, 8.0)


def test_the_flow_of_a_thousand_operations_is_followed_at_once():
    flow = operations.Flow([(0, 0)])
    for place in range(1000):
        flow.follow("aten::mm", frozenset({("Answer", place % 3, 0)}), [(place, 0)], [], [(place + 1, 0)])
    assert len(flow.of([(1000, 0)])) == 3


NO_COMPILER = """
import sys, test_operations as tests
assert tests.breach(tests.function("", "W_UK @ W_Q")) is None
print("torch._dynamo" in sys.modules)
"""


def test_no_compiler_is_imported_to_look_on():
    path = os.pathsep.join([*map(str, FOLDERS), os.environ["PYTHONPATH"]])
    command = [sys.executable, "-c", NO_COMPILER]
    printed = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": path}
    )
    assert printed.stdout == "False\n"
