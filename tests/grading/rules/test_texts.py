"""Texts that an expression can have: followed where they are written down, and unknown where they may change."""

import time

import busy
import pytest
from hand_written import import_breach

TAKEN = "getattr(torch, op)"
KNOWN = [
    "for kind, bits in (('mm', 8), ('mul', 16)):\n    getattr(torch, f'float{{bits}}'); op = kind; {}",
    "ops = ['mm', 'mul']\nfor op in ops:\n    {}",
    "def f(ops=('mm',)):\n    for op in ops:\n        {}",
    "ops = 'mm', 'mul'\nfound = [{} for op in ops]",
    "ops = ['mm', 'mul']\nprint(len(ops), ops[0], f'{{ops}}')\nfor op in sorted(ops):\n    {}",
    "for n, op in enumerate(['mm', 'mul']):\n    {}",
    "for op, x in zip(['mm', 'mul'], (a, b), strict=True):\n    {}",
    "for op, x in zip(('mm', 'mul'), tensors):\n    {}",
    "for op, limit in {{'mm': 1e-5, 'mul': 1e-6}}.items():\n    {}",
    "limits = {{'mm': 1e-5, 'mul': 1e-6}}\nfor op, limit in limits.items():\n    {}",
    "limits = {{'mm': 1e-5, 'mul': 1e-6}}\nfor op in limits:\n    {}",
    "ops = 'mm', 'mul'\nop = ops[n]\n{}",
    "ops = {{'a': 'mm', 'b': 'mul'}}\nop = ops[key]\n{}",
    "ops = dict(a='mm', b='mul')\nop = ops[key]\n{}",
    "for n in dict(a=1).keys():\n    op = 'mm'\n    {}\ngetattr(torch, f'b{{n[:0]}}mm')",
    "op = ('mm').upper().lower()[::-1][::-1]\n{}",
    "ops = ['mm', 'MUL']\nfor n in (0, 1):\n    op = ops[n].lower()\n    {}",
    "cases = (('mm', 1), ('mul', 2))\nfor op, n in cases:\n    {}",
    "for op in ('mm', 'mul'):\n    {}\nglobals()['a'] = 3\nprint(globals().keys(), 'a' in globals())",
    "for op in ('mm', 'mul'):\n    {}\nfor name in 'QKV':\n    globals()[f'W_{{name}}'] = 3",
    "def f(op):\n    return {}\nf('mm')\nf(op='mul')",
    "def f(x, op='mm'):\n    return {}\nf(x)\nf(x, 'mul')",
    "def f(*, op='mm'):\n    return {}\nf()",
    "def f(op, *shape):\n    return {}\nf('mm', 2, 3)",
    "def f(op):\n    return {}\nfor op in ('mm', 'mul'):\n    f(op)",
    "def f(op):\n    return {}\ndef g(kind='mul'):\n    return f(kind)\nf('mm')\ng()",
]
UNKNOWN = [
    "ops = ['mm']\nops.append('o' + 's')\nfor op in ops:\n    {}",
    "ops = ['mm']\nops[0] = x\nfor op in ops:\n    {}",
    "ops = ['mm']\nops += [x]\nfor op in ops:\n    {}",
    "ops = ['mm']\nf(ops)\nfor op in ops:\n    {}",
    "ops = ['mm']\nops = x\nfor op in ops:\n    {}",
    "op = 'SO'.lower()[::-1]\n{}",
    "ops = 'so', 'mm'\nop = ops[n][::-1]\n{}",
    "ops = ['mm']\nops[0] = x\nop = ops[0]\n{}",
    "op = 'mm'.replace('m', x)\n{}",
    "ops = {{'a': 'mm'}}\nops['a'] = x\nop = ops[key]\n{}",
    "ops = {{'a': 'mm'}}\nops.update(x)\nop = ops[key]\n{}",
    "ops = {{'a': 'mm', **x}}\nop = ops[key]\n{}",
    "ops = dict(a='mm', **x)\nop = ops[key]\n{}",
    "ops = dict(x, a='mm')\nop = ops[key]\n{}",
    "def dict(a):\n    return x\nops = dict(a='mm')\nop = ops[key]\n{}",
    "ops = dict(a='mm')\nops.update(x)\nop = ops[key]\n{}",
    "ops = {{'a': 'mm'}}\nothers = ops\nop = ops[key]\n{}",
    "ops = ['mm']\nothers = ops\nfor op in ops:\n    {}",
    "ops = [['mm']]\nops[0][0] = x\nfor (op,) in ops:\n    {}",
    "ops = ['mm', *x]\nfor op in ops:\n    {}",
    "ops = {{'mm': 1, **x}}\nfor op in ops:\n    {}",
    "ops = {{'mm': 'o' + 's'}}\nfor op in ops.values():\n    {}",
    "def sorted(x):\n    return x\nfor op in sorted(['mm']):\n    {}",
    "from torch import stack as zip\nfor op, n in zip(['mm'], [1]):\n    {}",
    "for op, n in zip(x, y):\n    {}",
    "def f(ops=('mm',)):\n    for op in ops:\n        {}\nf(x)",
    "op = 'mm'\nmatch 'os':\n    case op:\n        {}",
    "op = 'mm'\nmatch {{'a': 'os'}}:\n    case {{'a': op}}:\n        {}",
    "op = 'mm'\nclass op(str):\n    pass\n{}",
    "op = 'mm'\ntry:\n    f()\nexcept ValueError as op:\n    {}",
    "op = 'mm'\nglobals()['o' + 'p'] = 'os'\n{}",
    "op, n = 'mm', 'n'\nglobals()[n] = x\n{}\nglobals()['n'] = 'op'",
    "op = 'mm'\nglobals()[x] = 'os'\n{}",
    "ops = ['mm']\nglobals()['ops'] = x\nfor op in ops:\n    {}",
    "ops, n = ['mm'], 'ops'\nglobals()[n] = x\nfor op in ops:\n    {}",
    "op = 'mm'\nglobals().update(op='os')\n{}",
    "op = 'mm'\nnames = locals()\nnames['op'] = 'os'\n{}",
    "op = 'mm'\nf(vars())\n{}",
    "def f(op):\n    return {}",
    "def f(op):\n    return {}\nf('mm')\nf(x)",
    "def f(_):\n    op = _\n    return {}\nf('mm')\nf(_)",  # names under which IPython keeps values and texts of cells
    "def f(_i):\n    op = _i\n    return {}\nf(_i)",
    "_3 = 'mm'\nop = _3\n{}",
    "op = 'mm'\nget_ipython().run_cell_magic('bash', '--out op', 'printf os')\n{}",
    "def f(op):\n    return {}\nf('mm')\nm = get_ipython().run_line_magic('time', 'a = 1; f(x)')",
    "ops = ['mm']\nimport torch.utils.benchmark as b\nb.Timer('ops.append(x)', globals=globals())\nop = ops[0]\n{}",
    "def f(op):\n    return {}\nf('mm')\ng = f",
    "def f(op):\n    return {}\nf('mm')\n[f]",
    "def f(op):\n    return {}\nf('mm')\nf(*x)",
    "def f(op):\n    return {}\nf('mm')\nf(**x)",
    "@g\ndef f(op):\n    return {}\nf('mm')",
    "f = g\ndef f(op):\n    return {}\nf('mm')",
    "def f(op):\n    return {}\nf('mm')\nglobals()[x](y)",
    "def f(op):\n    return {}\nf('mm')\nfrom torch import *",
    "def f(op):\n    return {}\nf('mm')\nimport torch.utils.benchmark as b\nb.Timer('f()', 'from __main__ import f')",
    "class A:\n    def f(self, op):\n        return {}\nA().f('mm')",
    "def f(op):\n    op += x\n    return {}\nf('mm')",
    "def f(op):\n    return {}\ndef g(op):\n    return f(op)\nf('mm')",
    "def f(*op):\n    return {}\nf('mm')",
    "def f(a, op='mm'):\n    return {}\nf(1, *x)",
    "ops, len = ['mm'], list.clear\nlen(ops)\nfor op in ops:\n    {}",
    "chr = lambda n: 'os'[n]\nop = chr(0) + chr(1)\n{}",
]


