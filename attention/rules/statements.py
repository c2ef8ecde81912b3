"""How many statements of a function compute each of its outputs.

Views of the inputs, scalars and helper functions are not counted; arithmetic on tensors is a computing statement, and
so is a view of something computed. An output whose memory one statement allocates and another fills has taken both.
"""

import ast
import contextlib
from collections.abc import Collection, Iterator
from dataclasses import replace

from attention.rules.dataflow import (
    SAME,
    Flow,
    Names,
    Place,
    assigned,
    boxed,
    computed,
    flow_of,
    is_box,
    is_size,
    key_of,
    merged,
    root_of,
)
from attention.rules.objects import with_plain_names
from grading.rules.student_code import Code, defined, editable

LIBRARIES = frozenset({"torch", "nn", "np", "F"})
LOOKING = frozenset("print display repr isinstance len type id".split())  # these write into no argument
COMPOUND = (ast.If, ast.With, ast.Try, ast.TryStar, ast.Match, ast.For, ast.While, ast.FunctionDef, ast.ClassDef)


def second_statement(answer_id: str, function: str, sizes: Collection[str | int]) -> tuple[Code, int, int] | None:
    """The cell, the line and the output's position of a second statement that computes an output of the function.

    `sizes` are the arguments that are plain numbers, no tensors, by name or by position from 0.
    None if each output has at most one, or if there is no such function to look at.
    """
    table = defined(editable(answer_id))
    found = [(c, n) for c, n in table.get(function, []) if isinstance(n, ast.FunctionDef)]
    if not found:
        return None
    code, node = found[-1][0], with_plain_names(found[-1][1])
    values = {name: changes[-1][1] for name, changes in table.items() if name != function}
    functions = {value: _as_function(value) for value in values.values()}  # one may have thousands of names
    helpers = {name: functions[value] for name, value in values.items()}
    helpers |= dict(_inner_functions(node))
    free = _free({name: helper for name, helper in helpers.items() if helper}, sizes)
    with _read_as(node, free):
        outputs = _outputs(node, sizes)
    for position, flow in enumerate(outputs):
        if len(flow.statements) > 1:
            return code, max(flow.statements)[0], position
    return None


def _inner_functions(function: ast.FunctionDef) -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions and lambdas that a function defines within it, by their names."""
    for node in ast.walk(function):
        match node:
            case ast.FunctionDef(name=name) if node is not function:
                yield name, node
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as value):
                yield name, _as_function(value)


def _as_function(value: ast.AST) -> ast.FunctionDef | None:
    """A function of the student's; a lambda as a function of one statement."""
    if isinstance(value, ast.Lambda):
        body = ast.copy_location(ast.Return(value.body), value.body)
        return ast.copy_location(ast.FunctionDef("", value.args, [body], []), value)
    return value if isinstance(value, ast.FunctionDef) else None


def _free(helpers: dict[str, ast.FunctionDef], sizes: Collection[str | int]) -> dict[str, str]:
    """What the helpers that compute nothing are like: `len` if they give sizes alone, `view` if tensors as they are,
    `empty` if memory that waits for its numbers."""
    free: dict[str, str] = {}
    plain = {n: f for n, f in helpers.items() if not (f.args.vararg or f.args.kwarg or f.args.kwonlyargs)}
    for _ in range(2):  # one may call another
        found: dict[ast.FunctionDef, str | None] = {}
        for name, helper in plain.items():
            if helper not in found:
                found[helper] = _like(helper, free, sizes)
            if found[helper]:
                free[name] = found[helper]
    return free


def _like(helper: ast.FunctionDef, free: dict[str, str], sizes: Collection[str | int]) -> str | None:
    """What a helper is like, as far as it is known of others; None if it computes something."""
    with _read_as(helper, free):
        flows = _outputs(helper, {size for size in sizes if isinstance(size, str)})
    if flows and all(flow.blank and not flow.filled for flow in flows):
        return "empty"
    if flows and not any(flow.statements or flow.blank for flow in flows):
        return "view" if any(flow.tensor for flow in flows) else "len"
    return None


@contextlib.contextmanager
def _read_as(node: ast.AST, free: dict[str, str]) -> Iterator[None]:
    """Treats each call of a helper that computes nothing as what it is like, within the block alone."""
    called = [call.func for call in ast.walk(node) if isinstance(call, ast.Call)]
    names = [(func, func.id) for func in called if isinstance(func, ast.Name) and func.id in free]
    for func, name in names:
        func.id = free[name]
    try:
        yield
    finally:
        for func, name in names:
            func.id = name


def _outputs(function: ast.FunctionDef, sizes: Collection[str | int]) -> list[Flow]:
    """The flow of each output of the last return statement."""
    arguments = function.args.posonlyargs + function.args.args
    names = {a.arg: Flow(tensor=a.arg not in sizes and at not in sizes) for at, a in enumerate(arguments)}
    inner = dict(_inner_functions(function))
    out: list[Flow] = []
    for statement in _in_order(function.body):
        at = (statement.lineno, statement.col_offset)
        if not isinstance(statement, COMPOUND):
            for named in [node for node in ast.walk(statement) if isinstance(node, ast.NamedExpr)]:
                _assign(named.target, named.value, at, names)
            for owner, value in _written(statement, inner, names):
                _fill(owner, computed(flow_of(value, names), at), at, names)
        match statement:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    _assign(target, value, at, names)
            case ast.AnnAssign(target=target, value=value) if value is not None:
                _assign(target, value, at, names)
            case ast.Match(subject=subject, cases=cases):
                for pattern in [inner for case in cases for inner in ast.walk(case.pattern)]:
                    if name := getattr(pattern, "name", None):
                        _assign(ast.Name(name), subject, at, names)
            case ast.AugAssign(target=target, value=value):
                if not _into_box(statement, at, names):
                    _fill(target, computed(flow_of(target, names) | flow_of(value, names), at), at, names)
            case ast.Expr():
                _into_box(statement, at, names)
            case ast.Return(value=value) if value is not None:
                flow = assigned(value, at, names)
                out = list(flow.parts) or [flow]
    return out


