"""The static rules: what breaks them in any spelling is found, with its line, and what is honest is left alone."""

import ast
import contextlib
import itertools
import time
import types

import numpy as np
import pytest
import torch
from hand_written import notebook
from IPython.core.inputtransformer2 import TransformerManager

from attention import rules
from grading.core import cells
from grading.rules import closure, imports, static, student_code

HONEST_IMPORTS = [
    "import torch",
    "import torch, numpy",
    "import torch as t",
    "import torch.nn",
    "import torch.nn as nn",
    "import torch.nn.functional as F",
    "import torch.utils.data",
    "from torch import nn",
    "from torch import nn, Tensor",
    "from torch import *",
    "from torch.nn import functional as fn",
    "from torch.nn.functional import softmax, linear",
    "from torch import einsum as e",
    "from torch import nn, einsum",
    "from torch import multiprocessing",
    "import numpy",
    "import numpy as np",
    "import numpy.linalg as la",
    "from numpy import linalg",
    "from numpy.linalg import svd, norm",
    "from numpy import typing as npt",
    "from numpy.typing import NDArray",
    "def f(W: np.typing.ArrayLike): return W",
    "from __future__ import annotations",
    "def f():\n    import numpy as np\n    return np.pi",
    "try:\n    import torch\nexcept ImportError:\n    pass",
    "exec('import numpy as np')",
    "__import__('numpy.linalg')",
    "t = __import__('torch')\nt.ones(2)",
    "__import__('torch.nn').nn.Linear(1, 1)",
    "%matplotlib inline",
    "%time import torch",
    "%timeit -n 3 -r 1 from torch import nn",
    "t = %timeit -o a = f(x)",
    "t = %time !ls",
    "%config InlineBackend.figure_format = 'retina'",
    "%config InlineBackend.figure_formats = ['png', 'svg']",
    "%precision 3\n%who\n%whos\n%pwd\n%history\n%cd folder\n%env A=1\n%pprint",
    "!ls {folder} $HOME | awk '{print $1}'",
    "!!pip list",
    "get_ipython().system('ls')",
    "if get_ipython() is not None:\n    print(get_ipython().__class__.__name__)",
    "try:\n    get_ipython\nexcept NameError:\n    pass",
    "get_ipython = None\nprint(get_ipython)",
    "%%time\nfrom numpy import linalg",
    "%pip list",
    "!pip list",
    "files = !ls",
    "np.linalg?",
    "%%bash\npython -c 'import os'",
    "%%writefile notes.txt\nimport os",
    "# import math\n'import math'",
    '"""Needs no import math."""',
    "text = 'import os'\nprint(text)",
    "marks = {'math': 1}\nmarks['math']",
    "model.eval()",
    "torch.compile(f)",
    "eval('H * D_qk')",
    "exec('shape = (1, 2)')",
    "getattr(torch, 'softmax')(x, dim=0)",
    "getattr(self, name)",
    "self.__getattr__('W_Q')",
    "class A(nn.Module):\n    def __getattr__(self, name):\n        return super().__getattr__(name)",
    "%%html\n<b>import os</b>",
    "%%html  \r\n<b>import os</b>",
    "%%bash --out text\nls {folder} | awk '{print $1}'",
    "%%capture {name}\nx = 1",
    "getattr(model, 'W_' + name)",
    "getattr(models[0], name)",
    "class A:\n    def f(self, name):\n        return getattr(super(), name)",
    "import torch.nn.functional as F\nfn = torch.nn\nfn.functional.softmax(x, -1)",
    "def f(x):\n    F = nn.functional\n    return F.softmax(x, -1)",
    "torch\nprint(torch, np)\nhelp(nn)\ndir(nn.functional)\nf'{torch}'",
    "hasattr(torch, 'vmap')\nnn is None",
    "from torch.nn.functional import softmax\nfns = [softmax, torch.exp, nn.Linear]\ng(softmax, torch.float32)",
    "nn = 4\nnp.ones(nn)\n[nn]",
    "def f(W, torch=1):\n    return [W * torch]",
    "for nn in range(3):\n    print(nn, [nn])",
    "[(nn, F) for nn, F in pairs]",
    "from torch.nn.functional import *\nsoftmax(x, -1)",
    "from torch.nn.functional import *\ntime = 3\nprint(time)\ndef f(string, numbers):\n    return string, numbers",
    "from numpy import *\n[time for time in range(3)]\nfor queue in x:\n    print(queue)",
    "np.load('W.npy')\ntorch.load('W.pt', map_location='cpu', weights_only=True)\nnp.load('W', allow_pickle=False)",
    "model.load('x')\nself.hub = 1\nself.hub",
    "match x:\n    case torch.Tensor(shape=s):\n        pass",
    "for name in ('float32', 'float64'):\n    print(getattr(torch, name))",
    "dtypes = [getattr(torch, d) for d in ['float32', 'bfloat16']]",
    "name = 'svd' if full else 'qr'\nf = getattr(np.linalg, name)",
    "self.math = 1\nself.os = self.math",
    "torch.random.manual_seed(0)\nnp.random.seed(0)\nnp.copy(x)\ntorch.select(x, 0, 0)",
    "globals()['W'] = 1",
    "vars(self)['W']\nself.__dict__['W']",
    "model.named_modules()\nmodel.modules()",
    "__name__ == '__main__'",
    "class A:\n    __slots__ = ()\n    def __init__(self):\n        super().__init__()",
    "this is a note (that does not parse: import os",
    "x = " + " + ".join("abcdefgh" * 12),
    "torch.pi * torch.inf\nfrom torch import pi",
    "from torch.jit.annotations import List, Optional",
    "from torch.nn.modules.utils import _pair\nfrom torch.nn.parameter import Parameter",
    "np.testing.assert_allclose(a, b)\ntorch.testing.assert_close(a, b)",
    "getattr(nn, 'functional').softmax(x, -1)\ngetattr(nn, 'Linear')(1, 1)",
    "from torch.utils.benchmark import Timer\nTimer('f(x)', globals=globals()).timeit(3)",
    "import torch.utils.benchmark as b\nb.Timer(stmt='f(x)', setup='x = 1', label='f').blocked_autorange()",
    "class Timer:\n    pass\nt = Timer()\nTimer",
    "getattr(mha.W_Q, name)\ngetattr(self.layers, key)",
]
SMUGGLED_IMPORTS = [
    "import math",
    "import math as m",
    "import torch, math",
    "import numpy as np, os",
    "import torch; import os",
    "from math import sqrt",
    "from math import sqrt as s",
    "from math import *",
    "from . import helper",
    "from .torch import nn",
    "import torchvision",
    "import numpy_financial",
    "import scipy.linalg",
    "import importlib",
    "import builtins",
    "import typing",
    "def f():\n    import math\n    return math.pi",
    "class A:\n    import math",
    "if False:\n    import math",
    "try:\n    import einops\nexcept ImportError:\n    pass",
    "lambda: __import__('math')",
    "with x as y:\n    import math",
    "import math\ndel math",
    "from torch import os",
    "from torch import nn, os as o",
    "from torch.nn.functional import math",
    "from torch.nn.functional import warnings as w",
    "torch.os.getcwd()",
    "torch.sys.modules['math']",
    "torch.math.sqrt(2)",
    "nn.functional.math.sqrt(2)",
    "torch.nn.functional.math",
    "import torch as t\nt.os",
    "T = torch\nT.os",
    "import torch.nn.functional as F\nF.math.sqrt(2)",
    "from torch.nn import functional as fn\nfn.math",
    "torch.importlib",
    "torch.typing",
    "from torch.hub import errno",
    "__import__('torch').os",
    "__import__('torch.nn').nn.functional.math",
    "t = __import__('torch')\nt.os",
    "n = __import__('torch.nn').nn\nn.functional.math",
    "getattr(__import__('torch'), 'os')",
    "vars(__import__('torch'))['os']",
    "__import__('torch', fromlist=['os'])",
    "__import__(name)",
    "__import__('math')",
    "__import__('ma' + 'th')",
    "f = __import__",
    "globals()['__imp' + 'ort__']('os')",
    "globals()['__builtins__']",
    "__builtins__.__import__('os')",
    "__builtins__['__import__']('os')",
    "getattr(__builtins__, '__import__')",
    "getattr(f, '__glo' + 'bals__')",
    "f.__globals__['os']",
    "torch.load.__globals__['os']",
    "torch.__loader__.load_module('os')",
    "torch.__spec__.loader",
    "torch.__dict__['os']",
    "vars(torch)['os']",
    "vars(torch).get('o' + 's')",
    "getattr(torch, 'os')",
    "torch.__getattribute__('os')",
    "type(torch).__getattribute__(torch, 'os')",
    "torch.__getattribute__(name)",
    "%%zz\nimport scipy",
    "%%code_wrap w\nimport scipy\n__code__\n__ret__",
    "get_ipython().magics_manager.register_alias('zz', 'capture', 'cell')",
    "get_ipython().input_transformers_post.append(change)",
    "get_ipython().ast_transformers.append(change)",
    "getattr(torch, 'o' + 's')",
    "getattr(torch, f'{\"o\"}s')",
    "getattr(torch, ''.join(['o', 's']))",
    "name = 'o' + 's'\ngetattr(torch, name)",
    "a, b = 'o', 's'\ngetattr(torch, a + b)",
    "for name in ('pi', 'os'):\n    getattr(torch, name)",
    "getattr(torch, 'so'[::-1])",
    "getattr(torch, input())",
    "def f(name):\n    return getattr(torch, name)",
    "getattr(nn.functional, 'math')",
    "().__class__.__base__.__subclasses__()",
    "print.__self__",
    "exec('import os')",
    "exec('imp' + 'ort os')",
    "exec(source)",
    "source = 'import os'\nexec(source)",
    "exec(open('helper.py').read())",
    "exec('exec(\"import os\")')",
    "exec(\"__import__('os')\")",
    "run = exec\nrun('import os')",
    "eval('__import__(\"os\")')",
    "eval(text)",
    "f = eval",
    "eval(compile('import os', '', 'exec'))",
    "compile('import os', '', 'exec')",
    "x = [exec('import os')]",
    "importlib.import_module('os')",
    "import_module('os')",
    "%run helper.py",
    "%pylab",
    "%pylab inline",
    "%load_ext autoreload",
    "%alias_magic t run",
    "  %run helper.py",
    "if True:\n    %run helper.py",
    "get_ipython().run_line_magic('run', 'helper.py')",
    "get_ipython().run_line_magic(name, 'helper.py')",
    "get_ipython().magic('run helper.py')",
    "get_ipython().magic('%run helper.py')",
    "get_ipython().run_cell('import os')",
    "get_ipython().ex('import os')",
    "get_ipython().ev('__import__(\"os\")')",
    "%macro f 1",
    "%load helper.py",
    "%rerun 1",
    "%edit helper.py",
    "%store x",
    "%recall 1",
    "%unknown",
    "%cd {__import__('math')}",
    "%config InlineBackend.figure_format = __import__('math')",
    "%config InlineBackend.rc = [exec]",
    "!echo {__import__('math').pi}",
    "x = !echo {f()}",
    "get_ipython().system(text)",
    "get_ipython().run_cell_magic('time', '', text)",
    "get_ipython().run_cell_magic('unknown', '', 'x')",
    "get_ipython().run_line_magic('time', text)",
    "get_ipython().run_line_magic(magic_name='run', line='helper.py')",
    "ip = get_ipython()\nip.run_line_magic",
    "[get_ipython()]",
    "get_ipython().push({})",
    "get_ipython().user_ns",
    "g = get_ipython\ng()",
    "getattr(get_ipython(), name)",
    "match torch.nn.functional:\n    case object(math=m): pass",
    "match f:\n    case object(__globals__=g): pass",
    "np.testing.runstring('import math', {})",
    "np.testing.measure('import math')",
    "torch._utils._import_dotted_name('math.sqrt')",
    "from torch._utils import _import_dotted_name as found",
    "getattr(torch._utils, '_import_dotted_name')('math.sqrt')",
    "torch.storage._load_from_bytes(pickled)",
    "torch.jit.CompilationUnit('def f(x: int):\\n    while True:\\n        x += 1')",
    "torch.overrides.get_overridable_functions()",
    "exit._ip.ex('import math')",
    "from numpy.testing import runstring",
    "np.load('W', allow_pickle=True)",
    "np.load('W', None, True)",
    "np.load('W', **options)",
    "from numpy import load",
    "torch.load('W', weights_only=False)",
    "torch.load('W', pickle_module=p)",
    "load = torch.load",
    "torch.hub.load('a/b', 'c')",
    "import torch.hub",
    "from torch import hub",
    "torch.fx.graph_module._forward_from_src(source, {})",
    "from torch.fx.graph_module import _exec_with_source",
    "import torch.utils.cpp_extension",
    "from torch.nn.functional import *\nmath.sqrt(2)",
    "from torch.nn.functional import *\nmath = math\nmath.sqrt(2)",
    "math = 3\nfrom torch.nn.functional import *\nmath.sqrt(2)",
    "from torch.nn.functional import *\nif False:\n    math = 3\nmath.sqrt(2)",
    "from torch.nn.functional import *\ndef f():\n    return math.sqrt(2)",
    "tools = [torch]\ntools[0].os",
    "t, n = torch, np",
    "tools = {'t': nn.functional}",
    "(t := torch).os",
    "def f(t=torch):\n    return t.os",
    "def f(*, t=torch):\n    return t.os",
    "for t in torch, np:\n    t.os",
    "[t.os for t in {torch}]",
    "t = torch if x else np",
    "def f():\n    return torch",
    "f = lambda: nn.functional",
    "print(*[torch])",
    "match torch:\n    case t:\n        t.os",
    "def f(t):\n    return t.os\nf(torch)",
    "f(x=torch.nn)",
    "a = b = torch",
    "t: object = torch",
    "self.t = torch",
    "class A:\n    t = torch\nA.t.os",
    "class A:\n    import torch\nA.torch.os",
    "import torch.nn.functional as F\n[F]",
    "F = nn.functional\n[F]",
    "from torch import nn as n\n[n.functional]",
    "def f():\n    F = nn.functional\n    return F",
    "torch or np",
    "with torch as t:\n    t.os",
    "def f():\n    yield torch",
    "getattr(print, name)",
    "def f():\n    pass\ngetattr(f, name)",
    "getattr((), name)",
    "getattr(lambda: 0, name)",
    "getattr(f(), name)",
    "%time import math",
    "%timeit -n 1 -r1 import math",
    "%timeit -q import math",
    "%prun -l 5 import math",
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
    "from torch import __builtins__ as b",
    "from numpy import __loader__ as b",
    "from torch.utils._config_module import import_module",
    "from torch._dynamo.trace_rules import import_module as im",
    "from torch.utils.data.dataloader import python_multiprocessing",
    "torch.utils.data.dataloader.python_multiprocessing",
    "from torch.multiprocessing.pool import multiprocessing as m",
    "torch._dynamo.config.getpass",
    "torch._jit_internal._thread",
    "torch.nn.init.math",
    "torch.nn.modules.module.functools",
    "from torch.nn.functional import math as m",
    "getattr(torch, 'serialization').os",
    "getattr(getattr(torch, 'nn'), 'init').math",
    "s = getattr(torch, 'serialization')\ns.os",
    "[getattr(torch, 'serialization')][0]",
    "list(map(nn.functional.__getattribute__, names))",
    "g = torch.ops.aten.__getattr__",
    "from torch.utils.benchmark import Timer\nTimer('import os').timeit(1)",
    "from torch.utils.benchmark import Timer as T\nT(stmt='x', setup='import os')",
    "import torch.utils.benchmark as b\nb.Timer(text)",
    "import torch.utils.benchmark as b\nb.Timer(**words)",
    "from torch.utils.benchmark import Timer\nt = Timer\nt('import os')",
    "np.ctypeslib.load_library('libc.so.6', '/lib')",
    "import numpy.ctypeslib as c",
    "torch.ops.load_library('x.so')",
    "torch.utils.model_zoo.load_url('x')",
    "from torch._inductor.codecache import PyCodeCache",
    "torch.testing._internal.common_utils.shell(['ls'])",
    "class A:\n    def f(self):\n        pass\ngetattr(A.f, name)",
    "def f():\n    pass\ng = f\ngetattr(g, name)",
    "getattr(x.__class__, name)",
]


