"""The rules that any course may have: which line a breach names, and loops in whatever the answer reaches."""

import ast
import sys

import pytest
from hand_written import PACKAGES, breach, import_breach, notebook

from grading.rules import static, student_code

ASKED = ("Model",)  # what the answer must define


def loop_breach(*sources: str) -> str | None:
    """What the rule on loops says of a notebook of these cells, the answer first."""
    return breach(lambda answer: static.no_loops(answer, ASKED), *sources)


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("x = 1\n\nimport math", 3),
        ("\n\nimport math", 3),
        ("%%time\nx = 1\nimport math", 3),
        ("\n%%capture\n%%time\nx = 1\nimport math", 5),
        ("x = 1\n%time y = 2\n!ls\nimport math", 4),
        ("x = '''\n\n'''\nexec('''\n\n\nimport math''')", 4),
        ("def f():\n    y = (\n        __import__('math')\n    )", 3),
    ],
)
def test_a_breach_names_the_line_of_the_cell(source: str, line: int):
    assert import_breach(source).startswith(f"Answer, line {line}, ")


def test_a_breach_quotes_its_line_in_short():
    assert "`import math`" in import_breach("import math")
    assert len(import_breach(f"import math  # {'x' * 1000}")) < 200


CHECK = "from course.part05 import check, draw\ncheck(globals())"


def import_breach_with(source: str, points: int) -> str | None:
    """What the rule on imports says of an answer in a notebook with a locked check of so many points."""
    role = {"grade_id": "part05-check", "locked": True, "solution": False, "grade": True, "points": points}
    cell = {"cell_type": "code", "source": CHECK, "metadata": {"nbgrader": role}}
    with notebook("part05", source):
        locked = student_code._notebook("part05-answer").content["cells"]
        with student_code.of({"cells": [*locked, cell]}):
            found = static.no_imports("part05-answer", PACKAGES)
    return found.text if found else None


@pytest.mark.parametrize("source", [CHECK, "from course.part05 import draw\nx = 1\ndraw(globals())"])
def test_a_copy_of_a_locked_check_may_import_what_that_cell_does(source: str):
    assert import_breach_with(source, points=0) is None
    assert import_breach_with(source, points=2).startswith("Answer, line 1, ")  # a hidden test


@pytest.mark.parametrize(
    "source",
    [
        "from course.part05 import check as c",
        "from course.part05 import check, other",
        "from course.part05 import *",
        "from course import part05",
        "from course.part06 import check",
        "import course.part05",
        "import course.part05 as p",
        "from .course.part05 import check",
        "from course.part05 import check\ncheck.__globals__",
    ],
)
def test_a_cell_that_takes_more_than_a_locked_one_does_not_copy_it(source: str):
    assert import_breach_with(source, points=0).startswith("Answer, line ")


