"""All single changes to an answer that `mutants.py` grades: an operator, a number, an axis, a name, a statement.

A change replaces the text of one piece of the code, so comments and everything else stay as they are written.
"""

import ast
import copy
import itertools
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

OPERATORS = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add, ast.FloorDiv, ast.MatMult),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Mult, ast.Div, ast.Mod),
    ast.Mod: (ast.FloorDiv, ast.Mult),
    ast.Pow: (ast.Mult, ast.Div),
    ast.MatMult: (ast.Mult,),
}
COMPARISONS = {
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt, ast.GtE), ast.Gt: (ast.GtE, ast.Lt), ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
}  # fmt: skip
FAMILIES = [  # names of functions and methods that are taken for one another
    {"reshape", "view", "expand"}, {"softmax", "log_softmax", "sigmoid", "relu"}, {"tile", "repeat"},
    {"repeat", "repeat_interleave"}, {"eye", "ones", "zeros"}, {"mean", "sum", "max"}, {"hstack", "vstack"},
    {"cat", "concat", "stack"}, {"concatenate", "stack"}, {"sqrt", "square", "exp"}, {"squeeze", "unsqueeze"},
    {"matmul", "mul"}, {"dot", "outer", "multiply"}, {"permute", "reshape"}, {"float64", "float32", "float16"},
    {"double", "float", "half"}, {"zeros_like", "ones_like", "empty_like"}, {"swapaxes", "reshape"},
    {"norm", "sum"}, {"qr", "svd"}, {"unflatten", "flatten"},
]  # fmt: skip
BARE = (ast.Name, ast.Constant, ast.Attribute, ast.Subscript, ast.Call, ast.Tuple, ast.List)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True)
class Mutant:
    """An answer with one change: its text, the line of the change, what was and is there, and the line as it is now."""

    text: str
    line: int
    change: str
    now: str


def of(answer: str, given: tuple[str, ...] = ()) -> Iterator[Mutant]:
    """The mutants of an answer, each text once; `given` are names that the part gives, to be confused with others."""
    seen = {answer}
    for node, new in _changes(ast.parse(answer), given):
        text = _replaced(answer, node, new)
        if text not in seen and _parses(text):
            seen.add(text)
            was = " ".join((ast.get_source_segment(answer, node) or "").split())
            yield Mutant(text, node.lineno, f"{was} → {new}", text.splitlines()[node.lineno - 1].strip())


def _changes(tree: ast.Module, given: tuple[str, ...]) -> Iterator[tuple[ast.AST, str]]:
    scopes = [(tree, sorted(set(given) | _names(tree)))]
    scopes += [(node, sorted(_names(node))) for node in ast.walk(tree) if isinstance(node, FUNCTIONS)]
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom)):
            yield from _statements(node)
        if isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", ast.Load()), ast.Store):
            for new in _expressions(node):
                yield node, _text(new)
    for scope, names in scopes:
        for node in _inside(scope):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
                yield from ((node, other) for other in names if other != node.id)
    kept = sorted({n.attr for n in ast.walk(tree) if _of_self(n) and isinstance(n.ctx, ast.Store)})
    for node in ast.walk(tree):
        if _of_self(node) and isinstance(node.ctx, ast.Load):
            yield from ((node, f"self.{other}") for other in kept if other != node.attr)


def _statements(node: ast.stmt) -> Iterator[tuple[ast.AST, str]]:
    """The statement left out; or what it returns or assigns, changed as a whole."""
    alone = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)  # a docstring
    if not alone and not isinstance(node, (ast.Return, ast.Pass)):
        yield node, "pass"
    match node:
        case ast.AugAssign(op=op):
            for other in OPERATORS.get(type(op), ()):
                new = copy.copy(node)
                new.op = other()
                yield node, ast.unparse(new)
        case ast.Return(value=ast.expr() as value) | ast.Assign(value=value) if not isinstance(value, ast.Constant):
            text = f"({ast.unparse(value)})"
            for new in (f"-{text}", f"{text} * 2", f"{text} + 1", f"{text}[::-1]", f"{text}[None]", f"{text}.T"):
                yield value, f"({new})"