def breach(rule: str, *sources: str, stem: str = "part05", **more: str) -> str | None:
    """The text of a rule's breach in a notebook of these cells, the answer first."""
    arguments = ["reduced_matrices"] if rule == "one_statement_each" else []
    with notebook(stem, *sources, **more):
        found = getattr(rules, rule)(f"{stem}-answer", *arguments)
    return found.text if found else None


@pytest.mark.parametrize("source", HONEST_IMPORTS)
def test_torch_and_numpy_in_any_spelling_and_what_imports_nothing_are_free(source: str):
    assert breach("no_imports", source) is None
    assert breach("no_imports", "pass", source) is None


@pytest.mark.parametrize("source", SMUGGLED_IMPORTS, ids=lambda source: source[:50])
def test_an_import_is_found_in_whatever_spelling(source: str):
    assert breach("no_imports", source).startswith("Answer, line ")
    assert breach("no_imports", "import torch", source).startswith("Cell 3, line ")


GIVEN = "import torch\nimport pandas\nfrom sympy import symbols, Rational as R\nfrom attention_course import MyMHA"
GIVEN += "\nfrom a.b import c\ndef f():\n    import json"


@pytest.mark.parametrize(
    "source",
    [
        "from sympy import symbols",
        "from sympy import symbols as letters, Rational",
        "def f():\n    from sympy import symbols",
        "exec('from sympy import symbols')",
        "import sympy",
        "import sympy as sp\nH, G = sp.symbols('H G')\nhalf = sp.Rational(1, 2)",
        "from attention_course import MyMHA",
        "from attention_course import MyMHA as Theirs\nTheirs(1, 1, 1, 1, 1)",
        "import pandas as pd\npd.DataFrame",
        "import a.b as ab\nab.c",
    ],
)
def test_what_the_setup_cell_imports_may_be_imported_again(source: str):
    assert breach("no_imports", source, locked=GIVEN) is None
    assert breach("no_imports", source, locked="import torch")


