"""The Python that a cell holds: its syntax tree, after all that IPython makes of the text first.

A cell is split into lines, cleaned and read for magics as IPython does it, and by IPython's own functions where it has
them. Nothing is run.
"""

import ast
import contextlib
import io
import re
import string
from collections.abc import Callable, Collection, Iterator

from IPython.core.inputtransformer2 import TransformerManager, cell_magic, leading_empty_lines

from grading.rules import compiling
from grading.rules.compiling import UNTOLD, is_copied_often, is_read_often, unwarned
from grading.rules.folding import folded
from grading.rules.line_magics import code_of

# Magics whose code runs as ordinary code of this kernel; of these, those with code on their own line.
PLAIN_MAGICS = frozenset({"time", "timeit", "capture", "prun", "debug"})
LINE_MAGICS = frozenset({"time", "timeit", "prun", "debug"})
# Magics whose cell is run by another program, shown or written to a file; any other one may run it here.
OTHER_MAGICS = frozenset(
    "bash sh script system sx ! perl ruby python python2 python3 pypy html HTML svg SVG latex markdown js javascript "
    "writefile file".split()
)
# Line magics that show or set something and run no code but what `expands` finds in their text.
HARMLESS_MAGICS = frozenset(
    "matplotlib who who_ls whos precision pprint config pinfo pinfo2 psearch pdoc pdef psource pfile pip conda mamba "
    "micromamba uv pwd cd ls ll cat env set_env lsmagic magic quickref history hist xmode tb colors pdb page reset "
    "reset_selective xdel mkdir sx system autosave autoreload automagic "
    "doctest_mode bookmark dhist dirs pushd popd clear less more man lf lk ldir lx cp mv rm rmdir connect_info "
    "notebook logstart logstop logon logoff logstate".split()
)
# Those that run code. In a cell of one line, IPython takes the name of a line magic without its %, too.
OTHER_LINE_MAGICS = frozenset(
    "aimport alias alias_magic autoawait autocall code_wrap ed edit gui killbgscripts load load_ext loadpy macro "
    "pastebin pycat pylab qtconsole recall rehashx reload_ext rep rerun run save sc store subshell unalias "
    "unload_ext".split()
)
NAMES = LINE_MAGICS | HARMLESS_MAGICS | OTHER_LINE_MAGICS
FIRST = re.compile(r"\s*(\w+)(?![\w.*]|\s*[=,])")  # the name that IPython may take for a magic's, as in `run ./file.py`
MAX_DEPTH = 200  # of a syntax tree; real code reaches about 30
# IPython reads the whole cell again for each magic in it, and for each sign that a line begins with: characters times
# magics. Signs in a row, with or without spaces, count by their square, as no cell needs many.
MAGICS = re.compile(r"^[ \t]*([%!?,;/](?:[ \t]*[%!?,;/])*)|=[ \t]*([%!])|(\?)[ \t]*$", re.MULTILINE)
MAX_MAGICS_TIMES_CHARS = 1_500_000  # 10 s; ten magics in a cell of 3,000 characters are 30,000
# For each line such as `print?`, IPython reads every word of it again from each of its letters, in one call in C.
HELP_LINE = re.compile(r"\?[ \t\\]*$", re.MULTILINE)
WORD = re.compile(r"[\w*.]+")
MAX_HELPS_TIMES_LETTERS = 10_000_000  # 0.3 s: one help line, and a word of 3,000 letters; real cells stay below 100,000


def parse(source: str, unfold: bool = True, bare: Collection[str] | None = None) -> ast.Module | None:
    """The syntax tree of a cell, after IPython's own transformation; None if the cell cannot run at all.

    The numbers of the lines are those of the cell, also below a cell magic such as %%time. Code that stands in a text,
    as in exec("x = 1") or after %timeit, stands in the tree where it would run, if told to `unfold`. Code of one line
    is a magic where it begins with one of the `bare` names; if these aren't known yet, with any magic's, if no Python.
    """
    whole = _lines(source)
    if is_read_often(whole):
        return ast.parse(UNTOLD)
    skipped, lines = _cleaned(whole)
    if cell_magic(lines) != lines:
        return _below_a_magic(lines[0], "".join(lines[1:]), skipped, unfold, bare)
    if _takes_long(lines):
        return ast.parse(UNTOLD)
    if bare_magic(lines) in (bare or ()):
        lines = _signed(lines)
    try:
        tree = _compiled(lines, compiling.read_as_set)
    except (RecursionError, MemoryError):  # a kernel may have room for it where this process has none
        return ast.parse(UNTOLD)
    except (SyntaxError, ValueError, RuntimeError):
        if bare is None and bare_magic(lines):
            magic = parse("".join(_signed(lines)), unfold, bare)
            return magic and ast.increment_lineno(magic, skipped)
        return ast.parse(UNTOLD) if compiling.has_long_number(lines) else None
    with contextlib.suppress(RecursionError, ValueError):  # a text in it may be too deep, and hides nothing else
        if _depth(tree) <= MAX_DEPTH:
            read = _Unfold(bare).visit(tree) if unfold else tree
            return ast.parse(UNTOLD) if is_copied_often(read) else ast.increment_lineno(read, skipped)
    return ast.parse(UNTOLD)


