"""Loops in what runs when a test calls an answer: found by what the functions do, in whatever way they are reached."""

import ast
import codeop
import sys
from pathlib import Path

import pytest
from hand_written import notebook
from transports import Names

from attention import running
from attention.rules.ran import loop_that_ran
from grading.bridge import probe

LOOP = "def looped(x):\n    for _ in (1, 2):\n        x = x + 1\n    return x\n"
CALLS = {
    "by the notebook's names": "def f(x):\n    return globals()['loo' + 'ped'](x)",
    "from a registry": "R = []\ndef f(x):\n    return R[0](x)\n# %%\n@R.append\n" + LOOP,
    "as a method": "class A: pass\ndef f(x):\n    return A.g(x)\n# %%\n" + LOOP + "type.__setattr__(A, 'g', looped)",
    "in a method": "def f(x):\n    return globals()['A' + '']().g(x)\n# %%\nclass A:\n"
    "    def g(self, x):\n        return [i for i in (x,)][0]",
    "in a lambda": "def f(x):\n    return globals()['g' + ''](x)\n# %%\ng = lambda x: sum(i for i in (1, x))",
    "in one of two lambdas of a line": "pair = (lambda x: x), (lambda x: [i for i in (x,)])\ndef f(x):\n"
    "    return globals()['pa' + 'ir'][1](x)",
    "in a function within": "def f(x):\n    return globals()['g' + '']()(x)\n# %%\ndef g():\n"
    "    return lambda x: [i for i in (x,)]",
    "in code that rules read otherwise: a table": "libs = {'np': np}\nR = []\ndef f(x):\n    return R[0](x)\n# %%\n"
    "@R.append\ndef g(x):\n    return [libs['np'].add(i, 1) for i in (x,)]",
    "in code that rules read otherwise: a text": "R = []\ndef f(x):\n    return R[0](x)\n# %%\n"
    "@R.append\ndef g(x):\n    return [eval('i + 1') for i in (x,)]",
    "beside a number too long to be written": "def f(x):\n    return globals()['g' + ''](x)\n# %%\ndef g(x):\n"
    f"    return [i for i in (x, 0x{'f' * 4000})]",
    "in what computes itself where it could watch": "class Watch(torch.overrides.TorchFunctionMode):\n"
    "    def __torch_function__(self, function, types, args=(), kwargs=None):\n"
    "        return [a for a in args][0] if args else function(*args, **(kwargs or {}))\n"
    "def f(x):\n    with Watch():\n        return torch.ones(2) + x",
    "in what writes where it could watch": "class Watch(torch.overrides.TorchFunctionMode):\n"
    "    def __torch_function__(self, function, types, args=(), kwargs=None):\n"
    "        out = function(*args, **(kwargs or {}))\n        [out.add_(a) for a in args]\n        return out\n"
    "def f(x):\n    with Watch():\n        return torch.ones(2) + x",
    "in a generator within a generator": "pairs = ((i for i in (1, 2)) for _ in iter(int, 1))\n"
    "def f(x):\n    return [*next(globals()['pai' + 'rs'])]",
    "in what TorchScript compiles there": "def f(x):\n    return torch.jit.script(globals()['loo' + 'ped'])",
    "next to thousands of others": "def f(x):\n    sorted(many, key=lambda g: g())\n"
    "    return globals()['loo' + 'ped'](x)\n# %%\nmany = [\n"
    + "".join(f"    lambda: {n},\n" for n in range(3000))
    + "]\n# %%\n"
    + LOOP,
    "by map": "def f(x):\n    return globals()['g' + ''](x)\n# %%\ndef g(x):\n    return list(map(int, [x]))",
}
NONE = {
    "of a generator by which a notebook watches": "class Watch(torch.overrides.TorchFunctionMode):\n"
    "    def __torch_function__(self, function, types, args=(), kwargs=None):\n"
    "        self.seen = sum(1 for a in args)\n        return function(*args, **(kwargs or {}))\n"
    "def f(x):\n    with Watch():\n        return torch.ones(2) + x",
    "that does not run": "def f(x):\n    return x",
    "in an earlier version": "def g(x):\n    return [i for i in (x,)]\nold = 1\n# %%\ndef g(x):\n    return x\n"
    "def f(x):\n    return globals()['g' + ''](x)",
    "in a lambda next to it": "pair = (lambda x: x), (lambda x: [i for i in x])\ndef f(x):\n"
    "    return globals()['pa' + 'ir'][0](x)",
    "outside of functions": "def f(x):\n    return x + steps\n# %%\nsteps = 0\nfor _ in (1, 2):\n    steps += 1",
    "by which a notebook watches, and gives what it saw later": "class Watch(torch.overrides.TorchFunctionMode):\n"
    "    def __torch_function__(self, function, types, args=(), kwargs=None):\n"
    "        out = function(*args, **(kwargs or {}))\n        print([type(a) for a in args])\n        return out\n"
    "def f(x):\n    with Watch():\n        return torch.ones(2) + x",
    "by which a notebook watches": "class Watch(torch.overrides.TorchFunctionMode):\n"
    "    def __torch_function__(self, function, types, args=(), kwargs=None):\n"
    "        print([type(a) for a in args])\n        return function(*args, **(kwargs or {}))\n"
    "def f(x):\n    with Watch():\n        return torch.ones(2) + x",
}


def kernel(*cells: str) -> Names:
    """A transport to the names of a notebook's cells, compiled as IPython does it: each statement by itself, and with
    the same flags as the cells above."""
    made, as_above = Names("import torch\nimport numpy as np"), codeop.Compile()
    for statement in (one for cell in cells for one in ast.parse(cell).body):
        exec(as_above(ast.Module([statement], []), "<cell>", "exec"), made.names)
    return made