@pytest.mark.parametrize(
    "source",
    [
        "from sympy import Symbol",
        "from sympy import symbols, Symbol",
        "from sympy import *",
        "from sympy.abc import x",
        "import sympy.abc",
        "import sympy\nsympy.Symbol('H')",
        "import sympy as sp\nsp.core.symbols('H')",
        "import sympy as sp\nother = sp",
        "import sympy as sp\ngetattr(sp, 'os')",
        "import attention_course\nattention_course.check",
        "from attention_course import *",
        "from .attention_course import MyMHA",
        "from pandas import DataFrame",
        "import a.b\na.c",
        "import json",
        "from json import loads",
    ],
)
def test_nothing_beyond_what_the_setup_cell_imports_may_be_imported(source: str):
    assert breach("no_imports", source, locked=GIVEN)


def test_what_is_given_is_read_from_the_course_s_cell_and_not_from_the_student_s():
    own = {"grade_id": "part05-setup", "locked": False, "solution": True, "grade": False}
    for meta in ({}, {"nbgrader": own}):
        student = {"cell_type": "code", "source": "import math", "metadata": meta, "id": "part05-setup"}
        with student_code.of({"cells": [student]}):
            assert "line 1, `import math`" in rules.no_imports("part05-answer").text


def test_the_course_s_own_cells_are_not_counted():
    assert breach("no_imports", "x = 1", locked="import math\nfrom sympy import symbols") is None
    for role in ({"locked": True, "grade": False}, {"locked": False, "grade": True}):
        assert cells.is_ours({"solution": False, **role})
    for role in (
        {},
        {"solution": True, "locked": False, "grade": True},
        {"solution": False, "locked": False, "grade": False},
    ):
        assert not cells.is_ours(role)