def refused(source: str) -> tuple[int, str] | None:
    """The line at which Python refuses a cell, and its own words; None for a cell that runs, or where nobody can say.

    Of what Python finds only once it has the tree, a return outside of any function is looked for: an indentation that
    slipped leaves one.
    """
    if is_read_often(whole := _lines(source)):
        return None
    skipped, lines = _cleaned(whole)
    if cell_magic(lines) != lines:
        name = re.match(r"%%(\w+)", lines[0])
        if not name or name[1] not in PLAIN_MAGICS:
            return None
        below, lines = _cleaned(lines[1:])
        skipped += 1 + below
    if cell_magic(lines) != lines or _takes_long(lines):
        return None
    try:
        tree = _compiled(lines, compiling.read, skipped)
    except SyntaxError as error:
        return error.lineno or 1, error.msg
    except (ValueError, RuntimeError, MemoryError):
        return None
    strays = [node.lineno for node in _outside_functions(tree) if isinstance(node, ast.Return)]
    return (min(strays), "'return' outside function") if strays else None


def _lines(source: str) -> list[str]:
    """The lines of a cell as IPython has them: it also splits at a form feed, or at U+2028."""
    return (source if source.endswith("\n") else f"{source}\n").splitlines(keepends=True)


def numbered(source: str) -> list[str]:
    """The lines of a text as Python counts them: for it neither a form feed ends one, nor U+2028."""
    return io.StringIO(source, newline=None).read().split("\n")


def _cleaned(whole: list[str]) -> tuple[int, list[str]]:
    """A cell's lines without prompts and common indentation, and how many, as Python counts, are left out before."""
    lines = whole
    for clean in TransformerManager().cleanup_transforms:
        lines = clean(lines)
    left_out = whole[: len(whole) - len(leading_empty_lines(whole))]
    return len(numbered("".join(left_out))) - 1, lines


def _compiled(lines: list[str], read: Callable[[str], ast.Module], skipped: int = 0) -> ast.Module:
    """The tree of a cell's lines, with this many empty ones before them; whatever `read` raises is passed on.

    Errors  ValueError where IPython's own functions fail, as at `x=%` and a line's end: of such a cell it runs nothing.
    """
    with unwarned():
        try:
            lines = TransformerManager().do_token_transforms(lines)
        except SyntaxError:
            raise
        except Exception as error:  # as IPython catches it; the cell's text alone decides what fails
            raise ValueError("IPython cannot read this cell") from error
    return read("\n" * skipped + "".join(lines))


