"""Tables of modules: looked into in plain sight they are free, and in any other way they may hide an import."""

import time

import busy
import pytest
from hand_written import breach, import_breach

from attention import rules

LOOKED_INTO = [
    "libs = {'np': np}\nlibs['np'].ones(3)",
    "libs = {'F': nn.functional, 'scale': 2}\ndef f(x):\n    return libs['F'].softmax(libs['scale'] * x, -1)",
    "libs = dict(np=np, scale=2)\nlibs['scale'] * libs['np'].ones(3)",
    "libs = {'np': np, 'torch': torch}\ndef f(x, key='np'):\n    lib = libs[key]\n    return lib.sqrt(x)",
    "libs = [np, torch]\ndef f(x, key):\n    return libs[key].sqrt(x)",
    "libs = {'np': np}\nlibs['np'].ones(3)\nget_ipython().run_line_magic('matplotlib', 'inline')",
    "libs = torch, np\nlibs[0].ones(3) + libs[1].ones(3)",
    "libs = [np, torch]\nfor lib in libs:\n    print(lib.__name__, lib.__version__)",
    "libs = {'np': np, 'torch': torch}\nfor name, lib in libs.items():\n    print(name, lib.__version__)",
    "libs = {'np': np, 'torch': torch}\n[lib.__version__ for lib in libs.values()]",
    "libs = [('numpy', np), ('torch', torch)]\nfor name, lib in libs:\n    print(name, lib.__version__)",
    "try:\n    libs = {'np': np, 'torch': torch}\nexcept NameError:\n    raise\nlibs['np'].ones(3)",
    "if np:\n    libs = [np, torch]\nelse:\n    on_gpu = 0\nlibs[on_gpu].ones(3)",
    "with open('a') as f:\n    libs = np, torch\nlibs[0].ones(3)",
    "x = 3\n{'np': np, 'torch': torch}['np'].ones(3)",
    "x = 3\nlib = [np, torch][torch.is_tensor(x)]\nlib.sqrt(x)",
    "x = 3\ndef f(x, key='np'):\n    return {'np': np, 'torch': torch, 'la': np.linalg}[key].sqrt(x)",
    "x = 3\n(np, torch)[(np, nn)[x].ones(3)].ones(3)",
    "x = 3\nfor name, lib in zip(['np', 'torch'], [np, torch], strict=True):\n    print(name, lib.__version__)",
    "x = 3\nfor n, lib in enumerate((np, torch)):\n    print(n, lib.__version__)",
    "x = 3\n[f'{n} {lib.__version__}' for n, lib in enumerate([np, torch])]",
]
HIDDEN = [
    "libs = {'t': torch}\nlibs['t'].serialization.copyreg",
    "libs = {'t': torch}\nlibs['t'].os",
    "libs = {'t': torch}\ngetattr(libs['t'], name)",
    "libs = {'t': torch}\nf(libs)",
    "libs = {'t': torch}\nf(libs['t'])",
    "libs = {'t': torch}\nlibs['u'] = 3\nlibs['t'].ones(3)",
    "libs = {'t': torch}\nlibs['t'] = np\nlibs['t'].ones(3)",
    "libs = {key: torch}\nlibs['t'].ones(3)",
    "libs = {'t': torch}\nlibs.get('t').ones(3)",
    "libs = {'t': torch, 'n': 2}\nlibs[key].ones(3)",
    "libs = {'t': torch, 'np': np}\nlibs[key].os",
    "libs = {'t': torch, 'np': np}\nlib = libs[key]\nlib.os",
    "libs = {'t': torch, 'np': np}\nf(libs[key])",
    "libs = dict(t=torch)\nlibs['t'].os",
    "libs = dict(t=torch, **more)\nlibs['t'].ones(3)",
    "libs = dict(t=torch)\nlibs.get('t').ones(3)",
    "dict = make\nlibs = dict(t=torch)\nlibs['t'].ones(3)",
    "libs = {'t': torch}\nglobals()['libs']['t'].os",
    "libs = {'t': torch}\nlibs = {'t': 3}\nlibs['t']",
    "libs = {'t': torch}\ndef f(libs):\n    return libs['t']\n[f]",
    "libs = {'t': torch, 'u': f(3)}\nlibs['t'].ones(3)",
    "libs = {'t': torch, **more}\nlibs['t'].ones(3)",
    "libs = {'t': torch}\nfor lib in libs.values():\n    lib.os",
    "libs = {'t': torch}\nfor name, lib in libs.items():\n    f(lib)",
    "libs = [torch]\nlibs[-1].ones(3)",
    "libs = [torch]\nlibs.pop().ones(3)",
    "libs = [[1, torch]]\nlibs[0][1].ones(3)",
    "libs = [[1, torch]]\nfor row in libs:\n    row[1].ones(3)",
    "def f():\n    libs = {'t': torch}\n    return libs['t']",
    "class A:\n    libs = {'t': torch}\n    t = libs['t']",
    "libs = {'t': torch}\nimport numpy as libs\nlibs['t']",
    "libs = {'t': torch}\nfrom torch import *\nlibs['t'].ones(3)",
    "def f():\n    global libs\nlibs = {'t': torch}\nlibs['t'].ones(3)",
    "nn = nn\nlibs = {'n': nn}\nlibs['n'].Linear",
    "if np:\n    libs = {'t': torch}\nelse:\n    libs = f\nlibs['t'].ones(3)",
    "try:\n    libs = {'t': torch}\nexcept NameError as libs:\n    pass\nlibs['t'].ones(3)",
    "{'t': torch, 'np': np}[key].os",
    "lib = (np, torch)[1]\nlib.os",
    "f((np, torch)[1])",
    "getattr((np, torch)[1], name)",
    "[np, torch][0:2]",
    "[np, torch][f(torch)].ones(3)",
    "[np, [torch]][1][0].ones(3)",
    "{'t': torch, **more}['t'].ones(3)",
    "{'t': torch, 'n': 3}[key].ones(3)",
    "[*libs, torch][1].ones(3)",
    "for n, lib in enumerate([np, torch]):\n    lib.os",
    "for n, lib in enumerate([np, torch]):\n    f(lib)",
    "for n, lib in zip([1], [torch, f]):\n    lib.ones(3)",
    "for n, lib in zip([1, 2], [np, torch.os]):\n    n",
    "for n, lib in zip([1], [torch, torch.os]):\n    n",
    "for n, lib in zip(names, [torch]):\n    lib.ones(3)",
    "for n, lib in zip([1, *names], [torch]):\n    lib.ones(3)",
    "for n, lib in zip([1], [torch], strict=torch.os):\n    lib.ones(3)",
    "zip = f\nfor n, lib in zip([1], [torch]):\n    lib.ones(3)",
    "def g(enumerate):\n    for n, lib in enumerate([torch]):\n        lib.ones(3)",
]


