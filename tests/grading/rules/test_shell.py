"""IPython's shell: magics, commands and get_ipython that run nothing of Python's are free, all others hide code."""

import pytest
from hand_written import import_breach

HARMLESS = [
    "%matplotlib inline",
    "%matplotlib widget",
    "get_ipython().magic('matplotlib inline')",
    "%config InlineBackend.figure_format = 'retina'",
    "%config InlineBackend.figure_formats = ['png', 'svg']",
    "%config InteractiveShell.ast_node_interactivity = 'all'",
    "%config InlineBackend.rc = {'figure.figsize': (8, 6)}",
    "%precision 3\n%autosave 60\n%who\n%whos\n%pwd\n%history\n%cd folder\n%env A=1\n%pprint",
    "%automagic off\n%doctest_mode\n%dhist",
    "%clear\n%less notes.txt\n%man ls\n%cp a.txt b.txt\n%rm b.txt\n%connect_info\n%logstart",
    "%env\n%env HOME\n%env CUDA_VISIBLE_DEVICES=0\n%set_env PATH=$PATH:/opt\n%env N = {n}\n%env MPLBACKEND=agg",
    "get_ipython().magic('env OMP_NUM_THREADS 1')",
    "%load_ext autoreload\n%autoreload 2",
    "%unload_ext autoreload",
    "colab = 'google.colab' in str(get_ipython())",
    "print(str(type(get_ipython())))",
    "print(get_ipython())",
    "get_ipython() == None",
    "if 'Terminal' in repr(type(get_ipython())):\n    pass",
    "%reload_ext autoreload\n%autoreload explicit",
    "load_ext autoreload",
    "!ls {folder} $HOME | awk '{print $1}'",
    "!!pip list",
    "get_ipython().system('ls')",
    "if get_ipython() is not None:\n    print(get_ipython().__class__.__name__)",
    "try:\n    get_ipython\nexcept NameError:\n    pass",
    "get_ipython = None\nprint(get_ipython)",
    "%pip list",
    "!pip list",
    "files = !ls",
    "np.linalg?",
    "%%bash\npython -c 'import os'",
    "%%writefile notes.txt\nimport os",
    "%%html\n<b>import os</b>",
    "%%html  \r\n<b>import os</b>",
    "%%bash --out text\nls {folder} | awk '{print $1}'",
    "# A magic of a cell may stand in its first line alone: this one is not found.\n%%time\nnp.ones(3)",
    "% matplotlib inline",
]
HIDING = [
    "%%zz\nimport scipy",
    "%%code_wrap w\nimport scipy\n__code__\n__ret__",
    "get_ipython().magics_manager.register_alias('zz', 'capture', 'cell')",
    "get_ipython().input_transformers_post.append(change)",
    "get_ipython().ast_transformers.append(change)",
    "%run helper.py",
    "%matplotlib module://helper",
    "matplotlib module://helper",
    "%matplotlib {backend}",
    "%matplotlib $backend",
    "get_ipython().magic('matplotlib  {backend}')",
    "%env MPLBACKEND=module://helper",
    "%env MPLBACKEND = {backend}",
    "%env TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD=1",
    "%set_env TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD 1",
    "%env {name}=1",
    "%env $name 1",
    "get_ipython().magic('%env PYTHONBREAKPOINT=helper.f')",
    "get_ipython().run_line_magic('env', 'PYTHONBREAKPOINT=helper.f')",
    "%config InteractiveShell.loop_runner = 'helper'",
    "%config InteractiveShell.autocall = 2",
    "%config MagicsManager.lazy_magics = {'zz': 'helper'}",
    "%config InlineBackend.rc = {'backend': 'module://helper'}",
    "%config ZMQInteractiveShell.inspector_class='helper.Inspector'",
    "%config IPCompleter.auto_import_method = 'helper.f'",
    "get_ipython().run_line_magic('matplotlib', 'module://helper')",
    "get_ipython().magic('matplotlib module://helper')",
    "%pylab",
    "%pylab inline",
    "%load_ext storemagic",
    "%load_ext autoreload_of_mine",
    "%load_ext autoreload {f()}",
    "%reload_ext helper",
    "load_ext helper",
    "%autoreload {f()}",
    "%aimport helper",
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
    "def print(x):\n    global S\n    S = x\nprint(get_ipython())",
    "type = repr = keep\nrepr(get_ipython())",
    "str(type(get_ipython()))\ndef type(x):\n    return keep(x)",
    "E() == get_ipython()",
    "get_ipython() in kept",
    "input.__reduce__()[1][0].shell.ex('import os')",
    "input.__reduce_ex__(4)",
    "type(get_ipython())",
    "shell = type(get_ipython())",
    "type(get_ipython()).instance()",
    "vars(get_ipython())",
    "get_ipython().push({})",
    "get_ipython().user_ns",
    "g = get_ipython\ng()",
    "getattr(get_ipython(), name)",
    "exit._ip.ex('import math')",
]


@pytest.mark.parametrize("source", HARMLESS)
def test_magics_and_commands_that_run_no_python_are_free(source: str):
    assert import_breach(source) is None
    assert import_breach("pass", source) is None


@pytest.mark.parametrize("source", HIDING, ids=lambda source: source[:50])
def test_whatever_else_the_shell_can_do_counts_as_hiding_an_import(source: str):
    assert import_breach(source).startswith("Answer, line ")
    assert import_breach("import torch", source).startswith("Cell 3, line ")


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
    assert import_breach(source)
    assert import_breach("pass", source)


@pytest.mark.parametrize("magic", ["run ./helper.py", "prun import math"])
def test_what_is_no_python_is_a_magic_unless_a_variable_surely_has_its_name_by_then(magic: str):
    name = magic.partition(" ")[0]
    assert import_breach("pass", magic, f"{name} = 1")
    assert import_breach("pass", f"if False:\n    {name} = 1", magic)
    assert import_breach("pass", f"{name} = 1", magic) is None
    assert import_breach("pass", f"def {name}():\n    pass", magic) is None


@pytest.mark.parametrize("source", ["run (1)", "run", "time", "load = 1", "history", "who", "time f(x)", "load.x"])
def test_a_name_of_the_student_s_or_a_harmless_magic_on_one_line_is_free(source: str):
    own = "def run(x):\n    return x\nx = 1"
    assert import_breach(source, own) is None
