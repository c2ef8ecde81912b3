"""What a call of a student's own function does with the tensors that it is given, and with those that it finds."""

import ast
import functools
from collections.abc import Callable, Collection, Mapping

from attention.rules.dataflow import assigned
from attention.rules.flow import HERE, OBJECT, Called, Flow, Function, Names, Place, Read, boxed, listed
from attention.rules.forms import is_size
from attention.rules.objects import ANY, with_own_names

MOST_STATEMENTS = 3000  # that are read in all calls together; of a call beyond, nothing is known
DEEPEST = 5  # a function that calls a function that calls …

Outputs = Callable[[ast.FunctionDef, Names, Place], Flow]


def reader(outputs: Outputs, changed: Collection[str]) -> Read:
    """What reads calls, by what `outputs` finds in a function's body, all of which stands where the call does.

    `changed` are the attributes that an object may not keep as its `__init__` sets them.
    """
    plain_form, left = functools.cache(with_own_names), MOST_STATEMENTS

    def at(depth: int) -> Read:
        def read(function: Function, call: ast.Call, names: Names) -> Called | None:
            nonlocal left
            left -= 1 + len(function.node.body)
            if left < 0 or depth >= DEEPEST:
                return None
            bound, given = _bound(function, call, names)
            before, node, attributes = {**function.scope, **bound}, function.node, None
            if node.name.startswith(f"{OBJECT} "):
                if _takes_sizes(node, before):
                    return Called(Flow(), [])
                found = plain_form(node, node.name.removeprefix(f"{OBJECT} "))
                if found is None or not {ANY, *found[1]}.isdisjoint(changed):
                    return None
                node, attributes = found
            scope = Names(before, at(depth + 1))
            flow = outputs(node, scope, HERE)
            written = [name for name, old in before.items() if scope[name] is not old and scope[name].shares(old)]
            if function.scope is names:
                written += [n for node in ast.walk(function.node) if isinstance(node, ast.Nonlocal) for n in node.names]
            if attributes is not None:
                kept = {attribute: scope.get(name, Flow()) for attribute, name in attributes.items()}
                return None if written else Called(boxed(kept), [])
            places = [given.get(name) or ast.Name(name) for name in written if name in given or name not in bound]
            return Called(flow, places)

        return read

    return at(0)


def unknown(_function: Function, _call: ast.Call, _names: Names) -> None:
    """Reads no call: each may compute with all that it is given."""


def _takes_sizes(function: ast.FunctionDef, before: Mapping[str, Flow]) -> bool:
    """Whether a function reads nothing but sizes of the tensors that it is given or finds."""
    sizes = [[*ast.walk(node)] for node in ast.walk(function) if is_size(node)]
    plain = {one for whole in sizes for one in whole if not any(isinstance(inner, ast.Call) for inner in whole[1:])}
    read = [n.id for n in ast.walk(function) if isinstance(n, ast.Name) and n not in plain]
    return not any(before[name].tensor for name in read if name in before)


def _bound(function: Function, call: ast.Call, names: Names) -> tuple[dict[str, Flow], dict[str, ast.expr]]:
    """What a function's parameters are in a call, and the code that each of them is given."""
    arguments = function.node.args
    places = arguments.posonlyargs + arguments.args
    defaults = [*zip(places[::-1], arguments.defaults[::-1], strict=False)]
    defaults += zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    bound = {argument.arg: assigned(value, HERE, function.scope) for argument, value in defaults if value is not None}
    flows: list[Flow] = []
    given: dict[str, ast.expr] = {}
    for value in call.args:
        inner = value.value if isinstance(value, ast.Starred) else value
        flow = assigned(inner, HERE, names)
        if inner is value and len(flows) < len(places):
            given[places[len(flows)].arg] = value
        several = flow.parts if flow.keys is not None else [flow] * max(1, len(places) - len(flows))
        flows += [flow] if inner is value else several
    bound |= {argument.arg: flow for argument, flow in zip(places, flows, strict=False)}
    known, others = {argument.arg for argument in places + arguments.kwonlyargs}, {}
    for keyword in call.keywords:
        flow = assigned(keyword.value, HERE, names)
        entries = flow.entries if keyword.arg is None else {keyword.arg: flow}
        bound |= {name: one for name, one in entries.items() if name in known}
        others |= {name: one for name, one in entries.items() if name not in known}
        given |= {keyword.arg: keyword.value} if keyword.arg in known else {}
    if arguments.vararg:
        bound[arguments.vararg.arg] = listed(flows[len(places) :])
    if arguments.kwarg:
        bound[arguments.kwarg.arg] = boxed(others)
    return {argument: bound.get(argument, Flow()) for argument in known} | bound, given
