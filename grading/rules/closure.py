"""What an answer consists of: its functions and classes, and all that they name in any cell of the student's."""

import ast
import copy
import symtable
import weakref
from collections import deque
from collections.abc import Collection, Iterable, Iterator

from grading.rules import own_calls
from grading.rules.drafts import replaced
from grading.rules.nodes import names_imported, walk
from grading.rules.parsing import folded
from grading.rules.student_code import Code, defined, editable

Place = tuple[str, int, int]  # a cell, a line and a column
INTERPOLATION = getattr(ast, "Interpolation", ())  # {x} in a t-string, which Python has from 3.14 on
TORCHSCRIPT = frozenset({"script", "script_method", "script_if_tracing"})
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
# Of each piece of code, as long as its notebook's tree is there, which nobody changes: each rule asks for the same few.
_free: weakref.WeakKeyDictionary[ast.AST, frozenset[str]] = weakref.WeakKeyDictionary()


def definitions(node: ast.AST) -> Iterator[Definition]:
    """The functions, classes and lambdas in a piece of code, each with what it contains, none twice."""
    if isinstance(node, Definition):
        yield node
        return
    for inner in ast.iter_child_nodes(node):
        yield from definitions(inner)


def answer(
    answer_id: str, asked: Iterable[str], left_out: Collection[Place] = frozenset()
) -> list[tuple[Code, ast.AST]]:
    """The definitions of the answer's cell, those of the names asked for, and all that these name, with its value.

    A value that no function of the answer reads, such as a demonstration's, is not among them, nor is a draft. What is
    `left_out` counts only where code names it that runs before the last cell has.
    """
    codes = editable(answer_id)
    table = defined(codes)
    drafts = replaced(codes, table)
    made = [(code, node) for code in codes if code.answer and code.tree for node in definitions(code.tree)]
    found = [(code, node) for code, node in made if node not in drafts and place(code, node) not in left_out]
    found += [(code, node) for code in codes if code.tree for node in _compiled_by_torch(code.tree)]
    names = deque([pair for _, node in found for pair in _named(node, True)] + [(name, True) for name in asked])
    seen: set[tuple[str, bool]] = set()
    read = {(node, late) for node in drafts for late in (True, False)}  # a node may be the value of thousands of names
    read |= {(node, True) for _, node in found}
    there = {*drafts, *(node for _, node in found)}
    while names:
        name, late = pair = names.popleft()
        if pair not in seen:
            seen.add(pair)
            for code, node in table.get(name, ()):
                if (node, late) not in read and not (late and place(code, node) in left_out):
                    read.add((node, late))
                    if node not in there:
                        there.add(node)
                        found.append((code, node))
                    names += _named(node, late)
    return found


def _compiled_by_torch(tree: ast.Module) -> Iterator[ast.AST]:
    """What is handed to TorchScript: it runs where nobody sees which function of the student's, or of a library, it was
    made of, so that its text counts whoever calls it."""
    for node in walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in TORCHSCRIPT:
                yield node
            case ast.FunctionDef(decorator_list=[_, *_] as given) | ast.ClassDef(decorator_list=[_, *_] as given):
                used = [inner for one in given for inner in walk(one)]
                if any(getattr(one, "id", getattr(one, "attr", "")) in TORCHSCRIPT for one in used):
                    yield node


def place(code: Code, node: ast.AST) -> Place:
    """Where a piece of code begins."""
    return code.where, node.lineno, node.col_offset


def _named(node: ast.AST, late: bool) -> list[tuple[str, bool]]:
    """The names that a piece of code takes from the notebook, and of each whether it is read only once all cells have
    run: that is so of what a function names which is `late` itself."""
    now = _at_once(node) if late else {*()}
    return [(name, late and name not in now) for name in sorted(free_names(node))]


