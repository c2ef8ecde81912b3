"""The problem's rules, as a hidden test asks for them: those of any course, and those that only this one has."""

import ast
import builtins
from collections.abc import Callable, Collection, Iterable, Iterator

from attention.course import COURSE
from attention.questions.versions import in_force
from attention.rules.shapes import shape_comments
from grading.core.messages import NOT_IN_A_DRAFT, breach_loop
from grading.rules import closure, drafts, own_names, static
from grading.rules.earlier import superseded
from grading.rules.nodes import walk
from grading.rules.parsing import folded
from grading.rules.static import Breach
from grading.rules.student_code import Code, defined, editable, setup
from grading.rules.texts import Texts

__all__ = [
    "Breach",
    "no_imports",
    "no_loops",
    "no_ready_made_attention",
    "no_torch",
    "shape_comments",
]

# Attention in torch.nn and torch.nn.functional, for where only a name is known.
READY_MADE = frozenset(
    "MultiheadAttention Transformer TransformerEncoder TransformerDecoder TransformerEncoderLayer "
    "TransformerDecoderLayer scaled_dot_product_attention multi_head_attention_forward flex_attention".split()
)
# Pieces of torch that compute in another process or thread, where nobody sees whether ready-made attention runs.
ELSEWHERE = frozenset({"multiprocessing", "rpc"})


def no_imports(answer_id: str) -> Breach | None:
    """No cell of the student's imports, in whatever spelling, anything but pieces of torch and NumPy, and what the
    part's setup cell imports."""
    return static.no_imports(answer_id, COURSE.imports)


def no_loops(answer_id: str) -> Breach | None:
    """No for, while, comprehension, generator expression or map in a function or class of the answer, nor the `while`
    that PyTorch has as a function."""
    names, left_out = COURSE.part_of(answer_id).names, superseded(answer_id, in_force)
    return static.no_loops(answer_id, names, left_out) or _while_of_torchs(answer_id, left_out)


def _while_of_torchs(answer_id: str, left_out: Collection[closure.Place]) -> Breach | None:
    """The breach, if a function or class of the answer, or what these use, reads `torch.while_loop`."""
    modules = closure.libraries(editable(answer_id), COURSE.imports, setup(answer_id))

    def inside(node: ast.AST) -> Iterator[ast.AST]:
        return (inner for part in closure.definitions(node) for inner in walk(part))

    def is_forbidden(inner: ast.AST, free: Collection[str]) -> bool:
        match inner:
            case ast.Name(id=name) if name in free and name in modules:
                return _is_while(modules[name])
            case ast.Attribute(attr=name) if closure.root(inner) in modules:
                return _is_while(name)
            case ast.alias(name=name):
                return _is_while(name)
        return False

    place = _first(answer_id, left_out, inside, is_forbidden)
    return place and Breach(breach_loop(*place, "`while_loop` is a loop"))


def _is_while(name: str) -> bool:
    """Whether this is `torch.while_loop`, or one of the functions behind it."""
    return name.split(".")[-1].strip("_").startswith("while_loop")


def no_ready_made_attention(answer_id: str) -> Breach | None:
    """No attention of PyTorch's own in a function or class of the answer, nor in what these use, nor another process.

    A student's own function may bear such a name; it is the one in PyTorch that counts.
    """
    codes = editable(answer_id)
    modules, own = closure.libraries(codes, COURSE.imports, setup(answer_id)), _own_names(codes)
    texts = Texts(codes, COURSE.imports)

    def is_forbidden(inner: ast.AST, free: Collection[str]) -> bool:
        match inner:
            case ast.Name(id=name) if name in free and name in modules:
                return _is_attention(modules[name]) or not ELSEWHERE.isdisjoint(modules[name].split("."))
            case ast.Name(id=name) if name in free and name not in own:
                return name in READY_MADE
            case ast.Attribute(attr=name):
                of_torch = closure.root(inner) in modules
                return _is_attention(name) or name in ELSEWHERE if of_torch else name in READY_MADE - own
            case ast.alias(name=name):
                return _is_attention(name)
            case ast.MatchClass(kwd_attrs=names):
                return any(n in READY_MADE - own or n.startswith("_") and _is_attention(n) for n in names)
            case (
                ast.Call(func=ast.Name(id="getattr"), args=[_, name, *_])
                | ast.Call(func=ast.Attribute(attr="__getattribute__" | "__getattr__"), args=[*_, name])
            ):
                return any(map(_is_attention, texts.of(name) or ()))
        return False

    place = _first(answer_id, superseded(answer_id, in_force), ast.walk, is_forbidden)
    return place and Breach(_breach_ready_made(*place))


