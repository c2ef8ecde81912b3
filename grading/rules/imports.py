"""Imports in whatever spelling: what a cell imports, what it may hide, and what stands in a text that it runs.

The packages that a course allows and all that lives inside them may be imported in any way, and so may whatever the
part's setup cell imports. What these packages hold of other modules, such as torch.os, may not be reached; and where it
cannot be told what a text or a name that is made at run time will be, it counts as an import.
"""

import ast
import builtins
import functools
from collections.abc import Collection, Iterator, Mapping

from grading.rules import timed
from grading.rules.closure import imports_by_call, libraries, root, second_names
from grading.rules.compiling import unwarned
from grading.rules.modules import as_values, starred
from grading.rules.namespaces import AnyName, escape
from grading.rules.nodes import call_of, walk
from grading.rules.own_calls import TIMER, meanings
from grading.rules.own_names import reads_of_own
from grading.rules.parsing import folded
from grading.rules.shell import hides_code
from grading.rules.shown import shows_a_variable
from grading.rules.student_code import Code
from grading.rules.texts import Texts, only_computes
from grading.rules.timed import is_of_the_notebook, is_timer

Given = frozenset[tuple[str, str | None]]  # what a setup cell imports: modules, (name, None), and (module, name)

# Modules that torch, numpy and others happen to hold as attributes: reaching them is an import in another spelling.
SMUGGLED = frozenset(
    "os sys math cmath importlib builtins inspect subprocess io functools itertools operator ctypes platform warnings "
    "threading pickle glob textwrap collections contextlib dataclasses re json time enum abc weakref copyreg logging "
    "tempfile shutil socket struct traceback pathlib numbers hashlib string linecache gc zipfile uuid posixpath _osp "
    "osp datetime bisect heapq statistics decimal fractions sympy typing typing_extensions ast argparse atexit base64 "
    "concurrent container_abcs contextvars difflib dis errno fnmatch gzip locale pickletools pkgutil pprint queue "
    "tarfile tokenize unittest zlib".split()
)
OWN = frozenset({("numpy", "typing")})  # bears the name of another module, and is the package's own
# Names and attributes that lead to the import machinery, and have no other use in an answer.
IMPORTING_NAMES = frozenset(
    "__import__ import_module importlib builtins __builtins__ __builtin__ __loader__ __spec__ __globals__ "
    "__subclasses__ f_globals f_builtins runfile execfile run_cell run_cell_async run_code run_ast_nodes safe_execfile "
    "safe_execfile_ipy safe_run_module __path__ extension_manager find_line_magic find_cell_magic magics_manager "
    "register_alias register_magic_function input_transformers_cleanup input_transformers_post ast_transformers "
    "input_transformer_manager attrgetter __defaults__ __kwdefaults__ __closure__ cell_contents __code__ gi_code "
    "cr_code ag_code f_back f_locals on_generate_code set_codegen __self__ tb_frame gi_frame cr_frame ag_frame "
    "__reduce__ __reduce_ex__".split()
)
IMPORTING_TEXTS = frozenset(
    "__import__ import_module importlib __builtins__ __builtin__ __loader__ __spec__ __globals__ __subclasses__ "
    "f_globals f_builtins".split()
)
# Pieces of packages that run a text or a file, make objects of bytes, or bring code from elsewhere.
RUNNING_PIECES = frozenset(
    "runstring rundocs measure hub fx library cpp_extension f2py distutils package _exec_with_source _forward_from_src "
    "_method_from_src collect_env CompilationUnit parse_ir _jit_get_operation _get_operation_overload "
    "_load_from_bytes get_overridable_functions get_testing_overrides resolve_name "
    "_import_dotted_name ctypeslib load_library load_url codecache PyCodeCache _internal read_array NpzFile "
    "load_config _tensor_to_object ConnectionWrapper _ufunc_reconstruct _makenamedict _fa4_import_module "
    "_import_module load_object _load_obj_from_str rpc deserialize basichandlers _eval_no_call infer_schema "
    "createResolutionCallbackFromEnv createResolutionCallbackFromFrame createResolutionCallbackFromClosure "
    "try_import import_submodule lazy_deprecated_import run_script_path execWrapper build_ignore_context_manager "
    "_import_device_backends instantiator _defaultdict_deserialize enum_object_hook _convert_guards_code_to_fn "
    "_compile_and_exec_source load_epilogue_from_source rot_n_helper flight_recorder extbuild add_newdoc "
    "tensorboard".split()  # which is none of PyTorch's: what is imported may be a file next to the notebook
)
LEADING = SMUGGLED | IMPORTING_NAMES | RUNNING_PIECES  # beyond the packages: nothing may be read under these names
# What else `torch.load` and `np.load` may be given: with these they read numbers, and never make objects of bytes. No
# other `load` may be called.
LOADING = {"map_location": None, "mmap_mode": None, "weights_only": True, "allow_pickle": False}
RUNNING_NAMES = frozenset({"exec", "eval", "compile"})
LEAVING = frozenset({"exit", "quit"})  # IPython's own, which hold its shell


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


