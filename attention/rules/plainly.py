"""A function in plainer statements: what `with` and `except` name, what `finally` does, Q for `locals()["Q"]`."""

import ast
import copy

from grading.rules.closure import asked_for

FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef


def plainly(function: ast.FunctionDef) -> ast.FunctionDef:
    """The function, in which assignments alone give names, and a value is returned after what `finally` does."""
    return _Plain().visit(copy.deepcopy(function))


class _Plain(ast.NodeTransformer):
    def visit_With(self, node: ast.With) -> ast.With:
        taken = [_assign(one.optional_vars, one.context_expr) for one in node.items if one.optional_vars]
        node.body = [*taken, *node.body]
        return self.generic_visit(node)

    def visit_Try(self, node: ast.Try) -> ast.Try:
        names = [ast.Name(handler.name, ast.Store()) for handler in node.handlers if handler.name]
        node.body = [one for statement in node.body for one in _before_raising(statement, names)]
        if node.finalbody:
            node.finalbody += [one for statement in node.body for one in _in_function(statement, ast.Return)]
        return self.generic_visit(node)

    visit_TryStar = visit_Try

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        return self._asked(node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        return self._asked(node)

    def _asked(self, node: ast.expr) -> ast.expr:
        name = asked_for(node)
        if name and name.isidentifier():
            return ast.copy_location(ast.Name(name, getattr(node, "ctx", ast.Load())), node)
        return self.generic_visit(node)


def _assign(target: ast.expr, value: ast.expr) -> ast.stmt:
    return ast.copy_location(ast.Assign([target], value), value)


def _before_raising(statement: ast.stmt, names: list[ast.Name]) -> list[ast.stmt]:
    """A statement, and before it what it raises under the names by which that is caught."""
    raised = [one.exc for one in _in_function(statement, ast.Raise) if one.exc]
    return [*(_assign(name, value) for value in raised for name in names), statement]


def _in_function(node: ast.AST, kind: type[ast.stmt]) -> list[ast.stmt]:
    """The statements of a kind in another one, but for those of functions and classes within."""
    if isinstance(node, kind):
        return [node]
    inside = () if isinstance(node, FUNCTIONS) else ast.iter_child_nodes(node)
    return [one for inner in inside for one in _in_function(inner, kind)]
