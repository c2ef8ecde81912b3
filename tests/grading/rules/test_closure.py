"""Which names code takes from the notebook: those that it does not bind itself."""

import ast
import copy
import sys
import time
import weakref

import busy
import pytest
from hand_written import notebook

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


@pytest.mark.skipif(sys.version_info < (3, 14), reason="Python 3.13 has no t-strings")
def test_a_t_string_takes_the_names_that_its_values_take():
    cell = ast.parse("w = t'{[x for x in y]!r:>{z}} {u}'")
    assert closure.free_names(cell.body[0]) == {"y", "z", "u"}
    copied = copy.deepcopy(cell.body[0])
    copied.value.values[-1].value = ast.Name("v", ast.Load())  # as rules rewrite what they read
    assert closure.free_names(copied) == {"y", "z", "v"}


def test_a_copy_of_what_was_asked_for_has_names_of_its_own_and_nothing_is_kept_of_what_is_gone():
    cell = ast.parse("def f(x):\n    return x + a")
    assert closure.free_names(cell.body[0]) == {"a"}
    copied = copy.deepcopy(cell.body[0])
    copied.body[0].value.right.id = "b"
    assert closure.free_names(copied) == {"b"} and closure.free_names(cell.body[0]) == {"a"}
    gone = weakref.ref(copied)
    del copied
    assert gone() is None


def test_what_is_too_deep_to_be_written_down_at_one_time_is_asked_for_again(monkeypatch: pytest.MonkeyPatch):
    def too_deep(_: ast.AST) -> str:
        raise RecursionError

    cell = ast.parse("f = lambda x: x + b")
    with monkeypatch.context() as patch:
        patch.setattr(ast, "unparse", too_deep)
        assert closure.free_names(cell.body[0]) == {"f", "x", "b"}
    assert closure.free_names(cell.body[0]) == {"b"}


NAMES = [f"a{n}" for n in range(1_000)]
OF_ONE_VALUE = {
    "assigned at once": f"{'='.join(NAMES)} = lambda: [{','.join(NAMES)}]",
    "taken apart": f"{','.join(NAMES)} = lambda: [{','.join(NAMES)}]",
    "in a loop": f"for {','.join(NAMES)} in f(lambda: [{','.join(NAMES)}]): pass",
    "in a pattern": f"match f(lambda: [{','.join(NAMES)}]):\n    case [{','.join(NAMES)}]: pass",
}


@pytest.mark.parametrize("source", OF_ONE_VALUE.values(), ids=OF_ONE_VALUE)
def test_a_value_of_a_thousand_names_is_read_once(source: str):
    with notebook("part05", f"{source}\ndef asked(): return a0"):
        started = time.thread_time()
        found = closure.answer("part05-answer", ["asked"])
        assert busy.within(time.thread_time() - started, 3.0)  # 12 s, and four times that for twice as many
    assert len(found) <= 4