def _at_once(node: ast.AST) -> set[str]:
    """The names in a piece of code that are read as it is run: in a function's, those of defaults and the like."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
            pieces = [node.args, getattr(node, "returns", None), *getattr(node, "decorator_list", [])]
        case ast.ClassDef(bases=bases, keywords=keywords, body=body, decorator_list=decorators):
            return set().union(*map(_at_once, [*bases, *keywords, *decorators, *body]))
        case _:
            pieces = [node]
    return {inner.id for piece in pieces if piece for inner in walk(piece) if isinstance(inner, ast.Name)}


def free_names(node: ast.AST) -> frozenset[str]:
    """The names that a piece of code takes from the notebook: neither its parameters nor its own variables."""
    if (names := _free.get(node)) is None:
        try:
            names = _free[node] = frozenset(_taken(node))
        except (SyntaxError, ValueError, RecursionError):  # code that cannot be written down again: all its names, then
            return frozenset(inner.id for inner in walk(node) if isinstance(inner, ast.Name))
    return names


def _taken(node: ast.AST) -> set[str]:
    waiting, names = [symtable.symtable(_scoped(node), "<cell>", "exec")], set()
    while waiting:
        table = waiting.pop()
        waiting += table.get_children()
        at_top = table.get_type() == "module"
        names |= {s.get_name() for s in table.get_symbols() if (s.is_referenced() if at_top else s.is_global())}
    return names


def _scoped(node: ast.AST) -> str:
    """A piece of code as a text, in which each comprehension has a scope of its own."""
    text = _written(node)
    return ast.unparse(_Scoped().visit(ast.parse(text))) if " for " in text else text


def _written(node: ast.AST) -> str:
    """A piece of code as a text; of a t-string what its tree holds, where Python would write the text that it had."""
    if any(isinstance(inner, INTERPOLATION) for inner in walk(node)):
        node = copy.deepcopy(node)
        for inner in ast.walk(node):
            if isinstance(inner, INTERPOLATION):
                inner.str = None
    return ast.unparse(node)


class _Scoped(ast.NodeTransformer):
    """Writes every comprehension as a generator: from Python 3.12 on, only a generator has a scope of its own. So that
    one in a t-string is written as it is then, forgets that one's text."""

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp) -> ast.AST:
        return self.generic_visit(ast.GeneratorExp(node.elt, node.generators))

    visit_SetComp = visit_ListComp

    def visit_Interpolation(self, node: ast.AST) -> ast.AST:
        node.str = None
        return self.generic_visit(node)

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        return self.generic_visit(ast.GeneratorExp(ast.Tuple([node.key, node.value], ast.Load()), node.generators))


def libraries(codes: list[Code], packages: Collection[str], setup: ast.Module) -> dict[str, str]:
    """The names under which the student's cells know a package or a piece of it, and what these are called there.

    `setup` is the part's setup cell, whose imports the student's cells find done.
    """
    names = {name: name for name in packages} | imported(setup, packages)
    trees = [code.tree for code in codes if code.tree]
    for tree in trees:
        names |= imported(tree, packages)
    left = [(name, value) for name, value in (*second_names(trees), *own_calls.given(trees)) if name not in names]
    left.sort(key=lambda pair: isinstance(pair[1], ast.Attribute))  # what may be torch.jit or torch is the piece
    while new := {name: value for name, value in left if name not in names and root(value) in names}:
        names |= {name: getattr(value, "attr", "") or names[root(value)] for name, value in new.items()}
    return names


