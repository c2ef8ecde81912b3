"""Loops in functions that ran, however the answer reached them: the kernel tells which of the cells' functions did."""

import __future__

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from types import CodeType

from attention.questions.versions import fingerprint
from attention.rules.views import root_of
from grading.core import messages
from grading.rules.compiling import compiled
from grading.rules.nodes import top_level, walk
from grading.rules.parsing import parse
from grading.rules.static import LOOPS, Breach, loop_in, own_map
from grading.rules.student_code import Code, editable, later

# Through these a notebook watches all that PyTorch does, its own answer's part too, and mostly to look at it.
WATCHING = frozenset({"__torch_function__", "__torch_dispatch__"})
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.GeneratorExp  # the last one runs where it is used
Places = Mapping[tuple[str, int], list[ast.expr | ast.stmt]]  # functions, by their name and the line where each begins
AS_SET = (0, __future__.annotations.compiler_flag)  # how an earlier cell may have set that the later ones are compiled


def loop_that_ran(answer_id: str, ran: Collection[str]) -> Breach | None:
    """The breach, if any of the functions in the student's cells that has one of these fingerprints has a loop."""
    codes = [code for code in editable(answer_id) if code.tree]
    own = own_map([code.tree for code in codes])
    for code in codes:
        places = _places(code.tree)
        functions = [node for nodes in places.values() for node in nodes]
        watching = {inner for node in functions if _only_watches(node) for inner in ast.walk(node)}
        looping = {node: loop for node in functions if node not in watching and (loop := _loop_in(node, own))}
        for function, _ in functions_of(code) if looping else ():
            nodes = places.get((function.co_name, function.co_firstlineno), [])
            loops = [looping[node] for node in nodes if node in looping]
            if loops and len(loops) < len(nodes):  # lambdas of one line: is it one of those that loop?
                there = _places_in(function)
                loops = [(loop, what) for loop, what in loops if (loop.lineno, loop.col_offset) in there]
            if loops and fingerprint(function) in ran:
                loop, what = loops[0]
                return Breach(messages.breach_loop(code.where, loop.lineno, code.line(loop.lineno), what))
    return None


def _loop_in(node: ast.expr | ast.stmt, own: Collection[ast.Name]) -> tuple[ast.AST, str] | None:
    if isinstance(node, ast.GeneratorExp):
        return node, LOOPS[ast.GeneratorExp]
    return loop_in(node, own)


def _only_watches(node: ast.expr | ast.stmt) -> bool:
    """Whether a function watches what PyTorch does: it gives what it was shown to give, and nothing of its own."""
    if getattr(node, "name", "") not in WATCHING:
        return False
    given = {argument.arg for argument in node.args.args}
    inside = [*ast.walk(node)]
    stored = Counter(one.id for one in inside if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))

    def is_theirs(value: ast.expr | None) -> bool:
        match value:
            case ast.Call(func=ast.Name(id=name)):
                return name in given and name not in stored
            case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=name)):
                return name in WATCHING
        return False

    plain = [one for one in inside if isinstance(one, ast.Assign) and is_theirs(one.value)]
    kept = {t.id for one in plain for t in one.targets if isinstance(t, ast.Name) and stored[t.id] == 1}
    theirs = kept | given - {argument.arg for argument in node.args.args[:1]}
    if any(root_of(one) in theirs for one in _written(inside)):
        return False
    returned = [one.value for one in inside if isinstance(one, ast.Return)]
    return all(is_theirs(one) or isinstance(one, ast.Name) and one.id in kept for one in returned)


def _written(inside: list[ast.AST]) -> Iterator[ast.expr]:
    """What code writes into: `out[0] = …`, `out.data = …` and `out.mul_(2)` all write into out."""
    for node in inside:
        match node:
            case ast.Subscript(value=value, ctx=ast.Store()) | ast.Attribute(value=value, ctx=ast.Store()):
                yield value
            case ast.keyword(arg="out", value=value):
                yield value
            case ast.Call(func=ast.Attribute(value=value, attr=name)) if name.endswith("_"):
                yield value


def _places_in(function: CodeType) -> set[tuple[int | None, int | None]]:
    """The lines and columns where the pieces begin of which a function's code, and that within it, was made."""
    inner = [_places_in(one) for one in function.co_consts if isinstance(one, CodeType)]
    return {(line, column) for line, _, column, _ in function.co_positions()}.union(*inner)


def _places(tree: ast.Module) -> Places:
    """The functions of a cell, and its generators; several lambdas may begin in one line."""
    places: dict[tuple[str, int], list[ast.expr | ast.stmt]] = {}
    for node in walk(tree):
        if isinstance(node, Function):
            unnamed = "<genexpr>" if isinstance(node, ast.GeneratorExp) else "<lambda>"
            places.setdefault((getattr(node, "name", unnamed), _first_line(node)), []).append(node)
        for name, line, pieces in _lazy(node):
            if pieces:
                body = ast.copy_location(ast.Tuple(pieces, ast.Load()), pieces[0])
                places.setdefault((name, line), []).append(later(body))
    return places


def _lazy(node: ast.AST) -> Iterator[tuple[str, int, list[ast.expr]]]:
    """What else newer versions of Python make functions of: their names, lines and the expressions that they compute.

    From 3.12 on the values of type statements and of types' parameters, from 3.14 on annotations.
    """
    match node:
        case ast.FunctionDef(args=args) | ast.AsyncFunctionDef(args=args):
            arguments = [one.annotation for one in ast.walk(args) if isinstance(one, ast.arg)]
            yield "__annotate__", node.lineno, [one for one in (*arguments, node.returns) if one]
        case ast.ClassDef(body=body):
            yield "__annotate__", _first_line(node), _annotations(body)
        case ast.Module(body=body):  # a kernel compiles each statement by itself
            yield from (("__annotate__", one.lineno, _annotations([one])) for one in body)
        case ast.stmt(name=ast.Name(id=name), value=value):
            yield name, node.lineno, [value]
    for one in getattr(node, "type_params", []):
        yield one.name, one.lineno, [inner for inner in ast.iter_child_nodes(one) if isinstance(inner, ast.expr)]


def _first_line(node: ast.expr | ast.stmt) -> int:
    return min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])


def _annotations(body: list[ast.stmt]) -> list[ast.expr]:
    return [one.annotation for one in top_level(body) if isinstance(one, ast.AnnAssign)]


def functions_of(code: Code) -> Iterator[tuple[CodeType, ast.Module]]:
    """The code of each function of a cell, as a kernel may have compiled it: from the cell's text, not only from what
    rules read for that. With each stands the statement of which it was made."""
    trees = [code.tree, parse(code.source, unfold=False) or ast.Module([], [])]
    units = [ast.Module([statement], []) for tree in trees for statement in tree.body]
    wholes = [(compiled(unit, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | flags), unit) for unit in units for flags in AS_SET]
    waiting = [(whole, unit) for whole, unit in wholes if whole]
    while waiting:
        function, unit = waiting.pop()
        waiting += [(one, unit) for one in function.co_consts if isinstance(one, CodeType)]
        yield function, unit
