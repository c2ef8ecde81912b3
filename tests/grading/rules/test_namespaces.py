"""The notebook's names as a value: where anybody may take a module from them, what it holds counts as an import."""

import pytest
from hand_written import SETUP, import_breach

from grading.rules import own_calls


def keeping(call: str, arguments: str = "") -> str:
    """A class that keeps its sizes by one call, and something else whose attribute is read."""
    return f"class A:\n    def __init__(self, H{arguments}):\n        {call}\nx.y.os"


OPEN = [
    "g = globals()\ng['torch'].os",
    "dict(globals())['torch'].serialization.math",
    "{**globals()}['torch'].os",
    "(globals() or 1)['torch'].os",
    "f = lambda: globals()\nf()['torch'].os",
    "globals()['hcrot'[::-1]].os",
    "globals().get('hcrot'[::-1]).os",
    "list(filter(callable, globals().values()))[0].os",
    "g = globals\ng()['torch'].os",
    "for n, m in globals().items():\n    m.os",
    "g = vars()\ng['torch'].os",
    "g = locals()\ngetattr(g['torch'], 'so'[::-1])",
    "g = globals()\nvars(g['torch'])",
    "g = globals()\nt = g['torch']\nt.nn.init.math",
    "torch\n_.os",
    "Out[3].os",
    "e = exit\ne._ip",
    "f(quit)",
    keeping("vars(self).update(locals())", ", m=torch"),
    keeping("import torch as m; vars(self).update(locals())"),
    keeping("vars(self).update(globals())"),
    keeping("H.update(locals())"),
    keeping("f = lambda x=torch: vars(self).update(locals())"),
    keeping("s = locals(); s['m'] = torch; vars(self).update(s)"),
    keeping("s = locals(); s |= {'m': torch}; vars(self).update(s)"),
    keeping("s = locals(); s = globals(); vars(self).update(s)"),
    keeping("s = locals() if H else globals(); vars(self).update(s)"),
    keeping("s = locals().copy(); vars(self).update(s)", ", m=torch"),
    keeping("s = locals(); H.append(s); vars(self).update(s)"),
    "class A:\n    m = torch\n    vars(x).update(locals())\nx.y.os",
    "vars(x).update(locals())\nx.y.os",
    "from numpy import vectorize\nvectorize(globals()).pyfunc['torch'].os",
    "list = lambda names: names['torch'].os\nlist(globals())",
    "def f(len):\n    len(globals())\nx.os",
    "torch\n_3.os",
    "_3 = 1\n_3.os",
    "def f(_):\n    pass\n_.os",
    "def f(Out):\n    pass\nOut[3].os",
]
PLAIN = [
    "globals()['W'] = 1\nx.os",
    "globals()['W']\nx.os",
    "for n in 'ab':\n    globals()[f'W_{n}'] = 1\nx.os",
    "print('W' in globals(), len(globals()), sorted(globals()))\nx.os",
    "[n for n in globals() if n.startswith('W')]\nx.os",
    "with f(x):\n    Out = x\nOut.shape\nx.os",
    "def f(_):\n    return _\nfor _ in x:\n    print(_)\nx.os",
    "globals().keys()\nglobals().update(W=1)\nglobals().get('W', 2)\nx.os",
    "vars(x)['W']\nx.os",
    "globals = 3\nprint([globals])\nx.os",
    "g = globals()\ng['W'] = 1\nmodel.W_Q.weight.data",
    "_, L, D = x.shape\n_.os",
    "for _ in range(3):\n    _.os",
    "if done:\n    exit()",
    "quit = 3\nprint([quit])",
    keeping("vars(self).update(locals())"),
    keeping("s = locals(); s.pop('self'); del s['__class__']; vars(self).update(s)"),
    keeping("s = locals().copy(); s.pop('self', None); self.__dict__.update(**s)"),
    keeping("s = {**locals()}; self.__dict__ |= s"),
    keeping("s = dict(locals()); t = s; vars(self).update(t)"),
    keeping("self.__dict__.update(locals()); self.W = nn.Linear(H, G)", ", G=2"),
    # deeper than Python's recursion goes
    keeping("; ".join(["s0 = locals()", *(f"s{n + 1} = s{n}" for n in range(600))])),
]


@pytest.mark.parametrize("source", OPEN)
def test_what_is_taken_from_all_names_may_be_a_module(source: str):
    assert import_breach(source) is not None


@pytest.mark.parametrize("source", PLAIN)
def test_a_look_at_one_name_or_at_the_names_alone_is_free(source: str):
    assert import_breach(source) is None


def test_a_function_that_keeps_its_variables_again_and_again_is_read_once(monkeypatch: pytest.MonkeyPatch):
    read, bound, counts = [], own_calls.names_bound, []
    monkeypatch.setattr(own_calls, "names_bound", lambda nodes: read.append(nodes) or bound(nodes))
    for times in (1, 100):
        assert import_breach(keeping("; ".join(["vars(self).update(locals())"] * times))) is None
        counts.append(len(read))
        read.clear()
    assert counts[0] == counts[1] > 0


def test_the_course_s_own_checks_may_be_given_all_names():
    check = "from attention_course.part05 import check_part05"
    assert import_breach(f"{check}\ncheck_part05(globals())\nx.os", locked=f"{SETUP}\n{check}") is None
