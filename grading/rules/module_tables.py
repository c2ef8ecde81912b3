"""Tables of modules, as in `libs = {"np": np, "torch": torch}`: what stands in them can be followed as long as they
never change and are only looked into in plain sight, so that rules may read `np` for `libs["np"]`, and for `libs[key]`
one or the other. A table without a name, as in `(np, torch)[on_gpu]`, can't change.
"""

import ast
import functools
import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from grading.rules import own_calls
from grading.rules.nodes import first_name, mapping, top_level, walk
from grading.rules.own_calls import names_given, reads_in_other_ways
from grading.rules.rewriting import at_place, rewritten

Table = ast.Dict | ast.List | ast.Tuple
MOST_TABLES = 20  # that are followed; where there are more, none is
MOST_NODES = 200  # of the syntax tree of one, which is copied for each look
MAKING = frozenset({"dict", "zip", "enumerate"})  # these must be Python's own
LOOPS = (ast.For, ast.AsyncFor, ast.comprehension)


def read_through(trees: Sequence[ast.Module], setup: Callable[[], ast.Module]) -> list[ast.Module]:
    """The cells, in which a look into a table of modules is written as what it gives: `np` for `libs["np"]`.

    What counts as a module is any name that is only ever imported, by the cells or by the part's setup cell, which
    `setup` reads.
    """
    nodes = [node for tree in trees for node in walk(tree)]
    written = [pair for tree in trees for pair in _written(tree)]
    unnamed = any(isinstance(node, ast.Subscript) and isinstance(node.value, Table) for node in nodes)
    unnamed = unnamed or any(_rows(node.iter) for node in nodes if isinstance(node, LOOPS))
    if not (written or unnamed) or reads_in_other_ways(nodes):
        return [*trees]
    given, imported = [*names_given(nodes)], {*own_calls.imported([*walk(setup()), *nodes])}
    modules = imported.difference(given)
    if not own_calls.meanings(nodes).isdisjoint(MAKING):
        return [*trees]
    held = {name: table for name, table in written if _holds_modules(table, modules) and _leaves(table)}
    if len(held) > MOST_TABLES:
        return [*trees]
    sure = [name for name in held if given.count(name) == 1 and imported.isdisjoint({name, "*"})]
    tables = {name: held[name] for name in sure if _is_plain(name, held[name], trees)}
    return rewritten(trees, _Reader(tables, modules)) if tables or unnamed else [*trees]


def _leaves(value: ast.expr) -> list[ast.expr]:
    """The modules that a table holds."""
    match value:
        case ast.Dict(values=values) | ast.List(elts=values) | ast.Tuple(elts=values):
            return [leaf for one in values for leaf in _leaves(one)]
        case ast.Name() | ast.Attribute():
            return [value]
    return []


def _written(tree: ast.Module) -> Iterator[tuple[str, Table]]:
    """The tables that a cell writes down under a name, outside of its functions and classes."""
    for statement in top_level(tree.body):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if (table := _table(value)) is not None:
                if _is_small(table):
                    yield name, table


def _table(value: ast.expr) -> Table | None:
    """A table as it is written down, `dict(np=np)` as `{"np": np}`; None for anything else."""
    return value if isinstance(value, ast.List | ast.Tuple) else mapping(value)


def _is_small(table: Table) -> bool:
    return sum(1 for _ in itertools.islice(ast.walk(table), MOST_NODES + 1)) <= MOST_NODES


def _holds_modules(value: ast.expr, modules: Collection[str]) -> bool:
    """Whether a table holds nothing but modules, texts, numbers, and tables of these."""
    match value:
        case ast.Dict(keys=keys, values=values):
            return all(isinstance(key, ast.Constant) for key in keys) and all(
                _holds_modules(one, modules) for one in values
            )
        case ast.List(elts=values) | ast.Tuple(elts=values):
            return all(_holds_modules(one, modules) for one in values)
        case ast.Constant():
            return True
        case ast.Name() | ast.Attribute():
            return first_name(value) in modules
    return False


def _is_plain(name: str, table: Table, trees: Sequence[ast.Module]) -> bool:
    """Whether a table is read only by keys that are written down, or by loops over all of it."""
    nodes = [node for tree in trees for node in walk(tree)]
    looks = {node.value for node in nodes if _look(node, {name: table}) is not None}
    whole = [_whole(node.iter, {name: table}) for node in nodes if isinstance(node, LOOPS)]
    looks |= {seen for seen, _ in filter(None, whole)}
    return all(n in looks for n in nodes if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load))