def second_names(trees: Iterable[ast.AST]) -> Iterator[tuple[str, ast.expr]]:
    """The names that stand for a value which is written down: `F = nn.functional`, `F, la = nn.functional, np.linalg`,
    `xp = torch if on_gpu else np`, `xp = xp or np`, `type A = nn.Linear`, `def f(x, xp=np)`, `for xp in (torch, np)`;
    with each value that they may have."""
    for node in (node for tree in trees for node in walk(tree)):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=names) | ast.List(elts=names)], value=ast.Tuple(elts=values)):
                if len(names) == len(values) and not any(isinstance(one, ast.Starred) for one in (*names, *values)):
                    pairs = zip(names, values, strict=True)
                    yield from ((name.id, value) for name, value in pairs if isinstance(name, ast.Name))
            case ast.Assign(targets=targets, value=value) if all(isinstance(one, ast.Name) for one in targets):
                yield from ((target.id, one) for target in targets for one in _either(value))
            case (
                ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                | ast.stmt(name=ast.Name(id=name), value=value)  # `type A = nn.Linear`, from Python 3.12 on
            ):
                yield from ((name, one) for one in _either(value))
            case (
                ast.For(target=ast.Name(id=name), iter=ast.Tuple(elts=values) | ast.List(elts=values))
                | ast.comprehension(target=ast.Name(id=name), iter=ast.Tuple(elts=values) | ast.List(elts=values))
            ):
                yield from ((name, value) for value in values)
            case (
                ast.For(target=ast.Tuple() as target, iter=over)
                | ast.comprehension(target=ast.Tuple() as target, iter=over)
            ):
                yield from _in_rows(target, over)
            case ast.arguments(posonlyargs=first, args=second, kwonlyargs=named):
                by_place = (first + second)[len(first + second) - len(node.defaults) :]
                pairs = [*zip(by_place, node.defaults, strict=True), *zip(named, node.kw_defaults, strict=True)]
                yield from ((argument.arg, value) for argument, value in pairs if value is not None)


def _in_rows(target: ast.Tuple, over: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The names of a loop that takes apart rows which are written down, as in `for name, xp in [("np", np)]`, and in
    `for name, xp in {"np": np}.items()`; none if any row has another length."""
    match over:
        case ast.Tuple(elts=rows) | ast.List(elts=rows) if all(isinstance(row, ast.Tuple | ast.List) for row in rows):
            rows = [row.elts for row in rows]
        case ast.Call(func=ast.Attribute(value=ast.Dict(keys=keys, values=values), attr="items"), args=[]) if all(keys):
            rows = [*zip(keys, values, strict=True)]
        case _:
            return
    plain = all(isinstance(name, ast.Name) for name in target.elts)
    if plain and all(len(row) == len(target.elts) and not any(_is_starred(one) for one in row) for row in rows):
        yield from ((name.id, value) for row in rows for name, value in zip(target.elts, row, strict=True))


def _is_starred(value: ast.expr) -> bool:
    return isinstance(value, ast.Starred)


def _either(value: ast.expr) -> Iterator[ast.expr]:
    """A value, or all that `a if condition else b`, and `a or b`, may give."""
    match value:
        case ast.IfExp(body=body, orelse=other):
            yield from (*_either(body), *_either(other))
        case ast.BoolOp(values=values):
            yield from (one for inner in values for one in _either(inner))
        case _:
            yield value


def imported(tree: ast.AST, packages: Collection[str]) -> dict[str, str]:
    """The names that the import statements in a piece of code give to the packages and to pieces of them."""
    return {name: path for name, path in names_imported(walk(tree)) if path.split(".")[0] in packages}


def root(node: ast.AST) -> str | None:
    """The name that a chain such as torch.nn.functional begins with; `__import__("torch")` is another name of torch.

    `getattr(torch, "nn")` is torch.nn, and `globals()["torch"]` is torch.
    """
    while True:
        match node:
            case ast.Attribute(value=inner):
                node = inner
            case ast.Call(func=ast.Name(id="getattr"), args=[inner, name, *_]) if folded(name):
                node = inner
            case _:
                return node.id if isinstance(node, ast.Name) else asked_for(node) or imports_by_call(node)


def asked_for(node: ast.AST) -> str | None:
    """The name that `globals()["torch"]` or `vars().get("torch")` asks for; None for any other code."""
    match node:
        case (
            ast.Subscript(value=ast.Call(func=ast.Name(id=names), args=[]), slice=text)
            | ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id=names), args=[])), args=[text, *_])
        ) if names in {"globals", "locals", "vars"}:
            return folded(text)
    return None


def imports_by_call(node: ast.AST) -> str | None:
    """The package that `__import__("numpy.linalg")` or the like gives; None for any other code."""
    match node:
        case ast.Call(func=ast.Name(id="__import__"), args=[text], keywords=[]):
            return (folded(text) or "").split(".")[0] or None
    return None
