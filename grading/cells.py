"""The cells of a notebook file: which a student can edit, and what Python they hold.

Read from the file, not from the kernel, so that nothing that runs can change what is read.
"""

import ast
import contextlib
import json
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from IPython.core.inputtransformer2 import TransformerManager

from grading.course import part_of

# Magics whose code runs as ordinary code of this kernel; of these, those with code on their own line.
PLAIN_MAGICS = frozenset({"time", "timeit", "capture", "prun", "debug"})
LINE_MAGICS = frozenset({"time", "timeit", "prun", "debug"})
_OPTIONS = re.compile(r"(?:\s*(?:-[nrpNRP]\s*\d+|-[lsTDb]\s*\S+|-\w|--[\w-]+)(?=\s|$))*\s*")
MAX_DEPTH = 200  # of a syntax tree; real code reaches about 30
TOO_DEEP = "exec(text)"  # stands for code that is nested deeper: what it does cannot be told
# IPython reads the whole cell again for each magic in it: characters times lines that may be one.
MAGIC_LINE = re.compile(r"^[ \t]*[%!?,;/]|=[ \t]*[%!]|\?[ \t]*$", re.MULTILINE)
MAX_MAGICS_TIMES_CHARS = 1_500_000  # 10 s; ten magics in a cell of 3,000 characters are 30,000


@dataclass(frozen=True)
class Code:
    """One code cell that a student can edit: where it stands, its text, and its syntax tree, None if it has none."""

    where: str
    answer: bool
    source: str
    tree: ast.Module | None

    def line(self, number: int) -> str:
        """A line of the cell, counted from 1, shortened for a message."""
        lines = self.source.splitlines()
        text = lines[number - 1].strip() if 0 < number <= len(lines) else ""
        return text if len(text) <= 60 else text[:59] + "…"


_bound: dict | None = None


def bind(notebook: dict | None) -> None:
    """Makes `editable` read this notebook instead of the file in the working folder; None undoes it."""
    global _bound
    _bound = notebook


def editable(answer_id: str) -> list[Code]:
    """The code cells of the answer's notebook that a student can edit, in order.

    Errors  FileNotFoundError, ValueError if the notebook is not there or is none: our failure, not the student's.
    """
    codes = []
    for position, cell in enumerate(_notebook(answer_id)["cells"], start=1):
        meta = cell.get("metadata", {}).get("nbgrader") or {}
        if cell["cell_type"] != "code" or is_ours(meta):
            continue
        source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
        answer = meta.get("grade_id") == answer_id
        where = "Answer" if answer else f"Cell {position}"
        codes.append(Code(where, answer, source, _tree(source)))
    return codes


def setup(answer_id: str) -> ast.Module:
    """The syntax tree of the part's setup cell; an empty one if the notebook has no such cell.

    Under the judge, and after nbgrader's own sanitising, the notebook is a clean copy: its setup cell is the release's,
    whatever the student's file holds.
    Errors  as `editable`.
    """
    name = f"{part_of(answer_id).stem}-setup"
    for cell in _notebook(answer_id)["cells"]:
        meta = cell.get("metadata", {}).get("nbgrader") or {}
        if cell["cell_type"] == "code" and meta.get("grade_id") == name and is_ours(meta):
            return parse("".join(cell["source"])) or ast.Module([], [])
    return ast.Module([], [])


def is_ours(meta: dict) -> bool:
    """Whether nbgrader's metadata mark a cell that only the course's makers write: text, setup, checks, tests."""
    return bool(meta) and not meta.get("solution", False) and bool(meta.get("locked") or meta.get("grade"))


def _notebook(answer_id: str) -> dict:
    if _bound is not None:
        return _bound
    return json.loads(Path(f"{part_of(answer_id).stem}.ipynb").read_text(encoding="utf-8"))


def _tree(source: str) -> ast.Module | None:
    try:
        return parse(source)
    except RecursionError:  # magics in magics
        return ast.parse(TOO_DEEP)


def parse(source: str) -> ast.Module | None:
    """The syntax tree of a cell, after IPython's own transformation; None if the cell cannot run at all.

    The numbers of the lines are those of the cell, also below a cell magic such as %%time. Code that stands in a text,
    as in exec("x = 1") or after %timeit, stands in the tree where it would run.
    """
    text = re.sub(r"\A(?:[ \t]*\n)+", "", source)
    skipped = source.count("\n") - text.count("\n")
    magic = re.match(r"%%(\w+)([^\n]*)\n?", text)
    if magic:
        name, line = magic.groups()
        if name not in PLAIN_MAGICS:
            return ast.Module([], [])
        setup = parse(line[_OPTIONS.match(line).end() :]) if name in LINE_MAGICS else None
        body = parse(text[magic.end() :])
        return body and ast.Module((setup.body if setup else []) + ast.increment_lineno(body, skipped + 1).body, [])
    if len(MAGIC_LINE.findall(text)) * len(text) > MAX_MAGICS_TIMES_CHARS:
        return ast.parse(TOO_DEEP)
    with warnings.catch_warnings(), contextlib.suppress(SyntaxError, ValueError, RuntimeError, MemoryError):
        warnings.simplefilter("ignore")
        transformed = TransformerManager().transform_cell(text)
        tree = compile(
            transformed, "<cell>", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True
        )
        tree = _Unfold().visit(tree) if _depth(tree) <= MAX_DEPTH else ast.parse(TOO_DEEP)
        return ast.increment_lineno(tree, skipped)
    return None


