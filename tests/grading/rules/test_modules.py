"""Modules as values, and stars: where a module goes somewhere that nobody can follow, it may hide an import."""

import gc
import tracemalloc
from pathlib import Path
from typing import BinaryIO

import pytest
from hand_written import import_breach

from grading.rules import reexports

HELD = [
    "torch.autograd.gradcheck(f, x)",
    "from torch.autograd import gradcheck\nassert gradcheck(f, x)",
    "from torch.nn.functional import *\nsoftmax(x, -1)",
    "from torch.nn.functional import *\ntime = 3\nprint(time)\ndef f(string, numbers):\n    return string, numbers",
    "from numpy import *\n[time for time in range(3)]\nfor queue in x:\n    print(queue)",
    "import torch.nn.functional as F\nfn = torch.nn\nfn.functional.softmax(x, -1)",
    "def f(x):\n    F = nn.functional\n    return F.softmax(x, -1)",
    "torch\nprint(torch, np)\nhelp(nn)\ndir(nn.functional)\nf'{torch}'",
    "hasattr(torch, 'vmap')\nnn is None\ncallable(torch)",
    "def f(x, xp=np):\n    return x if xp == torch or np != xp else xp.sqrt(x)",
    "class A:\n    def __eq__(self, other):\n        return self.n == other.n\ntorch is np",
    "from IPython.display import display\ndisplay(torch)",
    "def f(type):\n    return type\nprint(torch)",
    "if getattr(torch.backends, 'mps', None):\n    1\nok = getattr(torch, 'mps', None) and torch.mps.is_available()",
    "d = 'mps' if torch.mps else 'cpu'\nassert not getattr(torch, 'gone', None)\nbool(torch.mps)",
    "while nn and f(x):\n    1",
    "if torch and np:\n    1\nassert x and (nn or np), 'there'\nok = 1 if not (torch and nn.functional) else 2",
    "nn = 4\nnp.ones(nn)\n[nn]",
    "def f(W, torch=1):\n    return [W * torch]",
    "for nn in range(3):\n    print(nn, [nn])",
    "[(nn, F) for nn, F in pairs]",
    "xp = torch if torch.is_tensor(q) else np\nxp.matmul(K, q)",
    "def f(q, xp=None):\n    xp = xp or np\n    return xp.linalg.norm(q)",
    "F = on_gpu and nn.functional or np\nF.softmax(q)",
    "def f(q, xp=np, *, F=nn.functional):\n    return xp.sqrt(F.relu(q))",
    "f = lambda q, xp=np: xp.sqrt(q)",
    "class A:\n    def f(self, q, xp=np):\n        return xp.sqrt(q)",
    "for t in torch, np:\n    print(t.__name__, t.__version__)",
    "[t.__version__ for t in (torch, np)]",
    "F, la = nn.functional, np.linalg\nF.softmax(x, -1)\nla.svd(W)",
    "[t, n] = torch, 3\nt.ones(n)",
    "a = b = torch\na.ones(3)\nb.ones(3)",
    "for t, name in [(torch, 'torch'), (np, 'numpy')]:\n    print(name, t.__version__)",
    "[f'{name} {t.__version__}' for name, t in {'torch': torch, 'numpy': np}.items()]",
    "t: object = torch\nt.ones(3)",
    "globals()['torch'].ones(3)\nt = globals()['torch']\nt.ones(3)",
    "globals()['W'] = 1\nf(globals()['W'], globals().get('os'))\nrows = [W['torch'], f()['torch']]",
]
HANDED_ON = [
    "f(torch.autograd.gradcheck)",
    "torch.autograd.gradcheck.os",
    "from torch.nn.functional import *\nmath.sqrt(2)",
    "from torch.nn.functional import *\nmath = math\nmath.sqrt(2)",
    "math = 3\nfrom torch.nn.functional import *\nmath.sqrt(2)",
    "from torch.nn.functional import *\nif False:\n    math = 3\nmath.sqrt(2)",
    "from torch.nn.functional import *\ndef f():\n    return math.sqrt(2)",
    "tools = [torch]\ntools[0].os",
    "tools = {'t': nn.functional}\nf(tools)",
    "(t := torch).os",
    "def f(t=torch):\n    return t.os",
    "def f(t=torch):\n    return t.serialization.tarfile",
    "def f(t=torch):\n    return g(t)",
    "def f(t=torch):\n    return t\nf.__defaults__",
    "def f(*, t=torch):\n    s = t\n    return s.serialization.os",
    "def f(t=torch):\n    global s\n    s = t\nu = s\nu.serialization.copyreg",
    "t = torch if x else np\nt.os",
    "t = np if x else nn if y else torch\nt.serialization.copyreg",
    "t = torch if x else np\n[t]",
    "t = x or torch\nt.os",
    "t = x and (y or torch)\nt.serialization.copyreg",
    "if (x and torch).os:\n    1",
    "if f(x and torch):\n    1",
    "if torch and (t := np):\n    t.os",
    "assert x, x and torch",
    "t = x or torch\n[t]",
    "class A:\n    t = x or torch",
    "class A:\n    t = torch if x else np",
    "class A:\n    for t in (torch, np):\n        pass",
    "for t in torch, np:\n    t.serialization.copyreg",
    "for t in torch, np:\n    f(t)",
    "for t, n in [(torch, 1)]:\n    t.os",
    "for t, n in [(torch, 1)]:\n    f(t)",
    "for t, n in [(torch, 1), (np,)]:\n    t.ones(n)",
    "for t, *n in [(1, torch)]:\n    n",
    "for t, u.n in [(1, torch)]:\n    u.n",
    "for (t, n), m in [((1, torch), 2)]:\n    n",
    "for t, n in [(*a, torch)]:\n    n",
    "for t, n in {'t': torch, **more}.items():\n    n",
    "for t, n in {'t': torch}.items():\n    n.serialization.copyreg",
    "[n.os for t, n in [(1, torch)]]",
    "class A:\n    for t, n in [(1, torch)]:\n        pass",
    "for t in torch, (np, nn):\n    t",
    "[t.serialization.copyreg for t in [torch]]",
    "[t for t in (torch, np)]",
    "def f(*, t=torch):\n    return t.os",
    "for t in torch, np:\n    t.os",
    "[t.os for t in {torch}]",
    "def f():\n    return torch\n[f]",
    "f = lambda: nn.functional",
    "print(*[torch])",
    "match torch:\n    case t:\n        t.os",
    "def f(t):\n    return t.os\nf(torch)",
    "f(x=torch.nn)",
    "self.t = torch\nf(self.t)",
    "class A:\n    t = torch\nA.t.os",
    "class A:\n    import torch\nA.torch.os",
    "import torch.nn.functional as F\n[F]",
    "F = nn.functional\n[F]",
    "from torch import nn as n\n[n.functional]",
    "def f():\n    F = nn.functional\n    return F",
    "torch or np",
    "x and torch",
    "assert x, torch",
    "torch if x and nn else np.ones(3)",
    "torch.os if torch else 1",
    "def bool(t):\n    return t.os\nbool(torch)",
    "t, n = torch, np\nn.os",
    "t, n = torch, np\n[n]",
    "t, n = torch, np\nt, n = n, t\nn.serialization.os",
    "t, *n = torch, np",
    "t, u.v = torch, np",
    "t, (n, u) = 3, (torch, np)",
    "t, n = u = torch, np",
    "(t, n) = (u, v.w) = torch, np",
    "class A:\n    t, n = torch, np",
    "class A:\n    a = b = torch",
    "class A:\n    t: object = torch",
    "a = b = torch\nb.os",
    "a = u.v = torch",
    "t: object = torch\nt.os",
    "u.t: object = torch",
    "with torch as t:\n    t.os",
    "def f():\n    yield torch",
    "globals()['torch'].os",
    "from torch._prims_common import *\nreduce(max, [1])",
    "from torch._prims_common import *\ndef f():\n    return nullcontext()",
    "vars().get('torch').serialization.copyreg",
    "t = globals()['torch']\nt.os",
    "f(locals()['torch'])",
    "[globals()['to' 'rch']]",
    "def f(t=torch):\n    return locals()['t'].os",
    "print = lambda t: t.os\nprint(torch)",  # by a name that has another meaning elsewhere
    "x[torch].os",
    "class A:\n    def __eq__(self, t):\n        self.t = t\ntorch == A()",
    "class A:\n    def __contains__(self, t):\n        self.t = t\ntorch in A()",
    "class A(type):\n    def __instancecheck__(self, t):\n        self.t = t\nisinstance(torch, A('B', (), {}))",
    "A = type('A', (), {'__eq__': f})\ntorch == A()",
    "A.__ne__ = f\ntorch != A()",
    "A = type('A', (), dict(__lt__=f))\nA() > torch",
    "repr = f\nrepr(torch)",
    "def f(str):\n    str(torch)",
    "class type:\n    pass\ntype(torch)",
    "def dir(*t):\n    return t[0].os\ndir(torch)",
    "for id in fs:\n    id(torch)",
    "from numpy import vectorize as bool\nbool(torch).pyfunc.os",
    "getattr = lambda t, name: t.os\ngetattr(torch, 'sqrt')",
]

