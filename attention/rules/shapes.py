"""Comments that name a tensor's shape: how many statements of `forward` have one."""

import ast
import functools
import io
import tokenize
from collections.abc import Callable

from IPython.core.inputtransformer2 import classic_prompt, ipython_prompt

from attention.rules import methods, words
from attention.rules.shape_notation import MAX_CHARS, shapes_named
from grading.marking.rubric import Verdict
from grading.rules.parsing import numbered
from grading.rules.student_code import Code, editable

MOST_CALLED = 100  # functions and methods that are looked for, each in all cells


def shape_comments(answer_id: str, class_name: str) -> Verdict:
    """Right if at least half of the statements of forward that compute a tensor have a comment with a shape.

    It stands on a line of the statement's own, or next to it, above or below: alone, or after a print or an assert. One
    between two statements serves one of them, or as many as it names shapes. Where forward leaves its work to
    functions and methods of the student's, theirs may count too. A `__call__` serves where there is no forward.
    """
    codes = editable(answer_id)
    found = methods.method(codes, class_name, "forward") or methods.method(codes, class_name, "__call__")
    if found is None:
        return Verdict(False, f"no `forward` of `{class_name}` was found in your cells.", no_value=True)
    comments = functools.cache(_comments)  # a cell is asked for with each of the functions in it that `forward` calls
    counts = [_count(some, comments) for some in ([found], _with_helpers(codes, class_name, found))]
    right = any(total and 2 * commented >= total for commented, total in counts)
    commented, statements = counts[0]
    counted = f"{commented} of the {statements} statements of `forward` that compute a tensor"
    return Verdict(right, f"{counted} {'has' if commented == 1 else 'have'} a comment with a shape.")


def _count(functions: list[tuple[Code, ast.stmt]], comments_of: Callable[[str], dict[int, int]]) -> tuple[int, int]:
    """How many statements of some functions compute a tensor, after how many of these have a comment with a shape."""
    commented = total = 0
    for code, function in functions:
        sizes = _sizes(function) if isinstance(function, ast.FunctionDef) else set()
        statements = [s for s in ast.walk(function) if isinstance(s, ast.stmt) and _computes(s, sizes)]
        statements.sort(key=lambda s: (s.lineno, s.col_offset))
        looks = [s for s in ast.walk(function) if isinstance(s, ast.Expr | ast.Assert) and s not in statements]
        source = _without_prompts(code.source)
        done = _commented(comments_of(source), numbered(source), statements, looks)
        functions_only = [isinstance(getattr(s, "value", None), ast.Lambda) for s in statements]  # split = lambda t: …
        commented += sum(done)
        total += sum(has or not only for has, only in zip(done, functions_only, strict=True))
    return commented, total


def _without_prompts(source: str) -> str:
    """A cell's text, line by line, without the >>> and ... of a console that it was copied from, as IPython runs it."""
    return "".join(classic_prompt(ipython_prompt(source.splitlines(keepends=True))))


def _with_helpers(codes: list[Code], class_name: str, first: tuple[Code, ast.stmt]) -> list[tuple[Code, ast.stmt]]:
    """A method, and all functions and methods of the student's that it calls, and these call."""
    found, looked_for = [first], set()
    for _, function in found:  # which grows
        for call in [node for node in ast.walk(function) if isinstance(node, ast.Call)]:
            match call.func:
                case ast.Name(id=name):
                    is_method = False
                case ast.Attribute(value=ast.Name(id="self"), attr=name):
                    is_method = True
                case _:
                    continue
            if (is_method, name) in looked_for or len(looked_for) >= MOST_CALLED:
                continue
            looked_for.add((is_method, name))
            helper = methods.method(codes, class_name, name) if is_method else methods.function(codes, name)
            if helper and not any(helper[1] is other for _, other in found):
                found.append(helper)
    return found


