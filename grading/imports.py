"""Imports in whatever spelling: what a cell imports, what it may hide, and what stands in a text that it runs.

torch, NumPy and all that lives inside them may be imported in any way, and so may whatever the part's setup cell
imports. What torch and NumPy hold of other modules, such as torch.os, may not be reached; and where it cannot be told
what a text or a name that is made at run time will be, it counts as an import.
"""

import ast
import builtins
import itertools
from collections.abc import Iterator

from grading.cells import Code, folded
from grading.own_names import reads_of_own
from grading.reach import PACKAGES, imports_by_call, libraries, root

Given = frozenset[tuple[str, str | None]]  # what a setup cell imports: modules, (name, None), and (module, name)

# Modules that torch and numpy happen to hold as attributes: reaching them is an import in another spelling.
SMUGGLED = frozenset(
    "os sys math cmath importlib builtins inspect subprocess io functools itertools operator ctypes platform warnings "
    "threading pickle glob textwrap collections contextlib dataclasses re json time enum abc weakref copyreg logging "
    "tempfile shutil socket struct traceback pathlib numbers hashlib string linecache gc zipfile uuid posixpath _osp "
    "osp datetime bisect heapq statistics decimal fractions sympy typing typing_extensions ast argparse atexit base64 "
    "concurrent container_abcs contextvars difflib dis errno fnmatch gzip locale pickletools pkgutil pprint queue "
    "tarfile tokenize unittest zlib".split()
)
OWN_TYPING = frozenset({"np", "numpy"})  # numpy.typing is numpy's own
# Names and attributes that lead to the import machinery, and have no other use in an answer.
IMPORTING_NAMES = frozenset(
    "__import__ import_module importlib builtins __builtins__ __loader__ __spec__ __globals__ __subclasses__ f_globals "
    "f_builtins run_cell run_cell_async run_code run_ast_nodes safe_execfile safe_execfile_ipy safe_run_module "
    "extension_manager find_line_magic find_cell_magic".split()
)
IMPORTING_TEXTS = frozenset("__import__ import_module importlib __builtins__ __loader__ __spec__".split())
IMPORTING_MAGICS = frozenset("pylab run load_ext reload_ext aimport autoreload alias_magic".split())
RUNNING_NAMES = frozenset({"exec", "eval", "compile"})
MAX_TEXTS = 64  # values of one expression that are followed up
MAX_STEPS = 2000  # of following them up


def given(setup: ast.Module) -> Given:
    """What a setup cell imports; imports inside its functions stay there and are not given."""
    found = set()
    for node in setup.body:
        match node:
            case ast.Import(names=names):
                found |= {(alias.name, None) for alias in names}
            case ast.ImportFrom(module=str(module), names=names, level=0):
                found |= {(module, alias.name) for alias in names}
    return frozenset(found)


def imports_more(node: ast.AST, given: Given = frozenset()) -> bool:
    """Whether an import statement imports anything but torch and NumPy, a piece of them, and what is given.

    `import sympy` is no more than `from sympy import symbols` as long as only `symbols` is taken from it, which
    `taken_beyond` looks at.
    """
    match node:
        case ast.Import(names=names):
            others = [a for a in names if a.name.split(".")[0] not in PACKAGES and (a.name, None) not in given]
            modules = {module for module, _ in given}
            return any(a.name not in modules or ("." in a.name and not a.asname) for a in others)
        case ast.ImportFrom(module="__future__", level=0):
            return False  # a directive to the compiler, no module
        case ast.ImportFrom(module=module, names=names, level=level):
            if level or (module or "").split(".")[0] not in PACKAGES:
                return bool(level) or any((module, a.name) not in given for a in names)
            return any(a.name in SMUGGLED and (a.name, module) != ("typing", "numpy") for a in names)
    return False


def taken_beyond(codes: list[Code], given: Given) -> Iterator[tuple[Code, ast.AST]]:
    """Where a module that is imported whole, and of which only names are given, serves for anything but these names."""
    names_of = {module: {name for m, name in given if m == module} for module, _ in given}
    bound: dict[str, set] = {}  # names of the student's for such modules, and what may be taken from each
    nodes = [(code, node) for code in codes for node in ast.walk(code.tree or ast.Module([], []))]
    for _, node in nodes:
        for alias in node.names if isinstance(node, ast.Import) else ():
            if None not in names_of.get(alias.name, {None}):  # None stands for all of it
                bound[alias.asname or alias.name] = names_of[alias.name]
    within = {n.value for _, n in nodes if isinstance(n, ast.Attribute) and n.attr in bound.get(root(n.value), ())}
    for code, node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in bound and node not in within:
            yield code, node


def hidden_imports(codes: list[Code]) -> list[tuple[Code, ast.AST]]:
    """Where the student's cells may import something in another way than by an import statement."""
    modules, texts = libraries(codes).keys(), _Texts(codes)
    own = reads_of_own([code.tree for code in codes if code.tree], RUNNING_NAMES)
    found = []
    for code in codes:
        called, harmless = set(), set()
        for node in ast.walk(code.tree) if code.tree else ():
            if isinstance(node, ast.Call):
                called.add(node.func)
            if imports_by_call(node):
                harmless.add(node.func)
            if node in own or isinstance(node, ast.Call) and node.func in own:
                continue
            read = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node not in called
            if read and node.id in RUNNING_NAMES:
                found.append((code, node))  # under another name it would run unseen
            elif node not in harmless and _hides_an_import(node, modules, texts):
                found.append((code, node))
    return found