# Paths that lead to files, and to no module that this Python could import.
TO_FILES = [
    "getattr(torch, '/proc/self/environ').x",
    "getattr(torch, '/etc/passwd').x",
    "getattr(torch, '../../../../../../../../etc/passwd').x",
    "t = getattr(torch, '/proc/self/environ')\nt.x",
    "torch.bin.protoc.x",
    "from torch.bin.protoc import x",
]


@pytest.mark.parametrize("source", HELD)
def test_a_module_that_is_only_looked_into_or_printed_is_free(source: str):
    assert import_breach(source) is None
    assert import_breach("pass", source) is None


@pytest.mark.parametrize("source", HANDED_ON, ids=lambda source: source[:50])
def test_a_module_that_is_handed_on_counts_as_hiding_an_import(source: str):
    assert import_breach(source).startswith("Answer, line ")
    assert import_breach("import torch", source).startswith("Cell 3, line ")


@pytest.mark.parametrize("source", TO_FILES)
def test_only_modules_are_read_whatever_path_is_spelt(source: str, monkeypatch: pytest.MonkeyPatch):
    opened = []

    def noted(file: str, mode: str) -> BinaryIO:
        opened.append(file)
        return open(file, mode)

    monkeypatch.setattr(reexports, "open", noted, raising=False)
    reexports._imports.cache_clear()
    assert import_breach(source) is None
    assert [file for file in opened if not file.endswith(".py")] == []


def test_a_long_chain_of_names_takes_no_memory_that_stays():
    """One of 50,000 characters took the worker that grades 0.9 GB for good, and 18 s."""
    names = "".join(f"import torch.a{number} as m\n" for number in range(30))
    sources = [f"{names}m{150 * f'.{letter * 150}'}" for letter in "ab"]
    assert import_breach(sources[0]) is None
    gc.collect()
    tracemalloc.start()
    try:
        assert import_breach(sources[1]) is None
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] < 5_000_000
    finally:
        tracemalloc.stop()


def test_a_module_that_this_python_cannot_read_takes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "ofcourse").mkdir()
    (tmp_path / "ofcourse" / "broken.py").write_text("import os\ndef f[T:](x): pass")
    monkeypatch.syspath_prepend(tmp_path)
    assert reexports.is_module("ofcourse.broken", ["ofcourse"])
    assert not reexports.is_foreign("ofcourse.broken.os", ["ofcourse"])
