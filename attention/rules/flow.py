"""What a variable of a function is made of: the statements behind its value, its memory, its parts, its function."""

import ast
import copy
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple, Optional

MAX_PARTS = 100  # of a tuple, a list or a mapping that are told apart: `a = [*a, *a]` would double them again and again
Place = tuple[int, int]  # the line and column where a statement begins
NOWHERE: frozenset[Place] = frozenset()
TELLING = frozenset("__repr__ __str__ __doc__ __format__".split())  # methods that change nothing in what a tuple holds
OBJECT = "class"  # with which the name of a function begins that stands for a class; its name for the object follows
HERE: Place = (0, 0)  # in what a function gives, the statement that calls it


@dataclass(frozen=True)
class Flow:
    """Where a value comes from: a tensor or a scalar, and the statements behind it.

    `lines` computed it. `blank` allocated its memory, where that was new and empty, and `filled` wrote into it.
    `memory` is the code that gave it the memory which it shares with its views. `parts` are those of a tuple, a list or
    a mapping, `size` counts them and theirs; `keys` tell which, None for what is none of these. A `function` is one of
    the student's own.
    """

    tensor: bool = False
    lines: frozenset[Place] = NOWHERE
    blank: frozenset[Place] = NOWHERE
    filled: frozenset[Place] = NOWHERE
    parts: tuple["Flow", ...] = ()
    keys: tuple[object, ...] | None = None
    memory: frozenset[ast.AST] = frozenset()
    function: Optional["Function"] = None
    size: int = 1

    def __or__(self, other: "Flow") -> "Flow":
        return Flow(self.tensor or other.tensor, self.lines | other.lines)

    @property
    def entries(self) -> dict[object, "Flow"]:
        """The parts by their keys; empty for any other value than a tuple, a list or a mapping."""
        return dict(zip(self.keys or (), self.parts, strict=True))

    @property
    def statements(self) -> frozenset[Place]:
        """All statements that it took, as an output."""
        return self.lines | (self.blank | self.filled if self.filled else NOWHERE)

    def shares(self, other: "Flow") -> bool:
        """Whether what is written into one of them is in the other, too."""
        return bool(self.blank & other.blank or self.memory & other.memory)

    def at(self, place: Place) -> "Flow":
        """The flow with a statement's place wherever a function that it calls left it open."""
        found = (self.lines, self.blank, self.filled)
        lines, blank, filled = (old - {HERE} | {place} if HERE in old else old for old in found)
        parts = tuple(part.at(place) for part in self.parts)
        if found == (lines, blank, filled) and all(map(operator.is_, parts, self.parts)):
            return self  # one and the same list may have several names
        return replace(self, lines=lines, blank=blank, filled=filled, parts=parts)


class Names(dict[str, Flow]):
    """What a function's variables are, by name, and what reads its calls of the student's other functions."""

    def __init__(self, known: Mapping[str, Flow], read: "Read") -> None:
        super().__init__(known)
        self.read = read

    def replace(self, old: Flow, new: Flow) -> None:
        """Gives all names of one and the same list or mapping what it has become."""
        for name in [name for name, known in self.items() if known is old]:
            self[name] = new


class Function(NamedTuple):
    """A function of the student's, and the variables where it is defined: those that it `reads` are as at the call."""

    node: ast.FunctionDef
    scope: Names
    reads: frozenset[str]


class Called(NamedTuple):
    """What a call gives, and the caller's tensors that it writes into."""

    flow: Flow
    written: list[ast.expr]


Read = Callable[[Function, ast.Call, Names], Called | None]


def called(value: ast.AST, names: Names) -> Called | None:
    """What a call of a function of the student's does; None for any other expression, or if it can't be told."""
    match value:
        case ast.Call(func=ast.Lambda() as made):
            return names.read(function_of(made, names).function, value, names)
        case ast.Call(func=ast.Name(id=name)):
            pass
        case ast.Call(func=ast.Attribute(value=ast.Name(id=of), attr=attr)):
            name = f"{of}.{attr}"  # a function of a class
        case _:
            return None
    function = names.get(name, Flow()).function
    return names.read(function, value, names) if function else None