def _into_box(statement: ast.stmt, at: Place, names: Names) -> bool:
    """Whether a statement puts something into a list or a mapping of the function's own, which is then recorded."""
    match statement:
        case ast.AugAssign(target=ast.Name(id=name), value=value):
            method, given, named = {ast.Add: "extend", ast.BitOr: "update"}.get(type(statement.op)), [value], []
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method), args=given, keywords=named)
        ):
            pass
        case _:
            return False
    if not is_box(name, names):
        return False
    entries = merged([word.arg for word in named], [assigned(word.value, at, names) for word in named])
    whole = assigned(given[-1], at, names) if given else boxed(entries)
    if method == "append":
        _put(name, None, whole, names)
    elif method == "insert" and given:
        parts, place = [*names[name].parts], getattr(given[0], "value", None)
        parts.insert(place if isinstance(place, int) else len(parts), whole)
        names[name] = boxed(dict(enumerate(parts)))
    elif method == "setdefault" and given:
        if (key := getattr(given[0], "value", None)) not in names[name].keys:
            _put(name, key, whole, names)
    elif method in {"extend", "update"} and whole.keys is not None:
        for key, part in [*whole.entries.items(), *(entries.items() if given else ())]:
            _put(name, None if method == "extend" else key, part, names)
    else:
        return False
    return True


def _in_order(body: list[ast.stmt]) -> list[ast.stmt]:
    out = []
    for statement in body:
        out.append(statement)
        for name in ("body", "orelse", "finalbody"):
            if not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                out += _in_order(getattr(statement, name, []))
        for branch in [*getattr(statement, "handlers", []), *getattr(statement, "cases", [])]:
            out += _in_order(branch.body)
    return out


def _written(
    statement: ast.stmt, inner: dict[str, ast.FunctionDef], names: Names
) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What calls in a statement write into, and the call: A.mul_(2), out=A, or a helper that is given memory."""
    for call in [node for node in ast.walk(statement) if isinstance(node, ast.Call)]:
        for owner in [keyword.value for keyword in call.keywords if keyword.arg == "out"]:
            yield from ((one, call) for one in (owner.elts if isinstance(owner, ast.Tuple) else [owner]))
        match call.func:
            case ast.Attribute(value=owner, attr=name) if _writes(name):
                of_class = root_of(owner) in LIBRARIES and call.args  # torch.Tensor.copy_(A, B)
                yield (call.args[0] if of_class else owner), call
            case ast.Name(id=name) if name in LOOKING:
                continue
        if isinstance(statement, ast.Expr) and statement.value is call:
            given = [*call.args, *(keyword.value for keyword in call.keywords)]
            if isinstance(call.func, ast.Name) and call.func.id in inner:
                given += [node for node in ast.walk(inner[call.func.id]) if isinstance(node, ast.Name)]
            for one in given:
                if not is_size(one) and names.get(root_of(one) or "", Flow()).blank:
                    yield one, call


def _writes(method: str) -> bool:
    """Whether a method writes into its tensor, as its name tells."""
    return method == "__setitem__" or (method.endswith("_") and not method.endswith("__") and method not in SAME)


def _assign(target: ast.expr, value: ast.expr, at: Place, names: Names) -> None:
    flow = assigned(value, at, names)
    if not isinstance(target, (ast.Tuple, ast.List)):
        return _store(target, flow, at, names)
    parts = flow.parts if len(flow.parts) == len(target.elts) else [flow] * len(target.elts)
    for one, part in zip(target.elts, parts, strict=True):
        _store(one, part, at, names)
    return None


def _store(target: ast.expr, flow: Flow, at: Place, names: Names) -> None:
    match target:
        case ast.Name(id=name) | ast.Starred(value=ast.Name(id=name)):
            names[name] = flow
        case ast.Subscript(value=ast.Name(id=name), slice=place) if (key := key_of(place, name, names)) is not None:
            _put(name, key, flow, names)
        case _:
            _fill(target, flow, at, names)


def _put(name: str, key: object, flow: Flow, names: Names) -> None:
    """Sets an entry of a list or mapping; the key None appends to a list."""
    if is_box(name, names):
        old, entries = names[name], names[name].entries
        entries[len(entries) if key is None else key] = flow
        for same in [other for other, known in names.items() if known is old]:  # all names of the same list or mapping
            names[same] = boxed(entries)


def _fill(owner: ast.expr, flow: Flow, at: Place, names: Names) -> None:
    """Records that a statement writes into a tensor, or into a view of it."""
    match owner:
        case ast.Subscript(value=ast.Name(id=name), slice=place) if (key := key_of(place, name, names)) is not None:
            return _put(name, key, _filled(flow_of(owner, names), flow, at), names)
    root = root_of(owner)
    if root is None:
        return None
    old = names.get(root, Flow())
    new = _filled(old, flow, at)
    if not old.blank:
        names[root] = new
        return None
    for name in [name for name, other in names.items() if other.blank & old.blank]:
        names[name] = new  # all names of the same memory
    return None


def _filled(old: Flow, flow: Flow, at: Place) -> Flow:
    """The flow of a tensor, or of memory that waited for it, after a statement wrote into it."""
    new = old | flow
    return replace(new, blank=old.blank, filled=old.filled | {at}) if old.blank else new
