"""A cell as IPython reads it: whatever it would run is read, wherever that is, and what takes long counts as hiding."""

import ast
import contextlib
import itertools
import sys
import time

import busy
import pytest
from hand_written import import_breach
from IPython.core.inputtransformer2 import TransformerManager
from IPython.core.interactiveshell import InteractiveShell

from grading.rules import parsing


def within_finally(times: int, within: str = "pass") -> str:
    """A function of a statement within so many `finally` of each other: Python compiles it a power of two times."""
    lines = [" " * n + ("try: pass\n" + " " * n + "finally:") for n in range(1, times + 1)]
    return "\n".join(["def f():", *lines, " " * (times + 1) + within])


HONEST_CELLS = [
    within_finally(3),
    "%time import torch",
    "%timeit -n 3 -r 1 from torch import nn",
    "t = %timeit -o a = f(x)",
    "%prun -rq -l 5 f(x)",
    "%prun -import math",
    "%timeit -qo import math",
    "%timeit -k import math",
    "t = %timeit -n1 -r1 -- import math",
    "%prun -T 'a import math",
    "%time -import math",
    "%time x - y  # import math",
    "t = %time !ls",
    "%%time\nfrom numpy import linalg",
    "%%capture {name}\nx = 1",
    "this is a note (that does not parse: import os",
    "def run(x):\n    return x\n%time run(3)",
    "run = max\nrun(3, 4)",
    "%%time\nsum([1, 2])",
    "run, load = 3, 4",
    "run = 3",
    "time, who = f(x)",
    "%time sum([1])",
    "x = " + " + ".join("abcdefgh" * 12),
]
IMPORTING_CELLS = [
    "%time import math",
    "%timeit -n 1 -r1 import math",
    "%timeit -q import math",
    "%prun -l 5 import math",
    "%prun -rq import math",
    "%prun -q -- import math",
    "%prun -T 'a #' import math",
    "%prun -T#a import math",
    "%%prun -rq import math\npass",
    "%timeit -qn1 ; import math",
    "%time --no-raise import math",
    "%time pass; import math --no-raise-error",
    "%debug --breakpoint=a:1 import math",
    f"%prun -q {'x' * 100_000}",
    "run ./helper.py",
    "run (helper.py)",
    "\x0crun ./helper.py",
    ">>> run helper.py",
    "In [3]: run helper.py",
    "%%capture\nrun helper.py",
    "%%time\n\nrun ./helper.py",
    "%%timeit run helper.py\npass",
    "%time run ./helper.py",
    "%time run (helper.py)",
    "x = 1\n%time run helper.py",
    "t = %timeit -o run helper.py",
    "aimport helper",
    "def f():\n    run = 1\n    return run\n%time run ./helper.py",
    "t = %timeit -o import math",
    "%%time\nimport math",
    "%%timeit import math\npass",
    "%%timeit -n 1 -r 1\nimport math",
    "%%capture out\nimport math",
    "%%capture\n%%time\nimport math",
    "\n\n%%time\n\nimport math",
    "  \n%%time\nimport math",
    "%%prun -q\nimport math",
    ">>> import math",
    "    import math",
    "exec('x = 1' + '+1' * 2000 + '\\nimport os')",
    "x = " + "-" * 250 + "1\nimport math",
    "x = [[[" + "(" * 100 + "1" + ")" * 100 + "]]]; import math",
    "x = a" + ".b" * 20_000 + "\nimport math",  # too deep for this process; a kernel may have room for a bit more
    "x = " + "-" * 20_000 + "1\nimport math",  # likewise, from Python 3.14 on, where only the stack sets an end
    "x = 1 <> 2\nimport math",
    "x = 1\nget_ipython().run_line_magic('time', 'run [helper]')",
    "x = 1\nget_ipython().run_cell_magic('capture', '', '\\x72un [helper]')",
    f"if False:\n exec({within_finally(16)!r})",
    within_finally(16, "for i in []: return"),
    "exec('x = 1 <> 2\\nimport math')",
    f"x = 1{'0' * 5_000}\nimport math",
]


