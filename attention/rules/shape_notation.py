"""Which comments name a tensor's shape, in whatever notation: (B, L, D), [b h l d], B x L x D, heads by width."""

import re
import unicodedata

from attention.rules import words

_TENSOR = re.compile(r"[qkvwxyo]|w_?\w{1,3}")  # the name of one, which in a list of such is no dimension
_PROSE = frozenset("to of is we in on or no it at as by do so if an be us me my am go he up".split())
# A letter for a dimension, in the ways it is usually written: B, L_1, D_qk, Lq, bs, d_k, n2, λ_1.
_LETTERS = r"(?:[A-Z][A-Za-z0-9]{0,3}(?:_\w{1,6})?|(?:[a-z]{1,2}|[α-ω])\d?(?:_[A-Za-z0-9]{1,6})?)'?"
_ATOM = r"(?:[^\W\d_]\w*'?|\d+)"
_PRODUCT = re.compile(rf"\(?{_ATOM}\)?(?:\s*(?://?|[*+-])\s*\(?{_ATOM}\)?)*")
_FACTORS = rf"(?:{_LETTERS}|\d+)(?:\*(?:{_LETTERS}|\d+))*"
# What other keyboards and formulas write for these: Cyrillic letters like Latin ones, brackets, a comma, arrows.
_ALIKE = str.maketrans("АВЕКМНОРСТХх⟨⟩【】「」、،⟶⇒", "ABEKMHOPCTXx<>[][],,→→")
_GROUP = re.compile(r"(\w?)[(\[{<]((?:[^()\[\]{}<>]|\([^()\[\]{}<>]*\))*)[)\]}>]")
# BHLD: letters of shapes, each a dimension, with nothing between; small ones only where they make no English word.
_TOGETHER = re.compile(r"B[HLDTNKVSGQC]{2,4}|bh[a-z]{1,3}|b[hldtnksvqgcm]{2,4}")
_CAPITAL = r"[A-Z](?:_\w{1,6}|\d)?'?"  # a letter for a dimension that is no word
_ONE = rf"(?:{_CAPITAL}|\d+)(?:\s?[*/]{{1,2}}\s?(?:{_CAPITAL}|\d+))*"
_AT_THE_END = re.compile(rf"(?<![\w*/.])({_ONE}(?:(?:,\s*|\s+){_ONE}){{2,}})\W*$")  # scores B, H, L_1, L_2
_IS_CAPITAL = re.compile(_CAPITAL).fullmatch
_IS_COMPOUND = re.compile(r".*_.*|[A-Z]\d'?").fullmatch  # n_heads, L1
_DASH = r"\s*[-‐‑–—]\s*"
_TYPE = re.compile(r"""\b\w*\[\s*(?:[\w.]+,\s*)?["']([^"'\[\]]*)["']\s*\]""")  # jaxtyping's Float[Tensor, "B L D"]
_QUOTED = re.compile(r"""(["'])([^\W\d_]\w*)\1(?=\s*[,)\]])""")  # ("B", "L", "D")
_ARRAY = re.compile(r"\b(?:[Tt]ensor|(?:bf|f|float)\d+)(?=\[)")  # f32[b, h, l, m], as JAX has it
_BY = re.compile(r"(?<![\w*/()])[\w*/()]+(?:-by-[\w*/()]+)+")
_COUNTED = re.compile(r"^(?:# ?|(?:[Nn]um(?:ber)?|[Nn]o\.) of )(?=\w)")  # (#tokens, number of heads)
_LETTER = re.compile(r"(?<!\w)[A-Z](?![a-z])")  # one that stands for a size
_TIMES = re.compile(rf"(?<![\w.]){_PRODUCT.pattern}(?:\s*\bx\b\s*{_PRODUCT.pattern}|\s+by\s+{_PRODUCT.pattern})+(?!\w)")
_IN_WORDS = re.compile(rf"(?<![\w.])(?:{_CAPITAL}|\d+)(?: times (?:{_CAPITAL}|\d+)){{2,}}(?!\w)")  # B times L times D
MAX_CHARS = 300  # of a comment that are read