def test_text_cells_are_not_counted():
    texts = [{"cell_type": kind, "source": ["import math"], "metadata": {}} for kind in ("markdown", "raw")]
    with student_code.of({"cells": texts}):
        assert rules.no_imports("part05-answer") is None


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
    assert breach("no_imports", source).startswith(f"Answer, line {line}, ")


def test_a_breach_quotes_its_line_in_short():
    assert "`import math`" in breach("no_imports", "import math")
    assert len(breach("no_imports", f"import math  # {'x' * 1000}")) < 200


def test_the_first_import_statement_is_named_before_what_may_hide_one():
    assert "line 2, `import math`" in breach("no_imports", "exec(a)\nimport math")


@pytest.mark.parametrize(
    "module", [torch, torch.nn, torch.nn.functional, np, torch.utils, np.linalg], ids=lambda m: m.__name__
)
def test_every_foreign_module_that_a_library_holds_is_out_of_reach(module: types.ModuleType):
    package = module.__name__.split(".")[0]
    for name, value in vars(module).items():
        if isinstance(value, types.ModuleType) and value.__name__.split(".")[0] not in {"torch", "numpy"}:
            path = module.__name__.replace("numpy", "np") if package == "numpy" else module.__name__
            assert breach("no_imports", f"{path}.{name}"), f"{path}.{name}"
            assert breach("no_imports", f"from {module.__name__} import {name}"), name