def _commented(
    comments: dict[int, int], lines: list[str], statements: list[ast.stmt], looks: list[ast.stmt]
) -> list[bool]:
    """Which statements have a comment with a shape; one that only looks at a tensor lends them its own.

    `comments` says of a line how many shapes its comment names.
    """
    alone = {n for n in comments if lines[n - 1].lstrip().startswith("#")} | {s.end_lineno for s in looks} & {*comments}
    done = [any(n in comments and comments[n] for n in range(s.lineno, s.end_lineno + 1)) for s in statements]
    block: list[int] = []
    for n in range(1, len(lines) + 2):
        if n in alone:
            block.append(n)
        elif block:
            serves = sum(comments[line] for line in block)
            beside = [i for i, s in enumerate(statements) if s.end_lineno + 1 == block[0] or s.lineno == block[-1] + 1]
            for i in [i for i in beside if not done[i]][:serves]:  # the one above first: nothing else can serve it
                done[i] = True
            block = []
    return done


def _computes(statement: ast.stmt, sizes: set[str]) -> bool:
    """Whether a statement computes a tensor: an operation or a call, unless it only reads a shape or prints."""
    match statement:
        case ast.Assign(value=value) | ast.Return(value=value) | ast.AnnAssign(value=value) if value is not None:
            works = any(isinstance(n, (ast.Call, ast.BinOp, ast.Subscript)) for n in ast.walk(value))
            return works and not _is_size(value, sizes)
        case ast.AugAssign(target=target, value=value):
            return not (_is_size(target, sizes) and _is_size(value, sizes))
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name))):
            return name.endswith("_") and not name.endswith("__")
    return False


def _sizes(forward: ast.FunctionDef) -> set[str]:
    """The names of forward's own that hold sizes: assigned from shapes and numbers and from nothing else."""
    sizes: set[str] = set()
    others: set[str] = {argument.arg for argument in ast.walk(forward.args) if isinstance(argument, ast.arg)}
    assigned = [node for node in ast.walk(forward) if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign))]
    for node in sorted(assigned, key=lambda node: node.lineno):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        (sizes if node.value is not None and _is_size(node.value, sizes) else others).update(names)
    return sizes - others


def _is_size(value: ast.expr, sizes: set[str]) -> bool:
    """Whether an expression is made of sizes alone: x.shape, x.shape[0], x.size(1), self.H * 2, D_qk ** 0.5."""
    match value:
        case ast.Constant():
            return True
        case ast.Attribute(attr="shape" | "H" | "G" | "D_1" | "D_2" | "D_qk" | "D_v" | "device" | "dtype" | "ndim"):
            return True
        case ast.Name(id=name):
            return name in sizes
        case ast.Call(func=ast.Attribute(attr="size" | "dim" | "numel" | "new_tensor" | "item")):
            return True
        case ast.Call(func=ast.Name(id="len" | "int" | "float" | "max" | "min" | "divmod" | "round" | "slice")):
            return True
        case ast.Call(
            func=ast.Attribute(attr="sqrt" | "rsqrt" | "tensor" | "as_tensor" | "float64" | "float32"), args=args
        ):
            return all(_is_size(a, sizes) for a in args)
        case ast.Call(func=ast.Attribute(attr="float" | "double" | "sqrt" | "to" | "rsqrt", value=inner), args=[]):
            return _is_size(inner, sizes)
        case ast.Subscript(value=inner) | ast.UnaryOp(operand=inner) | ast.Starred(value=inner):
            return _is_size(inner, sizes)
        case ast.BinOp(left=left, op=ast.FloorDiv() | ast.Mod(), right=right):
            return all(_is_size(side, sizes) or _is_of_self(side) for side in (left, right))
        case ast.BinOp(left=left, right=right):
            return _is_size(left, sizes) and _is_size(right, sizes)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return all(_is_size(part, sizes) for part in parts)
    return False


def _is_of_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def _comments(source: str) -> dict[int, int]:
    """By line, how many shapes its comment names."""
    found = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(source, newline=None).readline):
            if token.type == tokenize.COMMENT:
                found[token.start[0]] = token.string
    except (tokenize.TokenError, SyntaxError, IndentationError):
        # A magic that Python cannot read: the comments before it are found, those after it line by line.
        for number, line in enumerate(numbered(source), start=1):
            if "#" in line and number not in found:
                found[number] = line[line.index("#") :]
    found = {number: comment[:MAX_CHARS] for number, comment in found.items()}
    own = words.of_ones_own(found.values())
    return {n: shapes_named(words.WORD.sub(lambda m: "dim" if m[0] in own else m[0], c)) for n, c in found.items()}
