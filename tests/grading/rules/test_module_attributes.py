"""Modules that classes and objects keep: read in plain sight they are free, in other ways they may hide an import."""

import time

import busy
import pytest
from hand_written import breach, import_breach

from attention import rules

CLASS = "class A:\n    def __init__(self):\n        self.F = {}\n\n    def f(self, x):\n        "
FUNCTIONAL, TORCH = CLASS.format("nn.functional"), CLASS.format("torch")
ON_CLASS = "class A:\n    F = torch\n    "
READ = [
    FUNCTIONAL + "return self.F.softmax(x, -1)",
    FUNCTIONAL + "F = self.F\n        return F.softmax(x, -1)",
    "import torch.nn.functional as F\n" + CLASS.format("F") + "return self.F.softmax(x, -1)",
    TORCH + "return self.F.sqrt(x)\n\n\nclass B:\n    def g(self):\n        self.F = torch",
    TORCH + "return self.F.sqrt(x)\nfor x in getattr(torch, 'ones')(3):\n    print(x.__class__.__name__)",
    ON_CLASS + "def f(self, x):\n        return self.F.sqrt(x) + A.F.ones(3)",
    "class A:\n    pass\n\n\nA.F = np\nA.F.sqrt(3)",
    "class A:\n    dtype = torch.float32\n    def f(self, x):\n        return x.dtype, self.dtype",
]
HIDDEN = [
    TORCH + "return self.F.os",
    TORCH + "return self.F",
    TORCH + "return [self.F]",
    TORCH + "F = self.F\n        return F.os",
    TORCH + "return getattr(self, 'F').os",
    TORCH + "return getattr(self, x).os",
    TORCH + "return self.__dict__[x].os",
    TORCH + "return vars(self)[x].os",
    TORCH + "return self.__getstate__()[x].os",
    TORCH + "setattr(self, x, 3)\n        return self.F.ones(3)",
    TORCH + "self.F += 1",
    TORCH + "self.F, self.G = self.G, self.F",
    TORCH + "del self.F",
    TORCH + "match self:\n            case A(F=t):\n                t.os",
    TORCH + "return 3\nA().F.os",
    TORCH + "return 3\na = A()\na.F.os",
    CLASS.format("self.G = torch") + "return self.F.os",
    TORCH + "return map(getattr, [self], ['F'])",
    TORCH + "return 3\n\n\nclass B:\n    def g(self):\n        self.F = 3",
    ON_CLASS + "G = F.os",
    ON_CLASS + "G = F\nA.G.os",
    ON_CLASS + "F = np\nA.F.os",
    ON_CLASS + "def F(self):\n        pass\nA.F.ones(3)",
    ON_CLASS + "x = 3\nfor c in [A]:\n    c.F.os",
    ON_CLASS + "x = 3\ntype(A()).F.os",
    ON_CLASS + "x = 3\n\n\nclass B(A):\n    pass\n\n\nB.F.os",
    "nn = nn\n" + CLASS.format("nn") + "return self.F.Linear",
    "from torch import *\n" + TORCH + "return self.F.os",
]


@pytest.mark.parametrize("source", READ)
def test_a_module_that_an_object_keeps_is_free(source: str):
    assert import_breach(source) is None
    assert import_breach(*source.split("\n\n\n")) is None


@pytest.mark.parametrize("source", HIDDEN)
def test_an_attribute_that_changes_or_is_read_out_of_sight_hides_an_import(source: str):
    assert import_breach(source).startswith("Answer, line ")
    assert import_breach("pass", source).startswith("Cell 3, line ")


def test_what_an_object_keeps_is_pytorch_where_the_part_bans_it():
    answer = "class A:\n    xp = {}\n\n\ndef GQA_2_MLA(W):\n    return A.xp.linalg.svd(W)"
    assert breach(rules.no_torch, answer.format("np"), stem="part10") is None
    assert "without PyTorch" in breach(rules.no_torch, answer.format("torch"), stem="part10")


def test_ready_made_attention_of_a_module_that_the_model_keeps_is_found():
    answer = (
        "class MyMHA(nn.Module):\n    def __init__(self):\n        self.F = nn.functional\n\n"
        "    def forward(self, x):\n        return self.F."
    )
    for name in ("scaled_dot_product_attention", "_a_new_attention"):
        assert "build attention yourself" in breach(rules.no_ready_made_attention, f"{answer}{name}(x)")


def test_thousands_of_attributes_are_read_in_no_time():
    started = time.process_time()
    assert import_breach("\n".join(f"a.t{n} = np\na.t{n}.ones(3)" for n in range(4000)))
    assert import_breach("class A:\n" + "\n".join(f"    t{n} = np\n    A.t{n}.ones(3)" for n in range(4000)))
    assert busy.within(time.process_time() - started, 10)