EXEC_FREE = [
    "for m in 'QK':\n    exec(f'shape_{m} = (H * D_qk, D_1)')",
    "for m, D in (('Q', 'D_1'), ('V', 'D_2')):\n    exec(f'shape_{m} = [H * D_{m}, {D}]')",
    "for n in (1, 2):\n    print(eval(f'D_{n}'))",
    "for m, (n, D) in dict(Q=(1, 2), K=(3, 4)).items():\n    exec(f'shape_{m} = (n, D)')",
]
EXEC_OPEN = [
    "for m in 'QK':\n    exec(f'shape_{m} = f({m})')",
    "for m in ('os', 'Q'):\n    exec(f'import {m}')",
    "for m in 'QK':\n    exec(f'{m} = torch')",
    "for m in 'QK':\n    exec(f'{m} = f')",
    "for m in 'QK':\n    exec(f'{m} = (torch,)')",
    "for m in 'QK':\n    exec(f'{m} = (x.y, 1)')",
    "for m in ('torch', 'np'):\n    eval(f'{m}').os",
    "for m in ('__builtins__', 'D_1'):\n    eval(f'{m}')",
    "for m in ('open', 'get_ipython'):\n    x = eval(f'{m}')",
    "for m in (1, 2):\n    eval(f'D_{m}', names)",
    "for m in 'QK':\n    exec(f'{m} = (')",
    "for m in names:\n    exec(f'{m} = (1, 2)')",
    "op = 'mm'\nfor m in ('op',):\n    exec(f'{m} = 3')\ngetattr(torch, op)",  # 'os', say
    "def mm(x): return x\nfor m in ('mm',):\n    exec(f'{m} = (1, 2)')",
]


@pytest.mark.parametrize("source", EXEC_FREE)
def test_a_text_that_only_computes_with_names_may_be_run(source: str):
    assert import_breach(source) is None


@pytest.mark.parametrize("source", EXEC_OPEN)
def test_a_text_that_may_do_more_may_not_be_run(source: str):
    assert import_breach(source) is not None


@pytest.mark.parametrize("source", KNOWN)
def test_a_text_that_is_written_down_is_followed(source: str):
    assert import_breach(source.format(TAKEN)) is None
    assert import_breach(source.replace("'mm'", "'o' + 's'").format(TAKEN)).endswith("Remove it.")


@pytest.mark.parametrize("source", UNKNOWN)
def test_a_text_that_may_change_may_name_anything(source: str):
    assert import_breach(source.format(TAKEN)).endswith("Remove it.")


def test_a_number_too_long_to_be_written_makes_a_text_that_nobody_can_tell():
    assert import_breach(f"exec(f'a{{0x{'f' * 4000}}} = 3')").endswith("Remove it.")


def test_thousands_of_loops_over_long_lists_are_read_in_no_time():
    started = time.process_time()
    ops = ", ".join(f"'op{n}'" for n in range(3000))
    assert import_breach(f"ops = [{ops}]\n" + f"for op in ops:\n    {TAKEN}\n" * 1500)
    names = "\n".join(f"n{n} = 'n{n + 1}'\nglobals()[n{n}] = 3" for n in range(1000))
    assert import_breach(f"{names}\n{TAKEN}")
    assert busy.within(time.process_time() - started, 10)
