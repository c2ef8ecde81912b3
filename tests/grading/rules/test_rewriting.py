"""Cells as rules read them where a piece is written otherwise."""

import ast
from types import ModuleType

import pytest
from hand_written import SETUP

from grading.rules import module_attributes, module_choices, module_tables


@pytest.mark.parametrize(
    ("step", "source"),
    [
        (module_tables, "libs = {'np': np}\nlibs['np'].ones(3)"),
        (module_attributes, "A.F = np\nA.F.ones(3)"),
        (module_choices, "(np if a else torch).ones(3)"),
    ],
    ids=["tables", "attributes", "choices"],
)
def test_what_is_nested_too_deep_to_be_copied_is_read_as_it_is(step: ModuleType, source: str):
    deep = ast.parse(source)
    assert step.read_through([deep], lambda: ast.parse(SETUP)) != [deep]
    value = ast.Constant(1)
    for _ in range(5000):
        value = ast.UnaryOp(ast.USub(), value)
    deep = ast.parse(source)
    deep.body.append(ast.Expr(value))
    assert step.read_through([deep], lambda: ast.parse(SETUP)) == [deep]
