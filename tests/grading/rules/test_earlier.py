"""Earlier versions of a function or class: which count no more once the last one is in force, and which still do."""

import pytest
from hand_written import breach

from grading.rules import static
from grading.rules.earlier import superseded

LOOP = """class M(nn.Module):
    def f(self, x):
        out = [i for i in x]
        out[0] = self.a = 1
        return out
"""
GOOD = "class M(nn.Module):\n    def f(self, x):\n        return x\n"
HELPER = "def h(x):\n    return [i for i in x]\n"
RUN = "m = M()\nprint(m.f([1]))\n"
LEFT_OUT = {
    "run in between": (LOOP + RUN + GOOD,),
    "the last version in a cell below": (LOOP + RUN, GOOD),
    "three versions": (LOOP + RUN + LOOP + RUN + GOOD + RUN,),
    "in a branch": ("if 1:\n    " + LOOP.replace("\n", "\n    ") + "\n" + RUN + GOOD,),
    "a function": ("def M(x):\n    return [i for i in x]\nM([1])\ndef M(x):\n    return x\n",),
    "a helper": (HELPER + "h([1])\ndef h(x):\n    return x\ndef M(x):\n    return h(x)\n",),
    "a method by its own name": (LOOP + RUN + GOOD.replace("return x", "return super(M, self).f(x)"),),
}
STILL_COUNTING = {
    "the first one's object is used": (LOOP + "m = M()\n" + GOOD.replace("return x", "return m.f(x)"),),
    "its object is a default": (LOOP + "m = M()\n" + GOOD.replace("x):", "x, m=m):"),),
    "it is the second's base": (LOOP + RUN + GOOD.replace("nn.Module", "M"),),
    "it is a method's annotation": (LOOP + RUN + GOOD.replace("x):", "x: M):"),),
    "it has another name": (LOOP + "First = M\n" + GOOD.replace("return x", "return First.f(self, x)"),),
    "a method goes back": (LOOP + "old = M.f\n" + GOOD + "M.f = old\n",),
    "it comes back": (LOOP + "First = M\n" + GOOD + "M = First\n",),
    "the second has a loop, too": (LOOP + RUN + LOOP,),
    "the second may not come about": (LOOP + RUN + "if x:\n    " + GOOD.replace("\n", "\n    "),),
    "a text makes the second": (LOOP + RUN + f"exec('''{GOOD}''')\n",),
    "it keeps itself in a list": (LOOP.replace("self.a = 1", "1; kept.append(self)") + "kept = []\n" + RUN + GOOD,),
    "it keeps itself in a library": (LOOP.replace("self.a", "nn.kept"), RUN + GOOD),
    "it keeps itself by setattr": (LOOP.replace("self.a = 1", "1; setattr(nn, 'kept', self)") + RUN + GOOD,),
    "it is global": (LOOP.replace("    def f(self, x):\n", "    def f(self, x):\n        global kept\n") + RUN + GOOD,),
}


def loop(*cells: str, in_force: tuple[str, ...] = ("M", "h")) -> str | None:
    def rule(answer: str) -> static.Breach | None:
        return static.no_loops(answer, ["M"], superseded(answer, lambda last: last.keys() & {*in_force}))

    return breach(rule, *cells)


@pytest.mark.parametrize("kind", LEFT_OUT)
def test_an_earlier_version_counts_no_more_where_the_last_one_is_in_force(kind: str):
    assert loop(*LEFT_OUT[kind]) is None
    assert "no loop" in loop(*LEFT_OUT[kind], in_force=())


@pytest.mark.parametrize("kind", STILL_COUNTING)
def test_an_earlier_version_counts_where_anything_may_have_kept_it(kind: str):
    assert "no loop" in loop(*STILL_COUNTING[kind])


def test_nobody_is_asked_where_every_name_is_defined_once():
    asked = []
    breach(lambda answer: superseded(answer, asked.append), GOOD + RUN, "def h(x):\n    return x")
    assert not asked
