"""Comments that name a tensor's shape: how many statements of `forward` have one."""

import ast
import io
import re
import tokenize

from grading import messages
from grading.cells import Code, defined, editable
from grading.rubric import Verdict

# One entry of a shape: letters such as B, L_1, D_qk or d_model, words that name a dimension, numbers, and products of
# these. (?>...) never gives back what it took, so that no comment, however long or odd, takes long to read.
_WORD = (
    "batch|heads?|seq|len|length|dims?|time|tokens?|quer(?:y|ies)|keys?|values?|num|n|embed|model|hidden|kv|"
    "q|k|v|size|in|out|features|src|tgt|source|target|groups?"
)
_LETTERS = r"[A-Za-z]{1,2}(?:[A-Za-z0-9]{0,3}|_[A-Za-z0-9]{1,6}|_?\{[A-Za-z0-9]{1,6}\})"
_ATOM = rf"(?>(?:(?:self\.)?(?:(?:{_WORD})(?:_[A-Za-z0-9]+)*|{_LETTERS})'?|-?\d+)(?!\w))"
_SIDE_BY_SIDE = r"[A-Z](?:_[A-Za-z0-9]{1,3})?\s[A-Z](?:_?[A-Za-z0-9]{1,3}|_\{\w{1,3}\})?(?!\w)"  # H D_qk
_ENTRY = rf"(?>{_SIDE_BY_SIDE}|{_ATOM}(?:\s*(?:\*|·|×|//?|\+|-)\s*{_ATOM})*|\.\.\.|…)"
_COMMAS = rf"{_ENTRY}(?:\s*[,;|]\s*{_ENTRY})+\s*,?"
_TIMES = rf"{_ATOM}(?:(?:\s+(?:[xX]|by)\s+|\s*×\s*){_ATOM})+"
_NO_X = r"(?>(?:[A-WYZa-wyz]{1,2}(?:_[A-WYZa-wyz0-9]{1,4}|[A-WYZa-wyz0-9]{0,3})|\d+))"  # in BxL_1xD_1
_SHAPE = re.compile(
    rf"[(\[{{<]\s*(?![a-z]+\s*[)\]}}>])(?:{_COMMAS}|{_TIMES}|{_ENTRY}\s*,?)\s*[)\]}}>]"  # in brackets, but not (again)
    rf"|(?<![\w.]){_TIMES}"  # B x L_1 x D
    rf"|(?<![\w.])(?=\w*[A-Z0-9_]){_NO_X}(?:[xX]{_NO_X})+(?!\w)"  # BxL_1xD_1, but not axis
    rf"|(?:^|[:=]|shape|size)\s*(?:{_COMMAS})\s*\.?$"  # a bare list that ends the comment
)
_AS_ASCII = str.maketrans("₀₁₂₃₄₅₆₇₈₉（）［］，", "0123456789()[],")


def names_a_shape(comment: str) -> bool:
    """Whether a comment names a shape in letters, in any bracket style or with x between."""
    text = comment[:1000].translate(_AS_ASCII).lstrip("# ")
    return any(re.search(r"[A-Za-z]", m.group()) for m in _SHAPE.finditer(text))


def shape_comments(answer_id: str, class_name: str) -> Verdict:
    """Right if at least half of the statements of forward that compute a tensor have a comment with a shape,
    on a line of theirs or on the one above or below."""
    found = _forward(defined(editable(answer_id)), class_name)
    if found is None:
        return Verdict(False, messages.no_forward(class_name))
    code, forward = found
    lines = _comment_lines(code.source)
    statements = [s for s in ast.walk(forward) if isinstance(s, ast.stmt) and _computes(s)]
    commented = [s for s in statements if any(n in lines for n in range(s.lineno - 1, s.end_lineno + 2))]
    right = bool(statements) and 2 * len(commented) >= len(statements)
    return Verdict(right, messages.shape_comments(len(commented), len(statements)))


def _forward(table: dict, class_name: str, depth: int = 0) -> tuple[Code, ast.FunctionDef] | None:
    """The `forward` of the class as defined last, in the class, by a later assignment, or in a base class."""
    for code, node in reversed(table.get(class_name, [])):
        match node:
            case ast.ClassDef():
                for inner in ast.walk(node):
                    if isinstance(inner, ast.FunctionDef) and inner.name == "forward":
                        return code, inner
                for base in node.bases if depth < 5 else ():
                    found = _forward(table, base.id, depth + 1) if isinstance(base, ast.Name) else None
                    if found:
                        return found
            case ast.Name(id=name) if depth < 5:
                function = [(c, n) for c, n in table.get(name, []) if isinstance(n, ast.FunctionDef)]
                if function:
                    return function[-1]
                found = _forward(table, name, depth + 1)
                if found:
                    return found
    return None


def _computes(statement: ast.stmt) -> bool:
    """Whether a statement computes a tensor: an operation or a call, unless it only reads a shape or prints."""
    if not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return)) or statement.value is None:
        return False
    value = statement.value
    if isinstance(statement, ast.Assign) and all(_is_scalar_name(t) for t in statement.targets) and _is_size(value):
        return False
    return any(isinstance(n, (ast.Call, ast.BinOp, ast.Subscript)) for n in ast.walk(value)) and not _is_size(value)


def _is_scalar_name(target: ast.expr) -> bool:
    return all(isinstance(n, (ast.Name, ast.Tuple, ast.List, ast.Starred, ast.expr_context)) for n in ast.walk(target))


def _is_size(value: ast.expr) -> bool:
    """Whether an expression is made of sizes alone: x.shape, x.shape[0], x.size(1), self.H * 2, D_qk ** 0.5."""
    match value:
        case ast.Constant():
            return True
        case ast.Attribute(attr="shape" | "H" | "G" | "D_1" | "D_2" | "D_qk" | "D_v" | "device" | "dtype" | "ndim"):
            return True
        case ast.Name(id=name):
            return bool(re.fullmatch(r"[BHGDLbhgdln]_?\w{0,2}|D_qk|scale|d_k|d_v", name))
        case ast.Call(func=ast.Attribute(attr="size" | "dim" | "numel")):
            return True
        case ast.Call(func=ast.Name(id="len" | "int" | "float")):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id="np" | "math"), attr="sqrt")):
            return all(_is_size(a) for a in value.args)
        case ast.Subscript(value=inner):
            return _is_size(inner)
        case ast.BinOp(left=left, right=right):
            return _is_size(left) and _is_size(right)
        case ast.UnaryOp(operand=operand):
            return _is_size(operand)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return all(_is_size(part) for part in parts)
    return False


def _comment_lines(source: str) -> set[int]:
    """The numbers of the lines whose comment names a shape."""
    lines = set()
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT and names_a_shape(token.string):
                lines.add(token.start[0])
    except (tokenize.TokenError, SyntaxError, IndentationError):
        # A magic that Python cannot read: the comments before it are found, those after it line by line.
        for number, line in enumerate(source.splitlines(), start=1):
            if "#" in line and names_a_shape(line[line.index("#") :]):
                lines.add(number)
    return lines
