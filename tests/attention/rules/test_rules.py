"""The course's rules on an answer: no attention of PyTorch's, no PyTorch, and those of any course as it has them."""

import itertools
import sys
import warnings

import pytest
import torch
from hand_written import Rule, breach

from attention import rules

RULES = [
    rules.no_imports,
    rules.no_loops,
    rules.no_ready_made_attention,
    rules.no_torch,
]


@pytest.mark.parametrize("source", ["import torch, numpy as np", "from torch import nn", "from numpy import linalg"])
def test_torch_and_numpy_may_be_imported(source: str):
    assert breach(rules.no_imports, source) is None


@pytest.mark.parametrize("source", ["import math", "import einops", "from scipy import linalg"])
def test_nothing_else_may_be_imported_and_the_sentence_says_what_may(source: str):
    assert "only torch, NumPy and what" in breach(rules.no_imports, source)


@pytest.mark.parametrize(("stem", "asked"), [("part05", "MyMHA"), ("part07", "MyGQA")])
def test_a_loop_is_looked_for_in_what_the_part_asks_for(stem: str, asked: str):
    looping = f"{asked} = lambda x: [h for h in x]"
    assert breach(rules.no_loops, "pass", looping, stem=stem).startswith("Cell 3, line 1")
    assert breach(rules.no_loops, "pass", looping.replace(asked, "Other"), stem=stem) is None


@pytest.mark.parametrize(
    "source",
    [
        "def f(q):\n    return torch.while_loop(going, step, (q,))",
        "from torch import while_loop\ndef f(q):\n    return while_loop(going, step, (q,))",
        "def f(q):\n    from torch import while_loop as again\n    return again(going, step, (q,))",
        "again = torch.while_loop\nclass A:\n    def f(self, q):\n        return again(going, step, (q,))",
        "from torch._higher_order_ops.while_loop import while_loop_dense as go\nf = lambda q: go(a, b, (q,), ())",
    ],
)
def test_the_while_that_pytorch_has_as_a_function_is_a_loop(source: str):
    assert "`while_loop` is a loop, and this part allows no loop" in breach(rules.no_loops, source)


@pytest.mark.parametrize(
    "source",
    [
        "torch.while_loop(going, step, (one,))\ndef f(q):\n    return q",
        "def while_loop(q):\n    return q\ndef f(q):\n    return while_loop(q)",
        "class A:\n    def while_loop(self, q):\n        return self.while_loop",
    ],
    ids=["outside", "a function of one's own", "a method"],
)
def test_what_is_outside_of_functions_or_only_has_its_name_is_no_while(source: str):
    assert breach(rules.no_loops, source) is None


WARNED_OF = """
def f(W):
    assert (W.ndim == 2, "always true")
    return W is 1
{}
def f(W):
    assert (W.ndim == 2, "always true")
    return eval({!r})
"""


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("between", ["", "f(1)"])
def test_nobody_hears_what_python_warns_of_in_an_answer(rule: Rule, between: str):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        breach(rule, WARNED_OF.format(between, r"'\d'"), r"!echo {'\d'}")
    assert not heard  # in a test cell a text on stderr would cost all points


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python 3.11 has no type statement")
def test_a_type_statement_is_another_name_of_what_it_names():
    of_pytorch = "type A = nn.MultiheadAttention\ndef f(x):\n    return A.__value__(4, 2)"
    assert breach(rules.no_ready_made_attention, of_pytorch).startswith("Answer, line 3")
    assert breach(rules.no_ready_made_attention, of_pytorch.replace("MultiheadAttention", "Linear")) is None


@pytest.mark.skipif(sys.version_info < (3, 14), reason="Python 3.13 has no t-strings")
@pytest.mark.parametrize("value", ["libs['a'].ones(2)", "eval('torch.ones(2)')", "torch.ones(2)"])
def test_the_values_in_a_t_string_are_read_as_any_others(value: str):
    answer = f'def f(x):\n    return t"{{{value}}}".values[0]'
    assert breach(rules.no_torch, answer, "libs = {'a': torch}", stem="part10").startswith("Answer, line 2")
    assert breach(rules.no_torch, answer.replace(value, "x @ x"), stem="part10") is None