def breach(*cells: str, **more: bool) -> str | None:
    """The text of the breach where a test calls f."""
    with notebook("part10", *cells), probe.through(kernel(*cells)):
        found = running.of_function("part10-answer", "f", 3, **more)
    return found.text if found else None


def cells(source: str) -> list[str]:
    found = source.split("\n# %%\n")
    return found if len(found) > 1 or "loo" not in source else [*found, LOOP]


@pytest.mark.parametrize("source", CALLS.values(), ids=CALLS)
def test_a_loop_is_found_that_a_call_reaches(source: str):
    assert "allows no loop" in breach(*cells(source))


PROCESS = "def f(x):\n    return R[0](x)", "import subprocess\nR = [lambda x: subprocess.call(['true']) + x]"


def test_another_process_is_found_where_pytorch_may_not_run_either():
    assert "starts another process" in breach(*PROCESS, with_torch=False)
    assert breach(*PROCESS) is None


def test_a_loop_is_found_where_the_answer_runs_a_profiler_of_its_own():
    profiled = "def f(x):\n    import cProfile\n    return cProfile.Profile().runcall(globals()['loo' + 'ped'], x)"
    assert "allows no loop" in breach(profiled, LOOP)


def test_a_function_in_a_file_next_to_the_notebook_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "stacked.py").write_text(LOOP)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    assert "a function in a file of yours" in breach("import stacked\ndef f(x):\n    return stacked.looped(x)")


def test_a_function_in_a_file_elsewhere_is_found(tmp_path: Path):
    (file := tmp_path / "stacked.py").write_text(LOOP)
    assert "a function in a file of yours" in breach(f"exec(compile({LOOP!r}, {str(file)!r}, 'exec'))\nf = looped")


def test_a_file_next_to_the_notebook_is_a_students_also_in_a_folder_of_our_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = str(tmp_path / "grading" / "stacked.py")
    assert "a function in a file of yours" in breach(f"exec(compile({LOOP!r}, {file!r}, 'exec'))\nf = looped")


def test_pytorch_is_found_where_its_own_profiler_was_ended():
    ended = "def f(x):\n    torch.autograd._disable_profiler_legacy()\n    return torch.ones(x).numpy()"
    assert "PyTorch runs" in breach(ended, with_torch=False)


def test_the_line_is_that_of_the_loop():
    assert breach(*cells(CALLS["by the notebook's names"])).startswith("Cell 3, line 2, `for _ in (1, 2):`: a for loop")


def test_a_loop_is_found_where_an_earlier_cell_set_how_annotations_are_compiled():
    looped = "def loop(x):\n    def g(y: int): return y\n    return [g(i) for i in (x,)]"
    answer = "def f(x):\n    return R[0](x)"
    assert "allows no loop" in breach(answer, "from __future__ import annotations\nR = []", f"@R.append\n{looped}")


LAZY = {  # from Python 3.14 on
    "of a variable": ("__annotate__", "heads: [h for h in (1, 2)]"),
    "of a variable in a branch": ("__annotate__", "if True:\n    size: int\n    heads: [h for h in (1, 2)]"),
    "of a class": ("State", "@(lambda c: c)\nclass State:\n    size: int = 2\n\n    heads: [h for h in (1, 2)]"),
    "of a function": ("state", "@(lambda f: f)\ndef state(\n    x,\n    heads: [h for h in (1, 2)],\n): pass"),
    "in a type statement": ("Heads", "type Heads = [h for h in (1, 2)]"),
    "of a type's parameter": ("Heads", "type Heads[T: [h for h in (1, 2)]] = int"),
}
ASKED = {
    "__annotate__": "(1)",
    "type Heads =": ".evaluate_value(1)",
    "type Heads[": ".__type_params__[0].evaluate_bound(1)",
}


@pytest.mark.skipif(sys.version_info < (3, 14), reason="Python 3.13 computes an annotation once, before any call")
@pytest.mark.parametrize(("name", "cell"), LAZY.values(), ids=LAZY)
def test_a_loop_is_found_in_what_python_computes_each_time_that_it_is_asked_for(name: str, cell: str):
    asked = next((how for start, how in ASKED.items() if start in name + cell), ".__annotate__(1)")
    answer = f"def f(x):\n    return globals()['{name[:3]}' + '{name[3:]}']{asked}"
    assert "allows no loop" in breach(answer, cell)
    assert breach(answer, cell.replace("[h for h in (1, 2)]", "(1, 2)")) is None


@pytest.mark.parametrize("source", NONE.values(), ids=NONE)
def test_no_loop_is_found(source: str):
    assert breach(*cells(source)) is None


def test_a_kernel_that_lies_changes_no_line():
    with notebook("part10", LOOP):
        assert loop_that_ran("part10-answer", ["0" * 64, "", "looped"]) is None


@pytest.mark.parametrize(
    ("source", "runs"),
    [
        ("def f(x):\n    return globals()['hcrot'[::-1]].ones(2)", True),
        ("kept = torch.zeros(2)\ndef f(x):\n    return kept.add(1)", True),
        ("def f(x):\n    return np.linalg.svd(np.eye(2)), np.einsum('ab->ba', np.eye(2))", False),
        ("import torch.linalg\ndef f(x):\n    return x", False),
    ],
)
def test_pytorch_is_seen_where_it_computes(source: str, runs: bool):
    found = breach(source, with_torch=False)
    assert (found is not None and "PyTorch runs" in found) is runs
    assert breach(source) is None