@pytest.mark.parametrize("source", HONEST_CELLS)
def test_a_cell_that_imports_nothing_else_is_free_however_it_is_written(source: str):
    assert import_breach(source) is None
    assert import_breach("pass", source) is None


@pytest.mark.parametrize("source", IMPORTING_CELLS, ids=lambda source: source[:50])
def test_an_import_is_found_in_a_cell_however_it_is_written(source: str):
    assert import_breach(source).startswith("Answer, line ")
    assert import_breach("import torch", source).startswith("Cell 3, line ")


SETTING = [
    ("from __future__ import barry_as_FLUFL", "x = 1 <> 2\nimport math\ny = math.e"),
    ("import sys\nsys.set_int_max_str_digits(0)", f"x = 1{'0' * 5_000}\nimport math\ny = math.e"),
]


@pytest.mark.parametrize(("first", "second"), SETTING, ids=["the old sign for unequal", "numbers of any length"])
def test_an_import_is_found_where_python_reads_the_cell_only_for_what_an_earlier_one_set(first: str, second: str):
    shell, digits = InteractiveShell(), sys.get_int_max_str_digits()
    try:
        shell.run_cell(first)
        assert shell.run_cell(second).success and "y" in shell.user_ns  # a kernel runs it
    finally:
        sys.set_int_max_str_digits(digits)
    assert import_breach("pass", second).startswith("Cell 3, line ")


def test_an_honest_cell_may_set_what_has_a_later_one_read_otherwise():
    assert import_breach("from __future__ import barry_as_FLUFL", "x = 1 <> 2") is None
    assert import_breach("a <> b, as we wrote in old times\nimport os") is None  # which Python refuses in any case


HIDING_LINES = [
    "%%html?",
    "%%html??",
    "%%bash ?",
    "?%%html",
    "??%%html",
    "%%html?\r",
    "%%capture\r",
    "%%capture\f",
    "%%capture\v",
    "%%html\f",
    "%%html\x1c",
    "%%html\x85",
    "%%html\u2028",
    "%%html {__import__('math')}",
    "%%writefile {open('x')}",
    "%%capture {x:{__import__('math')}}",
    "%%code_wrap html",
]


@pytest.mark.parametrize("first", HIDING_LINES)
def test_no_first_line_hides_what_ipython_runs_below_it(first: str):
    assert import_breach(f"{first}\nimport math")
    assert import_breach(f"\n  \n{first}\nimport math")


def test_below_any_first_line_an_import_is_found_where_ipython_runs_it():
    starts = ["", " ", "\t", "\n", "\f\n", "\u2028", ">>> ", "In [1]: ", "?", "!", "x\n"]
    names = ["%%html", "%%bash", "%%time", "%%capture", "%%!", "%%", "%html", "%%writefile x.txt", "%%time x = 1"]
    tails = ["", " ", "?", "??", " ?", "\t", "\\", " # ?", "a"]
    ends = ["\n", "\r\n", "\r", "\f", "\v", "\x1c", "\x85", "\u2028", "\u2028\n", "\n\n"]
    other, tried = (magic + "'" for magic in ["'html", "'bash", "'!", "'writefile"]), 0
    harmless = tuple(f"get_ipython().run_cell_magic({magic}" for magic in other)
    for start, name, tail, end in itertools.product(starts, names, tails, ends):
        source = f"{start}{name}{tail}{end}import math"
        python = TransformerManager().transform_cell(source)
        with contextlib.suppress(SyntaxError):
            tree = ast.parse(python)
            runs = any(isinstance(node, ast.Import) for node in ast.walk(tree))
            if runs or "run_cell_magic" in python and not python.startswith(harmless):
                tried += 1
                assert import_breach(source), repr(source)
    assert tried > 1000