def test_names_that_the_libraries_define_themselves_are_within_reach():
    own = [name for module in (torch, torch.nn, np) for name in vars(module) if not name.startswith("_")]
    own = [n for n in own if not any(isinstance(getattr(m, n, None), types.ModuleType) for m in (torch, torch.nn, np))]
    assert imports.SMUGGLED.isdisjoint(own)


def test_expressions_that_grow_without_end_are_given_up():
    lines = [f"a{n} = a{n + 1}\n" * 40 for n in range(9)] + ["a9 = 'x'\ngetattr(torch, a0)"]
    started = time.process_time()
    assert breach("no_imports", "".join(lines))
    assert time.process_time() - started < 5


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
    assert breach("no_imports", f"{first}\nimport math")
    assert breach("no_imports", f"\n  \n{first}\nimport math")


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
                assert breach("no_imports", source), repr(source)
    assert tried > 1000


@pytest.mark.parametrize(
    "source",
    [
        "time import math",
        "timeit -n 1 import math",
        "run helper.py",
        "pylab",
        "load helper.py",
        "  run helper.py\n",
    ],
)
def test_in_a_cell_of_one_line_a_magic_needs_no_percent_sign(source: str):
    assert breach("no_imports", source)
    assert breach("no_imports", "pass", source)


@pytest.mark.parametrize("source", ["run (1)", "run", "time", "load = 1", "history", "who", "time f(x)", "load.x"])
def test_a_name_of_the_student_s_or_a_harmless_magic_on_one_line_is_free(source: str):
    own = "def run(x):\n    return x\nx = 1"
    assert breach("no_imports", source, own) is None


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
    ],
    ids=lambda source: repr(source[-12:]),
)
def test_a_cell_that_ipython_needs_long_for_counts_as_hiding_something(source: str):
    started = time.process_time()
    assert breach("no_imports", source)
    assert time.process_time() - started < 2  # some ms


def test_help_on_many_things_and_a_long_text_are_free():
    helps = "\n".join(f"torch.nn.functional.softmax_{n}?" for n in range(20))
    assert breach("no_imports", helps + "\n" + "x = 'why should a head attend to itself?'\n" * 50) is None


def test_a_cell_is_read_once_for_all_rules(monkeypatch: pytest.MonkeyPatch):
    read = []
    monkeypatch.setattr(student_code, "parse", lambda source: read.append(source))
    with notebook("part05", "x = 1", "y = 2"):
        for _ in range(3):
            student_code.editable("part05-answer")
    assert sorted(read) == ["x = 1", "y = 2"]


# Loops ----------------------------------------------------------------------------------------------------------------

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
    "exec('def f(x):\\n    return [h for h in x]')",
    "f = eval('lambda x: [h for h in x]')",
    "%time f = lambda x: [h for h in x]",
    "%%time\ndef f(x):\n    return [h for h in x]",
    "loop = map\ndef f(x):\n    return list(loop(g, x))",
    "def f(map):\n    return map\ndef g(x):\n    return list(map(f, x))",
    "class A:\n    def unused(self, map):\n        return map\n    def f(self, x):\n        return list(map(g, x))",
    "class A:\n    map = 3\n    def f(self, x):\n        return list(map(g, x))",
    "map = map\ndef f(x):\n    return list(map(g, x))",
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
    assert breach("no_loops", source).startswith("Answer, line ")


@pytest.mark.parametrize("source", NO_LOOPS)
def test_what_is_no_loop_or_stands_beside_the_answer_is_free(source: str):
    assert breach("no_loops", source) is None


@pytest.mark.parametrize("node", [n for n in vars(ast).values() if isinstance(n, type) and issubclass(n, ast.AST)])
def test_no_kind_of_loop_in_python_s_grammar_is_forgotten(node: type):
    loops = node.__name__ in {"For", "AsyncFor", "While", "ListComp", "SetComp", "DictComp", "GeneratorExp"}
    assert (node in static.LOOPS) == loops
    assert not loops or static.LOOPS[node]


HELPER = "def helper(x):\n    return [h for h in x]"
REACHING = [
    ("def f(x):\n    return helper(x)", HELPER),
    ("class MyMHA(nn.Module):\n    def forward(self, x, y):\n        return helper(x)", HELPER),
    ("f = lambda x: helper(x)", HELPER),
    ("def f(x, g=helper):\n    return g(x)", HELPER),
    ("@helper\ndef f(x):\n    return x", HELPER),
    ("class MyMHA(helper):\n    pass", HELPER.replace("def helper(x):\n    return", "class helper:\n    x =")),
    ("def f(x):\n    return second(x)", HELPER + "\ndef second(x):\n    return helper(x)"),
    ("def f(x):\n    return second(x)", HELPER + "\nsecond = helper"),
    ("def f(x):\n    return tools['a'](x)", HELPER + "\ntools = {'a': helper}"),
    ("def f(x):\n    return tools['a'](x)", HELPER + "\ntools = {}\ntools['a'] = helper"),
    ("def f(x):\n    return tools.a(x)", "class tools:\n    def a(x):\n        return [h for h in x]"),
    ("pass", "class MyMHA(nn.Module):\n    def forward(self, x, y):\n        return [h for h in x]"),
    ("class MyMHA(nn.Module):\n    pass", HELPER + "\nMyMHA.forward = helper"),
    ("class MyMHA(nn.Module):\n    pass", "MyMHA.forward = lambda self, x, y: [h for h in x]"),
    ("class MyMHA(nn.Module):\n    pass", HELPER + "\nsetattr(MyMHA, 'forward', helper)"),
    ("class MyMHA(nn.Module):\n    pass", HELPER + "\nMyMHA.forward.__code__ = helper.__code__"),
    ("class MyMHA(nn.Module):\n    pass", HELPER + "\nMyMHA.forward, x = helper, 1"),
    ("class MyMHA(nn.Module):\n    pass", HELPER + "\nglobals()['MyMHA'] = helper"),
    ("def f(x):\n    return g(x)", HELPER + "\nglobals().update(g=helper)"),
    ("pass", HELPER + "\nMyMHA = helper"),
    ("def f(x):\n    return helper(x)", "if True:\n    " + HELPER.replace("\n", "\n    ")),
    ("def f(x):\n    return helper(x)", "match 1:\n    case 1:\n        " + HELPER.replace("\n", "\n        ")),
    ("def f(x):\n    return list(loop(g, x))", "loop = map"),
    ("def f(x):\n    return tools[0](g, x)", "tools = [map]"),
]