def function_of(value: ast.AST, scope: Names) -> Flow:
    """The flow of a function, of a lambda as a function of one statement, or of a class as one of its `__init__`; an
    empty one for anything else."""
    if isinstance(value, ast.Lambda):
        body = ast.copy_location(ast.Return(value.body), value.body)
        value = ast.copy_location(ast.FunctionDef("", value.args, [body], []), value)
    if isinstance(value, ast.ClassDef):
        value = _tuple_of_own(value) or _constructor(value)
    if not isinstance(value, ast.FunctionDef):
        return Flow()
    reads = frozenset(node.id for node in ast.walk(value) if isinstance(node, ast.Name))
    return Flow(function=Function(value, scope, reads))


def _constructor(made: ast.ClassDef) -> ast.FunctionDef | None:
    """What the call of a class runs, as a function of what the class is given; None if it can't be told."""
    body = made.body[ast.get_docstring(made) is not None :]
    plain = not (made.bases or made.keywords or made.decorator_list)
    usual = all(isinstance(one, ast.FunctionDef) and not one.name.startswith("__set") for one in body)
    found = [one for one in body if getattr(one, "name", "") == "__init__" and one.args.args and not one.decorator_list]
    if not (plain and usual and len(found) == 1):
        return None
    (first,) = found
    args = copy.copy(first.args)
    args.args = args.args[1:]
    return ast.copy_location(ast.FunctionDef(f"{OBJECT} {first.args.args[0].arg}", args, first.body, []), first)


def _tuple_of_own(made: ast.ClassDef) -> ast.FunctionDef | None:
    """What the call of a class gives that is a tuple or a list with names of its own, as `class Hats(tuple)`: what it
    is given, or what its `__new__` makes a tuple of; None for any other class."""
    special = {one.name: one for one in made.body if isinstance(one, ast.FunctionDef) and one.name.startswith("__")}
    match made.bases, special.pop("__new__", None), special.keys() <= TELLING:
        case [ast.Name(id="tuple" | "list")], None, True:
            args, inner = ast.arguments([], [ast.arg("given")], defaults=[], kwonlyargs=[], kw_defaults=[]), None
        case (
            [ast.Name(id="tuple")],
            ast.FunctionDef(
                args=ast.arguments(args=[_, *_]) as args,
                body=[ast.Return(value=ast.Call(func=ast.Attribute(attr="__new__"), args=[_, inner]))],
            ),
            True,
        ):
            args = copy.copy(args)
            args.args = args.args[1:]
        case _:
            return None
    body = [ast.copy_location(ast.Return(inner or ast.Name("given", ast.Load())), made)]
    return ast.copy_location(ast.FunctionDef(made.name, args, body, []), made)


def boxed(entries: Mapping[object, Flow]) -> Flow:
    """The flow of a tuple, a list or a mapping."""
    parts = tuple(entries.values())
    whole = Flow(any(part.tensor for part in parts), NOWHERE.union(*[part.lines for part in parts]))
    size = 1 + sum(part.size for part in parts)
    return replace(whole, parts=parts, keys=tuple(entries), size=size) if size <= MAX_PARTS else whole


def listed(parts: tuple[Flow, ...] | list[Flow]) -> Flow:
    """The flow of a tuple or a list."""
    return boxed(dict(enumerate(parts)))


def merged(keys: list[object], flows: list[Flow]) -> dict[object, Flow]:
    """The entries of a mapping that is written down; where a key is None, `**other` puts in all of another's."""
    entries: dict[object, Flow] = {}
    for key, flow in zip(keys, flows, strict=True):
        whole = key is None and flow.keys is not None
        entries |= flow.entries if whole else {key: flow}
    return entries


def is_box(name: str, names: Names) -> bool:
    """Whether a name stands for a tuple, a list or a mapping of the function's own."""
    return names.get(name, Flow()).keys is not None