TAKEN = "match nn.functional:\n        case object(scaled_dot_product_attention=g): pass"


@pytest.mark.parametrize(
    "source",
    [
        "class A(nn.Module):\n    def __init__(self):\n        self.mha = nn.MultiheadAttention(4, 2)",
        "class A(nn.MultiheadAttention):\n    pass",
        "def f(q, k, v):\n    return nn.functional.scaled_dot_product_attention(q, k, v)",
        "def f(q, k, v):\n    return torch.nn.functional.multi_head_attention_forward(q, k, v)",
        "f = lambda q, k, v: nn.functional.scaled_dot_product_attention(q, k, v)",
        "def f():\n    return nn.TransformerEncoderLayer(4, 2)",
        "def f():\n    return nn.Transformer()",
        "def f():\n    return torch.nn.modules.activation.MultiheadAttention(4, 2)",
        "def f(q):\n    return torch._native_multi_head_attention(q)",
        "def f(q):\n    return torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, q, q)",
        "def f(q):\n    return torch.ops.aten._transformer_encoder_layer_fwd(q)",
        "name = 'scaled_dot_' + 'product_attention'\ndef f(q):\n    return getattr(nn.functional, name)(q, q, q)",
        "def f(q):\n    n = ('relu', 'scaled_dot_product_attention')[1]\n    return getattr(nn.functional, n)(q, q)",
        "def f(q):\n    return torch._C._nn.scaled_dot_product_attention(q, q, q)",
        "def f(q):\n    return nn.attention.flex_attention.flex_attention(q, q, q)",
        "import torch.nn.functional as F\ndef f(q):\n    return F.scaled_dot_product_attention(q, q, q)",
        "from torch.nn import functional as fn\ndef f(q):\n    return fn.scaled_dot_product_attention(q, q, q)",
        "from torch.nn.functional import scaled_dot_product_attention\ndef f(q):\n"
        "    return scaled_dot_product_attention(q, q, q)",
        "from torch.nn.functional import scaled_dot_product_attention as g\ndef f(q):\n    return g(q, q, q)",
        "from torch.nn.functional import *\ndef f(q):\n    return scaled_dot_product_attention(q, q, q)",
        "from torch.nn import MultiheadAttention as Base\nclass A(Base):\n    pass",
        "def f(q):\n    from torch.nn.functional import scaled_dot_product_attention as g\n    return g(q, q, q)",
        "g = nn.functional.scaled_dot_product_attention\ndef f(q):\n    return g(q, q, q)",
        "F = nn.functional\ndef f(q):\n    return F.scaled_dot_product_attention(q, q, q)",
        "F, la = nn.functional, np.linalg\ndef f(q):\n    return F.scaled_dot_product_attention(q, q, q)",
        "F = G = nn.functional\ndef f(q):\n    return F.scaled_dot_product_attention(q, q, q)",
        "F: object = nn.functional\ndef f(q):\n    return F.scaled_dot_product_attention(q, q, q)",
        "layer = nn.MultiheadAttention(4, 2)\ndef f(q):\n    return layer(q, q, q)",
        "Base = nn.MultiheadAttention\nclass A(Base):\n    pass",
        "class A:\n    attend = staticmethod(nn.functional.scaled_dot_product_attention)",
        "class A:\n    def scaled_dot_product_attention(self, q):\n"
        "        return nn.functional.scaled_dot_product_attention(q, q, q)",
        "def scaled_dot_product_attention(q):\n    return torch.nn.functional.scaled_dot_product_attention(q, q, q)",
        "def f(q):\n    return getattr(nn.functional, 'scaled_dot_product_attention')(q, q, q)",
        "def f(q):\n    return nn.functional.__getattribute__('scaled_dot_product_attention')(q, q, q)",
        "def f(q):\n    return object.__getattribute__(nn.functional, 'scaled_dot_product_attention')(q, q, q)",
        "def f(q):\n    return getattr(nn.functional, 'scaled_dot_' + 'product_attention')(q, q, q)",
        "def f(q):\n    return eval('nn.functional.scaled_dot_product_attention')(q, q, q)",
        "exec('def f(q):\\n    return nn.functional.scaled_dot_product_attention(q, q, q)')",
        "def f(q, attend=nn.functional.scaled_dot_product_attention):\n    return attend(q, q, q)",
        "def f(q):\n    return __import__('torch').nn.functional.scaled_dot_product_attention(q, q, q)",
        f"def f(q):\n    {TAKEN}\n    return g(q, q, q)",
        f"{TAKEN}\ndef f(q):\n    return g(q, q, q)",
        "match torch.nn:\n    case object(functional=F): pass\nf = lambda q: F.scaled_dot_product_attention(q, q, q)",
        "for g in [nn.functional.scaled_dot_product_attention]: pass\ndef f(q):\n    return g(q, q, q)",
        "with a(nn.functional.scaled_dot_product_attention) as g: pass\ndef f(q):\n    return g(q, q, q)",
        "def f(q):\n    return getattr(torch.nn, 'functional').scaled_dot_product_attention(q, q, q)",
        # What runs in another process or thread can't be looked at as it runs.
        "import torch.multiprocessing as mp\npool = mp.Pool(1)\ndef f(q):\n    return pool.apply(g, q)",
        "from torch.multiprocessing import Pool\ndef f(q):\n    return Pool(1).apply(g, q)",
        "def f(q):\n    return torch.multiprocessing.Pool(1).apply(g, q)",
        "from torch.distributed import rpc\ndef f(q):\n    return rpc.rpc_sync('w', g, q)",
    ],
)
def test_ready_made_attention_in_the_answer_is_found(source: str):
    assert breach(rules.no_ready_made_attention, source).startswith("Answer, line ")


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("def f(q):\n    return g(q)", "g = nn.functional.scaled_dot_product_attention"),
        ("class A(Base):\n    pass", "class Base(nn.MultiheadAttention):\n    pass"),
        (
            "class MyMHA:\n    pass",
            "MyMHA.forward = lambda self, x, y: nn.functional.scaled_dot_product_attention(x, y, y)",
        ),
        ("pass", "MyMHA = nn.MultiheadAttention"),
        ("def f(q):\n    return g(q)", "def g(q):\n    return nn.functional.scaled_dot_product_attention(q, q, q)"),
    ],
)
def test_ready_made_attention_that_the_answer_reaches_is_found(answer: str, other: str):
    assert "line" in breach(rules.no_ready_made_attention, answer, other)


