"""The text that an expression of constants spells, such as "os", "o" + "s", "OS".lower() or "so"[::-1]."""

import ast

from grading.core import limits

# Methods of texts that give one text of others, none of them longer than all of these together, times each other.
METHODS = frozenset(
    "lower upper casefold swapcase title capitalize strip lstrip rstrip removeprefix removesuffix replace".split()
)


def folded(node: ast.AST) -> str | None:
    """The text that an expression of constants spells; None if it cannot be told, or is longer than all the code that
    is read."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            parts = [folded(left), folded(right)]
        case ast.JoinedStr(values=values):
            parts = [folded(value) for value in values]
        case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
            return folded(value)
        case ast.Call(func=ast.Attribute(value=of, attr="join"), args=[ast.List(elts=pieces) | ast.Tuple(elts=pieces)]):
            between, parts = folded(of), [folded(piece) for piece in pieces]
            return _joined(between, parts) if between is not None and None not in parts else None
        case ast.Call() | ast.Subscript() | ast.BinOp():
            return _made(node)
        case _:
            return None
    return "".join(parts) if None not in parts else None


def _joined(between: str, parts: list[str]) -> str | None:
    size = len(between) * len(parts) + sum(map(len, parts))  # before it takes that much
    return between.join(parts) if size <= limits.CODE_CHARS else None


def _made(node: ast.expr) -> str | None:
    """What a method of a text, a slice of one, or chr gives."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=bytes(octets)), attr="decode"), args=[], keywords=[]):
            return octets.decode(errors="replace")
        case ast.Call(func=ast.Name(id="chr"), args=[ast.Constant(value=int(number))], keywords=[]):
            return chr(number) if 0 <= number < 0x110000 else None
        case ast.Call(func=ast.Attribute(value=of, attr=name), args=given, keywords=[]) if name in METHODS:
            texts = [folded(one) for one in (of, *given)]
            if None in texts or (1 + len(texts[0])) * len(texts[-1]) > limits.CODE_CHARS:
                return None
            try:
                return getattr(texts[0], name)(*texts[1:])
            except TypeError:  # too many arguments, or too few
                return None
        case ast.BinOp(left=left, op=ast.Mod(), right=right):
            values = right.elts if isinstance(right, ast.Tuple) else [right]
            return _filled(folded(left), "%s", values)
        case ast.Call(func=ast.Attribute(value=of, attr="format"), args=values, keywords=[]):
            return _filled(folded(of), "{}", values)
        case ast.Subscript(value=of, slice=ast.Slice(lower=lower, upper=upper, step=step)):
            text, ends = folded(of), [_number(one) for one in (lower, upper, step)]
            return text[slice(*ends)] if text is not None and "" not in ends and ends[2] != 0 else None
    return None


def _filled(text: str | None, sign: str, values: list[ast.expr]) -> str | None:
    """A text in which these values stand for a sign, each once."""
    if text is None:
        return None
    pieces, texts = text.split(sign), [folded(value) for value in values]
    if None in texts or len(pieces) != len(texts) + 1 or any(one in piece for piece in pieces for one in "%{}"):
        return None
    return "".join(piece + text for piece, text in zip(pieces, [*texts, ""], strict=True))


def _number(node: ast.expr | None) -> int | str | None:
    """The number of a slice, None for one that is left out; an empty text if it can't be told."""
    match node:
        case None:
            return None
        case ast.Constant(value=int(number)):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
            return -number
    return ""
