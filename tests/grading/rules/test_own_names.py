"""Names of the student's own: a variable called `exec` runs no text, a builtin does wherever its name may mean it."""

import ast

import pytest
from hand_written import import_breach

from grading.rules import own_names

OWN_EXEC = [
    "exec = 'head {}'\nprint(exec.format(1))",
    "def f(x):\n    exec = x * 2\n    return exec",
    "def f(compile):\n    return [compile for _ in range(2)]",
    "def eval(x):\n    return x\nprint(eval('import math'))",
]
NOT_OWN_EXEC = [
    "e = exec\nexec = 5",
    "exec = exec\nprint(exec)",
    "if False:\n    exec = 5\nrun = exec",
    "exec = 5\ndel exec\nrun = exec",
    "exec = 5\n%xdel exec\nrun = exec",
    "exec = 5\n%reset -f\nrun = exec",
    "def f(exec=exec):\n    exec('import math')",
    "def f():\n    exec = 5\n    def g():\n        global exec\n        return exec\n    return g()",
    "for M in 'QK':\n    exec(f'import {M}')",
    "for M in ['math', 'os']:\n    exec('import %s' % M)",
    "for M in ['math', 'os']:\n    exec(f'imp{\"ort\"} {M}')",
]


@pytest.mark.parametrize("source", OWN_EXEC)
def test_a_variable_that_is_called_as_a_builtin_that_runs_text_hides_no_import(source: str):
    assert import_breach(source) is None


@pytest.mark.parametrize("source", NOT_OWN_EXEC)
def test_a_builtin_that_runs_text_counts_wherever_its_name_may_still_mean_it(source: str):
    assert import_breach(source) is not None


@pytest.mark.parametrize(
    ("sources", "own"),
    [
        (["nn = 4"], {"nn"}),
        (["def nn():\n    pass", "x = 1"], {"nn"}),
        (["a, nn = x.shape"], {"nn"}),
        (["nn = 4", "import torch.nn as nn"], set()),
        (["nn = 4", "nn = torch.nn"], set()),
        (["import torch.nn as nn", "nn = 4"], {"nn"}),
        (["torch, y = torch, 5"], set()),
        (["if False:\n    torch = 5"], set()),
        (["for torch in []:\n    pass"], set()),
        (["torch.backends.cudnn.benchmark = False"], set()),
    ],
)
def test_a_name_is_the_student_s_own_where_a_statement_in_no_branch_gives_it_something_else_last(
    sources: list[str], own: set[str]
):
    trees = [ast.parse(source) for source in sources]
    assert own_names.own_in_the_end(trees, {"torch", "nn"}, {"torch"}) == own