def shapes_named(comment: str) -> int:
    """How many shapes a comment names in letters, in any bracket style, with x between, or as a list of its own.

    A shape and what it becomes, (B, L, D) -> (B, H, L, d), are one.
    """
    text = unicodedata.normalize("NFKC", comment[:MAX_CHARS].lstrip("#!: ")).replace("self.", "").translate(_ALIKE)
    text = re.sub(r"(?<=[\u2e80-\uffff])(?=[(\[{<])", " ", text)  # no function's name: these languages have no spaces
    text = re.sub(r"\\times\b", " x ", re.sub(r"\\cdot\b", "*", text))
    text = re.sub(r"[·∙⋅∗]", "*", re.sub(r"[×✕⨯⨉]|(?<=[A-Za-z0-9_]) [X] (?=[A-Za-z0-9])", " x ", text))
    text = re.sub(r"(?<=[A-Z0-9])x(?=[A-Z])", " x ", text)  # BxLxD
    text = _BY.sub(lambda m: m[0].replace("-by-", " x ") if _LETTER.search(m[0]) else m[0], text)  # B-by-L-by-width
    text = re.sub(r"(?<!\w)[a-wyz]\d?(?:x[a-wyz]\d?){2,}(?!\w)", lambda m: m[0].replace("x", " x "), text)  # bxlxd
    text = _IN_WORDS.sub(lambda m: m[0].replace(" times ", " x "), text)
    text = _QUOTED.sub(r"\2", _ARRAY.sub("", _TYPE.sub(r"[\1]", text)))
    text = re.sub(r"_\{(\w+)\}", r"_\1", re.sub(r"[$`\\]", "", text))
    arrows = len(re.findall(r"->|=>|→", text))
    groups = [
        m for m in _GROUP.finditer(text.replace("->", "→").replace("=>", "→")) if _is_shape(m.group(2), m.group(1))
    ]
    if groups:
        return max(1, len(groups) - arrows)
    runs = [m for m in _TIMES.finditer(text) if _is_shape(re.sub(r"\bby\b", "x", m.group()), "")]
    if runs:
        return max(1, len(runs) - arrows)
    pieces = re.split(
        r"->|=>|→|[:=]|\b(?:shapes?|sizes?|dims|dimensions|tensor)\b(?!_)", _GROUP.sub("", text), flags=re.IGNORECASE
    )
    pieces = [piece.strip(" .|'\"") for piece in (*pieces, *re.findall(r"^\W*(\w+)\W*$", text))]
    last = _AT_THE_END.search(text)
    pieces += [last[1]] if last and last[1].startswith("B") else []
    return int(any(_TOGETHER.fullmatch(piece) or _is_shape(piece, None) for piece in pieces))


