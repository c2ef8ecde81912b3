"""What a cell asks of IPython: its magics, its shell's commands, and the shell itself.

Those on the lists are allowed. Any other may run a text or a file that cannot be seen, and counts as an import.
"""

import ast
import re
from collections.abc import Callable, Collection, Mapping

from grading.rules.line_magics import code_of
from grading.rules.nodes import call_of
from grading.rules.parsing import HARMLESS_MAGICS, LINE_MAGICS, OTHER_MAGICS, expands, folded, parse

LINE, CELL = "run_line_magic", "run_cell_magic"
COMMANDS = frozenset({"system", "getoutput"})  # which `!ls` and `files = !ls` become
METHODS = COMMANDS | {LINE, CELL, "magic", "show_usage"}
TEXTS = frozenset({"str", "repr", "print"})  # these ask for its text alone, as in str(get_ipython())
# Settings of which IPython imports what their text names, such as InteractiveShell.loop_runner, and the one by which it
# reads `exec "import os"` as a call.
IMPORTED = re.compile(r"\.\w*(?:_class|_runner|_method|_factory|packer|_return|llm_\w*|lazy_magics|autocall)\s*=")
EXTENSIONS = frozenset({"load_ext", "reload_ext", "unload_ext"})
RELOADS = "autoreload"  # IPython's own extension, which editors add: it brings nothing that code could use
MODULE = "module:"  # in the name of what draws figures: a module, also one of the student's own, which is imported
# Variables of the environment by which Python and PyTorch import what these name, or make objects of bytes.
STEERING = frozenset({"PYTHONBREAKPOINT", "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"})
DRAWS = "MPLBACKEND"  # the one that names what draws figures
FILLED = re.compile(r"[{$]")  # where IPython puts a variable's value into a magic's text
SETTING = re.compile(r"[\w.]*|[\w.]+\s*=(.*)")  # without spaces around it, of which thousands would take it seconds


def hides_code(
    node: ast.AST,
    parents: Mapping[ast.AST, ast.AST],
    may_import: Callable[[ast.AST], bool],
    own: Collection[str],
) -> bool:
    """Whether a use of IPython's shell may run something that cannot be seen.

    own  the names to which the student gives a meaning, such as print
    """
    match node:
        case ast.Name(id="get_ipython", ctx=ast.Load()):
            return not _is_usual(node, parents, own)
        case ast.Call(func=ast.Attribute(attr="run_line_magic"), args=[name, *rest], keywords=[]):
            return _line_hides(folded(name), rest, may_import)
        case ast.Call(func=ast.Attribute(attr="run_cell_magic"), args=[name, line, _], keywords=[]):
            # One whose code can be told stands in the tree as that code.
            return folded(name) not in OTHER_MAGICS or _expands(line)
        case ast.Call(func=ast.Attribute(attr="run_line_magic" | "run_cell_magic")):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="get_ipython")), attr=name), args=[*texts]):
            return name == "magic" and not _is_harmless(texts) or name in COMMANDS and any(map(_expands, texts))
    return False


def _is_usual(name: ast.Name, parents: Mapping[ast.AST, ast.AST], own: Collection[str]) -> bool:
    """Whether the shell is called upon in one of the usual ways, or only looked at, as to tell whether there is one."""
    if isinstance(parents.get(name), ast.Expr):
        return True
    if (call := call_of(name, parents)) is None:
        return False
    taken = parents.get(call)
    outer = parents.get(taken)
    if isinstance(taken, ast.Attribute):
        called = taken.attr in METHODS and call_of(taken, parents) is not None
        return called or taken.attr == "__class__" and isinstance(outer, ast.Attribute) and outer.attr == "__name__"
    if _function(taken) == "type" and "type" not in own:  # as in str(type(get_ipython()))
        taken = outer
    if _function(taken) in TEXTS.difference(own):
        return True
    if isinstance(taken, ast.Compare) and taken is parents.get(call):
        others = [one for one in (taken.left, *taken.comparators) if one is not call]
        return all(isinstance(one, ast.Constant) for one in others)  # any other may keep what it is compared with
    return isinstance(taken, ast.Expr) and taken is parents.get(call)


def _function(node: ast.AST | None) -> str:
    return getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""


def _line_hides(name: str | None, rest: list[ast.expr], may_import: Callable[[ast.AST], bool]) -> bool:
    text = folded(rest[0]) if rest else ""
    if name is not None and name[:1] in {"", "%"}:
        return False  # `% time`, or `%%time` below another line of its cell: there is no such magic, and nothing runs
    if name in LINE_MAGICS:  # code that could not be put in the tree in its place
        tree = parse(code_of(name, text)) if text is not None else None
        return text is None or tree is not None and may_import(tree)
    if name == "config" and text is not None:
        setting = SETTING.fullmatch(text.strip())
        return setting is None or not _is_value(setting[1] or "None") or bool(IMPORTED.search(text)) or MODULE in text
    if text is not None and _steers(name, text):
        return True
    if name in EXTENSIONS:
        return (text or "").strip() != RELOADS
    return name not in HARMLESS_MAGICS or any(map(_expands, rest))


def _is_harmless(texts: list[ast.expr]) -> bool:
    lines = [(folded(text) or "").strip().lstrip("%").partition(" ") for text in texts]
    names, steers = {name for name, _, _ in lines}, any(_steers(name, rest) for name, _, rest in lines)
    return names <= HARMLESS_MAGICS - {"config"} and not steers and not any(map(_expands, texts))


def _steers(name: str | None, text: str) -> bool:
    """Whether a magic sets what is imported later on: what draws figures, or a variable of the environment."""
    if name == "matplotlib":
        return MODULE in text or bool(FILLED.search(text))
    if name not in ("env", "set_env"):
        return False
    variable, _, value = text.strip().partition("=" if "=" in text else " ")  # as IPython takes it apart
    by_module = variable.strip() == DRAWS and (MODULE in value or bool(FILLED.search(value)))
    return variable.strip() in STEERING or by_module or bool(FILLED.search(variable))


def _expands(text: ast.expr) -> bool:
    """Whether a text holds an expression that IPython computes; one that cannot be told may."""
    return (known := folded(text)) is None or expands(known)


def _is_value(text: str) -> bool:
    try:
        ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return False
    return True