def _hides_an_import(node: ast.AST, modules: set[str], texts: "_Texts") -> bool:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in IMPORTING_NAMES:
            return True
        case ast.Attribute(value=value, attr=name) if name in SMUGGLED and root(value) in modules:
            return not (name == "typing" and root(value) in OWN_TYPING and isinstance(value, ast.Name))
        case ast.Attribute(value=value, attr="__dict__") | ast.Call(func=ast.Name(id="vars"), args=[value]):
            return root(value) in modules
        case ast.Attribute(value=ast.Name(id=name), attr="__self__"):
            return hasattr(builtins, name)
        case (
            ast.Constant(value=str())
            | ast.BinOp(op=ast.Add())
            | ast.JoinedStr()
            | ast.Call(func=ast.Attribute(attr="join"))
        ):
            return folded(node) in IMPORTING_TEXTS
        case ast.Subscript(value=ast.Call(func=ast.Name(id="globals" | "locals" | "vars")), slice=key):
            return not IMPORTING_TEXTS.isdisjoint(texts.of(key) or ())
        case ast.Call(func=ast.Name(id=name), args=[text, *_]) if name in RUNNING_NAMES:
            return name != "compile" or _may_import(texts.of(text))
        case ast.Call(func=ast.Name(id="getattr"), args=[place, name, *_]):
            names = texts.of(name)
            if root(place) not in modules:
                return not IMPORTING_NAMES.isdisjoint(names or ())
            return names is None or not (SMUGGLED | IMPORTING_NAMES).isdisjoint(names)
        case ast.Call(func=ast.Attribute(attr="run_line_magic" | "run_cell_magic" | "magic"), args=[magic, *rest]):
            words = {(name.split() or [""])[0].lstrip("%") for name in texts.of(magic) or {"run"}}
            return not IMPORTING_MAGICS.isdisjoint(words) or any("import" in (folded(text) or "") for text in rest)
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="get_ipython")), attr="ex" | "ev")):
            return True
    return False


def _may_import(sources: set[str] | None) -> bool:
    """Whether any of the texts, as code, imports or runs something; None is a text that cannot be told."""
    if sources is None:
        return True
    try:
        trees = [ast.parse(source) for source in sources]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    names = [getattr(node, "id", getattr(node, "attr", None)) for tree in trees for node in ast.walk(tree)]
    imported = any(imports_more(node) for tree in trees for node in ast.walk(tree))
    return imported or not (IMPORTING_NAMES | RUNNING_NAMES | SMUGGLED).isdisjoint(names)


class _Texts:
    """The texts that an expression can have as its value, as far as the student's cells tell."""

    def __init__(self, codes: list[Code]) -> None:
        self.bound: dict[str, list[ast.expr | None]] = {}
        self.steps = 0
        for code in codes:
            for node in ast.walk(code.tree) if code.tree else ():
                match node:
                    case ast.Assign(targets=targets, value=value):
                        for target in targets:
                            self.bind(target, value)
                    case ast.AnnAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
                        self.bind(target, value)
                    case (
                        ast.For(target=target, iter=ast.List(elts=pieces) | ast.Tuple(elts=pieces))
                        | ast.comprehension(target=target, iter=ast.List(elts=pieces) | ast.Tuple(elts=pieces))
                    ):
                        for piece in pieces:
                            self.bind(target, piece)
                    case ast.For(target=target) | ast.comprehension(target=target) | ast.AugAssign(target=target):
                        self.bind(target, None)
                    case ast.withitem(optional_vars=target) if target is not None:
                        self.bind(target, None)
                    case ast.arg(arg=name):
                        self.bound.setdefault(name, []).append(None)

    def bind(self, target: ast.expr, value: ast.expr | None) -> None:
        pair = (ast.Tuple, ast.List)
        if isinstance(target, ast.Name):
            self.bound.setdefault(target.id, []).append(value)
        elif isinstance(target, pair):
            same = isinstance(value, pair) and len(value.elts) == len(target.elts)
            for place, inner in enumerate(target.elts):
                self.bind(inner, value.elts[place] if same else None)

    def of(self, node: ast.expr | None, depth: int = 0) -> set[str] | None:
        """All possible texts, or None if they cannot be told."""
        self.steps = self.steps + 1 if depth else 0
        if node is None or depth > 8 or self.steps > MAX_STEPS:
            return None
        if (text := folded(node)) is not None:
            return {text}
        match node:
            case ast.Name(id=name):
                return self.any_of(self.bound.get(name, [None]), depth)
            case ast.IfExp(body=body, orelse=other):
                return self.any_of([body, other], depth)
            case ast.Subscript(value=ast.List(elts=pieces) | ast.Tuple(elts=pieces) | ast.Dict(values=pieces)):
                return self.any_of(pieces, depth)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                sides = [self.of(left, depth + 1), self.of(right, depth + 1)]
                if None in sides or len(sides[0]) * len(sides[1]) > MAX_TEXTS:
                    return None
                return {a + b for a, b in itertools.product(*sides)}
        return None

    def any_of(self, nodes: list[ast.expr | None], depth: int) -> set[str] | None:
        sets = [self.of(node, depth + 1) for node in nodes[: MAX_TEXTS + 1]]
        return None if None in sets or len(sets) > MAX_TEXTS else set().union(*sets)