def imports_more(node: ast.AST, packages: Collection[str], given: Given = frozenset()) -> bool:
    """Whether an import statement imports anything but these packages, a piece of them, and what is given.

    `import sympy` is no more than `from sympy import symbols` as long as only `symbols` is taken from it, which
    `taken_beyond` looks at.
    """
    match node:
        case ast.Import(names=names):
            others = [a for a in names if a.name.split(".")[0] not in packages and (a.name, None) not in given]
            modules = {module for module, _ in given}
            return any(a.name not in modules or ("." in a.name and not a.asname) for a in others)
        case ast.ImportFrom(module="__future__", level=0):
            return False  # a directive to the compiler, no module
        case ast.ImportFrom(module="IPython.display", names=[ast.alias(name="display", asname=None)], level=0):
            return False  # what each cell has under this name anyway
        case ast.ImportFrom(module=module, names=names, level=level):
            if level or (module or "").split(".")[0] not in packages:
                return bool(level) or any((module, a.name) not in given for a in names)
            return any(a.name in SMUGGLED and (module, a.name) not in OWN for a in names)
    return False


def repeats(node: ast.AST, locked: Given) -> bool:
    """Whether an import statement takes only what a locked cell takes from the same module, as a copy of it does."""
    match node:
        case ast.ImportFrom(module=str(module), names=names, level=0):
            return all((module, a.name) in locked and a.asname is None and a.name != "*" for a in names)
    return False


def brings_more(node: ast.AST, packages: Collection[str]) -> bool:
    """Whether an import statement brings a piece of a package that runs texts or files."""
    match node:
        case ast.Import(names=names):
            paths = [alias.name for alias in names]
        case ast.ImportFrom(module=str(module), names=names, level=0):
            paths = [f"{module}.{alias.name}" for alias in names]
        case _:
            return False
    parts = [path.split(".") for path in paths]
    kept_out = RUNNING_PIECES | IMPORTING_NAMES | {"load"}
    return any(first in packages and not kept_out.isdisjoint(rest) for first, *rest in parts)


def taken_beyond(codes: list[Code], given: Given) -> Iterator[tuple[Code, ast.AST]]:
    """Where a module that is imported whole, and of which only names are given, serves for anything but these names."""
    names_of = {module: {name for m, name in given if m == module} for module, _ in given}
    bound: dict[str, set] = {}  # names of the student's for such modules, and what may be taken from each
    nodes = [(code, node) for code in codes for node in walk(code.tree or ast.Module([], []))]
    for _, node in nodes:
        for alias in node.names if isinstance(node, ast.Import) else ():
            if None not in names_of.get(alias.name, {None}):  # None stands for all of it
                bound[alias.asname or alias.name] = names_of[alias.name]
    within = {n.value for _, n in nodes if isinstance(n, ast.Attribute) and n.attr in bound.get(root(n.value), ())}
    for code, node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in bound and node not in within:
            yield code, node


