"""A module given to a function of the student's can be followed, wherever it is sure which function that is."""

import ast

import pytest
from hand_written import import_breach

from grading.rules import own_calls

NORM = "def norm(W, xp):\n    return xp.sqrt(xp.sum(W * W))\n"
FOLLOWED = [
    NORM + "norm(W, np)\nnorm(W, torch)",
    NORM + "norm(W, xp=np)\nnorm(xp=torch, W=W)",
    "def norm(W, *, xp):\n    return xp.sum(W)\nnorm(W, xp=np)",
    "def norm(W, /, xp, n=2):\n    return f(W, xp)\n\n\ndef f(W, lib):\n    return lib.sum(W)\nnorm(W, np)",
]
HIDDEN = [
    "def f(t):\n    return t.os\nf(torch)",
    "def f(t):\n    return t.serialization.copyreg\nf(t=torch)",
    "def f(t):\n    return [t]\nf(torch)",
    "def f(t):\n    return g(t)\nf(torch)",
    "def f(t):\n    return getattr(t, name)\nf(torch)",
    "def f(*t):\n    return t[0].ones(3)\nf(torch)",
    "def f(**t):\n    return t['t'].ones(3)\nf(t=torch)",
    "def f(t, u):\n    return t.ones(3)\nf(*a, torch)",
    "def f(t, /):\n    return t.ones(3)\nf(t=torch)",
    "@g\ndef f(t):\n    return t.ones(3)\nf(torch)",
    "def f(t):\n    return t.ones(3)\nf = g\nf(torch)",
    "def f(t):\n    return t.ones(3)\nfrom torch import compile as f\nf(torch)",
    "def f(t):\n    return t.ones(3)\nfrom torch import *\nf(torch)",
    "def f(t):\n    return t.ones(3)\ndef h(f):\n    return f(torch)",
    "def f(t):\n    return t.ones(3)\nglobals()['f'] = g\nf(torch)",
    "class A:\n    def f(self, t):\n        return t.ones(3)\nA().f(torch)",
    "def g():\n    def f(t):\n        return t.ones(3)\n    f(torch)",
    "f(torch)",
]


@pytest.mark.parametrize("source", FOLLOWED)
def test_a_module_may_be_given_to_a_function_that_looks_into_it(source: str):
    assert import_breach(source) is None
    assert import_breach(*source.split("\n\n\n")) is None


@pytest.mark.parametrize("source", HIDDEN)
def test_a_module_that_is_given_to_who_knows_what_or_handed_on_hides_an_import(source: str):
    assert import_breach(source).startswith("Answer, line ")
    assert import_breach("pass", source).startswith("Cell 3, line ")


def test_each_parameter_gets_what_stands_at_its_place_or_under_its_name():
    tree = ast.parse("def f(a, /, b, *, c): ...\nf(1, b=2, c=3)\nf(4, 5)\nf(1, 2, 3)")
    found = [(name, ast.unparse(value)) for name, value in own_calls.given([tree])]
    assert found == [("a", "1"), ("b", "2"), ("c", "3"), ("a", "4"), ("b", "5")]


OWN_TEXTS = [
    "def f(x, name='mean'):\n    return getattr(torch, name)(x)",
    "def f(x, *, name='mean'):\n    return getattr(torch, name)(x)\nf(x)",
    "def f(x, names=('mean', 'std')):\n    return {name: getattr(torch, name)(x) for name in names}\nf(x)\nf(y)",
]
ANY_TEXTS = [
    "def f(x, name):\n    return getattr(torch, name)(x)",
    "def f(x, name='mean'):\n    return getattr(torch, name)(x)\nf(x, 'os')",
    "def f(x, name='mean'):\n    return getattr(torch, name)(x)\n%timeit f(x, 'os')",
    "def f(x, name='mean'):\n    return getattr(torch, name)(x)\nmap(f, x, names)",
    "def f(x, names=('mean', 'std')):\n    return [getattr(torch, name)(x) for name in names]\nf(x, y)",
    "@g\ndef f(x, name='mean'):\n    return getattr(torch, name)(x)",
    "class A:\n    def __init__(self, name='mean'):\n        self.f = getattr(torch, name)\nA('os')",
    "def _B__f(name='mean'):\n    return getattr(torch, name)\nclass B:\n    def g(self):\n        return __f('os')",
    "def f(_B__n='mean'):\n    return getattr(torch, _B__n)\nclass B:\n    def g(self):\n        return f(__n='os')",
    "def _B__f(name='mean'):\n    return getattr(torch, name)\nclass B:\n    g = lambda: __f('os')\n_B__f('sum')",
]


@pytest.mark.parametrize("source", OWN_TEXTS)
def test_a_name_that_is_a_parameter_s_default_is_known_where_no_call_gives_another(source: str):
    assert import_breach(source) is None
    assert import_breach("pass", source) is None


@pytest.mark.parametrize("source", ANY_TEXTS)
def test_a_name_that_a_call_may_give_which_nobody_follows_is_not_known(source: str):
    assert import_breach(source).startswith("Answer, line ")