def _first(
    answer_id: str,
    left_out: Collection[closure.Place],
    inside: Callable[[ast.AST], Iterable[ast.AST]],
    is_forbidden: Callable[[ast.AST, Collection[str]], bool],
) -> tuple[str, int, str] | None:
    """Where an answer, or what it uses, first has what `is_forbidden`: the cell, the line, and its text.

    It judges a node among those `inside` a definition, with the names that are free in that.
    """
    for code, node in closure.answer(answer_id, COURSE.part_of(answer_id).names, left_out):
        free = closure.free_names(node)
        if found := next((inner for inner in inside(node) if is_forbidden(inner, free)), None):
            line = getattr(found, "lineno", node.lineno)
            return code.where, line, code.line(line)
    return None


def no_torch(answer_id: str) -> Breach | None:
    """No use of PyTorch in the answer cell, nor in what its functions use; importing it again does not count."""
    codes, before = editable(answer_id), setup(answer_id)
    table, torch = defined(codes), frozenset({"torch"})
    modules = closure.libraries(codes, torch, before)
    modules = modules.keys() - own_names.own_in_the_end([code.tree for code in codes if code.tree], modules, torch)
    anything = "*" in modules
    known = (
        set(table)
        | set(closure.libraries(codes, COURSE.imports, before))
        | set(dir(builtins))
        | {"display", "get_ipython"}
    )
    replaced, earlier = drafts.replaced(codes, table), superseded(answer_id, in_force)
    cells = [code for code in codes if code.answer and code.tree]
    statements = [(code, statement) for code in cells for statement in code.tree.body if statement not in replaced]
    places = [(code, statement) for code, statement in statements if closure.place(code, statement) not in earlier]
    places += closure.answer(answer_id, COURSE.part_of(answer_id).names, earlier)
    numbers = {name for code in cells for loop in walk(code.tree) for name in _numbered(loop, table)}
    by_names = any(_takes_names(inner) for _, node in places for inner in ast.walk(node))
    for code, node in places:
        free = closure.free_names(node)
        used = (free & modules) | closure.imported(node, torch).keys() | (free - known if anything else set())
        for inner in ast.walk(node):
            by_name = (
                isinstance(inner, ast.Name)
                and inner.id in used
                and inner not in numbers
                and isinstance(inner.ctx, ast.Load)
            )
            by_text = by_names and isinstance(inner, ast.expr) and folded(inner) in {"torch", "nn"}
            if by_name or by_text or closure.imports_by_call(inner) == "torch":
                return Breach(_breach_torch(code.where, inner.lineno, code.line(inner.lineno)))
    return None


def _numbered(loop: ast.AST, own: Collection[str]) -> Iterator[ast.Name]:
    """Where the body of a loop such as `for nn in (4, 8)` reads its variable; `own` are the names of the cells."""
    match loop:
        case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=over)) if (
            "range" not in own
        ):
            pass
        case ast.For(target=ast.Name(id=name), iter=ast.Tuple(elts=over) | ast.List(elts=over)):
            pass
        case _:
            return
    inside = [node for statement in loop.body for node in ast.walk(statement)]
    later = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
    if all(isinstance(one, ast.Constant) for one in over) and not any(isinstance(node, later) for node in inside):
        yield from (node for node in inside if isinstance(node, ast.Name) and node.id == name)


def _takes_names(node: ast.AST) -> bool:
    """Whether all names of the notebook are asked for, as in `globals().get("torch")`."""
    return isinstance(node, ast.Name) and node.id in {"globals", "locals", "vars"}


def _own_names(codes: list[Code]) -> set[str]:
    """The names of the functions, methods, classes, variables and attributes that the student's cells make."""
    names = set()
    for code in codes:
        for node in ast.walk(code.tree) if code.tree else ():
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    names.add(name)
                case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                    names.add(name)
    return names


def _is_attention(name: str) -> bool:
    """Whether what torch has under this name is attention, or a model made of it."""
    low = name.lower().split(".")[-1].strip("_").replace("_", "")
    return "attention" in low and low != "attention" or low.startswith("transformer") or "scaleddotproduct" in low


def _breach_ready_made(where: str, line: int, code: str) -> str:
    return f"{where}, line {line}, `{code}`: this part asks you to build attention yourself. {NOT_IN_A_DRAFT}"


def _breach_torch(where: str, line: int, code: str) -> str:
    return f"{where}, line {line}, `{code}`: this part must be done without PyTorch. {NOT_IN_A_DRAFT}"
