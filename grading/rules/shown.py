"""Variables that a cell only shows, by names in texts: as print(name, eval(name)) in a loop over the names does."""

import ast
from collections.abc import Mapping

from grading.rules.texts import Texts

# What a value may go through on its way to be shown or compared, and then is gone.
PASSING = (ast.JoinedStr, ast.FormattedValue, ast.Compare, ast.Tuple, ast.keyword)
SHOWING = frozenset({"print", "display", "repr", "str", "type", "len"})
AROUND = (ast.For, ast.If, ast.With, ast.Try, ast.Module)


def shows_a_variable(call: ast.Call, parents: Mapping[ast.AST, ast.AST], texts: Texts) -> bool:
    """Whether this is an `eval` of a variable's name whose value a statement outside of all functions shows or asserts.

    The rules need not know which variable it is, as nothing else gets hold of its value.
    """
    if not (isinstance(call.func, ast.Name) and call.func.id == "eval" and len(call.args) == 1 and not call.keywords):
        return False
    names = texts.of(call.args[0])
    if not names or not all(map(str.isidentifier, names)):
        return False
    node = parents.get(call)
    showing = SHOWING - texts.own
    while isinstance(node, PASSING) or isinstance(node, ast.Call) and getattr(node.func, "id", "") in showing:
        node = parents.get(node)
    if not isinstance(node, ast.Expr | ast.Assert):
        return False
    while node is not None:
        if not isinstance(node, (ast.Expr, ast.Assert, *AROUND)):
            return False
        node = parents.get(node)
    return True