@pytest.mark.parametrize(("answer", "other"), REACHING)
def test_a_loop_in_what_the_answer_reaches_in_another_cell_is_found(answer: str, other: str):
    assert breach("no_loops", answer, other).startswith("Cell 3, line ")
    assert breach("no_loops", answer, "pass", other).startswith("Cell 4, line ")


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("def f(x):\n    return x", HELPER),
        ("def f(x):\n    return x\nprint(1)", HELPER + "\nhelper([1])"),
        ("def f(x):\n    return x.helper", HELPER),
        ("def f(helper):\n    return helper", HELPER),
        ("def f(x):\n    helper = x\n    return helper", HELPER),
        ("def f(x):\n    q = x\n    return q @ q", "q = [(lambda y: [h for h in y])(1)]"),
        ("class MyMHA:\n    def helper(self):\n        return self.helper", HELPER),
        ("def f(x):\n    return x[heads]", "heads = [h for h in range(3)]"),
        ("def f(x):\n    return x", "class Demo:\n    def run(self):\n        while True: pass"),
    ],
)
def test_a_loop_in_another_cell_that_the_answer_does_not_reach_is_free(answer: str, other: str):
    assert breach("no_loops", answer, other) is None


# Ready-made attention -------------------------------------------------------------------------------------------------


TAKEN = "match nn.functional:\n        case object(scaled_dot_product_attention=g): pass"


@pytest.mark.parametrize(
    "source",
    [
        "class A(nn.Module):\n    def __init__(self):\n        self.mha = nn.MultiheadAttention(4, 2)",
        "class A(nn.MultiheadAttention):\n    pass",
        "def f(q, k, v):\n    return nn.functional.scaled_dot_product_attention(q, k, v)",
        "def f(q, k, v):\n    return torch.nn.functional.multi_head_attention_forward(q, k, v)",
        "f = lambda q, k, v: nn.functional.scaled_dot_product_attention(q, k, v)",
        "def f():\n    return nn.TransformerEncoderLayer(4, 2)",
        "def f():\n    return nn.Transformer()",
        "def f():\n    return torch.nn.modules.activation.MultiheadAttention(4, 2)",
        "def f(q):\n    return torch._native_multi_head_attention(q)",
        "def f(q):\n    return torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, q, q)",
        "def f(q):\n    return torch.ops.aten._transformer_encoder_layer_fwd(q)",
        "name = 'scaled_dot_' + 'product_attention'\ndef f(q):\n    return getattr(nn.functional, name)(q, q, q)",
        "def f(q):\n    n = ('relu', 'scaled_dot_product_attention')[1]\n    return getattr(nn.functional, n)(q, q)",
        "def f(q):\n    return torch._C._nn.scaled_dot_product_attention(q, q, q)",
        "def f(q):\n    return nn.attention.flex_attention.flex_attention(q, q, q)",
        "import torch.nn.functional as F\ndef f(q):\n    return F.scaled_dot_product_attention(q, q, q)",
        "from torch.nn import functional as fn\ndef f(q):\n    return fn.scaled_dot_product_attention(q, q, q)",
        "from torch.nn.functional import scaled_dot_product_attention\ndef f(q):\n"
        "    return scaled_dot_product_attention(q, q, q)",
        "from torch.nn.functional import scaled_dot_product_attention as g\ndef f(q):\n    return g(q, q, q)",
        "from torch.nn.functional import *\ndef f(q):\n    return scaled_dot_product_attention(q, q, q)",
        "from torch.nn import MultiheadAttention as Base\nclass A(Base):\n    pass",
        "def f(q):\n    from torch.nn.functional import scaled_dot_product_attention as g\n    return g(q, q, q)",
        "g = nn.functional.scaled_dot_product_attention\ndef f(q):\n    return g(q, q, q)",
        "F = nn.functional\ndef f(q):\n    return F.scaled_dot_product_attention(q, q, q)",
        "layer = nn.MultiheadAttention(4, 2)\ndef f(q):\n    return layer(q, q, q)",
        "Base = nn.MultiheadAttention\nclass A(Base):\n    pass",
        "class A:\n    attend = staticmethod(nn.functional.scaled_dot_product_attention)",
        "class A:\n    def scaled_dot_product_attention(self, q):\n"
        "        return nn.functional.scaled_dot_product_attention(q, q, q)",
        "def scaled_dot_product_attention(q):\n    return torch.nn.functional.scaled_dot_product_attention(q, q, q)",
        "def f(q):\n    return getattr(nn.functional, 'scaled_dot_product_attention')(q, q, q)",
        "def f(q):\n    return nn.functional.__getattribute__('scaled_dot_product_attention')(q, q, q)",
        "def f(q):\n    return object.__getattribute__(nn.functional, 'scaled_dot_product_attention')(q, q, q)",
        "def f(q):\n    return getattr(nn.functional, 'scaled_dot_' + 'product_attention')(q, q, q)",
        "def f(q):\n    return eval('nn.functional.scaled_dot_product_attention')(q, q, q)",
        "exec('def f(q):\\n    return nn.functional.scaled_dot_product_attention(q, q, q)')",
        "def f(q, attend=nn.functional.scaled_dot_product_attention):\n    return attend(q, q, q)",
        "def f(q):\n    return __import__('torch').nn.functional.scaled_dot_product_attention(q, q, q)",
        f"def f(q):\n    {TAKEN}\n    return g(q, q, q)",
        f"{TAKEN}\ndef f(q):\n    return g(q, q, q)",
        "match torch.nn:\n    case object(functional=F): pass\nf = lambda q: F.scaled_dot_product_attention(q, q, q)",
        "for g in [nn.functional.scaled_dot_product_attention]: pass\ndef f(q):\n    return g(q, q, q)",
        "with a(nn.functional.scaled_dot_product_attention) as g: pass\ndef f(q):\n    return g(q, q, q)",
        "def f(q):\n    return getattr(torch.nn, 'functional').scaled_dot_product_attention(q, q, q)",
        # What runs in another process or thread can't be looked at as it runs.
        "import torch.multiprocessing as mp\npool = mp.Pool(1)\ndef f(q):\n    return pool.apply(g, q)",
        "from torch.multiprocessing import Pool\ndef f(q):\n    return Pool(1).apply(g, q)",
        "def f(q):\n    return torch.multiprocessing.Pool(1).apply(g, q)",
        "from torch.distributed import rpc\ndef f(q):\n    return rpc.rpc_sync('w', g, q)",
    ],
)
def test_ready_made_attention_in_the_answer_is_found(source: str):
    assert breach("no_ready_made_attention", source).startswith("Answer, line ")


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("def f(q):\n    return g(q)", "g = nn.functional.scaled_dot_product_attention"),
        ("class A(Base):\n    pass", "class Base(nn.MultiheadAttention):\n    pass"),
        (
            "class MyMHA:\n    pass",
            "MyMHA.forward = lambda self, x, y: nn.functional.scaled_dot_product_attention(x, y, y)",
        ),
        ("pass", "MyMHA = nn.MultiheadAttention"),
        ("def f(q):\n    return g(q)", "def g(q):\n    return nn.functional.scaled_dot_product_attention(q, q, q)"),
    ],
)
def test_ready_made_attention_that_the_answer_reaches_is_found(answer: str, other: str):
    assert "line" in breach("no_ready_made_attention", answer, other)


