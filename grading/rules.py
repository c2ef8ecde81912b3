"""The problem's rules, checked in the text of all the cells that a student can edit, each breach with its line.

A rule is checked only where the part states it. Every rule takes the id of the part's answer cell and gives None, or
the first `Breach`. Nothing is run.
"""

import ast
import builtins
from dataclasses import dataclass

from grading import messages, reach
from grading.cells import Code, defined, editable, folded, setup
from grading.imports import given, hidden_imports, imports_more, taken_beyond
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

LOOPS = {
    ast.For: "a for loop",
    ast.AsyncFor: "a for loop",
    ast.While: "a while loop",
    ast.ListComp: "a list comprehension",
    ast.SetComp: "a set comprehension",
    ast.DictComp: "a dict comprehension",
    ast.GeneratorExp: "a generator expression",
}
# Attention in torch.nn and torch.nn.functional, for where only a name is known.
READY_MADE = frozenset(
    "MultiheadAttention Transformer TransformerEncoder TransformerDecoder TransformerEncoderLayer "
    "TransformerDecoderLayer scaled_dot_product_attention multi_head_attention_forward flex_attention".split()
)


@dataclass(frozen=True)
class Breach:
    """A broken rule, as a text that names the line."""

    text: str


def no_imports(answer_id: str) -> Breach | None:
    """No cell of the student's imports, in whatever spelling, anything but what lives inside torch or NumPy, and what
    the part's setup cell imports."""
    codes, allowed = editable(answer_id), given(setup(answer_id))
    for code in codes:
        for node in ast.walk(code.tree) if code.tree else ():
            if imports_more(node, allowed):
                return Breach(messages.breach_import(code.where, node.lineno, code.line(node.lineno)))
    for code, node in taken_beyond(codes, allowed):
        return Breach(messages.breach_import(code.where, node.lineno, code.line(node.lineno)))
    for code, node in hidden_imports(codes):
        return Breach(messages.breach_hidden_import(code.where, node.lineno, code.line(node.lineno)))
    return None


def no_loops(answer_id: str) -> Breach | None:
    """No for, while, comprehension, generator expression or map in a function or class of the answer."""
    values = [value for _, value in defined(editable(answer_id)).get("map", ())]
    own_map = bool(values) and all(reach.root(value) != "map" for value in values)
    for code, node in reach.answer(answer_id):
        loops = [inner for part in reach.definitions(node) for inner in ast.walk(part) if type(inner) in LOOPS]
        if not loops and not own_map and "map" in reach.free_names(node):
            called = {n.func for n in ast.walk(node) if isinstance(n, ast.Call)}
            inside = {n for part in reach.definitions(node) for n in ast.walk(part)}
            names = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == "map"]
            loops = [n for n in names if n in inside or n not in called]  # beside the answer, a call is free
        if loops:
            what = LOOPS.get(type(loops[0]), "`map` is a loop")
            return Breach(messages.breach_loop(code.where, loops[0].lineno, code.line(loops[0].lineno), what))
    return None


def no_ready_made_attention(answer_id: str) -> Breach | None:
    """No attention of PyTorch's own in a function or class of the answer, nor in what these use.

    A student's own function may bear such a name; it is the one in PyTorch that counts.
    """
    codes = editable(answer_id)
    modules, own = reach.libraries(codes), _own_names(codes)
    for code, node in reach.answer(answer_id):
        free = reach.free_names(node)
        for inner in ast.walk(node):
            match inner:
                case ast.Name(id=name) if name in free and name in modules:
                    found = _is_attention(modules[name])
                case ast.Name(id=name) if name in free and name not in own:
                    found = name in READY_MADE
                case ast.Attribute(attr=name):
                    found = _is_attention(name) if reach.root(inner) in modules else name in READY_MADE - own
                case ast.alias(name=name):
                    found = _is_attention(name)
                case ast.Call(func=ast.Name(id="getattr"), args=[_, name, *_]):
                    found = _is_attention(folded(name) or "")
                case _:
                    continue
            if found:
                line = getattr(inner, "lineno", node.lineno)
                return Breach(messages.breach_ready_made(code.where, line, code.line(line)))
    return None


def no_torch(answer_id: str) -> Breach | None:
    """No use of PyTorch in the answer cell, nor in what its functions use; importing it again is no use."""
    codes = editable(answer_id)
    table, torch = defined(codes), frozenset({"torch"})
    modules = reach.libraries(codes, torch)
    # A student may call a number nn; a name stays PyTorch's where it is set to nothing but a piece of PyTorch.
    modules = {n for n in modules if all(reach.root(value) in modules for _, value in table.get(n, ()))}
    anything = "*" in modules
    known = set(table) | set(reach.libraries(codes)) | set(dir(builtins)) | {"display", "get_ipython"}
    places = [(code, statement) for code in codes if code.answer and code.tree for statement in code.tree.body]
    for code, node in places + reach.answer(answer_id):
        free = reach.free_names(node)
        used = (free & modules) | reach.imported(node, torch).keys() | (free - known if anything else set())
        for inner in ast.walk(node):
            by_name = isinstance(inner, ast.Name) and inner.id in used and isinstance(inner.ctx, ast.Load)
            by_text = isinstance(inner, ast.Subscript) and folded(inner.slice) in {"torch", "nn"}
            if by_name or by_text and isinstance(inner.value, ast.Call) or reach.imports_by_call(inner) == "torch":
                return Breach(messages.breach_torch(code.where, inner.lineno, code.line(inner.lineno)))
    return None


def one_statement_each(answer_id: str, function: str) -> Breach | None:
    """Each output of the function is computed by one statement; see `statements` for what is free."""
    found = second_statement(answer_id, function)
    if found is None:
        return None
    code, line, position = found
    return Breach(messages.breach_statements(code.where, line, code.line(line), position + 1))


def _own_names(codes: list[Code]) -> set[str]:
    """The names of the functions, methods, classes, variables and attributes that the student's cells make."""
    names = set()
    for code in codes:
        for node in ast.walk(code.tree) if code.tree else ():
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    names.add(name)
                case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                    names.add(name)
    return names


def _is_attention(name: str) -> bool:
    """Whether what torch has under this name is attention, or a model made of it."""
    low = name.lower().split(".")[-1].strip("_").replace("_", "")
    return "attention" in low and low != "attention" or low.startswith("transformer") or "scaleddotproduct" in low