def _look(node: ast.AST, tables: Mapping[str, Table]) -> ast.expr | None:
    """What `libs["np"]` gives; None for anything else."""
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=key), ctx=ast.Load()) if name in tables:
            table = tables[name]
            if isinstance(table, ast.Dict):
                found = [value for one, value in zip(table.keys, table.values, strict=True) if one.value == key]
            else:
                found = table.elts[key : key + 1] if type(key) is int else []
            return found[-1] if found else None
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Name() as key, ctx=ast.Load()) if name in tables:
            return _one_of(tables[name], key)
    return None


def _one_of(table: Table, key: ast.expr) -> ast.expr | None:
    """The choice among all that a table of nothing but modules holds; None for any other table."""
    found = table.values if isinstance(table, ast.Dict) else table.elts
    if not found or not all(isinstance(one, ast.Name | ast.Attribute) for one in found):
        return None
    choice = ast.IfExp(key, found[0], found[0])  # the key stands there once, or many in one another would take forever
    return functools.reduce(lambda others, one: ast.IfExp(ast.Constant(None), one, others), found[1:], choice)


def _unnamed(node: ast.Subscript, modules: Collection[str]) -> ast.expr | None:
    """What `{"np": np, "torch": torch}[key]` gives; None for anything else."""
    match node:
        case ast.Subscript(value=ast.Dict() | ast.List() | ast.Tuple() as table, slice=key, ctx=ast.Load()):
            usual = _is_small(table) and not isinstance(key, ast.Slice) and _holds_modules(table, modules)
            return _one_of(table, key) if usual else None
    return None


def _whole(over: ast.expr, tables: Mapping[str, Table]) -> tuple[ast.Name, ast.expr] | None:
    """The name of the table that a loop goes over, and what the loop takes from it; None for any other loop."""
    match over:
        case ast.Name(id=name) if isinstance(tables.get(name), ast.List | ast.Tuple):
            return over, tables[name]
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name) as seen, attr="items" | "values" as attr), args=[]):
            if isinstance(table := tables.get(name), ast.Dict):
                pairs = zip(table.keys, table.values, strict=True)
                rows = [ast.Tuple([*pair], ast.Load()) if attr == "items" else pair[1] for pair in pairs]
                return seen, ast.Tuple(rows, ast.Load())
    return None


def _rows(over: ast.expr) -> ast.Tuple | None:
    """The rows that `zip` and `enumerate` make of lists which are written down, all of one length; None of others."""
    match over:
        case ast.Call(
            func=ast.Name(id="zip"), args=[_, *_] as lists, keywords=[] | [ast.keyword("strict", ast.Constant())]
        ):
            columns = [one.elts for one in lists if isinstance(one, ast.List | ast.Tuple)]
        case ast.Call(func=ast.Name(id="enumerate"), args=[ast.List() | ast.Tuple() as one] as lists, keywords=[]):
            columns = [[ast.Constant(n) for n in range(len(one.elts))], one.elts]
        case _:
            return None
    whole = len(columns) >= len(lists) and len({*map(len, columns)}) == 1
    if not whole or any(isinstance(entry, ast.Starred) for column in columns for entry in column):
        return None
    return ast.Tuple([ast.Tuple([*row], ast.Load()) for row in zip(*columns, strict=True)], ast.Load())


class _Reader(ast.NodeTransformer):
    """Writes what the tables give for each look into them, and their modules one by one where they stood."""

    def __init__(self, tables: Mapping[str, Table], modules: Collection[str]) -> None:
        self.tables, self.modules = tables, modules

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        found = _look(node, self.tables)
        if found is None:
            node = self.generic_visit(node)
            found = _unnamed(node, self.modules)
        return node if found is None else at_place(found, node)

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        match node.targets:
            case [ast.Name(id=name)] if name in self.tables:
                held = [ast.copy_location(ast.Expr(one), one) for one in _leaves(_table(node.value))]
                node.value = at_place(ast.Constant(None), node.value)
                return [node, *held]
        return [self.generic_visit(node)]

    def visit_For(self, node: ast.For | ast.comprehension) -> ast.AST:
        found = _whole(node.iter, self.tables)
        rows = found[1] if found else _rows(node.iter)
        node.iter = at_place(rows, node.iter) if rows else node.iter
        return self.generic_visit(node)

    visit_AsyncFor = visit_comprehension = visit_For
