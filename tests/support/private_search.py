"""What our code touches of other packages that is private, patched or overridden, as far as a program can tell."""

import ast
import re
import sys
from collections.abc import Iterator
from types import FunctionType

from traitlets import TraitType

OURS = ("attention", "dev", "grading")

# What their documentation offers to be overridden, set or called, though a search for private things finds it.
DOCUMENTED = frozenset(
    f"{package}.{name}"
    for package, names in {
        "os": "_exit environ",
        "sys": "argv path stdin stdout unraisablehook",
        "tempfile": "tempdir",
        "": "emit",  # of a logging.Handler
        "nbclient": "create_kernel_manager process_message",
        "nbconvert": "preprocess preprocess_cell from_notebook_node",
        "nbgrader": "export",
        "tornado": "get headers_received initialize set_default_headers start_request",
        "jupyter_client": "has_process pre_launch launch_kernel poll wait send_signal kill terminate cleanup "
        "get_shutdown_wait_time start_channels stop_channels wait_for_ready kernel_info client_factory "
        "shell_channel_class iopub_channel_class write_connection_file shutdown_kernel start stop is_alive",
        "ipykernel": "write flush",  # of a text stream
    }.items()
    for name in names.split()
)


def reached(code: str) -> set[tuple[str, str]]:
    """What code of ours touches of other packages: the package, empty if it can't be told, and the name.

    Names with an underscore that this code doesn't define itself, what it assigns to something imported, and functions
    that it puts into any object but its own.
    """
    tree, imported = ast.parse(code), {}
    own, functions, found = set(), set(), set()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                own.add(name)
                functions.add(name)
            case ast.ClassDef(name=name) | ast.Name(id=name, ctx=ast.Store()):
                own.add(name)
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name, ctx=ast.Store()):
                own.add(name)
            case ast.Import(names=names):
                imported |= {(n.asname or n.name).partition(".")[0]: n.name.partition(".")[0] for n in names}
                found |= {(n.name.partition(".")[0], part) for n in names for part in _private(n.name)}
            case ast.ImportFrom(module=str(module), names=names):
                imported |= {n.asname or n.name: module.partition(".")[0] for n in names}
                found |= {(module.partition(".")[0], part) for n in names for part in _private(f"{module}.{n.name}")}
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name) if _private(name) and name not in own:
                found.add((imported.get(_root(node), ""), name))
            case ast.Call(func=ast.Name(id="getattr" | "hasattr"), args=[of, ast.Constant(value=str(name)), *_]):
                found |= {(imported.get(_root(of), ""), name)} if _private(name) and name not in own else set()
            case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[of, ast.Constant(value=str(name)), *_]):
                found |= {(imported[_root(of)], name)} if _root(of) in imported else set()
            case ast.Assign(targets=targets, value=value):
                found |= {(imported[_root(target)], _last(target)) for target in _single(targets, imported)}
                if isinstance(value, ast.Lambda) or (isinstance(value, ast.Name) and value.id in functions):
                    others = [t for t in targets if isinstance(t, ast.Attribute)]
                    found |= {("", t.attr) for t in others if _root(t) not in ("self", "cls", *imported)}
            case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
                found |= {(imported[_root(one)], _last(one)) for one in _single([target], imported)}
            case ast.Delete(targets=targets):
                found |= {(imported[_root(target)], _last(target)) for target in _single(targets, imported)}
    return {(package, name) for package, name in found if package not in OURS}


def _private(path: str) -> list[str]:
    """The parts of a dotted name that begin with an underscore, but for those that Python and its enums have."""
    return [part for part in path.split(".") if re.fullmatch(r"_[A-Za-z]\w*(?<!_)", part)]


def _single(targets: list[ast.expr], imported: dict[str, str]) -> Iterator[ast.expr]:
    """The targets that are a part of something imported; those in tuples, too."""
    for target in targets:
        if isinstance(target, ast.Tuple | ast.List):
            yield from _single(target.elts, imported)
        elif isinstance(target, ast.Attribute | ast.Subscript) and _root(target) in imported:
            yield target


def _root(node: ast.expr) -> str | None:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _last(node: ast.expr) -> str | None:
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.attr if isinstance(node, ast.Attribute) else None


def overridden(ours: type) -> set[tuple[str, str]]:
    """What a class of ours puts in place of what it inherits from other packages' classes: package and name.

    Of the standard library's only what is private. Traitlets' own way to change a default is public.
    """
    kinds = (FunctionType, property, classmethod, staticmethod, TraitType)
    found = set()
    for name, value in vars(ours).items():
        inherited = [base.__module__.partition(".")[0] for base in ours.__mro__[1:] if name in vars(base)]
        if isinstance(value, kinds) and not name.startswith("__") and inherited:
            package = inherited[0]  # the one whose method would run without ours
            if package not in OURS and (_private(name) or package not in sys.stdlib_module_names):
                found.add((package, name))
    return found