def _expressions(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            yield from (ast.BinOp(left, other(), right) for other in OPERATORS.get(type(op), ()))
            yield from (left, right)
            if not isinstance(op, (ast.Add, ast.Mult)):
                yield ast.BinOp(right, op, left)
        case ast.UnaryOp(operand=operand):
            yield operand
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            yield from (ast.Compare(left, [other()], [right]) for other in COMPARISONS[type(op)])
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(ast.And() if isinstance(op, ast.Or) else ast.Or(), values)
        case ast.IfExp(body=body, orelse=orelse):
            yield from (body, orelse)
        case ast.Constant(value=value):
            yield from map(ast.Constant, _values(value))
        case ast.Tuple(elts=elements) | ast.List(elts=elements) if elements:
            yield from (_with(node, "elts", new) for new in _fewer_or_swapped(elements))
        case ast.Subscript(value=value, slice=index):
            yield value
            yield from (_with(node, "slice", new) for new in _slices(index))
        case ast.Call():
            yield from _calls(node)
        case ast.Attribute(value=value, attr=name):
            yield value
            for family in FAMILIES:
                yield from (_with(node, "attr", other) for other in sorted(family - {name}) if name in family)


def _values(value: object) -> Iterator[object]:
    match value:
        case bool():
            yield not value
        case int():
            yield from dict.fromkeys(v for v in (value + 1, value - 1, -value, 0, -1, -2, 2 * value) if v != value)
        case float():
            yield from (-value, 2 * value, value / 2, 1.0)
        case str() if "->" in value:  # of einsum: two letters exchanged, in one operand or in the result
            pieces = value.replace("->", ",").split(",")
            for place, piece in enumerate(pieces):
                for a, b in itertools.combinations([i for i, c in enumerate(piece) if c.isalpha()], 2):
                    letters = list(piece)
                    letters[a], letters[b] = letters[b], letters[a]
                    new = [*pieces[:place], "".join(letters), *pieces[place + 1 :]]
                    yield ",".join(new[:-1]) + "->" + new[-1]


def _calls(node: ast.Call) -> Iterator[ast.expr]:
    if isinstance(node.func, ast.Attribute):
        yield node.func.value  # the method left out
    yield from (value for value in node.args if not isinstance(value, ast.Starred))  # the function left out
    yield from (_with(node, "args", new) for new in _fewer_or_swapped(node.args))
    for place, keyword in enumerate(node.keywords):
        yield _with(node, "keywords", [*node.keywords[:place], *node.keywords[place + 1 :]])
        if isinstance(keyword.value, ast.Constant):
            for value in _values(keyword.value.value):
                new = ast.keyword(keyword.arg, ast.Constant(value))
                yield _with(node, "keywords", [*node.keywords[:place], new, *node.keywords[place + 1 :]])


def _slices(index: ast.expr) -> Iterator[ast.expr]:
    if isinstance(index, ast.Slice):
        for name in ("lower", "upper", "step"):
            if getattr(index, name):
                yield _with(index, name, None)
        if not index.step:
            yield _with(index, "step", ast.Constant(-1))
            yield _with(index, "step", ast.Constant(2))
        if not index.lower:
            yield _with(index, "lower", ast.Constant(1))
        if not index.upper:
            yield _with(index, "upper", ast.Constant(-1))
        for name in ("lower", "upper"):
            if bound := getattr(index, name):
                yield from (_with(index, name, ast.BinOp(bound, op(), ast.Constant(1))) for op in (ast.Add, ast.Sub))
    elif isinstance(index, ast.Tuple):
        for place, one in enumerate(index.elts):
            if isinstance(one, ast.Slice):
                for new in _slices(one):
                    yield _with(index, "elts", [*index.elts[:place], new, *index.elts[place + 1 :]])
        yield from (_with(index, "elts", new) for new in _fewer_or_swapped(index.elts))


def _fewer_or_swapped(nodes: list[ast.expr]) -> Iterator[list[ast.expr]]:
    for place in range(len(nodes)):
        yield [*nodes[:place], *nodes[place + 1 :]]
    for a, b in itertools.combinations(range(len(nodes)), 2):
        new = list(nodes)
        new[a], new[b] = new[b], new[a]
        yield new


def _with(node: ast.AST, field: str, value: object) -> ast.AST:
    new = copy.copy(node)
    setattr(new, field, value)
    return new


def _text(new: ast.expr) -> str:
    text = ast.unparse(ast.fix_missing_locations(new))
    return text if isinstance(new, (*BARE, ast.Slice)) else f"({text})"


def _inside(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope, without those of functions and lambdas in it."""
    waiting = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop(0)
        yield node
        if not isinstance(node, FUNCTIONS):
            waiting += ast.iter_child_nodes(node)


def _names(scope: ast.AST) -> set[str]:
    """What a scope's own statements make, and its arguments, without self and what is imported."""
    found = {node.id for node in _inside(scope) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    if isinstance(scope, FUNCTIONS):
        found |= {argument.arg for argument in (*scope.args.posonlyargs, *scope.args.args, *scope.args.kwonlyargs)}
    return found - {"self", "_"}


def _of_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def _replaced(source: str, node: ast.AST, new: str) -> str:
    lines = source.encode().splitlines(keepends=True)
    start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
    end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
    return (source.encode()[:start] + new.encode() + source.encode()[end:]).decode()


def _parses(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return bool(compile(text, "mutant", "exec"))
    except (SyntaxError, ValueError):
        return False
