"""Variables that a cell shows by their names, with eval: free at the top of a cell, and a hidden import elsewhere."""

import pytest
from hand_written import import_breach

FREE = [
    'for name in ["a", "b"]: print(name, eval(name))',
    'for m in "QKV": print(f"{m}: {eval(f\'shape_W_{m}_h\')}")',
    'for name in "a b c".split():\n    if name:\n        display(eval(name))',
    'for m in ("Q", "K"): assert eval("shape_" + m) == (1, 2), eval("shape_" + m)',
    'print([1], type(eval("a")), end="")',
    'name = "a"\neval(name)',
]
HIDING = [
    "for name in names: print(eval(name))",
    'for name in ["a", "b.c"]: print(eval(name))',
    'for name in ["a", "b()"]: print(eval(name))',
    'for name in ["a", "b"]: f = eval(name)',
    'for name in ["a", "b"]: eval(name)(1)',
    'for name in ["a", "b"]: found.append(eval(name))',
    'for name in ["a", "b"]: print(f := eval(name))',
    'for name in ["a", "b"]: print(eval(name, {}))',
    'for name in ["a", "b"]: print(exec(name))',
    'for name in ["a", "b"]: eval(name).c = 1',
    'def f(x):\n    for name in ["a", "b"]: print(eval(name))',
    'print((lambda: eval(f"{m}"))())',
    'for name in ["a", "b"]: print([eval(name) for _ in "a"])',
    'print = lambda m: m.os\nfor name in ["a", "b"]: print(eval(name))',
    'for m in "ab": m = input()\nprint(eval(m))',
    'for name in "os sys".split(): getattr(torch, name)',
    'for name in "ab": getattr(torch, f"{name}_{other}")',
]


@pytest.mark.parametrize("source", FREE)
def test_a_variable_that_is_shown_by_its_name_is_free(source: str):
    assert import_breach(source) is None
    assert import_breach("pass", source) is None


@pytest.mark.parametrize("source", HIDING)
def test_any_other_text_that_eval_runs_may_hide_an_import(source: str):
    assert import_breach(source).startswith("Answer, line ")


def test_a_piece_of_torch_may_be_read_by_one_of_the_words_of_a_text():
    assert import_breach('for name in "relu softmax".split(): print(getattr(torch, name))') is None
    assert import_breach('for n in "01": print(getattr(torch, f"atleast_{n}d"))') is None