@pytest.mark.parametrize(
    "source",
    [
        "print(nn.functional.scaled_dot_product_attention(q, k, v))\ndef f(q):\n    return q",
        "def f(q):\n    out = q\n    return out\nout = nn.functional.scaled_dot_product_attention(q, q, q)\nprint(out)",
        "from torch.nn.functional import scaled_dot_product_attention\ndef f(q):\n    return q",
        "def scaled_dot_product_attention(q, k, v):\n    return torch.softmax(q @ k.mT, -1) @ v\ndef f(q):\n"
        "    return scaled_dot_product_attention(q, q, q)",
        "class MultiheadAttention(nn.Module):\n    pass\nclass MyMHA(MultiheadAttention):\n    pass",
        "class MultiHeadAttention(nn.Module):\n    pass\nclass MyMHA(MultiHeadAttention):\n    pass",
        "class A:\n    def scaled_dot_product_attention(self, q):\n        return q\n"
        "    def f(self, q):\n        return self.scaled_dot_product_attention(q)",
        "class A:\n    def __init__(self):\n        self.attention = None\n        self.transformer = nn.Linear(1, 1)\n"
        "        self.attention_weights = self.transformer",
        "class A:\n    def f(self, q):\n        self.register_buffer('attention_mask', q)\n"
        "        return self.attention_mask",
        "def transformer_heads(t):\n    return t\ndef f(t):\n    return transformer_heads(t)",
        "def f(q, transformer):\n    attention = torch.softmax(q, -1)\n    return transformer(attention)",
        '"""Not scaled_dot_product_attention."""\ndef f(q):\n    # nn.MultiheadAttention\n    return "nn.Transformer"',
        "def f(q):\n    return torch.softmax(q, -1), nn.functional.softmax(q, -1), nn.Linear(1, 1)",
        "def f(q):\n    return q.attention_scores",
        "from torch import multiprocessing\npool = multiprocessing.Pool(2)\ndef f(q):\n    return q",
        "class A:\n    def __init__(self):\n        self.rpc = self.multiprocessing = None",
        "def f(q):\n    match q:\n        case torch.Tensor(shape=s, attention_mask=a):\n            return s",
    ],
)
def test_attention_of_one_s_own_and_a_demonstration_beside_it_are_free(source: str):
    assert breach("no_ready_made_attention", source) is None


def test_every_attention_that_torch_has_is_known():
    for module, path in (
        (torch.nn, "nn"),
        (torch.nn.functional, "nn.functional"),
        (torch, "torch"),
        (torch.ops.aten, "torch.ops.aten"),
    ):
        for name in dir(module):
            if (
                any(word in name.lower() for word in ("attention", "transformer", "dot_product"))
                and name != "attention"
            ):
                assert breach("no_ready_made_attention", f"def f(q):\n    return {path}.{name}(q)"), f"{path}.{name}"


