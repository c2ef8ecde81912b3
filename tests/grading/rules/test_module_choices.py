"""Modules that the program chooses: what is taken from one is looked at as taken from each."""

import time

import busy
import pytest
from hand_written import breach, import_breach

from attention import rules

MAKER = "def xp_of(a):\n    return torch if torch.is_tensor(a) else np\n\n\n"
READ = [
    MAKER + "xp = xp_of(x)\nxp.sqrt(x) + xp_of(x).ones(3)",
    "def xp_of(a):\n    if torch.is_tensor(a):\n        return torch\n    return np\n\n\nxp_of(x).linalg.norm(x)",
    "def xp_of(*all):\n    return np\n\n\nxp_of(x, y).ones(3)",
    "(torch if torch.is_tensor(x) else np).sqrt(x)",
    "(torch if a else np if b else nn.functional).relu(x)",
    "(torch if a else np).linalg.norm(x)",
    "libs = {'np': np, 'torch': torch}\n\n\ndef f(x, key='np'):\n    return libs[key].sqrt(x)",
]
HIDDEN = [
    MAKER + "xp_of(x).os",
    MAKER + "xp = xp_of(x)\nxp.os",
    MAKER + "[xp_of(x)]",
    MAKER + "f(xp_of(x))",
    MAKER + "f(xp_of)",
    MAKER + "xp_of.__call__(x).os",
    MAKER + "def xp_of(a):\n    return a\nxp_of(x).ones(3)",
    MAKER + "globals()['xp_of'](x).ones(3)",
    MAKER + "from torch import *\nf = [xp_of]",
    "@g\n" + MAKER + "xp_of(x).ones(3)",
    "def xp_of(a):\n    return torch if [torch] else np\nxp_of(x).ones(3)",
    "def xp_of(a):\n    return torch\n    yield np\nxp_of(x).ones(3)",
    "def xp_of(torch, np):\n    return torch if np else nn\n[xp_of]",
    "def xp_of(a):\n    return torch if a else other\nxp_of(x).ones(3)",
    "def f():\n    def xp_of(a):\n        return torch\n    return xp_of(x).ones(3)",
    "(torch if a else np).os",
    "((torch if a else np) if b else nn).serialization.copyreg",
    "[torch if a else np]",
    "(torch if a else x).ones(3)",
]


@pytest.mark.parametrize("source", READ)
def test_what_is_taken_from_a_chosen_module_is_free(source: str):
    assert import_breach(source) is None
    assert import_breach(*source.split("\n\n\n")) is None


@pytest.mark.parametrize("source", HIDDEN)
def test_a_choice_that_goes_elsewhere_hides_an_import(source: str):
    assert import_breach(source).startswith("Answer, line ")
    assert import_breach("pass", source).startswith("Cell 3, line ")


def test_a_chosen_module_is_pytorch_where_the_part_bans_it():
    answer = MAKER + "def GQA_2_MLA(W):\n    return xp_of(W).linalg.svd(W)"
    assert "without PyTorch" in breach(rules.no_torch, answer, stem="part10")
    answer = "def GQA_2_MLA(W):\n    return (nn if False else np).linalg.svd(W)"
    assert "without PyTorch" in breach(rules.no_torch, answer, stem="part10")


def test_ready_made_attention_of_a_chosen_module_is_found():
    for module in ("xp_of(x).nn.functional", "(nn.functional if x else np)"):
        answer = f"{MAKER}class MyMHA(nn.Module):\n    def forward(self, x):\n        return {module}."
        for name in ("scaled_dot_product_attention", "_a_new_attention"):
            assert "build attention yourself" in breach(rules.no_ready_made_attention, f"{answer}{name}(x)")


def test_long_choices_are_read_in_no_time():
    started = time.process_time()
    few, many = ("(np if a else " * n + "np" + ")" * n for n in (9, 60))
    assert import_breach(f"{few}{'.linalg' * 60}.norm(x)\n" * 5) is None
    assert import_breach(f"{many}{'.linalg' * 60}.norm(x)\n" * 5)
    assert import_breach(f"{few}.ones(3)\n" * 500) is None
    assert busy.within(time.process_time() - started, 10)
