"""Which names code takes from the notebook: those that it does not bind itself."""

import ast

import pytest

from grading.rules import closure


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def f(x, y=a):\n    z = x\n    return z + b", {"a", "b"}),
        ("class A(B):\n    c = d\n    def f(self):\n        return c", {"B", "d", "c"}),
        ("f = lambda x: x + y", {"y"}),
        ("[x for x in y if z]", {"y", "z"}),
        ("w = {x: {v for v in x} for x in y}", {"y"}),
        ("def f():\n    global g\n    g = 1", {"g"}),
        ("@a\ndef f(): pass", {"a"}),
    ],
)
def test_the_names_that_code_takes_from_the_notebook_are_those_it_does_not_bind(source: str, names: set[str]):
    assert closure.free_names(ast.parse(source).body[0]) == names