@pytest.mark.parametrize(
    "source",
    [
        "print(nn.functional.scaled_dot_product_attention(q, k, v))\ndef f(q):\n    return q",
        "def f(q):\n    out = q\n    return out\nout = nn.functional.scaled_dot_product_attention(q, q, q)\nprint(out)",
        "from torch.nn.functional import scaled_dot_product_attention\ndef f(q):\n    return q",
        "def scaled_dot_product_attention(q, k, v):\n    return torch.softmax(q @ k.mT, -1) @ v\ndef f(q):\n"
        "    return scaled_dot_product_attention(q, q, q)",
        "class MultiheadAttention(nn.Module):\n    pass\nclass MyMHA(MultiheadAttention):\n    pass",
        "class MultiHeadAttention(nn.Module):\n    pass\nclass MyMHA(MultiHeadAttention):\n    pass",
        "class A:\n    def scaled_dot_product_attention(self, q):\n        return q\n"
        "    def f(self, q):\n        return self.scaled_dot_product_attention(q)",
        "class A:\n    def __init__(self):\n        self.attention = None\n        self.transformer = nn.Linear(1, 1)\n"
        "        self.attention_weights = self.transformer",
        "class A:\n    def f(self, q):\n        self.register_buffer('attention_mask', q)\n"
        "        return self.attention_mask",
        "def transformer_heads(t):\n    return t\ndef f(t):\n    return transformer_heads(t)",
        "def f(q, transformer):\n    attention = torch.softmax(q, -1)\n    return transformer(attention)",
        '"""Not scaled_dot_product_attention."""\ndef f(q):\n    # nn.MultiheadAttention\n    return "nn.Transformer"',
        "def f(q):\n    return torch.softmax(q, -1), nn.functional.softmax(q, -1), nn.Linear(1, 1)",
        "def f(q):\n    return q.attention_scores",
        "from torch import multiprocessing\npool = multiprocessing.Pool(2)\ndef f(q):\n    return q",
        "class A:\n    def __init__(self):\n        self.rpc = self.multiprocessing = None",
        "def f(q):\n    match q:\n        case torch.Tensor(shape=s, attention_mask=a):\n            return s",
    ],
)
def test_attention_of_one_s_own_and_a_demonstration_beside_it_are_free(source: str):
    assert breach(rules.no_ready_made_attention, source) is None