LOOPS = [
    "def f(x):\n    for h in x:\n        pass",
    "async def f(x):\n    async for h in x:\n        pass",
    "def f(x):\n    while x:\n        pass",
    "def f(x):\n    return [h for h in x]",
    "def f(x):\n    return {h for h in x}",
    "def f(x):\n    return {h: h for h in x}",
    "def f(x):\n    return sum(h for h in x)",
    "def f(x):\n    return list(map(g, x))",
    "def f(x):\n    m = map\n    return list(m(g, x))",
    "class A:\n    def f(self, x):\n        return [h for h in x]",
    "class A:\n    heads = [h for h in range(3)]",
    "class A:\n    for h in range(3):\n        pass",
    "class A:\n    class B:\n        def f(self):\n            while True: pass",
    "def f(x):\n    def g(y):\n        return [h for h in y]\n    return g(x)",
    "def f(x, heads=[h for h in range(3)]):\n    return heads",
    "def f(x, *, heads=list(map(str, range(3)))):\n    return heads",
    "@decorate([h for h in range(3)])\ndef f(x):\n    return x",
    "f = lambda x: [h for h in x]",
    "f = lambda x: list(map(g, x))",
    "f = {'a': lambda x: [h for h in x]}",
    "if True:\n    def f(x):\n        return [h for h in x]",
    "try:\n    class A:\n        def f(self, x):\n            while x: pass\nfinally:\n    pass",
    "match 1:\n    case 1:\n        def f(x):\n            while x: pass",
    "def f(x):\n    exec('for h in x: pass')",
    "def f(x):\n    return exec('y = 1\\nfor h in x: pass')",
    "def f(x):\n    done = [exec('for h in x: pass')]",
    "def f(x):\n    if x:\n        y = exec('exec(\"for h in x: pass\") or 1')",
    "exec('def f(x):\\n    return [h for h in x]')",
    "f = eval('lambda x: [h for h in x]')",
    "%time f = lambda x: [h for h in x]",
    "%%time\ndef f(x):\n    return [h for h in x]",
    "loop = map\ndef f(x):\n    return list(loop(g, x))",
    "loop = type(map(int, []))\ndef f(x):\n    return list(loop(g, x))",
    "loop = map(int, []).__class__\ndef f(x):\n    return list(loop(g, x))",
    "if False:\n    map = 5\ndef f(x):\n    return list(map(g, x))",
    "map, y = map, 5\ndef f(x):\n    return list(map(g, x))",
    "def f(map):\n    return map\ndef g(x):\n    return list(map(f, x))",
    "class A:\n    def unused(self, map):\n        return map\n    def f(self, x):\n        return list(map(g, x))",
    "class A:\n    map = 3\n    def f(self, x):\n        return list(map(g, x))",
    "map = map\ndef f(x):\n    return list(map(g, x))",
    "m = map\ndef f(x):\n    return list(m(g, x))\ndef map():\n    pass",
    "def f(x):\n    yield from (h for h in x)",
    "def f(x):\n    return tuple(t for t in x)\nf(1)",
    "def f(x):\n    return (lambda y: [h for h in y])(x)",
    "def f(x):\n    if x:\n        try:\n            pass\n        except ValueError:\n            while x: pass",
]
NO_LOOPS = [
    "def f(x):\n    return x @ x",
    "for h in range(3):\n    print(h)",
    "while False:\n    pass",
    "print([h for h in range(3)])",
    "print(sum(h for h in range(3)), {h for h in 'ab'}, {h: 1 for h in 'ab'})",
    "shapes = list(map(str, range(3)))\ndef f(x):\n    return x",
    "kind = type(list(map(str, range(3))))\ndef f(x):\n    return kind(x)",
    "heads = [h for h in range(3)]\ndef f(x):\n    return x[heads]",
    "for h in range(3):\n    def f(x):\n        return x",
    "def f(x):\n    return torch.vmap(g)(x)",
    "def f(x):\n    return torch.func.vmap(lambda y: y @ y)(x)",
    "def f(x, h):\n    return x if h == 0 else f(x, h - 1)",
    "def f(x):\n    map = torch.softmax(x, -1)\n    return map @ x",
    "def f(map):\n    return map * 2",
    "def f(x):\n    map = x @ x\n    scale = lambda y: map * y\n    return scale(x)",
    "def f(x):\n    attention, map = x, x\n    def g():\n        return map\n    return g()",
    "map = np.ones(3)\ndef f(x):\n    return map * x",
    "map = np.ones(3)\nscale = map * 2\ndef f(x):\n    return scale * x",
    "def map(x):\n    return x\ndef f(x):\n    return map(x)",
    "class A:\n    def map(self, x):\n        return x\n    def f(self, x):\n        return self.map(x)",
    "class A:\n    def f(self, x):\n        return x.map_(g)",
    '"""No for loop, no [h for h in x], no map."""\ndef f(x):\n    # for h in x: map\n    return x',
    "def f(x):\n    text = 'for h in x'\n    return np.einsum('ij,jk->ik', x, x)",
    "def f(x):\n    return np.apply_along_axis(np.sum, 0, x)",
    "def f(x)\n    for h in x: pass",
    "%timeit [h for h in range(3)]",
    "def f(x):\n    if x is None:\n        return None\n    with torch.no_grad():\n        return x",
    "def f(*forward, **while_):\n    return forward",
]


@pytest.mark.parametrize("source", LOOPS)
def test_a_loop_in_a_function_or_class_of_the_answer_is_found(source: str):
    assert loop_breach(source).startswith("Answer, line ")


@pytest.mark.parametrize("source", NO_LOOPS)
def test_what_is_no_loop_or_stands_beside_the_answer_is_free(source: str):
    assert loop_breach(source) is None


@pytest.mark.parametrize("node", [n for n in vars(ast).values() if isinstance(n, type) and issubclass(n, ast.AST)])
def test_no_kind_of_loop_in_python_s_grammar_is_forgotten(node: type):
    loops = node.__name__ in {"For", "AsyncFor", "While", "ListComp", "SetComp", "DictComp", "GeneratorExp"}
    assert (node in static.LOOPS) == loops
    assert not loops or static.LOOPS[node]


