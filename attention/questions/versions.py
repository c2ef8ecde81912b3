"""Which definitions are in force: whether a student's function or class is the last one in the notebook's text."""

import ast
from collections.abc import Mapping
from types import CodeType

from grading.bridge import probe
from grading.rules.compiling import compiled


def digest(code):
    """What compiled code does, as data: it is the same wherever the code stands."""

    def told(one):
        name, parts = type(one).__name__, [one.start, one.stop, one.step] if isinstance(one, slice) else one
        if isinstance(parts, (tuple, list, frozenset)):
            pieces = [told(part) for part in parts]
            return f"{name} {' '.join(sorted(pieces) if isinstance(one, frozenset) else pieces):.500}"
        # Not in digits, of which Python writes no more than it has been told.
        return f"int {one:x}"[:500] if type(one) is int else f"{name} {one!r:.500}"

    inner = [digest(one) if hasattr(one, "co_code") else told(one) for one in code.co_consts]
    return [code.co_name, code.co_code.hex(), *code.co_names, *code.co_varnames, *code.co_freevars, *inner]


def fingerprint(code):
    """A short text by which compiled code can be known again."""
    import hashlib

    return hashlib.sha256(repr(digest(code)).encode(errors="backslashreplace")).hexdigest()


@probe.remote(using=(digest,))
def made_by(names):
    """By name, the code of a function of the student's under "", and that of each method of a class."""

    def of(value):
        value = getattr(value, "fget", value)
        value = getattr(value, "__wrapped__", getattr(value, "__func__", value))
        return digest(value.__code__) if hasattr(value, "__code__") else None

    found = {name: globals().get(name) for name in names}
    return {
        name: {method: of(one) for method, one in vars(value).items()} if isinstance(value, type) else {"": of(value)}
        for name, value in found.items()
    }


def in_force(last: Mapping[str, ast.stmt]) -> set[str]:
    """The names that still mean these definitions in the student's kernel, as far as that tells."""
    made = made_by([*last])
    if not isinstance(made, dict):
        return set()
    return {name for name, node in last.items() if (code := _compiled(node)) and _agrees(made.get(name), node, code)}


def _agrees(made: object, node: ast.stmt, code: CodeType) -> bool:
    """Whether all functions of a definition are what the kernel has."""
    if not isinstance(made, dict):
        return False
    if not isinstance(node, ast.ClassDef):
        return _is(made.get(""), digest(code))
    methods = {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
    inner = {one.co_name: digest(one) for one in code.co_consts if hasattr(one, "co_code")}
    return bool(methods) and all(_is(made.get(name), inner.get(name)) for name in methods)


def _is(told: object, expected: list | None) -> bool:
    """Whether a kernel told this digest, in texts: an array in their place is neither equal to anything nor not."""
    return _is_text(told) and told == expected


def _is_text(told: object) -> bool:
    return isinstance(told, str) or isinstance(told, list) and all(map(_is_text, told))


def _compiled(node: ast.stmt) -> CodeType | None:
    """The code of a function's or a class's body, which is not run."""
    whole = compiled(ast.Module([node], []))
    inner = whole.co_consts if whole else ()
    return next((one for one in inner if getattr(one, "co_name", "") == node.name), None)