@pytest.mark.parametrize("source", LOOKED_INTO)
def test_a_look_into_a_table_of_modules_is_free(source: str):
    assert import_breach(source) is None
    assert import_breach(*source.split("\n", 1)) is None  # the look in a cell of its own


@pytest.mark.parametrize("source", HIDDEN)
def test_a_table_that_changes_or_goes_elsewhere_hides_an_import(source: str):
    assert import_breach(source).startswith("Answer, line ")
    assert import_breach("pass", source).startswith("Cell 3, line ")


def test_the_line_of_a_breach_is_the_one_of_the_look():
    assert import_breach("libs = {\n    't': torch,\n}\n\nlibs[\n    't'\n].os").startswith("Answer, line 5, `libs[`")


def test_what_a_table_gives_is_pytorch_where_the_part_bans_it():
    answer = "def GQA_2_MLA(W):\n    return libs['{}'].linalg.svd(W)"
    assert breach(rules.no_torch, answer.format("np"), "libs = {'np': np}", stem="part10") is None
    for key in ("t", "np"):  # also where the table alone mentions it, in the answer
        with_torch = "libs = {'t': torch, 'np': np}\n" + answer.format(key)
        assert "without PyTorch" in breach(rules.no_torch, with_torch, stem="part10")
    apart = breach(rules.no_torch, answer.format("t"), "libs = {'t': torch}", stem="part10")
    assert apart.startswith("Answer, line 2")


def test_ready_made_attention_out_of_a_table_is_found():
    answer = "libs = {'F': nn.functional}\nclass MyMHA(nn.Module):\n    def forward(self, x):\n        return "
    for name in ("scaled_dot_product_attention", "_a_new_attention"):
        assert "build attention yourself" in breach(rules.no_ready_made_attention, f"{answer}libs['F'].{name}(x)")


def test_thousands_of_tables_are_read_in_no_time():
    started = time.process_time()
    assert import_breach("\n".join(f"t{n} = {{'np': np}}\nt{n}['np'].ones(3)" for n in range(2000)))
    large = f"t = [{'np, ' * 1000}]\n" + "for lib in t:\n    lib.ones(3)\n" * 1000
    assert import_breach(large)  # copied for each loop, it would be a million nodes
    assert import_breach("(np, torch, nn)[" * 25 + "0" + "].ones" * 25) is None  # copied, a key would grow each time
    assert busy.within(time.process_time() - started, 10)  # the 2000, each looked for in all cells, took a minute