def _is_shape(text: str, before: str | None) -> bool:
    """Whether text, in brackets that follow the character before, is a shape; None: a list without brackets."""
    text = re.sub(r"\((\w+)\s+(\w+)\)", r"\1*\2", text.strip())  # b l (h d), as einops has it
    if re.search(r"[,;|]", text):
        entries = re.split(r"\s*[,;|]\s*", text.rstrip(",;| "))
    elif re.search(r"\bx\b", text):
        entries = re.split(r"\s*\bx\b\s*", text)
    elif re.fullmatch(rf"{_FACTORS}(?:\s+{_FACTORS})+", text):
        entries = text.split()
    elif (dashed := re.split(_DASH, text)) and len(dashed) >= 3 and len([*filter(_IS_CAPITAL, dashed)]) >= 2:
        entries = dashed  # B-H-L_1-D_qk
    elif not before and _is_row(text.split(), 1 if before == "" else 2):
        entries = text.split()  # batch query_pos n_heads d_head
    elif before is None and text.count("*") >= 2:
        entries = re.split(r"\s*\*\s*", text)
    else:
        entries = [text]
    if len(entries) > 1:
        entries = [re.sub(r"\s*[=:]\s*\w+$", "", entry) for entry in entries]  # (B=2, L_1=5), (B: batch, L_1: length)
        named = [words.letter(entry) for entry in entries]  # (batch B, L_1 positions)
        entries = named if before is not None or all(map(_IS_CAPITAL, named)) else entries
        entries = [re.sub(r"(?<=[^\W\d_]{3}) (?=\d$)", "", entry) for entry in entries]  # (batch, length 1)
        entries = [_COUNTED.sub("", entry) for entry in entries]
    letters = [e for e in entries if re.search(r"[^\W\d_]", e)]
    # Those that are more than a letter or two.
    known = [e for e in letters if _is_entry(e) and re.search(r"[A-Z]|_|\d|[a-z]{3}|[^\x00-\x7fα-ω]", e)]
    if len(known) >= 2 and before == "":  # beside these, (B, share, -1) may hold a name of one's own
        valid = all(_PRODUCT.fullmatch(e.removeprefix("-")) or _is_entry(e) for e in entries)
    else:
        few = len(entries) < 3 and re.fullmatch(r"[^A-Z]*[α-ω][^A-Z]*", text)  # (α, v) are tensors, (μ, σ) numbers
        valid = not few and all(map(_is_entry, entries))
    if not letters or not valid or all(_TENSOR.fullmatch(e.lower()) or words.is_tensor(e.lower()) for e in letters):
        return False
    if len(entries) == 1:
        return before == "" and bool(re.fullmatch(r"[BDEGHLNST]|.*[_*\d,].*", text))
    if before is None:  # a list without brackets is more likely prose
        return len(known) >= 2 or len(entries) >= 3 and all(len(e) <= 2 for e in entries)
    return not before or any(re.search(r"[A-Z_\d]", e) for e in letters)  # before: a function's name, or a tensor's


def _is_row(names: list[str], compound: int) -> bool:
    """Whether words without commas between them are dimensions, at least so many of them of the form n_heads or L1."""
    no_prose = all(map(_is_entry, names)) and {"in", "out", "all", "per"}.isdisjoint(names)
    return len(names) >= 3 and no_prose and sum(bool(_IS_COMPOUND(name)) for name in names) >= compound


def _is_entry(entry: str) -> bool:
    """Whether a piece of a list can be a dimension: a letter or a word for it, a number, a product, or any of them."""
    if entry in {"...", "..", "…", "*", "?", ":"}:
        return True
    if re.fullmatch(r"[^\W\d_]+(?:[ -][^\W\d_]+)+\d?", entry):  # sequence length1
        first, *others = re.split(r"[ -]", entry.lower().rstrip("0123456789"))
        if first in {"x", "y"}:  # x positions
            return (words.DIMENSIONS - words.TENSORS).issuperset(others)
        if others[-1] in {"x", "y"}:  # length of x
            named = first in words.DIMENSIONS - words.TENSORS and len(first) >= 3 and first not in {"all", "out", "per"}
            return named and words.OF.issuperset(others[:-1])
        return words.DIMENSIONS.issuperset([first, *others])
    if re.fullmatch(r"[A-Z]\w* [A-Z]\w*", entry):  # H D_qk, a product
        return all(map(_is_atom, entry.split()))
    return bool(_PRODUCT.fullmatch(entry)) and all(_is_atom(atom) for atom in re.findall(_ATOM, entry))


def _is_atom(atom: str) -> bool:
    if re.fullmatch(_LETTERS, atom):
        return atom.lower() not in _PROSE
    return all(words.is_dimension(piece.lower()) or _is_short(piece) for piece in atom.split("_"))


def _is_short(piece: str) -> bool:
    """Whether a piece of a name is a letter or two, as in n_q; in other alphabets a capital, with a number or not."""
    return len(piece) <= 2 if piece.isascii() else piece[:1].isupper() and piece[1:].strip("0123456789") == ""