def test_every_attention_that_torch_has_is_known():
    for module, path in (
        (torch.nn, "nn"),
        (torch.nn.functional, "nn.functional"),
        (torch, "torch"),
        (torch.ops.aten, "torch.ops.aten"),
    ):
        for name in dir(module):
            if (
                any(word in name.lower() for word in ("attention", "transformer", "dot_product"))
                and name != "attention"
            ):
                assert breach(rules.no_ready_made_attention, f"def f(q):\n    return {path}.{name}(q)"), (
                    f"{path}.{name}"
                )


@pytest.mark.parametrize(
    "source",
    [
        "def f(W):\n    return torch.tensor(W)",
        "def f(W: torch.Tensor):\n    return W",
        "W = torch.ones(2)",
        "loss = nn.MSELoss()",
        "f = lambda W: torch.linalg.svd(W)",
        "import torch as t\ndef f(W):\n    return t.tensor(W)",
        "from torch import linalg\ndef f(W):\n    return linalg.svd(W)",
        "from torch.linalg import svd as s\ndef f(W):\n    return s(W)",
        "def f(W):\n    import torch as t\n    return t.tensor(W)",
        "def f(W):\n    from torch.linalg import svd\n    return svd(W)",
        "from torch import *\ndef f(W):\n    return tensor(W)",
        "T = torch\nT.ones(1)",
        "n, t = np, torch\ndef f(W):\n    return t.tensor(W)",
        "S = T = torch\ndef f(W):\n    return T.tensor(W)",
        "T: object = torch\ndef f(W):\n    return T.tensor(W)",
        "nn = torch.nn\nnn.MSELoss()",
        "torch = torch\ntorch.ones(1)",
        "globals()['torch'].ones(1)",
        "eval('torch.ones(1)')",
        "%time torch.ones(1)",
        "torch.manual_seed(0)",
        "assert isinstance(1, torch.Tensor)",
        "def f(W):\n    return __import__('torch').tensor(W)",
        "t = __import__('torch.linalg')\ndef f(W):\n    return t.linalg.svd(W)",
        "def f(W):\n    return globals().get('torch').tensor(W)",
        "def f(W):\n    match globals():\n        case {'torch': t}:\n            return t.tensor(W)",
        "def f(W):\n    names = {**globals()}\n    return names['torch'].tensor(W)",
    ],
)
def test_any_use_of_pytorch_in_the_answer_is_found(source: str):
    assert breach(rules.no_torch, source, stem="part10").startswith("Answer, line ")


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("def f(W):\n    return g(W)", "def g(W):\n    return torch.tensor(W)"),
        ("def f(W):\n    return W @ K", "K = torch.ones(2).numpy()"),
        ("pass", "GQA_2_MLA = lambda W: torch.tensor(W)"),
    ],
)
def test_pytorch_that_the_answer_reaches_is_found(answer: str, other: str):
    assert breach(rules.no_torch, answer, other, stem="part10").startswith("Cell 3, line ")