def folded(node: ast.AST) -> str | None:
    """The text that an expression of constants spells, such as "os" or "o" + "s"; None if it cannot be told."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            parts = [folded(left), folded(right)]
        case ast.JoinedStr(values=values):
            parts = [folded(value) for value in values]
        case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
            return folded(value)
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(value=str(between)), attr="join"), args=[ast.List() as pieces]
        ):
            parts = [folded(piece) for piece in pieces.elts]
            return between.join(parts) if None not in parts else None
        case _:
            return None
    return "".join(parts) if None not in parts else None


class _Unfold(ast.NodeTransformer):
    """Puts the code of a text, where exec, eval or a magic runs it, in that text's place."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        node = self.generic_visit(node)
        inner = _in_text(node.value)
        return _at(inner.body, node) if inner and inner.body else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        node = self.generic_visit(node)
        inner = _in_text(node)
        if inner and len(inner.body) == 1 and isinstance(inner.body[0], ast.Expr):
            return _at([inner.body[0].value], node)[0]
        return node


def _in_text(node: ast.expr) -> ast.Module | None:
    """The tree of the code in the text that a call runs, if it is such a call and the text can be told."""
    match node:
        case ast.Call(func=ast.Name(id="exec" | "eval"), args=[text, *_]):
            return parse((folded(text) or "").strip()) if folded(text) else None
        case ast.Call(func=ast.Attribute(attr="run_line_magic"), args=[magic, text, *_]):
            code = folded(text)
            return parse(code[_OPTIONS.match(code).end() :]) if code and folded(magic) in LINE_MAGICS else None
        case ast.Call(func=ast.Attribute(attr="run_cell_magic"), args=[magic, line, text]):
            parts = [folded(magic), folded(line), folded(text)]
            return parse("%%{} {}\n{}".format(*parts)) if parts[0] in PLAIN_MAGICS and None not in parts else None
    return None


def _at(nodes: list, place: ast.AST) -> list:
    """The nodes, all of them said to stand where `place` does."""
    for node in nodes:
        for inner in ast.walk(node):
            if "lineno" in inner._attributes:
                ast.copy_location(inner, place)
    return nodes


def _depth(tree: ast.AST) -> int:
    depth, level = 0, [tree]
    while level:
        depth, level = depth + 1, [inner for node in level for inner in ast.iter_child_nodes(node)]
    return depth


def defined(codes: list[Code]) -> dict[str, list[tuple[Code, ast.AST]]]:
    """What the cells define at their top level, by name: functions, classes, assigned values, and their later changes.

    `MyMHA.forward = forward` and `setattr(MyMHA, "forward", forward)` count as changes of MyMHA.
    """
    out: dict[str, list[tuple[Code, ast.AST]]] = {}
    for code in codes:
        for node in top_level(code.tree.body if code.tree else []):
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    out.setdefault(name, []).append((code, node))
                case ast.Assign() | ast.AnnAssign() | ast.AugAssign() if node.value is not None:
                    for name in _changed(node.targets if isinstance(node, ast.Assign) else [node.target]):
                        out.setdefault(name, []).append((code, node.value))
                case ast.Expr(value=ast.Call(func=ast.Name(id="setattr"), args=[target, _, value])):
                    for name in _changed([target]):
                        out.setdefault(name, []).append((code, value))
                case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Call(), attr="update"), keywords=keywords)):
                    for keyword in keywords:  # globals().update(f=…)
                        out.setdefault(keyword.arg or "", []).append((code, keyword.value))
    return out


def _changed(targets: list[ast.expr]) -> set[str]:
    """The names that an assignment to the targets sets, or changes in part; globals()["f"] is f."""
    names = set()
    while targets:
        match targets.pop():
            case ast.Name(id=name):
                names.add(name)
            case ast.Subscript(value=ast.Call(func=ast.Name(id="globals" | "locals" | "vars")), slice=key) if folded(
                key
            ):
                names.add(folded(key))
            case ast.Attribute(value=inner) | ast.Subscript(value=inner) | ast.Starred(value=inner):
                targets = [*targets, inner]
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                targets = [*targets, *parts]
    return names


def top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run as the cell runs, also those inside if, with, try, match and loops."""
    for node in body:
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for field in ("body", "orelse", "finalbody"):
                yield from top_level(getattr(node, field, []))
            for branch in [*getattr(node, "handlers", []), *getattr(node, "cases", [])]:
                yield from top_level(branch.body)
