"""Visible checks of answers in letters: the form of a name, a shape or an expression. What is right is not looked at.

In a line of a table, with the letters as one string:

    with table.line("form of shape_W"):
        pair(names, "shape_W", "D_1 D_qk")
"""

import ast

import numpy as np
import sympy

from attention_course.table import expect

LONGEST = 60  # characters of an answer that a message quotes


def pair(names: dict, name: str, letters: str) -> None:
    """Fails the line unless names[name] is (rows, columns), both in these letters."""
    value = there(names, name)
    entries = _entries(value)
    expect(entries is not None and len(entries) == 2, f"expected a pair (rows, columns), got {quoted(value)}")
    for entry in entries:
        _in_letters(entry, letters)


def vector(names: dict, name: str, letters: str) -> None:
    """Fails the line unless names[name] is the shape of a vector, n or (n,) or (n, 1), in these letters."""
    value = there(names, name)
    entries = _entries(value)
    entries = [value] if entries is None else entries
    column = len(entries) == 2 and str(entries[1]) in ("1", "1.0")
    wanted = "expected the shape of one vector, (n,) or n or (n, 1)"
    expect(len(entries) == 1 or column, f"{wanted}, got {quoted(value)}")
    _in_letters(entries[0], letters)


def expression(names: dict, name: str, letters: str) -> None:
    """Fails the line unless names[name] is one expression in these letters."""
    _in_letters(there(names, name), letters)


def unquoted(value: object) -> object:
    """An expression that stands in quotes as sympy has it, for it earns the same; anything else as it is."""
    letters = _letters_of(value) if isinstance(value, str) else ()
    known = {letter: sympy.Symbol(letter, positive=True, integer=True) for letter in letters}
    try:
        return sympy.sympify(value.strip(), locals=known, convert_xor=False) if known else value
    except Exception:  # noqa: BLE001  (a text may be anything, and is then no expression)
        return value


def there(names: dict, name: str) -> object:
    """names[name]; fails the line if there is none."""
    expect(name in names, "not there yet. Set it in the answer cell, and run that cell")
    return names[name]


def quoted(value: object) -> str:
    """An answer as messages quote it."""
    text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST else text[:LONGEST] + " …"


def _in_letters(value: object, letters: str) -> None:
    *first, last = letters.split()
    known = f"{', '.join(first)} and {last}" if first else last
    used = _letters_of(value)
    number = ". Has one of these letters been given a value?" if isinstance(value, (int, float)) else ""
    expect(used, f"expected an expression in {known}, got {quoted(value)}{number}")
    strange = sorted(used - {*first, last})
    expect(not strange, f"expected no other letters than {known}, got {', '.join(strange)}")


def _letters_of(value: object) -> set[str]:
    """The letters of an expression, of sympy's or in quotes; none for anything else."""
    if isinstance(value, str):
        try:
            tree = ast.parse(value.strip(), mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return set()
        return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    if isinstance(value, sympy.Basic) and not isinstance(value, (sympy.MatrixBase, sympy.Tuple)):
        return {str(letter) for letter in value.free_symbols}
    return set()


def _entries(value: object) -> list | None:
    """What a tuple, a list or an array of a shape holds; None for anything else."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return list(value) if isinstance(value, (tuple, list, sympy.Tuple)) else None
