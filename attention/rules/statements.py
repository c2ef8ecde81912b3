"""How many statements of a function compute each of its outputs.

Views of the inputs, scalars and helper functions are not counted; arithmetic on tensors is a computing statement, and
so is a view of something computed. An output whose memory one statement allocates and another fills has taken both.
"""

import ast
import contextlib
import operator
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from attention.rules import calls
from attention.rules.boxes import put, put_in, spliced, without_pops
from attention.rules.dataflow import assigned, computed, flow_of
from attention.rules.flow import Flow, Names, Place, Read, boxed, called, function_of, is_box, listed
from attention.rules.forms import SAME, is_size, key_of, root_of, slice_of
from attention.rules.objects import changed_later, with_plain_names
from grading.rules.student_code import Code, defined, editable

LIBRARIES = frozenset({"torch", "nn", "np", "F"})
LOOKING = frozenset("print display repr isinstance len type id".split())  # these write into no argument
# The methods behind Q[:] = …, Q *= 2 and so on.
IN_PLACE = frozenset("__setitem__ __iadd__ __isub__ __imul__ __imatmul__ __itruediv__ __ifloordiv__ __ipow__".split())
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
    code, node = found[-1]
    with contextlib.suppress(RecursionError):  # where an expression is nested so deep that it can't be copied
        node = with_plain_names(node, table)
    values = {name: changes[-1][1] for name, changes in table.items() if name != function}
    arguments = node.args.posonlyargs + node.args.args
    tensors = {a.arg: a.arg not in sizes and at not in sizes for at, a in enumerate(arguments)}
    changed = changed_later({node, *values.values()})
    try:
        output = _output(node, values, tensors, calls.reader(_outputs, changed))
    except RecursionError:  # calls in calls, in expressions as deep as those that are read
        output = _output(node, values, tensors, calls.unknown)
    for position, flow in enumerate(output.parts or [output]):
        if len(flow.statements) > 1:
            return code, max(flow.statements)[0], position
    return None


def _output(node: ast.FunctionDef, values: Mapping[str, ast.AST], tensors: Mapping[str, bool], read: Read) -> Flow:
    """The flow of what a function gives. `values` are what the cells define; `tensors` tells which arguments are."""
    names = Names({}, read)
    functions = {value: function_of(value, names) for value in values.values()}  # one may have thousands of names
    names |= {name: functions[value] for name, value in values.items()}
    names |= _static(values, names)
    given = {argument: Flow(tensor, memory=frozenset({ast.Name(argument)})) for argument, tensor in tensors.items()}
    return _outputs(node, Names({**names, **given}, read))


def _static(made: Mapping[str, ast.AST], names: Names) -> dict[str, Flow]:
    """The functions of classes that are called without an object, each under its class's name and its own."""
    bodies = [(name, one) for name, of in made.items() if isinstance(of, ast.ClassDef) for one in of.body]
    return {
        f"{name}.{one.name}": function_of(one, names)
        for name, one in bodies
        if isinstance(one, ast.FunctionDef) and {getattr(n, "id", "") for n in one.decorator_list} <= {"staticmethod"}
    }


def _outputs(function: ast.FunctionDef, names: Names, place: Place | None = None) -> Flow:
    """The flow of what a return statement gives, or of all that is yielded, as a list.

    Of several it is the one with an output that took most statements, else the last. All statements stand at `place`,
    if there is one.
    """
    returned, yielded = [Flow()], []
    for statement in _in_order(function.body):
        at = place or (statement.lineno, statement.col_offset)
        if not isinstance(statement, COMPOUND):
            statement = without_pops(statement, names)
            for named in [node for node in ast.walk(statement) if isinstance(node, ast.NamedExpr)]:
                _assign(named.target, named.value, at, names)
            for owner, value in [*_written(statement, names)]:
                _fill(owner, computed(flow_of(value, names), at), at, names)
        match statement:
            case ast.FunctionDef(name=name):
                names[name] = function_of(statement, names)
            case ast.ClassDef(name=name):
                names[name] = function_of(statement, names)
                names |= _static({name: statement}, names)
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    _assign(target, value, at, names)
            case ast.AnnAssign(target=target, value=value) if value is not None:
                _assign(target, value, at, names)
            case ast.Match(subject=subject, cases=cases):
                for pattern in [inner for case in cases for inner in ast.walk(case.pattern)]:
                    if name := getattr(pattern, "name", None) or getattr(pattern, "rest", None):
                        _assign(ast.Name(name), subject, at, names)
            case ast.AugAssign(target=target, value=value):
                if not put_in(statement, at, names):
                    _fill(target, computed(flow_of(target, names) | flow_of(value, names), at), at, names)
            case ast.Expr(value=ast.Yield(value=ast.expr() as value)):
                yielded.append(assigned(value, at, names))
            case ast.Expr(value=ast.YieldFrom(value=value)):
                flow = assigned(value, at, names)
                yielded += flow.parts or [flow]
            case ast.Expr():
                put_in(statement, at, names)
            case ast.Return(value=value) if value is not None:
                returned.append(assigned(value, at, names))
    return listed(yielded) if yielded else max(reversed(returned), key=_most)


def _most(flow: Flow) -> int:
    """How many statements an output took, at most; one does as well as none."""
    return max(1, *(len(part.statements) for part in flow.parts or [flow]))


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


