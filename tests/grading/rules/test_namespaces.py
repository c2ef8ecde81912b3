"""The notebook's names as a value: where anybody may take a module from them, what it holds counts as an import."""

import pytest
from hand_written import SETUP, import_breach

KEEPING = "class A:\n    def __init__(self, H{arguments}):\n        {call}\nx.y.os"  # which a class does with its sizes
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
    KEEPING.format(arguments=", m=torch", call="vars(self).update(locals())"),
    KEEPING.format(arguments="", call="import torch as m; vars(self).update(locals())"),
    KEEPING.format(arguments="", call="vars(self).update(globals())"),
    KEEPING.format(arguments="", call="H.update(locals())"),
    KEEPING.format(arguments="", call="f = lambda x=torch: vars(self).update(locals())"),
    KEEPING.format(arguments="", call="s = locals(); s['m'] = torch; vars(self).update(s)"),
    KEEPING.format(arguments="", call="s = locals(); s |= {'m': torch}; vars(self).update(s)"),
    KEEPING.format(arguments="", call="s = locals(); s = globals(); vars(self).update(s)"),
    KEEPING.format(arguments="", call="s = locals() if H else globals(); vars(self).update(s)"),
    KEEPING.format(arguments=", m=torch", call="s = locals().copy(); vars(self).update(s)"),
    KEEPING.format(arguments="", call="s = locals(); H.append(s); vars(self).update(s)"),
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
    KEEPING.format(arguments="", call="vars(self).update(locals())"),
    KEEPING.format(arguments="", call="s = locals(); s.pop('self'); del s['__class__']; vars(self).update(s)"),
    KEEPING.format(arguments="", call="s = locals().copy(); s.pop('self', None); self.__dict__.update(**s)"),
    KEEPING.format(arguments="", call="s = {**locals()}; self.__dict__ |= s"),
    KEEPING.format(arguments="", call="s = dict(locals()); t = s; vars(self).update(t)"),
    KEEPING.format(arguments=", G=2", call="self.__dict__.update(locals()); self.W = nn.Linear(H, G)"),
    # deeper than Python's recursion goes
    KEEPING.format(arguments="", call="; ".join(["s0 = locals()", *(f"s{n + 1} = s{n}" for n in range(600))])),
]


@pytest.mark.parametrize("source", OPEN)
def test_what_is_taken_from_all_names_may_be_a_module(source: str):
    assert import_breach(source) is not None


@pytest.mark.parametrize("source", PLAIN)
def test_a_look_at_one_name_or_at_the_names_alone_is_free(source: str):
    assert import_breach(source) is None


def test_the_course_s_own_checks_may_be_given_all_names():
    check = "from attention_course.part05 import check_part05"
    assert import_breach(f"{check}\ncheck_part05(globals())\nx.os", locked=f"{SETUP}\n{check}") is None