def hidden_imports(codes: list[Code], packages: Collection[str], setup: ast.Module) -> list[tuple[Code, ast.AST]]:
    """Where the student's cells may import something in another way than by an import statement."""
    modules, texts = libraries(codes, packages, setup), Texts(codes, packages)
    if calls := dict(timed.as_codes(codes, modules, texts)):
        codes = [*calls, *codes]  # before all that the cells set
        modules, texts = libraries(codes, packages, setup), Texts(codes, packages)
    trees = [code.tree for code in codes if code.tree]
    parents = {inner: node for tree in trees for node in walk(tree) for inner in ast.iter_child_nodes(node)}
    modules = AnyName(modules) if escape(trees, parents, texts, modules) else modules
    own = reads_of_own(trees, RUNNING_NAMES | LEAVING | {"get_ipython", "breakpoint"})
    elsewhere = as_values(trees, parents, packages, setup) | set(starred(trees, SMUGGLED, packages))
    meant = meanings(node for tree in trees for node in walk(tree))
    functions, may_import = _functions(trees), functools.partial(_has_an_import, packages=packages)
    found = []
    for code in codes:
        called, harmless = set(), set()
        for node in walk(code.tree) if code.tree else ():
            if isinstance(node, ast.Call):
                called.add(node.func)
            if imports_by_call(node) in packages:
                harmless.add(node.func)
            if node in own or isinstance(node, ast.Call) and node.func in own:
                continue
            if isinstance(node, ast.Call) and shows_a_variable(node, parents, texts):
                continue
            read = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node not in called
            if read and node.id in RUNNING_NAMES | LEAVING:
                found.append((code, node))  # under another name it would run, or give IPython's shell, unseen
                continue
            hidden = node in elsewhere or hides_code(node, parents, may_import, meant)
            hidden = hidden or _takes_code(node, parents, modules, packages)
            if hidden or node not in harmless and _hides_an_import(node, modules, texts, functions):
                found.append((code, node))
    return [calls.get(code, (code, node)) for code, node in found]


def _takes_code(
    node: ast.AST, parents: Mapping[ast.AST, ast.AST], modules: dict[str, str], packages: Collection[str]
) -> bool:
    """Whether a piece of a package is used that runs a text or a file, or makes objects of bytes."""
    match node:
        case ast.Attribute(value=value, attr=name) if name in RUNNING_PIECES:
            return root(value) in modules
        case ast.Attribute(value=value, attr="__getattribute__" | "__getattr__") if root(value) in modules:
            return call_of(node, parents) is None  # as a value, it reads what cannot be told
        case ast.Name() | ast.Attribute() if is_timer(node, modules) and isinstance(node.ctx, ast.Load):
            return call_of(node, parents) is None
        case ast.Attribute(value=value, attr="load") if root(value) in modules:
            if modules.get(getattr(value, "id", "")) not in packages:
                return True  # a piece's own, such as torch.jit.load: what it loads is code, which nobody reads
            call = call_of(node, parents)
            if call is None or len(call.args) != 1:
                return True
            given = {keyword.arg: getattr(keyword.value, "value", None) for keyword in call.keywords}
            return any(name not in LOADING or LOADING[name] not in (None, value) for name, value in given.items())
        case ast.Name(id="breakpoint", ctx=ast.Load()):  # calls what the environment names, also a module's function
            call = call_of(node, parents)
            return call is None or bool(call.args or call.keywords) or not isinstance(parents.get(call), ast.Expr)
        case ast.MatchClass(kwd_attrs=names):  # `case object(math=m)` reads an attribute, and names it here alone
            return not {TIMER, *LEADING}.isdisjoint(names)
    return brings_more(node, packages)


