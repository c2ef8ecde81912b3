"""SECURITY.md names the tests that hold its promises; what it names is there."""

import ast
import re

import pytest

from dev.packages import REPOSITORY

TEXT = (REPOSITORY / "SECURITY.md").read_text(encoding="utf-8")
PROMISES = re.split(r"(?m)^- ", TEXT.split("## The promise", 1)[1].split("## What is not promised", 1)[0])[1:]
NAMED = sorted(set(re.findall(r"`(tests/[^`]+)`", TEXT)))


def test_every_promise_names_what_holds_it():
    assert len(PROMISES) > 10
    assert [promise[:60] for promise in PROMISES if "*Held by* `tests/" not in promise] == []


@pytest.mark.parametrize("name", NAMED)
def test_what_is_named_is_there(name):
    path, _, function = name.partition("::")
    assert list(REPOSITORY.glob(path.rstrip("/"))), name
    if function:
        tree = ast.parse((REPOSITORY / path).read_text(encoding="utf-8"))
        assert function in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