# No PyTorch -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        "def f(W):\n    return torch.tensor(W)",
        "def f(W: torch.Tensor):\n    return W",
        "W = torch.ones(2)",
        "loss = nn.MSELoss()",
        "f = lambda W: torch.linalg.svd(W)",
        "import torch as t\ndef f(W):\n    return t.tensor(W)",
        "from torch import linalg\ndef f(W):\n    return linalg.svd(W)",
        "from torch.linalg import svd as s\ndef f(W):\n    return s(W)",
        "def f(W):\n    import torch as t\n    return t.tensor(W)",
        "def f(W):\n    from torch.linalg import svd\n    return svd(W)",
        "from torch import *\ndef f(W):\n    return tensor(W)",
        "T = torch\nT.ones(1)",
        "nn = torch.nn\nnn.MSELoss()",
        "torch = torch\ntorch.ones(1)",
        "globals()['torch'].ones(1)",
        "eval('torch.ones(1)')",
        "%time torch.ones(1)",
        "torch.manual_seed(0)",
        "assert isinstance(1, torch.Tensor)",
        "def f(W):\n    return __import__('torch').tensor(W)",
        "t = __import__('torch.linalg')\ndef f(W):\n    return t.linalg.svd(W)",
    ],
)
def test_any_use_of_pytorch_in_the_answer_is_found(source: str):
    assert breach("no_torch", source, stem="part10").startswith("Answer, line ")


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("def f(W):\n    return g(W)", "def g(W):\n    return torch.tensor(W)"),
        ("def f(W):\n    return W @ K", "K = torch.ones(2).numpy()"),
        ("pass", "GQA_2_MLA = lambda W: torch.tensor(W)"),
    ],
)
def test_pytorch_that_the_answer_reaches_is_found(answer: str, other: str):
    assert breach("no_torch", answer, other, stem="part10").startswith("Cell 3, line ")


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("import torch\nimport torch.nn as nn\nimport numpy as np\ndef f(W):\n    return np.tile(W, 2)", "pass"),
        ("from torch import nn\ndef f(W):\n    return W", "pass"),
        ("# torch\n'torch.ones'\ndef f(W):\n    return W.nn", "pass"),
        ("def f(W):\n    return W", "print(torch.ones(2))"),
        ("def f(W):\n    nn = W.shape[0]\n    return np.ones(nn)", "pass"),
        ("nn = 4\nprint(np.ones(nn))", "pass"),
        ("def f(W, torch=1):\n    return W * torch", "pass"),
        ("names = {'torch': 1}\nnames['torch']", "pass"),
        ("from numpy import *\ndef f(W):\n    return tile(W, 2)", "pass"),
    ],
)
def test_importing_pytorch_again_and_using_it_elsewhere_is_free(answer: str, other: str):
    assert breach("no_torch", answer, other, stem="part10") is None


# What the rules share -------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize(
    "rule", ["no_imports", "no_loops", "no_ready_made_attention", "no_torch", "one_statement_each"]
)
@pytest.mark.parametrize(
    "source",
    [
        "def f(:\n  x",
        "\0",
        "x = '" + "\\" * 7,
        "def f(x):\n    return " + "+".join(["x"] * 5000),
        "def f(x):\n    return " + "(" * 150 + "x" + ")" * 150,
        "def f(x):\n    return " + "-" * 190 + "x",
        "def f(x):\n    return x" + ".a" * 190,
        "def f(x):\n    return " + "lambda: " * 60 + "x",
        "def reduced_matrices(*a):\n    return " + "not " * 190 + "a",
        "if x: pass\n" + "".join(f"elif x == {n}: pass\n" for n in range(150)),
        'x = f\'{x!r:>{10}} {"a" + "b"}\'',
        "await f()\nasync def g():\n    async with x as y:\n        await y",
        "return 1",
        "%%",
        "%",
        "!",
        "%%unknown\nimport math",
        "def f[T](x: T): return x",
        "",
    ],
    ids=lambda source: source[:25],
)
def test_no_text_makes_a_rule_fail(rule: str, source: str):
    for stem, sources in itertools.product(("part05", "part10", "part13"), ([source], ["pass", source])):
        assert breach(rule, *sources, stem=stem) is None or "line" in breach(rule, *sources, stem=stem)


def test_code_nested_beyond_what_can_be_looked_into_counts_as_hiding_something():
    assert breach("no_imports", "x = " + "-" * 300 + "1")
    assert breach("no_imports", "x = " + "-" * 100 + "1") is None


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
    "def f(exec=exec):\n    exec('import math')",
    "def f():\n    exec = 5\n    def g():\n        global exec\n        return exec\n    return g()",
    "for M in 'QK':\n    exec(f'import {M}')",
    "for M in ['math', 'os']:\n    exec('import %s' % M)",
    "for M in ['math', 'os']:\n    exec(f'imp{\"ort\"} {M}')",
]


@pytest.mark.parametrize("source", OWN_EXEC)
def test_a_variable_that_is_called_as_a_builtin_that_runs_text_hides_no_import(source: str):
    assert breach("no_imports", source) is None


@pytest.mark.parametrize("source", NOT_OWN_EXEC)
def test_a_builtin_that_runs_text_counts_wherever_its_name_may_still_mean_it(source: str):
    assert breach("no_imports", source) is not None
