"""The problem's rules, checked in the text of all the cells that a student can edit, each breach with its line.

A rule is checked only where the part states it. Every rule takes the id of the part's answer cell and gives None, or
the first `Breach`. Nothing is run.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from grading import messages
from grading.cells import Code, defined, editable
from grading.course import part_of
from grading.shape_comments import shape_comments
from grading.statements import second_statement

__all__ = [
    "Breach",
    "no_imports",
    "no_loops",
    "no_ready_made_attention",
    "no_torch",
    "one_statement_each",
    "shape_comments",
]

ALLOWED_PACKAGES = frozenset({"torch", "numpy"})
# Modules that torch and numpy happen to hold as attributes: reaching them is an import in another spelling.
SMUGGLED = frozenset(
    "os sys math cmath importlib builtins inspect subprocess io functools itertools operator ctypes platform warnings "
    "threading pickle glob textwrap collections typing contextlib".split()
)
IMPORTING_NAMES = frozenset({"__import__", "import_module", "importlib", "__builtins__", "__loader__", "builtins"})
IMPORTING_MAGICS = frozenset({"pylab", "run", "load_ext", "reload_ext", "aimport", "autoreload"})
RUNNING_NAMES = frozenset({"exec", "eval", "compile"})
LOOPS = {
    ast.For: "a for loop",
    ast.AsyncFor: "a for loop",
    ast.While: "a while loop",
    ast.ListComp: "a list comprehension",
    ast.SetComp: "a set comprehension",
    ast.DictComp: "a dict comprehension",
    ast.GeneratorExp: "a generator expression",
}


@dataclass(frozen=True)
class Breach:
    """A broken rule, as a text that names the line."""

    text: str


def no_imports(answer_id: str) -> Breach | None:
    """Nothing but torch, torch.nn and numpy is imported, in whatever spelling, in any cell of the student's."""
    for code in editable(answer_id):
        for node in ast.walk(code.tree) if code.tree else ():
            if isinstance(node, (ast.Import, ast.ImportFrom)) and _imports_more(node):
                return Breach(messages.breach_import(code.where, node.lineno, code.line(node.lineno)))
            if _hides_an_import(node):
                return Breach(messages.breach_hidden_import(code.where, node.lineno, code.line(node.lineno)))
    return None


def no_loops(answer_id: str) -> Breach | None:
    """No for, while, comprehension, generator expression or map in a function or class of the answer."""
    for code, node in _answer_definitions(answer_id):
        own = _bound_names(node)
        for inner in ast.walk(node):
            what = LOOPS.get(type(inner))
            if isinstance(inner, ast.Name) and inner.id == "map" and "map" not in own:
                what = "`map` is a loop"
            if isinstance(inner, ast.Call) and _name(inner.func) in RUNNING_NAMES and _loops_in_text(inner):
                what = "a loop in a text that is run"
            if what:
                return Breach(messages.breach_loop(code.where, inner.lineno, code.line(inner.lineno), what))
    return None


def no_ready_made_attention(answer_id: str) -> Breach | None:
    """No attention of PyTorch's own in a function or class of the answer, nor in what these use."""
    for code, node in _answer_definitions(answer_id, values=True):
        for inner in ast.walk(node):
            names = [getattr(inner, field, None) for field in ("id", "attr", "name")]
            if isinstance(inner, ast.Call) and _name(inner.func) in RUNNING_NAMES | {"getattr"}:
                names += [n.value for n in ast.walk(inner) if isinstance(n, ast.Constant)]
                names += [_folded(argument) for argument in inner.args]
            if any(isinstance(name, str) and _is_ready_made(name) for name in names):
                line = getattr(inner, "lineno", node.lineno)
                return Breach(messages.breach_ready_made(code.where, line, code.line(line)))
    return None


def no_torch(answer_id: str) -> Breach | None:
    """No use of PyTorch in the answer cell, nor in what its functions use; importing it again is no use."""
    codes = editable(answer_id)
    places = [(code, code.tree) for code in codes if code.answer and code.tree]
    for code, node in places + list(_answer_definitions(answer_id, values=True)):
        aliases = {"torch", "nn"} | _aliases(codes, "torch")
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and inner.id in aliases and isinstance(inner.ctx, ast.Load):
                return Breach(messages.breach_torch(code.where, inner.lineno, code.line(inner.lineno)))
    return None


def one_statement_each(answer_id: str, function: str) -> Breach | None:
    """Each output of the function is computed by one statement; see `statements` for what is free."""
    found = second_statement(answer_id, function)
    if found is None:
        return None
    code, line, position = found
    return Breach(messages.breach_statements(code.where, line, code.line(line), position + 1))