def _outside_functions(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes of a tree that stand in no function."""
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            left += ast.iter_child_nodes(node)


def expands(text: str) -> bool:
    """Whether IPython puts the value of an expression into the text of a magic or of a shell's command.

    It does so for {braces} around any expression; a variable's name alone, as in `!ls {folder}`, only shows something.
    """
    try:
        fields = [(field, form) for _, field, form, _ in string.Formatter().parse(text) if field is not None]
    except ValueError:
        return False  # no text for a formatter: IPython leaves it as it stands
    computed = (
        not re.fullmatch(r"\w*", one) and _is_expression(one)
        for field, form in fields
        for one in (field, f"{field}:{form}")
    )
    return any(computed) or any("{" in form for _, form in fields)


def bare_magic(lines: list[str]) -> str | None:
    """The name of the line magic that code of one line begins with where its %, as IPython allows, is left out."""
    written = [line for line in "".join(lines).splitlines() if line.strip()]
    first = FIRST.match(written[0]) if len(written) == 1 else None
    return first[1] if first and first[1] in NAMES else None


def may_be_bare(source: str) -> bool:
    """Whether a cell holds code of one line that IPython may take for a magic without its %."""
    written = [line for line in source.splitlines() if line.strip() and not line.lstrip().startswith("%%")]
    alone = len(written) <= 1 or any(f"%{name}" in source for name in LINE_MAGICS)
    return alone and not NAMES.isdisjoint(re.findall(r"\w+", source))


def _signed(lines: list[str]) -> list[str]:
    """Code of one line, with the % of its magic."""
    return ["%" + "".join(lines).strip() + "\n"]


def _is_expression(text: str) -> bool:
    try:
        with unwarned():
            return bool(ast.parse(f"({text.strip()})", mode="eval"))
    except (SyntaxError, ValueError):
        return False
    except (RecursionError, MemoryError):
        return True


def _below_a_magic(first: str, text: str, skipped: int, unfold: bool, bare: Collection[str]) -> ast.Module | None:
    """The tree of a cell whose first line is a cell magic; only a first line of the usual form is believed."""
    usual = re.fullmatch(r"%%(\w+|!)((?:[ \t][^\r\n]*)?)(?:\r?\n)?", first)
    name, line = usual.groups() if usual else ("", "")
    if name in OTHER_MAGICS and not line.rstrip().endswith("?") and not expands(line):
        return ast.Module([], [])
    if name not in PLAIN_MAGICS or name not in LINE_MAGICS and expands(line):
        return ast.parse(UNTOLD)
    setup = parse(code_of(name, line), bare=bare) if name in LINE_MAGICS else None
    body = parse(text, unfold, bare)
    return body and ast.Module((setup.body if setup else []) + ast.increment_lineno(body, skipped + 1).body, [])


def _takes_long(lines: list[str]) -> bool:
    """Whether IPython would need long to transform a cell's lines."""
    text = "\n".join("".join(lines).splitlines())  # in which they end in no way but one
    helps = len(HELP_LINE.findall(text))
    again = helps and helps * sum(len(word) ** 2 for word in WORD.findall(text))
    magics = sum(len("".join("".join(signs).split())) ** 2 for signs in MAGICS.findall(text))
    return magics * len(text) > MAX_MAGICS_TIMES_CHARS or again > MAX_HELPS_TIMES_LETTERS


class _Unfold(ast.NodeTransformer):
    """Puts the code of a text, where exec, eval or a magic runs it, in that text's place."""

    def __init__(self, bare: Collection[str] | None) -> None:
        self.bare = bare
        self.read: dict[ast.expr, ast.Module | None] = {}  # each text is read once, however many stand in one another
        self.before: list[ast.stmt] = []  # what texts in the current statement run, which goes before it

    def visit(self, node: ast.AST) -> ast.AST | list[ast.stmt]:
        """What a text within a statement runs comes before it, as in `done = exec("for i in x: f(i)")`."""
        if not isinstance(node, ast.stmt):
            return super().visit(node)
        outer, self.before = self.before, []
        made = super().visit(node)
        found, self.before = self.before, outer
        return [*found, *(made if isinstance(made, list) else [made])] if found else made

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        node = self.generic_visit(node)
        inner = self.read.get(node.value)
        if not inner or not inner.body:
            return node
        here = {*inner.body}
        self.before = [one for one in self.before if one not in here]
        return _at(inner.body, node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        node = self.generic_visit(node)
        inner = self.read[node] = _in_text(node, self.bare)
        if inner and len(inner.body) == 1 and isinstance(inner.body[0], ast.Expr):
            return _at([inner.body[0].value], node)[0]
        if inner and isinstance(node.func, ast.Name) and node.func.id == "exec":
            self.before += _at(inner.body, node)
        return node


def _in_text(node: ast.expr, bare: Collection[str] | None) -> ast.Module | None:
    """The tree of the code in the text that a call runs, if it is such a call and the text can be told."""
    match node:
        case ast.Call(func=ast.Name(id="exec" | "eval"), args=[text, *_]):
            code = folded(text)
            return parse(code.strip()) if code else None
        case ast.Call(func=ast.Attribute(attr="run_line_magic"), args=[magic, text, *_]):
            code, name = folded(text), folded(magic)
            return parse(code_of(name, code), bare=bare) if code and name in LINE_MAGICS else None
        case ast.Call(func=ast.Attribute(attr="run_cell_magic"), args=[magic, line, text]):
            parts = [folded(magic), folded(line), folded(text)]
            known = parts[0] in PLAIN_MAGICS and None not in parts
            return parse("%%{} {}\n{}".format(*parts), bare=bare) if known else None
    return None


def _at(nodes: list, place: ast.AST) -> list:
    """The nodes, all of them said to stand where `place` does, and to come `of_text`."""
    for node in nodes:
        for inner in ast.walk(node):
            ast.copy_location(inner, place)  # which leaves alone what stands nowhere, such as an operator
            if isinstance(inner, ast.stmt | ast.expr):  # each operator is one object for all trees
                inner.of_text = True
    return nodes


def _depth(tree: ast.AST) -> int:
    depth, level = 0, [tree]
    while level:
        depth, level = depth + 1, [inner for node in level for inner in ast.iter_child_nodes(node)]
    return depth