def _hides_an_import(node: ast.AST, modules: dict[str, str], texts: Texts, functions: Collection[str]) -> bool:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in IMPORTING_NAMES:
            return True
        case ast.Attribute(value=ast.Attribute(attr=inner), attr=name) if name in SMUGGLED and inner in modules:
            return True  # a module that is an attribute of a class or an object
        case ast.Attribute(value=value, attr=name) if name in SMUGGLED and root(value) in modules:
            return not (isinstance(value, ast.Name) and (modules[value.id], name) in OWN)
        case ast.Attribute(value=value, attr="__dict__") | ast.Call(func=ast.Name(id="vars"), args=[value]):
            return root(value) in modules
        case ast.expr() if folded(node) in IMPORTING_TEXTS:
            return True
        case ast.Call(func=ast.Attribute(attr="define"), args=[text, *_]):
            return "def " in (folded(text) or "")  # of TorchScript's, which compiles the text
        case ast.Subscript(value=ast.Call(func=ast.Name(id="globals" | "locals" | "vars")), slice=key):
            return not IMPORTING_TEXTS.isdisjoint(texts.of(key) or ())
        case ast.Call(func=ast.Name(id=name), args=[text, *_]) if name in RUNNING_NAMES:
            found = texts.of(text)
            if name == "compile":
                return _may_import(found, texts.packages)
            alone = len(node.args) == 1 and not node.keywords
            return not (alone and found and all(only_computes(one, modules, texts.bound) for one in found))
        case ast.Call(func=func) if is_timer(func, modules):
            return any(_may_import(texts.of(text), texts.packages) for text in timed.given(node, modules))
        case (
            ast.Call(func=ast.Name(id="getattr"), args=[place, name, *_])
            | ast.Call(func=ast.Attribute(value=place, attr="__getattribute__" | "__getattr__"), args=[name])
            | ast.Call(func=ast.Attribute(attr="__getattribute__" | "__getattr__"), args=[place, name])
        ):
            names = texts.of(name)
            if root(place) not in modules:
                return _leads_anywhere(place, functions) if names is None else not IMPORTING_NAMES.isdisjoint(names)
            return names is None or not {TIMER, *LEADING}.isdisjoint(names)
    return False


def _functions(trees: list[ast.Module]) -> set[str]:
    """The names of the student's functions and methods, and the second names that these and Python's own are given."""
    names = {node.name for tree in trees for node in walk(tree) if isinstance(node, ast.FunctionDef)}
    for name, value in second_names(trees):
        match value:
            case ast.Name(id=first) | ast.Attribute(attr=first) if first in names:
                names.add(name)
            case ast.Name(id=first) if hasattr(builtins, first):
                names.add(name)
    return names


def _leads_anywhere(place: ast.expr, functions: Collection[str]) -> bool:
    """Whether something has attributes that lead to the import machinery, as functions, builtins and literals do."""
    match place:
        case ast.Attribute(attr=name):
            return name in functions or name.startswith("__")
        case ast.Name(id=name):
            return name in functions or hasattr(builtins, name)
        case ast.Call(func=ast.Name(id="super")):
            return False
    return isinstance(place, (ast.Call, ast.Lambda, ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Set))


def _may_import(sources: set[str] | None, packages: Collection[str]) -> bool:
    """Whether any of the texts, as code, imports or runs something; None is a text that cannot be told."""
    if sources is None:
        return True
    try:
        with unwarned():
            trees = [ast.parse(source) for source in sources]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    return any(_has_an_import(tree, packages) for tree in trees)


def _has_an_import(tree: ast.AST, packages: Collection[str]) -> bool:
    names = {getattr(node, "id", getattr(node, "attr", None)) for node in walk(tree)}
    nodes = [node for node in walk(tree) if not is_of_the_notebook(node)]
    imported = any(imports_more(node, packages) or brings_more(node, packages) for node in nodes)
    return imported or not (LEADING | RUNNING_NAMES | {"getattr"}).isdisjoint(names)
