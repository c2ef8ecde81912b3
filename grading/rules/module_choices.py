"""Modules that the program chooses as it runs: rules may read `(torch if c else np).sqrt(x)` as
`(torch.sqrt if c else np.sqrt)(x)`, and the call of a function that gives such a choice as the choice itself.
"""

import ast
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence

from grading.rules import own_calls
from grading.rules.nodes import first_name, walk
from grading.rules.rewriting import at_place, rewritten

MOST_CHOSEN = 10  # modules among which one is chosen; what is taken is written once for each of them


def read_through(trees: Sequence[ast.Module], setup: Callable[[], ast.Module]) -> list[ast.Module]:
    """The cells, in which what is taken from one of several modules is taken from each of them.

    What counts as a module is any name that is only ever imported, by the cells or by the part's setup cell, which
    `setup` reads.
    """
    nodes = [node for tree in trees for node in walk(tree)]
    chosen = any(isinstance(node, ast.Attribute) and isinstance(node.value, ast.IfExp) for node in nodes)
    functions = [one for tree in trees for one in tree.body if isinstance(one, ast.FunctionDef)]
    makers = {one.name: values for one in functions if not one.decorator_list and (values := _given(one))}
    if not (chosen or makers) or own_calls.reads_in_other_ways(nodes):
        return [*trees]
    imported = {*own_calls.imported([*walk(setup()), *nodes])}
    given = Counter(own_calls.names_bound(nodes))
    modules = imported - given.keys()
    called = {node.func for node in nodes if isinstance(node, ast.Call)}
    handed_on = {node.id for node in nodes if isinstance(node, ast.Name) and node not in called}
    sure = {name for name in makers if given[name] == 1 and name not in imported | handed_on}
    makers = {name: values for name, values in makers.items() if name in sure and _are_choices(values, modules)}
    return rewritten(trees, _Reader(modules, makers)) if chosen or makers else [*trees]


def _given(maker: ast.FunctionDef) -> list[ast.expr]:
    """What the return statements of a function give, where that is all that it gives; no values, for another one."""
    nodes = [*ast.walk(maker)]
    inner = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.Yield, ast.YieldFrom)
    if any(isinstance(node, inner) for node in nodes[1:]):
        return []
    values = [node.value for node in nodes if isinstance(node, ast.Return)]
    usual = (ast.Name, ast.Attribute, ast.IfExp)
    return values if values and all(isinstance(one, usual) for one in values) else []


def _are_choices(values: list[ast.expr], modules: Collection[str]) -> bool:
    """Whether expressions are modules or pieces of these, or each one of several, all together not too many."""
    found = [leaf for value in values[: MOST_CHOSEN + 1] for leaf in _leaves(value)]
    return len(found) <= MOST_CHOSEN and all(first_name(one) in modules for one in found)


def _leaves(value: ast.expr) -> list[ast.expr]:
    """What a choice gives one of; of too many, not all."""
    found, waiting = [], [value]
    while waiting and len(found) <= MOST_CHOSEN:
        one = waiting.pop()
        if isinstance(one, ast.IfExp):
            waiting += [one.orelse, one.body]
        else:
            found.append(one)
    return found


class _Reader(ast.NodeTransformer):
    """Writes what is taken from a choice as taken from each of its modules. `makers` are the functions that give one,
    by name, with all their choices."""

    def __init__(self, modules: Collection[str], makers: Mapping[str, list[ast.expr]]) -> None:
        self.modules, self.makers, self.inside = modules, makers, False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        before, self.inside = self.inside, node.name in self.makers
        node = self.generic_visit(node)
        self.inside = before
        return node

    def visit_Return(self, node: ast.Return) -> list[ast.stmt]:
        if not self.inside:
            return [self.generic_visit(node)]
        tests = [inner.test for inner in ast.walk(node.value) if isinstance(inner, ast.IfExp)]
        seen = [at_place(ast.Expr(one), node) for one in (*tests, *_leaves(node.value))]
        node.value = None
        return [*seen, node]

    def visit_Call(self, node: ast.Call) -> ast.expr:
        node = self.generic_visit(node)
        match node.func:
            case ast.Name(id=name) if name in self.makers:
                first, *others = [leaf for value in self.makers[name] for leaf in _leaves(value)]
                choice = ast.IfExp(node, first, first)
                for other in others:
                    choice = ast.IfExp(ast.Constant(None), other, choice)
                return at_place(choice, node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        node = self.generic_visit(node)
        if isinstance(node.value, ast.IfExp) and _are_choices([node.value], self.modules):
            return self._taken(node.value, node)
        return node

    def _taken(self, value: ast.expr, node: ast.Attribute) -> ast.expr:
        if isinstance(value, ast.IfExp):
            sides = [self._taken(side, node) for side in (value.body, value.orelse)]
            return ast.copy_location(ast.IfExp(value.test, *sides), node)
        return ast.copy_location(ast.Attribute(value, node.attr, node.ctx), node)
