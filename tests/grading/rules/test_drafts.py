"""Which definitions the same cell replaces for sure: a loop in such a draft breaks no rule, one in any other does."""

import pytest
from hand_written import breach

from grading.rules import parsing, static

LOOP = """class M(nn.Module):
    def __init__(self, a):
        self.b = [i for i in a]
    def f(self, x):
        return x
"""
GOOD = """class M(nn.Module):
    def __init__(self, a):
        super(M, self).__init__()
    def f(self, x):
        return x
"""
TYPED = "f(self, x: torch.Tensor) -> torch.Tensor"
DRAFTS = {
    "a class": LOOP + GOOD,
    "with a demonstration below": LOOP + GOOD + "M(3)\nM(4)\n",
    "two of them": LOOP + LOOP + GOOD,
    "a function": "def M(x):\n    return [i for i in x]\ndef M(x, y=-1):\n    return x\n",
    "with text about it": LOOP + GOOD.replace("    def __init__", '    """Better."""\n    def __init__'),
    "with a helper between": LOOP + "def h(x):\n    return x\n" + GOOD,
    "both annotated": (LOOP + GOOD).replace("f(self, x)", TYPED),
    "annotated with Python's own": LOOP + GOOD.replace("a):", "a: int = 3):"),
}
IN_FORCE = {
    "nothing else": (LOOP,),
    "it comes second": (GOOD + LOOP,),
    "the second is in another cell": (LOOP, GOOD),
    "an error between": (LOOP + "1 / 0\n" + GOOD,),
    "it is used between": (LOOP + "m = M(3)\n" + GOOD,),
    "a magic between": (LOOP + "%time 3\n" + GOOD,),
    "a text between that runs": (LOOP + "exec('pass')\n" + GOOD,),
    "a name between": (LOOP + "def nn(): pass\n" + GOOD,),
    "a helper between, with a loop": (LOOP + "def h(x):\n    for i in x: pass\n" + GOOD,),
    "the second inherits": (LOOP + GOOD.replace("nn.Module", "M"),),
    "the second's base may not be there": (LOOP + GOOD.replace("nn.Module", "nn.Modul"),),
    "the second's bases don't go together": (LOOP + GOOD.replace("nn.Module", "nn.Module, nn.Module"),),
    "the second's annotation may not be there": (LOOP + GOOD.replace("f(self, x)", TYPED),),
    "the second's annotation is the first": (LOOP + GOOD.replace("f(self, x)", "f(self, x: M)"),),
    "a method's annotation is another": ((LOOP + GOOD).replace("f(self, x)", "f(self, x: __init__)"),),
    "the second's default was an annotation, which nobody evaluated": (
        "from __future__ import annotations\n"
        + LOOP.replace("f(self, x)", "f(self, x: nn.Modul)")
        + GOOD.replace("a):", "a=nn.Modul):"),
    ),
    "the second's default is the first": (LOOP + GOOD.replace("a):", "a=M):"),),
    "the second's default may be the first": (LOOP + GOOD.replace("a):", "a=lambda: M):"),),
    "a default is too long for Python to print": ((LOOP + GOOD).replace("a):", f"a=int[0x{'f' * 4_000}]):"),),
    "the second is decorated": (LOOP + "@keep\n" + GOOD,),
    "the first is decorated": ("@keep\n" + LOOP + GOOD,),
    "the second does not compile": (LOOP + GOOD + "        nonlocal z\n",),
    "the second can't be made": (LOOP + GOOD + "    def __slots__(self): pass\n",),
    "the second's body fails": (LOOP + GOOD + "    1 / 0\n",),
    "the second's body keeps the first": (LOOP + GOOD + "    old = M\n",),
    "the second's body runs a text": (LOOP + GOOD + "    exec('pass')\n",),
    "the second has a metaclass": (LOOP + GOOD.replace("nn.Module", "nn.Module, metaclass=Meta"),),
    "the second comes from a text and goes elsewhere": (LOOP + f"exec('''{GOOD}''', {{'nn': nn}})\n",),
    "the second may not be reached": (LOOP + "if x:\n    " + GOOD.replace("\n", "\n    "),),
    "the base is the student's": ((LOOP + GOOD).replace("nn.Module", "Base"), "class Base(nn.Module): pass"),
    "the base is changed": (LOOP + GOOD, "nn.Module.__init_subclass__ = keep"),
}


def loop(*cells: str) -> str | None:
    return breach(lambda answer: static.no_loops(answer, ["M"]), *cells)


@pytest.mark.parametrize("kind", DRAFTS)
def test_a_draft_that_is_replaced_before_anything_runs_does_not_count(kind: str):
    assert loop(DRAFTS[kind]) is None


@pytest.mark.parametrize("kind", IN_FORCE)
def test_a_definition_that_may_be_in_force_or_in_use_counts(kind: str):
    assert all(parsing.parse(cell) for cell in IN_FORCE[kind])
    assert "no loop" in loop(*IN_FORCE[kind])
