"""What text an expression of constants spells, as Python itself says."""

import ast

import pytest

from grading.core import limits
from grading.rules.folding import folded

SPELT = """
"o" + "s"
f"o{'s'}"
"".join(["o", "s"])
"-".join(("o", "s", "path"))
"__GLOBALS__".lower()
"__glob.als__".replace(".", "")
"xosx".strip("x").upper().swapcase()
"so"[::-1]
"import os"[-2:]
"__%s__" % "globals"
"%s%s" % ("o", "s")
"__{}__".format("globals")
chr(111) + chr(115)
b"os".decode()
"""
NOT_TOLD = """
name.lower()
name.format()
"os".lower("x")
"os".replace("o")
"os".center(10)
"os".encode()
"%d" % 3
"%s" % name
"%s %s" % "os"
"{0}".format("os")
"{}".format(3)
"os"[start:]
"os"[::0]
chr(-1)
", ".join(names)
"a" * 3
"""


@pytest.mark.parametrize("code", SPELT.strip().splitlines())
def test_a_text_is_what_python_makes_of_it(code: str):
    assert folded(ast.parse(code, mode="eval").body) == eval(code)


@pytest.mark.parametrize("code", NOT_TOLD.strip().splitlines())
def test_what_cannot_be_told_is_no_text(code: str):
    assert folded(ast.parse(code, mode="eval").body) is None


def test_a_text_longer_than_all_code_that_is_read_is_not_made():
    long = ast.Constant("a" * (limits.CODE_CHARS // 2))
    replaced = ast.parse("text.replace('a', 'bbb')", mode="eval").body
    replaced.func.value = long
    assert folded(replaced) is None
