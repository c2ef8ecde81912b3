"""Which definition is in force is asked in the student's kernel, by what its code does."""

import ast
import contextlib

import numpy as np
import pytest
from transports import Names

from attention.questions.versions import fingerprint, in_force
from grading.bridge import probe

FIRST = "class M:\n    def f(self, x):\n        return [i for i in x]\n"
LAST = """class M:
    '''The last.'''
    def f(self, x):
        return x + 1
    def g(self):
        return super().f(2)
"""


def is_in_force(source: str, last: str = LAST) -> bool:
    kernel = Names()
    with contextlib.suppress(ZeroDivisionError):
        exec(source, kernel.names)
    with probe.through(kernel):
        return in_force({"M": ast.parse(last).body[0]}) == {"M"}


@pytest.mark.parametrize(
    ("source", "last"),
    [
        (f"{FIRST}M().f([1])\n\n\n{LAST}", LAST),
        (LAST, LAST),
        ("def M(x):\n    return [i for i in x]\ndef M(x):\n    return x + 1", "def M(x):\n    return x + 1"),
        (LAST.replace("    def g", "    @property\n    def g"), LAST.replace("    def g", "    @property\n    def g")),
    ],
)
def test_the_last_version_is_in_force_where_the_kernel_has_its_code(source: str, last: str):
    assert is_in_force(source, last)


@pytest.mark.parametrize(
    "source",
    [
        FIRST,
        "",
        f"{FIRST}1 / 0\n{LAST}",
        f"{LAST}M = 5",
        f"{LAST}M.f = lambda self, x: x + 1",
        f"{LAST}M.f = M.g",
        f"{LAST}del M.g",
        LAST.replace("x + 1", "x + 2"),
        LAST.replace("super().f", "super().h"),
        "M = [5]\n",
        "class M:\n    f = g = 5",
    ],
)
def test_any_other_code_is_not_the_last_version(source: str):
    assert not is_in_force(source)


@pytest.mark.parametrize(("one", "other"), [("{1, 0, 8}", "{1, 8, 0}"), ("{'a', 8, 0}", "{'a', 0, 8}")])
def test_code_is_known_again_in_whatever_order_python_keeps_a_set(one: str, other: str):
    """That of a set of texts differs between a kernel and the judge, which hash texts in their own ways.

    Both begin alike, because Python 3.14 also keeps what a set begins with, as it is written.
    """
    codes = [compile(f"def f(x):\n    return x in {values}", "<cell>", "exec") for values in (one, other)]
    assert fingerprint(codes[0]) == fingerprint(codes[1])


LONG = f"0x{'f' * 4000}"
ARRAY = np.zeros(2)  # what is neither equal to anything else nor not


@pytest.mark.parametrize("reply", [None, [], {"M": None}, {"M": {"f": None, "g": 3}}, {"N": {}}, {"M": {"f": ARRAY}}])
def test_a_kernel_that_tells_something_odd_tells_nothing(reply: object, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("attention.questions.versions.made_by", lambda names: reply)
    assert in_force({"M": ast.parse(LAST).body[0]}) == set()


@pytest.mark.parametrize("said", [ARRAY, [ARRAY] * 4, np.zeros((0, 3))])
def test_a_kernel_that_tells_arrays_in_place_of_texts_tells_nothing(said: object, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("attention.questions.versions.made_by", lambda names: {"f": {"": said}})
    assert in_force({"f": ast.parse("def f(x):\n    return x").body[0]}) == set()


@pytest.mark.parametrize("number", ["{}, x", "(1, {})", "x in {{{}, 2}}", "x[1:{}]"])
def test_a_number_too_long_to_be_written_has_a_digest(number: str, monkeypatch: pytest.MonkeyPatch):
    source = f"def M(x):\n    return {number.format(LONG)}"
    monkeypatch.setattr("attention.questions.versions.made_by", lambda names: {"M": {"": ["M"]}})
    assert in_force({"M": ast.parse(source).body[0]}) == set()
    monkeypatch.undo()
    assert is_in_force(source, source)


def test_a_class_without_a_method_has_nothing_to_be_told_by():
    assert not is_in_force("class M:\n    a = 1\n", "class M:\n    a = 1\n")
