"""Answers in symbols: read as data, compared by value.

An expression crosses as text and is read with Python's grammar, never evaluated as code: names, numbers and the
operations + - * / // ** are all it may hold. Two expressions are equal if they have the same value at every place.
"""

import ast
import math
import warnings
from fractions import Fraction

from grading.bridge import probe
from grading.core import messages
from grading.marking.rubric import Verdict

Expression = str | int
MAX_CHARS = 500  # of an expression
MAX_BITS = 20_000  # of a number on the way to its value
# Where expressions are compared: different primes for all letters, so that equal values mean equal formulas.
_PLACES = (
    {
        "D": 7,
        "D_1": 11,
        "D_2": 13,
        "D_qk": 17,
        "D_v": 19,
        "H": 23,
        "G": 29,
        "d": 31,
        "r": 37,
        "L_1": 41,
        "L_2": 43,
        "B": 47,
    },
    {
        "D": 53,
        "D_1": 3,
        "D_2": 61,
        "D_qk": 5,
        "D_v": 67,
        "H": 71,
        "G": 2,
        "d": 73,
        "r": 79,
        "L_1": 83,
        "L_2": 89,
        "B": 97,
    },
    {
        "D": 101,
        "D_1": 103,
        "D_2": 2,
        "D_qk": 107,
        "D_v": 3,
        "H": 5,
        "G": 109,
        "d": 7,
        "r": 113,
        "L_1": 127,
        "L_2": 131,
        "B": 137,
    },
)


def fetch(name: str) -> object:
    """The value of a variable of the student's: nested tuples and lists of texts and whole numbers, or a Reason."""
    found = _fetch(name)
    match found:
        case [value]:
            return value
        case []:
            return probe.Reason(probe.Why.MISSING, messages.missing(name))
    return found


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


def is_shape(got: object, want: tuple[Expression, ...]) -> Verdict:
    """Right if got is the shape wanted, entry by entry and by value; a vector's may be n, (n,) or (n, 1)."""
    if isinstance(got, probe.Reason):
        return Verdict(False, got.text, no_value=True)
    entries = list(got) if isinstance(got, (list, tuple)) else [got]
    if len(want) == 1 and _equal(entries[1:], [1]):
        entries = entries[:1]
    if len(entries) != len(want):
        return Verdict(False, messages.number_of_entries(len(entries), len(want)))
    for position, (entry, expected) in enumerate(zip(entries, want, strict=True)):
        verdict = is_expression(entry, expected)
        if not verdict.right:
            return Verdict(False, messages.entry(position, verdict.found))
    return Verdict(True)


def is_expression(got: object, want: Expression, where: dict[str, str] | None = None) -> Verdict:
    """Right if got equals want by value, after replacing letters as `where` says, such as {"D": "H*d"}."""
    if isinstance(got, probe.Reason):
        return Verdict(False, got.text, no_value=True)
    if not isinstance(got, (str, int)) or isinstance(got, bool):
        return Verdict(False, messages.NO_EXPRESSION)
    for place in _PLACES:
        values = {letter: Fraction(number) for letter, number in place.items()}
        for letter, replacement in (where or {}).items():
            values[letter] = evaluate(replacement, values)
        try:
            value = evaluate(got, values)
        except KeyError as unknown:
            return Verdict(False, messages.unknown_symbol(str(unknown.args[0])))
        except (ValueError, ZeroDivisionError, OverflowError):
            return Verdict(False, messages.NO_EXPRESSION)
        if value != evaluate(want, values):
            return Verdict(False, messages.OTHER_EXPRESSION)
    return Verdict(True)


def evaluate(expression: Expression, values: dict[str, Fraction]) -> Fraction:
    """The exact value of an expression in letters.

    Errors  KeyError for an unknown letter; ValueError for anything that is no such expression; ZeroDivisionError.
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


def _equal(entries: list, want: list) -> bool:
    return len(entries) == len(want) and all(is_expression(e, w).right for e, w in zip(entries, want, strict=True))
