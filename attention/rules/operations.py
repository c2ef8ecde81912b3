"""How many statements computed each output of a function, by the operations of PyTorch's that ran as it was called.

By which names, objects or functions within a value went on doesn't matter. What NumPy computes isn't seen, nor a way
that the call did not take.
"""

import ast
from collections.abc import Collection, Mapping
from typing import NamedTuple

from attention.questions import operations as questions
from attention.questions.versions import fingerprint
from attention.rules.ran import functions_of
from grading.rules.static import Breach
from grading.rules.student_code import Code, editable

Tensor = tuple[int, int]  # its memory, and its form there: shape, strides, offset
Statement = tuple[str, int, int]  # its cell, line and column
Statements = frozenset[Statement]
Operation = tuple[str, int, list[Tensor], list[Tensor], list[Tensor]]  # its name, place, what it reads, writes, gives
MOST = 2_000  # operations in a call; right answers make some fifty

# Of what is derived from the arguments alone these compute nothing: they turn, join and copy.
REARRANGE = frozenset(
    "cat stack repeat flip roll index index_select gather block_diag diag_embed take_along_dim unfold_copy".split()
)
# These write tensors as they are into the memory of another.
FILL = frozenset("copy_ index_put_ _index_put_impl_ index_copy_ masked_scatter_ scatter_ set_".split())
# These give memory that waits for its numbers; a tensor that they are given lends its type or its shape alone.
ALLOCATE = frozenset("empty zeros ones full empty_strided empty_permuted".split())
# After a product, too, these are free: the numbers stay what they are, in their order.
SAME = frozenset("_to_copy clone detach alias lift lift_fresh unbind select slice split split_with_sizes".split())


class Flow:
    """Which statements computed what lies in memory, and which made the forms in which it is seen."""

    def __init__(self, arguments: Collection[Tensor]) -> None:
        self.made: dict[int, Statements] = {memory: frozenset() for memory, _ in arguments}
        self.seen: dict[Tensor, Statements] = {}
        self.blank: dict[int, Statements] = {}
        self.filled: dict[int, Statements] = {}

    def of_output(self, tensors: Collection[Tensor]) -> Statements:
        """As `of`, and the statements that allocated the memory of these and filled it with arguments as they are."""
        filled = [self.filled.get(memory, frozenset()) for memory, _ in tensors]
        return frozenset().union(self.of(tensors) or (), *filled)

    def of(self, tensors: Collection[Tensor]) -> Statements | None:
        """The statements that computed these; None if none of them is derived from an argument."""
        found = [self.made[one[0]] | self.seen.get(one, frozenset()) for one in tensors if one[0] in self.made]
        return frozenset().union(*found) if found else None

    def follow(self, name: str, here: Statements, read: list[Tensor], written: list[Tensor], gives: list[Tensor]):
        """Goes on by one operation, which the statement `here` asked for."""
        source, name = self.of(read), name.rpartition(":")[2]
        if name in ALLOCATE or name.endswith("_like") or name.startswith("new_"):
            self.blank |= {memory: here for memory, _ in gives}
        elif source is None:
            return
        elif written:
            for memory, _ in written:
                if name in FILL and not source:
                    self.made.setdefault(memory, source)
                    if memory in self.blank:
                        self.filled[memory] = here | self.blank[memory]
                else:
                    self.made[memory] = source | here | self.blank.get(memory, frozenset())
        else:
            self._give(name, source, here, {memory for memory, _ in read}, gives)

    def _give(self, name: str, source: Statements, here: Statements, views: set[int], gives: list[Tensor]) -> None:
        """Notes what an operation gives: new memory, or another form of memory that it was given."""
        for one in gives:
            view = one[0] in views
            free = name in SAME or not source and (view or name in REARRANGE)
            statements = source if free else source | here
            if not view:
                self.made[one[0]] = statements
            if one not in self.seen or len(statements) < len(self.seen[one]):
                self.seen[one] = statements  # by the shortest way: to turn Q twice in a row leaves Q what it is


class Call(NamedTuple):
    """The operations in a call, the places in code that asked for them, the arguments, and each of the outputs."""

    operations: list[Operation]
    places: list[tuple[str, int]]
    arguments: list[Tensor]
    outputs: list[list[Tensor]]


def of_call(function: str, *given: object) -> Call | None:
    """What PyTorch did in a call of a student's function, which gives a tuple or a list; None if the call fails."""
    match questions.of_call(function, MOST, *given):
        case (list(done), list(places), str(arguments), list(outputs)) if all(
            isinstance(one, str) for one in (*done, *places, *outputs)
        ):
            pass
        case _:
            return None
    try:
        operations = [
            (name, int(place), _tensors(read), _tensors(written), _tensors(gives))
            for name, place, read, written, gives in map(str.split, done)
        ]
        told = [(function, int(at)) for function, at in map(str.split, places)]
        return Call(operations, told, _tensors(arguments), [*map(_tensors, outputs)])
    except ValueError:  # of a kernel that made up its reply
        return None


def second_statement(answer_id: str, call: Call) -> Breach | None:
    """The breach, if a second statement computes an output: its cell, its line and the output's position."""
    codes = editable(answer_id)
    statements, flow = _statements(codes, call.places), Flow(call.arguments)
    for name, place, *tensors in call.operations:
        flow.follow(name, statements.get(place, frozenset()), *tensors)
    for position, output in enumerate(call.outputs):
        made = flow.of_output(output)
        if len(made) > 1:
            where, line, _ = max(made, key=lambda one: one[1:])
            code = next(code for code in codes if code.where == where).line(line)
            output = f"output {position + 1} of {len(call.outputs)}"  # which can't be taken for an index from 0
            text = f"{where}, line {line}, `{code}`: a second statement computes {output}"
            return Breach(f"{text}; this part allows one each.")
    return None


def _tensors(told: str) -> list[Tensor]:
    """The tensors in a text such as 0:1,2:3."""
    return [(int(memory), int(form)) for memory, form in (one.split(":") for one in told.split(",") if told != "-")]


def _statements(codes: list[Code], told: list[tuple[str, int]]) -> Mapping[int, Statements]:
    """The statement of each place; without those that are in no cell."""
    wanted: dict[str, list[tuple[int, int]]] = {}
    for place, (function, at) in enumerate(told):
        wanted.setdefault(function, []).append((place, at))
    found: dict[int, Statements] = {}
    for code in sorted(codes, key=lambda one: not one.answer):  # a copy of the answer in another cell is not meant
        for function, tree in functions_of(code):
            if not (places := wanted.pop(fingerprint(function), [])):
                continue
            inside = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
            positions = [*function.co_positions()]
            for place, at in places:
                line, _, column, _ = positions[at // 2] if 0 <= at // 2 < len(positions) else (None,) * 4
                if line is not None and column is not None and (one := _innermost(inside, (line, column))):
                    found[place] = frozenset({(code.where, one.lineno, one.col_offset)})
    return found


def _innermost(statements: list[ast.stmt], place: tuple[int, int]) -> ast.stmt | None:
    """The innermost of the statements that stand around a place."""
    around = [one for one in statements if _begins(one) <= place < (one.end_lineno or 0, one.end_col_offset or 0)]
    return max(around, key=_begins, default=None)


def _begins(node: ast.stmt) -> tuple[int, int]:
    """Where a statement begins, with its decorators."""
    return min([(one.lineno, one.col_offset) for one in (node, *getattr(node, "decorator_list", []))])