def _written(statement: ast.stmt, names: Names) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What calls in a statement write into, and the call: A.mul_(2), out=A, or a function that is given memory."""
    for call in [node for node in ast.walk(statement) if isinstance(node, ast.Call)]:
        for owner in [keyword.value for keyword in call.keywords if keyword.arg == "out"]:
            yield from ((one, call) for one in (owner.elts if isinstance(owner, ast.Tuple) else [owner]))
        if (own := called(call, names)) is not None:
            yield from ((owner, owner) for owner in own.written)
            continue
        match call.func:
            case ast.Attribute(value=owner, attr=name) if _writes(name):
                of_class = root_of(owner) in LIBRARIES and call.args  # torch.Tensor.copy_(A, B)
                yield (call.args[0] if of_class else owner), call
            case ast.Name(id=name) if name in LOOKING:
                continue
            case ast.Name(id="setattr") if call.args:
                yield call.args[0], call
        if isinstance(statement, ast.Expr) and statement.value is call:  # which is dropped, so it changes something
            given = [*call.args, *(keyword.value for keyword in call.keywords)]
            if root_of(call.func) in LIBRARIES and "assert" not in getattr(call.func, "attr", "assert"):
                yield from ((one, call) for one in _tensors(given, names))
            for one in given:
                if not is_size(one) and names.get(root_of(one) or "", Flow()).blank:
                    yield one, call


def _tensors(given: list[ast.expr], names: Names) -> list[ast.expr]:
    """Those of a call's arguments that are tensors, also those in a list."""
    pieces = [piece for one in given for piece in (one.elts if isinstance(one, ast.List | ast.Tuple) else [one])]
    return [piece for piece in pieces if not is_size(piece) and names.get(root_of(piece) or "", Flow()).tensor]


def _writes(method: str) -> bool:
    """Whether a method writes into its tensor, as its name tells."""
    return method in IN_PLACE or (method.endswith("_") and not method.endswith("__") and method not in SAME)


def _assign(target: ast.expr, value: ast.expr, at: Place, names: Names) -> None:
    _store(target, assigned(value, at, names), at, names)


def _store(target: ast.expr, flow: Flow, at: Place, names: Names) -> None:
    match target:
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            parts = _spread(targets, flow)
            for one, part in zip(targets, parts, strict=True):
                _store(one, part, at, names)
        case ast.Name(id=name) | ast.Starred(value=ast.Name(id=name)):
            names[name] = flow
        case ast.Subscript(value=ast.Name(id=name), slice=place) if (key := key_of(place, name, names)) is not None:
            put(name, key, flow, names)
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Slice() as cut) if is_box(name, names):
            names.replace(names[name], spliced(names[name], slice_of(cut), flow))
        case _:
            _fill(target, flow, at, names)


def _spread(targets: list[ast.expr], flow: Flow) -> list[Flow]:
    """What each of several targets gets of a list, one with a star what is left; of anything else all of it."""
    stars = [place for place, one in enumerate(targets) if isinstance(one, ast.Starred)]
    more = len(flow.parts) - len(targets) + 1
    if len(stars) == 1 and flow.keys is not None and more >= 0:
        at = stars[0]
        return [*flow.parts[:at], listed(flow.parts[at : at + more]), *flow.parts[at + more :]]
    return [*flow.parts] if len(flow.parts) == len(targets) and not stars else [flow] * len(targets)


def _fill(owner: ast.expr, flow: Flow, at: Place, names: Names) -> None:
    """Records that a statement writes into a tensor, or into a view of it, under all the names of its memory."""
    match owner:
        case ast.Subscript(value=ast.Name(id=name), slice=place) if (key := key_of(place, name, names)) is not None:
            old = names[name].entries.get(key, Flow())
            put(name, key, _filled(old, flow, at), names)
        case _:
            name = root_of(owner)
            old = names.get(name, Flow()) if name else _nameless(owner, at, names)
            if name is not None:
                names[name] = _filled(old, flow, at)
    changed: dict[int, Flow] = {}
    for other, known in names.items():
        if id(known) not in changed:
            changed[id(known)] = _also_filled(known, old, flow, at)
        names[other] = changed[id(known)]


def _nameless(owner: ast.expr, at: Place, names: Names) -> Flow:
    """The flow of a tensor that is written into without a name, as in [*hats][2][:] = 0, or of whatever it may be."""
    flow = assigned(owner, at, names)
    while isinstance(owner, ast.Subscript | ast.Attribute | ast.Call):
        owner = owner.func if isinstance(owner, ast.Call) else owner.value
        inner = assigned(owner, at, names)
        flow = replace(flow, blank=flow.blank | inner.blank, memory=flow.memory | inner.memory)
    return flow


def _also_filled(known: Flow, old: Flow, flow: Flow, at: Place) -> Flow:
    """A flow, or a list with it, after a statement wrote into memory that it may share."""
    if known.keys is None:
        return _filled(known, flow, at) if known.shares(old) else known
    parts = [_also_filled(part, old, flow, at) for part in known.parts]
    return known if all(map(operator.is_, parts, known.parts)) else boxed(dict(zip(known.keys, parts, strict=True)))


def _filled(old: Flow, flow: Flow, at: Place) -> Flow:
    """The flow of a tensor, or of memory that waited for it, after a statement wrote into it."""
    new = replace(old | flow, memory=old.memory)
    return replace(new, blank=old.blank, filled=old.filled | {at}) if old.blank else new
