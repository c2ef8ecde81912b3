"""Answers in symbols: read as data, compared by value.

An expression crosses as text and is read with Python's grammar, never evaluated as code: names, numbers and the
operations + - * / // ** are all it may hold. Two expressions are equal if they have the same value at every place.
"""

import ast
import functools
import itertools
import math
import warnings
from collections.abc import Iterator, Sequence
from fractions import Fraction

from grading.bridge import probe
from grading.core import messages
from grading.marking.rubric import Verdict

Expression = str | int
MAX_CHARS = 500  # of an expression
MAX_BITS = 20_000  # of a number on the way to its value
PLACES = 3  # at which expressions are compared, all small
LARGE = 10_000  # at one more all letters are larger, so that `r + r // 64` is not `r`


def fetch(name: str) -> object:
    """The value of a variable of the student's: nested tuples and lists of texts and whole numbers, or a Reason."""
    return probe.unpacked(name, _fetch(name))


@probe.remote
def _fetch(name):
    import numpy as np
    import sympy

    def data(value):
        if isinstance(value, (tuple, list, sympy.Tuple)):
            return [data(piece) for piece in value]
        if isinstance(value, np.ndarray):
            return data(value.tolist())
        if isinstance(value, sympy.MatrixBase):
            return "a matrix"
        if isinstance(value, sympy.Basic):
            return str(value)
        if isinstance(value, float) and value.is_integer():
            return int(value)
        return value

    return [data(globals()[name])] if name in globals() else []


def is_shape(got: object, want: tuple[Expression, ...], symbols: Sequence[str]) -> Verdict:
    """Right if got is the shape wanted, entry by entry and by value; a vector's may be n, (n,) or (n, 1)."""
    if isinstance(got, probe.Reason):
        return _without_value(got, messages.NO_SHAPE)
    entries = list(got) if isinstance(got, (list, tuple)) else [got]
    if len(want) == 1 and len(entries) == 2 and is_expression(entries[1], 1, symbols).right:
        entries = entries[:1]
    if len(entries) != len(want):
        if not isinstance(got, (list, tuple)) and is_expression(got, 1, symbols).found == messages.NO_EXPRESSION:
            return Verdict(False, messages.NO_SHAPE)
        return Verdict(False, messages.number_of_entries(len(entries), len(want)))
    for position, (entry, expected) in enumerate(zip(entries, want, strict=True)):
        verdict = is_expression(entry, expected, symbols)
        if not verdict.right:
            return Verdict(False, messages.entry(position, len(want), verdict.found))
    return Verdict(True)


def is_expression(
    got: object, want: Expression, symbols: Sequence[str], where: dict[str, str] | None = None
) -> Verdict:
    """Right if got, in these symbols, equals want by value, after replacing some as `where` says: {"D": "H*d"}."""
    if isinstance(got, probe.Reason):
        return _without_value(got, messages.NO_EXPRESSION)
    if not isinstance(got, (str, int)) or isinstance(got, bool):
        return Verdict(False, messages.NO_EXPRESSION)
    for values, expected in _expected(want, symbols, where or {}):
        try:
            value = evaluate(got, values)
        except KeyError as unknown:
            return Verdict(False, messages.unknown_symbol(str(unknown.args[0])))
        except (ValueError, ZeroDivisionError, OverflowError):
            return Verdict(False, messages.NO_EXPRESSION)
        if value != expected:
            number = not _has_letters(got) and _has_letters(want)
            return Verdict(False, messages.NUMBER if number else messages.OTHER_EXPRESSION)
    return Verdict(True)


def _expected(
    want: Expression, symbols: Sequence[str], where: dict[str, str]
) -> Iterator[tuple[dict[str, Fraction], Fraction]]:
    """The places at which to compare with an expression, and its value at each; not the last where 2**n is too large.

    Errors  ValueError for anything that is not an expression.
    """
    for number, values in enumerate(places(symbols)):
        for letter, replacement in where.items():
            values[letter] = evaluate(replacement, values)
        try:
            expected = evaluate(want, values)
        except ValueError:
            if number < PLACES:
                raise
            return
        yield values, expected


def _without_value(reason: probe.Reason, other: str) -> Verdict:
    """The verdict on a variable without a value; of a set or a function the student reads `other`."""
    return Verdict(False, other if reason.why is probe.Why.NOT_DATA else reason.text, no_value=True)


def _has_letters(expression: Expression) -> bool:
    return isinstance(expression, str) and any(map(str.isalpha, expression))


def places(symbols: Sequence[str]) -> list[dict[str, Fraction]]:
    """Where expressions in these symbols are compared: a prime for each, no two alike, so that equal values mean equal
    formulas; their order differs from place to place, so that no inequality holds at all of them. At the last one all
    are large."""
    return [dict(zip(symbols, order, strict=True)) for order in _orders(len(symbols))]


@functools.cache  # a search for mistakes compares dozens of expressions in the same symbols
def _orders(count: int) -> tuple[list[Fraction], ...]:
    primes = _primes(2, PLACES * count)
    ascending, middle, last = (primes[start::PLACES] for start in range(PLACES))
    return ascending, middle[::-1], last[count // 2 :] + last[: count // 2], _primes(LARGE, count)


def _primes(least: int, count: int) -> list[Fraction]:
    found = (n for n in itertools.count(least) if all(n % m for m in range(2, math.isqrt(n) + 1)))
    return [Fraction(n) for n in itertools.islice(found, count)]


def evaluate(expression: Expression, values: dict[str, Fraction]) -> Fraction:
    """The exact value of an expression in letters.

    Errors  KeyError for an unknown letter; ValueError for anything that is not such an expression; ZeroDivisionError.
    """
    if isinstance(expression, int):
        return Fraction(expression)
    if len(expression) > MAX_CHARS:
        raise ValueError("too long")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(expression.strip(), mode="eval").body
        return _value(tree, values)
    except (SyntaxError, RecursionError, MemoryError):
        raise ValueError("no expression") from None


def _value(node: ast.expr, values: dict[str, Fraction]) -> Fraction:
    match node:
        case ast.Constant(value=int(number)) if not isinstance(number, bool) and abs(number) < 10**9:
            return Fraction(number)
        case ast.Constant(value=float(number)) if math.isfinite(number):
            return Fraction(number)
        case ast.Name(id=name):
            return values[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, values)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _value(operand, values)
        case ast.Call(func=ast.Name(id="floor" | "ceiling" as name), args=[inner], keywords=[]):
            value = _value(inner, values)
            return Fraction(math.floor(value) if name == "floor" else math.ceil(value))
        case ast.BinOp(left=left, op=op, right=right):
            value = _operate(op, _value(left, values), _value(right, values))
            if _bits(value) <= MAX_BITS:  # or sums of fractions would grow with every step
                return value
    raise ValueError("no expression")


def _operate(op: ast.operator, a: Fraction, b: Fraction) -> Fraction:
    match op:
        case ast.Add():
            return a + b
        case ast.Sub():
            return a - b
        case ast.Mult():
            return a * b
        case ast.Div():
            return a / b
        case ast.FloorDiv():
            return Fraction(a // b)
        case ast.Pow() if b.denominator == 1 and abs(b) * _bits(a) <= MAX_BITS:
            return a ** int(b)
    raise ValueError("no expression")


def _bits(a: Fraction) -> int:
    return max(a.numerator.bit_length(), a.denominator.bit_length())