@pytest.mark.parametrize(
    "source",
    [
        "a" * 50_000 + " b?",
        "a." * 25_000 + "b?",
        f"(\n{'a' * 50_000}\nb?",
        f"{'a' * 50_000} b? \\\n",
        f"x\r{'a' * 50_000} b?\r",
        "\n".join(["a" * 1000 + " b?"] * 30),
        "%%time\n" + "a" * 50_000 + " b?",
        '"""' * 100_000,
        "," * 50_000 + "x y",
        ";" * 640 + "x y",
        "x = 1\n" + ",/;" * 300 + "x y",
        ";\t" * 5_000 + "x y",
    ],
    ids=lambda source: repr(source[-12:]),
)
def test_a_cell_that_ipython_needs_long_for_counts_as_hiding_something(source: str):
    started = time.process_time()
    assert import_breach(source)
    assert busy.within(time.process_time() - started, 2)  # some ms


@pytest.mark.parametrize(
    "source",
    [
        "%timeit " * 60 + "x = 1",
        "%%time\n" * 30 + "%timeit " * 30 + "x = 1",
        "exec('" + "%timeit " * 60 + "x = 1')",
    ],
    ids=["magics", "magics of cells", "exec"],
)
def test_code_in_texts_within_one_another_is_read_once_each(source: str):
    started = time.process_time()
    assert import_breach(source.replace("x = 1", "import os")) and import_breach(source) is None
    # Some hundredths; twice each, for longer than anybody waits.
    assert busy.within(time.process_time() - started, 5)


@pytest.mark.parametrize("runs", ["exec({})", "get_ipython().run_line_magic('time', {})"])
def test_a_text_too_deep_to_be_read_hides_nothing_else_in_its_cell(runs: str):
    deep = runs.format(repr("%%time\n" * 600 + "x"))
    assert import_breach(f"import os\nif 0:\n    {deep}\n")


def test_a_text_that_is_made_longer_than_all_code_may_be_is_not_read():
    started = time.process_time()
    assert import_breach("exec('" + 8_000 * r"x\n" + "'.join([" + 8_000 * "''," + "]))")
    assert busy.within(time.process_time() - started, 2)  # 128 MB of code; 2 MB took 49 s, and 1.7 GB of memory


def test_help_on_many_things_and_a_long_text_are_free():
    helps = "\n".join(f"torch.nn.functional.softmax_{n}?" for n in range(20))
    assert import_breach(helps + "\n" + "x = 'why should a reader look twice?'\n" * 50) is None


def test_code_nested_beyond_what_can_be_looked_into_counts_as_hiding_something():
    assert import_breach("x = " + "-" * 300 + "1")
    assert import_breach("x = " + "-" * 100 + "1") is None


def test_a_line_of_which_python_3_12_would_keep_a_copy_for_each_sign_is_not_read():
    assert import_breach("x = " + "- " * 24_000 + "1")  # 48 kB, as much as an answer may have: 1.2 GB of copies
    assert import_breach(f"x = [{'0.1234, ' * 5_000}]") is None  # as are numbers, which take a fifth of it
    assert import_breach(f"x = '{'abcdefgh' * 6_000}'") is None


@pytest.mark.parametrize("source", ["x = %\\\n", "x = %\\", "%%time\nx = %\\\n", "x = %\\\r\n"], ids=repr)
def test_a_cell_in_which_ipython_itself_fails_is_one_that_does_not_run(source: str):
    with pytest.raises((IndexError, SyntaxError)) as failed:  # IPython's own, or from Python 3.12 on Python's
        compile(TransformerManager().transform_cell(source.removeprefix("%%time\n")), "cell", "exec")
    assert parsing.parse(source) is None or not parsing.parse(source).body
    assert (parsing.refused(source) is None) == (failed.type is IndexError)
    assert import_breach("import os", source) and import_breach("y = 1", source) is None
