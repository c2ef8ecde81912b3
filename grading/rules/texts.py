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
                    case (
                        ast.For(target=target, iter=ast.List(elts=pieces) | ast.Tuple(elts=pieces))
                        | ast.comprehension(target=target, iter=ast.List(elts=pieces) | ast.Tuple(elts=pieces))
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
                sides = [self.of(left, depth + 1), self.of(right, depth + 1)]
                if None in sides or len(sides[0]) * len(sides[1]) > MAX_TEXTS:
                    return None
                return {a + b for a, b in itertools.product(*sides)}
        return None

    def _any_of(self, nodes: list[ast.expr | None], depth: int) -> set[str] | None:
        sets = [self.of(node, depth + 1) for node in nodes[: MAX_TEXTS + 1]]
        return None if None in sets or len(sets) > MAX_TEXTS else set().union(*sets)