@pytest.mark.parametrize(
    "other",
    [
        "n, torch = np, torch",
        "torch.backends.cudnn.benchmark = False",
        "if False:\n    torch = 5",
        "for torch in []:\n    pass",
        "torch, y = torch, 5",
        "def g():\n    (torch := 5)",
        "torch = 5\nimport torch",
        "for torch in range(3):\n    torch = torch",
        "for nn in (1, torch):\n    pass",
    ],
)
def test_pytorch_stays_what_it_is_unless_the_name_is_the_student_s_own_in_the_end(other: str):
    answer = "def f(W):\n    return torch.tensor(W)"
    assert breach(rules.no_torch, answer, other, stem="part10").startswith("Answer, line 2")
    assert breach(rules.no_torch, answer.replace("torch", "nn"), "nn = 4", stem="part10") is None


@pytest.mark.parametrize(
    "loop",
    [
        "for nn in range(3):\n    pass\nnn.Linear(2, 2)",
        "for nn in range(3):\n    nn.Linear(2, 2)",
        "for nn in xs:\n    nn.Linear(2, 2)",
        "for nn in [*xs]:\n    nn.Linear(2, 2)",
        "for nn in range(3):\n    import torch.nn as nn\n    nn.Linear(2, 2)",
        "for nn in range(3):\n    def f(W):\n        return nn.Linear(2, 2)",
        "for nn in range(0):\n    pass\nelse:\n    nn.Linear(2, 2)",
    ],
)
def test_the_variable_of_a_loop_is_a_number_in_its_body_alone(loop: str):
    found = breach(rules.no_torch, loop, "def range(n):\n    return xs", stem="part10")
    assert found and "nn" in found


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("import torch\nimport torch.nn as nn\nimport numpy as np\ndef f(W):\n    return np.tile(W, 2)", "pass"),
        ("from torch import nn\ndef f(W):\n    return W", "pass"),
        ("# torch\n'torch.ones'\ndef f(W):\n    return W.nn", "pass"),
        ("def f(W):\n    return W", "print(torch.ones(2))"),
        ("def f(W):\n    nn = W.shape[0]\n    return np.ones(nn)", "pass"),
        ("nn = 4\nprint(np.ones(nn))", "pass"),
        ("for nn in range(3):\n    print(np.ones(nn))", "pass"),
        ("for torch in [4, 8]:\n    if torch:\n        np.ones(torch)", "pass"),
        ("def f(W, torch=1):\n    return W * torch", "pass"),
        ("names = {'torch': 1}\nnames['torch']", "pass"),
        ("def f(W):\n    return W", "print('torch' in globals())"),
        ("from numpy import *\ndef f(W):\n    return tile(W, 2)", "pass"),
    ],
)
def test_importing_pytorch_again_and_using_it_elsewhere_is_free(answer: str, other: str):
    assert breach(rules.no_torch, answer, other, stem="part10") is None


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize(
    "source",
    [
        "def f(:\n  x",
        "\0",
        "x = '" + "\\" * 7,
        "def f(x):\n    return " + "+".join(["x"] * 5000),
        "def f(x):\n    return " + "(" * 150 + "x" + ")" * 150,
        "def f(x):\n    return " + "-" * 190 + "x",
        "def f(x):\n    return x" + ".a" * 190,
        "def f(x):\n    return " + "lambda: " * 60 + "x",
        "def reduced_matrices(*a):\n    return " + "not " * 190 + "a",
        "if x: pass\n" + "".join(f"elif x == {n}: pass\n" for n in range(150)),
        'x = f\'{x!r:>{10}} {"a" + "b"}\'',
        "await f()\nasync def g():\n    async with x as y:\n        await y",
        "return 1",
        "%%",
        "%",
        "!",
        "%%unknown\nimport math",
        "def f[T](x: T): return x",
        "",
    ],
    ids=lambda source: source[:25],
)
def test_no_text_makes_a_rule_fail(rule: Rule, source: str):
    for stem, sources in itertools.product(("part05", "part10", "part13"), ([source], ["pass", source])):
        assert breach(rule, *sources, stem=stem) is None or "line" in breach(rule, *sources, stem=stem)
