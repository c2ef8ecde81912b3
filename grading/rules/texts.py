"""The texts that an expression can have as its value, as far as the student's cells tell."""

import ast
import itertools
from collections.abc import Collection

from grading.rules.nodes import walk
from grading.rules.parsing import folded
from grading.rules.student_code import Code

MAX_TEXTS = 64  # values of one expression that are followed up
MAX_STEPS = 2000  # of following them up


class Texts:
    """The texts that an expression can have as its value, as far as the student's cells tell."""

    def __init__(self, codes: list[Code], packages: Collection[str]) -> None:
        self.packages = packages
        self.bound: dict[str, list[ast.expr | None]] = {}
        self.steps = 0
        for code in codes:
            for node in walk(code.tree) if code.tree else ():
                match node:
                    case ast.Assign(targets=targets, value=value):
                        for target in targets:
                            self._bind(target, value)
                    case ast.AnnAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
                        self._bind(target, value)
                    case ast.For(target=target, iter=over) | ast.comprehension(target=target, iter=over) if (
                        pieces := _pieces(over)
                    ):
                        for piece in pieces:
                            self._bind(target, piece)
                    case ast.For(target=target) | ast.comprehension(target=target) | ast.AugAssign(target=target):
                        self._bind(target, None)
                    case ast.withitem(optional_vars=target) if target is not None:
                        self._bind(target, None)
                    case ast.arg(arg=name):
                        self.bound.setdefault(name, []).append(None)

    def _bind(self, target: ast.expr, value: ast.expr | None) -> None:
        pair = (ast.Tuple, ast.List)
        if isinstance(target, ast.Name):
            self.bound.setdefault(target.id, []).append(value)
        elif isinstance(target, pair):
            same = isinstance(value, pair) and len(value.elts) == len(target.elts)
            for place, inner in enumerate(target.elts):
                self._bind(inner, value.elts[place] if same else None)

    def of(self, node: ast.expr | None, depth: int = 0) -> set[str] | None:
        """All possible texts, or None if they cannot be told."""
        self.steps = self.steps + 1 if depth else 0
        if node is None or depth > 8 or self.steps > MAX_STEPS:
            return None
        if (text := folded(node)) is not None:
            return {text}
        match node:
            case ast.Name(id=name):
                return self._any_of(self.bound.get(name, [None]), depth)
            case ast.IfExp(body=body, orelse=other):
                return self._any_of([body, other], depth)
            case ast.Subscript(value=ast.List(elts=pieces) | ast.Tuple(elts=pieces) | ast.Dict(values=pieces)):
                return self._any_of(pieces, depth)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._joined([left, right], depth)
            case ast.JoinedStr(values=values):
                return self._joined(values, depth)
            case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
                return self.of(value, depth + 1)
        return None

    def _joined(self, nodes: list[ast.expr], depth: int) -> set[str] | None:
        """All texts that these can make together, one after the other."""
        made = {""}
        for node in nodes:
            texts = self.of(node, depth + 1)
            if texts is None or len(made) * len(texts) > MAX_TEXTS:
                return None
            made = {a + b for a, b in itertools.product(made, texts)}
        return made

    def _any_of(self, nodes: list[ast.expr | None], depth: int) -> set[str] | None:
        sets = [self.of(node, depth + 1) for node in nodes[: MAX_TEXTS + 1]]
        return None if None in sets or len(sets) > MAX_TEXTS else set().union(*sets)


def _pieces(over: ast.expr) -> list[ast.expr]:
    """What a loop goes over, if that is written down: a list, the letters of "QKV", or the words of "a b".split()."""
    match over:
        case ast.List(elts=pieces) | ast.Tuple(elts=pieces):
            return pieces
        case ast.Constant(value=str(text)):
            return [ast.Constant(letter) for letter in text[: MAX_TEXTS + 1]]
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="split"), args=[], keywords=[]):
            return [ast.Constant(word) for word in text.split()[: MAX_TEXTS + 1]]
    return []
