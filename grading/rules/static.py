"""Rules that any course may have, checked in the text of all the cells that a student can edit.

A rule is checked only where the part states it. Every rule takes the id of the part's answer cell, and one that looks
at the answer alone takes the names asked for; it gives None, or the first `Breach`, with its line. Nothing is run.
"""

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from grading.core import messages
from grading.rules import closure, own_names
from grading.rules.imports import given, hidden_imports, imports_more, repeats, taken_beyond
from grading.rules.nodes import walk
from grading.rules.student_code import editable, setup, shown

LOOPS = {
    ast.For: "a for loop",
    ast.AsyncFor: "a for loop",
    ast.While: "a while loop",
    ast.ListComp: "a list comprehension",
    ast.SetComp: "a set comprehension",
    ast.DictComp: "a dict comprehension",
    ast.GeneratorExp: "a generator expression",
}

LAZY = frozenset("iter enumerate zip filter".split())  # these go through their last argument only as they are read


@dataclass(frozen=True)
class Breach:
    """A broken rule, as a text that names the line."""

    text: str


def no_imports(answer_id: str, packages: Mapping[str, str]) -> Breach | None:
    """No cell of the student's imports, in whatever spelling, anything but what lives inside these packages, and what
    the part's setup cell imports. A copy of another locked cell, such as a visible check, may import as that cell does.

    `packages` maps names, as in an import, to what they are called in a sentence.
    """
    codes, before = editable(answer_id), setup(answer_id)
    allowed, called = given(before), ", ".join(packages.values())
    nodes = ((code, node) for code in codes if code.tree for node in walk(code.tree))
    more = [(code, node) for code, node in nodes if imports_more(node, packages, allowed)]
    locked = frozenset().union(*map(given, shown(answer_id) if more else ()))  # hardly ever needed, and parsed anew
    more = [(code, node) for code, node in more if not repeats(node, locked)]
    for code, node in more or taken_beyond(codes, allowed):
        return Breach(messages.breach_import(code.where, node.lineno, code.line(node.lineno), called))
    for code, node in hidden_imports(codes, packages, before):
        return Breach(messages.breach_hidden_import(code.where, node.lineno, code.line(node.lineno), called))
    return None


def no_loops(answer_id: str, asked: Iterable[str], left_out: Collection[closure.Place] = ()) -> Breach | None:
    """No for, while, comprehension, generator expression or map in a function or class of the answer; `left_out` are
    earlier versions that `earlier` has found."""
    own = own_map([code.tree for code in editable(answer_id) if code.tree])
    for code, node in closure.answer(answer_id, asked, left_out):
        if found := loop_in(node, own) or _kept_map(code.tree, node, own):
            loop, what = found
            return Breach(messages.breach_loop(code.where, loop.lineno, code.line(loop.lineno), what))
    return None


def loop_in(node: ast.AST, own: Collection[ast.Name]) -> tuple[ast.AST, str] | None:
    """A loop in the functions and classes of a piece of code, and what it is; `own` are reads of another `map`."""
    inside = [inner for part in closure.definitions(node) for inner in walk(part)]
    if loop := next((inner for inner in inside if type(inner) in LOOPS), None):
        return loop, LOOPS[type(loop)]
    maps = [n for n in walk(node) if isinstance(n, ast.Name) and n.id == "map" and n not in own]
    if not maps or "map" not in closure.free_names(node):
        return None
    called = {n.func for n in walk(node) if isinstance(n, ast.Call)} - {*_asked_for_its_class(node)}
    found = next((n for n in maps if n in {*inside} or n not in called), None)  # outside the answer, a call is allowed
    return (found, "`map` is a loop") if found else None


def _asked_for_its_class(node: ast.AST) -> Iterator[ast.expr]:
    """What is called where the class of its value is asked for: that of `type(map(f, x))` is `map` itself."""
    for inner in walk(node):
        match inner:
            case ast.Attribute(value=ast.Call(func=called)):
                yield called
            case ast.Call(func=ast.Name(id="type"), args=[ast.Call(func=called)]):
                yield called


def _kept_map(tree: ast.Module, node: ast.AST, own: Collection[ast.Name]) -> tuple[ast.AST, str] | None:
    """A `map` that has a name, so that a function which reads that goes through it; `a, b = map(int, …)` is over."""
    inner = node
    while isinstance(inner, ast.Call) and inner.args and getattr(inner.func, "id", "") in LAZY:
        inner = inner.args[-1]
    is_map = isinstance(inner, ast.Call) and getattr(inner.func, "id", "") == "map" and inner.func not in own
    named = is_map and any(
        isinstance(one, ast.Assign) and one.value is node and all(isinstance(name, ast.Name) for name in one.targets)
        for one in walk(tree)
    )
    return (inner, "`map` is a loop") if named else None


def own_map(trees: list[ast.Module]) -> set[ast.Name]:
    """Where the cells read a `map` of the student's own: below its definition, and in functions, which run later."""
    names = frozenset({"map"})
    if not own_names.own_in_the_end(trees, names):
        return set()
    parts = [part for tree in trees for part in closure.definitions(tree)]
    late = {n for part in parts for n in walk(part) if isinstance(n, ast.Name) and n.id == "map"}
    return late | own_names.reads_of_set(trees, names)