HELPER = "def helper(x):\n    return [h for h in x]"
REACHING = [
    ("def f(x):\n    return helper(x)", HELPER),
    ("class Model(nn.Module):\n    def forward(self, x, y):\n        return helper(x)", HELPER),
    ("f = lambda x: helper(x)", HELPER),
    ("def f(x, g=helper):\n    return g(x)", HELPER),
    ("@helper\ndef f(x):\n    return x", HELPER),
    ("class Model(helper):\n    pass", HELPER.replace("def helper(x):\n    return", "class helper:\n    x =")),
    ("def f(x):\n    return second(x)", HELPER + "\ndef second(x):\n    return helper(x)"),
    ("def f(x):\n    return second(x)", HELPER + "\nsecond = helper"),
    ("def f(x):\n    return tools['a'](x)", HELPER + "\ntools = {'a': helper}"),
    ("def f(x):\n    return tools['a'](x)", HELPER + "\ntools = {}\ntools['a'] = helper"),
    ("def f(x):\n    return tools.a(x)", "class tools:\n    def a(x):\n        return [h for h in x]"),
    ("pass", "class Model(nn.Module):\n    def forward(self, x, y):\n        return [h for h in x]"),
    ("class Model(nn.Module):\n    pass", HELPER + "\nModel.forward = helper"),
    ("class Model(nn.Module):\n    pass", "Model.forward = lambda self, x, y: [h for h in x]"),
    ("class Model(nn.Module):\n    pass", HELPER + "\nsetattr(Model, 'forward', helper)"),
    ("class Model(nn.Module):\n    pass", HELPER + "\nModel.forward.__code__ = helper.__code__"),
    ("class Model(nn.Module):\n    pass", HELPER + "\nModel.forward, x = helper, 1"),
    ("class Model(nn.Module):\n    pass", HELPER + "\nglobals()['Model'] = helper"),
    ("def f(x):\n    return g(x)", HELPER + "\nglobals().update(g=helper)"),
    ("pass", HELPER + "\nModel = helper"),
    ("def f(x):\n    return helper(x)", "if True:\n    " + HELPER.replace("\n", "\n    ")),
    ("def f(x):\n    return helper(x)", "match 1:\n    case 1:\n        " + HELPER.replace("\n", "\n        ")),
    ("def f(x):\n    return list(loop(g, x))", "loop = map"),
    ("def f(x):\n    return __annotations__['g'](x)", "g: lambda x: [h for h in x]"),
    ("def f(x):\n    return __annotate__(1)['g']", "g: [h for h in range(3)] = 4"),
    ("def f(x):\n    return __annotate__(1)['g']", "if True:\n    g: [h for h in range(3)]"),
    ("def f(x):\n    return A.__annotate__(1)['g']", "class A:\n    g: [h for h in range(3)]"),
    ("def f(x):\n    return g(x)", "print(g := lambda x: [h for h in x])"),
    ("def f(x):\n    return g(x)", "def make():\n    global g\n    g = lambda x: [h for h in x]\nmake()"),
    ("def f(x):\n    return g(x)", "def make():\n    global g\n    def g(x):\n        return [h for h in x]\nmake()"),
    ("def f(x):\n    return g(x)", "globals().update({'g': lambda x: [h for h in x]})"),
    ("def f(x):\n    return g(x)", "globals().setdefault('g', lambda x: [h for h in x])"),
    ("def f(x):\n    return steps[0](x)", "steps = []\nsteps.append(lambda x: [h for h in x])"),
    ("def f(x):\n    return steps['g'](x)", "steps = {}\nsteps.update(g=lambda x: [h for h in x])"),
    ("def f(x):\n    return tools[0](g, x)", "tools = [map]"),
]


@pytest.mark.parametrize(("answer", "other"), REACHING)
def test_a_loop_in_what_the_answer_reaches_in_another_cell_is_found(answer: str, other: str):
    assert loop_breach(answer, other).startswith("Cell 3, line ")
    assert loop_breach(answer, "pass", other).startswith("Cell 4, line ")


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python 3.11 has no type statement")
@pytest.mark.parametrize("other", ["type A = [h for h in range(3)]", "type A[T: [h for h in range(3)]] = int"])
def test_a_loop_in_a_type_statement_is_found_as_it_runs_whenever_it_is_asked_for(other: str):
    assert loop_breach("def f(x):\n    return A.evaluate_value(1)", other).startswith("Cell 3, line 1")
    assert loop_breach("def f(x):\n    return x", other) is None


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("def f(x):\n    return x", HELPER),
        ("def f(x):\n    return x\nprint(1)", HELPER + "\nhelper([1])"),
        ("def f(x):\n    return x.helper", HELPER),
        ("def f(helper):\n    return helper", HELPER),
        ("def f(x):\n    helper = x\n    return helper", HELPER),
        ("def f(x):\n    q = x\n    return q @ q", "q = [(lambda y: [h for h in y])(1)]"),
        ("class Model:\n    def helper(self):\n        return self.helper", HELPER),
        ("def f(x):\n    return x[heads]", "heads = [h for h in range(3)]"),
        ("def f(x):\n    return x", "class Demo:\n    def run(self):\n        while True: pass"),
    ],
)
def test_a_loop_in_another_cell_that_the_answer_does_not_reach_is_free(answer: str, other: str):
    assert loop_breach(answer, other) is None