def _answer_definitions(answer_id: str, values: bool = False) -> Iterator[tuple[Code, ast.AST]]:
    """The functions, classes and lambdas of the answer: those in its cell, those that define what the part asks for,
    and all that they name in turn, wherever it is defined; with `values`, also other things that they name."""
    codes = editable(answer_id)
    table = defined(codes)
    waiting = [(code, code.tree) for code in codes if code.answer and code.tree]
    found = [(code, node) for code, tree in waiting for node in ast.walk(tree) if _is_definition(node)]
    names = [name for _, node in found for name in _used_names(node)] + list(part_of(answer_id).names)
    seen = set()
    while names:
        name = names.pop()
        if name in seen:
            continue
        seen.add(name)
        for code, node in table.get(name, ()):
            found += [(code, inner) for inner in ast.walk(node) if _is_definition(inner)]
            if values:
                found.append((code, node))
            names += _used_names(node)
    yield from dict.fromkeys(found)


def _is_definition(node: ast.AST) -> bool:
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda))


def _used_names(node: ast.AST) -> list[str]:
    return [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]


def _bound_names(node: ast.AST) -> set[str]:
    """Names that a function or class binds itself: parameters and assigned names."""
    stored = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return stored | {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}


def _imports_more(node: ast.Import | ast.ImportFrom) -> bool:
    if isinstance(node, ast.Import):
        return any(alias.name.split(".")[0] not in ALLOWED_PACKAGES for alias in node.names)
    if node.module == "__future__" and not node.level:
        return False  # a directive to the compiler, no module
    package = (node.module or "").split(".")[0]
    return bool(node.level) or package not in ALLOWED_PACKAGES or any(a.name in SMUGGLED for a in node.names)


def _hides_an_import(node: ast.AST) -> bool:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in IMPORTING_NAMES:
            return True
        case ast.Attribute(value=ast.Name(id="torch" | "np" | "numpy" | "nn"), attr=name):
            return name in SMUGGLED
        case ast.Call(func=ast.Name(id=name), args=[text, *_]) if name in RUNNING_NAMES:
            inner = _parsed(_folded(text))
            return inner is None or any(
                isinstance(n, (ast.Import, ast.ImportFrom)) and _imports_more(n) or _hides_an_import(n)
                for n in ast.walk(inner)
            )
        case ast.Call(func=ast.Name(id="getattr"), args=[place, name, *_]) if _is_module(place):
            return _folded(name) is None or _folded(name) in SMUGGLED | IMPORTING_NAMES
        case ast.Subscript(slice=key) if _folded(key) in IMPORTING_NAMES:
            return True
        case ast.Call(func=ast.Attribute(attr="run_line_magic" | "run_cell_magic"), args=[magic, *_]):
            return _folded(magic) in IMPORTING_MAGICS or _hidden_in_magic(node)
    return False


def _hidden_in_magic(call: ast.Call) -> bool:
    """Whether the code after %time or %timeit, options aside, imports something."""
    text = _folded(call.args[-1])
    inner = _parsed(text[text.find("import") :]) if text and "import" in text else None
    return inner is not None and any(
        isinstance(n, (ast.Import, ast.ImportFrom)) and _imports_more(n) for n in ast.walk(inner)
    )


def _is_module(node: ast.AST) -> bool:
    root = node
    while isinstance(root, ast.Attribute):
        root = root.value
    return isinstance(root, ast.Name) and root.id in {"torch", "nn", "np", "numpy", "F", "__builtins__"}


def _aliases(codes: list[Code], package: str) -> set[str]:
    """Names under which the student's cells import a package or something of it."""
    names = set()
    for code in codes:
        for node in ast.walk(code.tree) if code.tree else ():
            if isinstance(node, ast.Import):
                names |= {a.asname or a.name.split(".")[0] for a in node.names if a.name.split(".")[0] == package}
            elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == package:
                names |= {a.asname or a.name for a in node.names}
    return names


def _is_ready_made(name: str) -> bool:
    low = name.lower()
    return (
        "scaled_dot_product" in low
        or "multiheadattention" in low
        or "multi_head_attention" in low
        or "flex_attention" in low
        or low.startswith("transformer")
        or low in {"_transform_bias_rescale_qkv", "_native_multi_head_attention"}
    )


def _loops_in_text(call: ast.Call) -> bool:
    tree = _parsed(_folded(call.args[0])) if call.args else None
    return tree is not None and any(
        type(n) in LOOPS or isinstance(n, ast.Name) and n.id == "map" for n in ast.walk(tree)
    )


def _name(node: ast.AST) -> str | None:
    return node.id if isinstance(node, ast.Name) else None


def _parsed(text: str | None) -> ast.Module | None:
    try:
        return ast.parse(text) if text is not None else None
    except (SyntaxError, ValueError, RecursionError):
        return None


def _folded(node: ast.AST) -> str | None:
    """The text that an expression of constants spells, such as "os" or "o" + "s"; None if it cannot be told."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            a, b = _folded(left), _folded(right)
            return a + b if a is not None and b is not None else None
        case ast.JoinedStr(values=values):
            parts = [_folded(v) for v in values]
            return "".join(parts) if all(p is not None for p in parts) else None
    return None
