"""What a student can edit of a notebook file, and what Python it holds.

Read from the file, not from the kernel, so that nothing that runs can change what is read.
"""

import ast
import contextlib
import json
from collections.abc import Collection, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path

from grading.core import cells
from grading.rules import module_attributes, module_choices, module_tables
from grading.rules.compiling import UNTOLD
from grading.rules.nodes import top_level, walk
from grading.rules.parsing import NAMES, folded, may_be_bare, numbered, parse

# Methods that change a list or a mapping, and by which something comes into it.
CHANGING = frozenset("append extend insert update setdefault __setitem__".split())


@dataclass(frozen=True)
class Code:
    """One code cell that a student can edit: where it stands, its text, and its syntax tree, None if it has none."""

    where: str
    answer: bool
    source: str
    tree: ast.Module | None

    def line(self, number: int) -> str:
        """A line of the cell, counted from 1, shortened for a message."""
        lines = numbered(self.source)
        text = lines[number - 1].strip() if 0 < number <= len(lines) else ""
        return text if len(text) <= 60 else text[:59] + "…"


@dataclass(frozen=True)
class _Notebook:
    """A notebook's content, the syntax trees of its cells that were read already, by their place and text, and what
    all of them together were read as."""

    content: dict
    trees: dict[tuple[int, str], ast.Module | None] = field(default_factory=dict)
    read: dict[tuple[ast.Module, ...], list[ast.Module]] = field(default_factory=dict)


_read: ContextVar[_Notebook | None] = ContextVar("notebook", default=None)


@contextlib.contextmanager
def of(notebook: dict) -> Iterator[None]:
    """Makes rules within the block read this notebook, not the file in the working folder, and each cell once."""
    before = _read.set(_Notebook(notebook))
    try:
        yield
    finally:
        _read.reset(before)


def editable(answer_id: str) -> list[Code]:
    """The code cells of the answer's notebook that a student can edit, in order.

    Errors  FileNotFoundError, ValueError if the notebook is not there or is none: our failure, not the student's.
    """
    codes, notebook = [], _notebook(answer_id)
    for position, cell in enumerate(notebook.content["cells"], start=1):
        meta = cell.get("metadata", {}).get("nbgrader") or {}
        if cell["cell_type"] != "code" or cells.is_ours(meta):
            continue
        source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
        answer = meta.get("grade_id") == answer_id
        where = "Answer" if answer else f"Cell {position}"
        if (position, source) not in notebook.trees:
            notebook.trees[position, source] = _tree(source)
        codes.append(Code(where, answer, source, notebook.trees[position, source]))
    return _through(_with_bare_magics(codes, notebook.trees), answer_id, notebook)


def setup(answer_id: str) -> ast.Module:
    """The syntax tree of the part's setup cell; an empty one if the notebook has no such cell.

    Under the judge, and after nbgrader's own sanitising, the notebook is a clean copy: its setup cell is the release's,
    whatever the student's file holds.
    Errors  as `editable`.
    """
    name = f"{_stem(answer_id)}-setup"
    for meta, source in _locked(answer_id):
        if meta.get("grade_id") == name:
            return parse(source) or ast.Module([], [])
    return ast.Module([], [])


def shown(answer_id: str) -> list[ast.Module]:
    """The syntax trees of all locked cells but those that give points, which hold hidden tests.

    Errors  as `editable`.
    """
    trees = [parse(source) for meta, source in _locked(answer_id) if not meta.get("points")]
    return [tree for tree in trees if tree is not None]


def _locked(answer_id: str) -> Iterator[tuple[dict, str]]:
    """What nbgrader knows of each locked code cell of the answer's notebook, and its source."""
    for cell in _notebook(answer_id).content["cells"]:
        meta = cell.get("metadata", {}).get("nbgrader") or {}
        if cell["cell_type"] == "code" and cells.is_ours(meta):
            yield meta, "".join(cell["source"])


def _stem(answer_id: str) -> str:
    """The notebook's name without its suffix, with which the ids of its cells begin."""
    return answer_id.removesuffix("-answer")


def _notebook(answer_id: str) -> _Notebook:
    if (notebook := _read.get()) is not None:
        return notebook
    return _Notebook(json.loads(Path(f"{_stem(answer_id)}.ipynb").read_text(encoding="utf-8")))


def _tree(source: str, bare: Collection[str] | None = None) -> ast.Module | None:
    try:
        return parse(source, bare=bare)
    except RecursionError:  # magics in magics
        return ast.parse(UNTOLD)


def _with_bare_magics(codes: list[Code], trees: dict) -> list[Code]:
    """The cells, with code of one line such as `time f(x)` read as the magic that it is for IPython.

    A name that the student gives to a variable or a function is not a magic. But a text that isn't Python is one,
    unless that name has surely been given by then: before, or in a branch that never ran, IPython takes it for the
    magic.
    """
    if not any(map(_may_be_bare, codes)):
        return codes
    bare = NAMES.difference(*(_own(code.tree) for code in codes if code.tree))
    found, given = [], set()
    for code in codes:
        if _may_be_bare(code):
            key = (-1, code.source)
            if key not in trees:
                trees[key] = _tree(code.source, bare)
            code = replace(code, tree=trees[key] or _tree(code.source, NAMES - given))
        found.append(code)
        given |= _given_for_sure(code.tree) if code.tree else set()
    return found


def _may_be_bare(code: Code) -> bool:
    """Whether code of one line stands in a cell alone, or in a text that a magic runs, as a first look has found."""
    return may_be_bare(code.source) or any(hasattr(node, "of_text") for node in walk(code.tree or ast.Module([], [])))


def _through(codes: list[Code], answer_id: str, notebook: _Notebook) -> list[Code]:
    """The cells, in which modules that stand in tables, are attributes or are chosen are read as these modules."""
    trees = tuple(code.tree for code in codes if code.tree)
    if trees not in notebook.read:
        found = trees
        for step in (module_tables, module_attributes, module_choices):
            found = step.read_through(found, lambda: setup(answer_id))
        notebook.read[trees] = found
    read = dict(zip(trees, notebook.read[trees], strict=True))
    return [replace(code, tree=read[code.tree]) if code.tree else code for code in codes]


def _own(tree: ast.Module) -> set[str]:
    """The names that a cell gives outside of all functions and classes, and doesn't take back."""
    made = [node for node in walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
    within = {inner for node in made for inner in ast.walk(node) if inner is not node}
    deleted = {node.id for node in walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del)}
    return {name for node in walk(tree) if node not in within for name in _bound(node)} - deleted


def _given_for_sure(tree: ast.Module) -> set[str]:
    """The names that the statements of a cell give, but for those that stand in branches."""
    nodes: list[ast.AST] = [*tree.body]
    for statement in tree.body:
        targets = getattr(statement, "targets", [getattr(statement, "target", statement)])
        nodes += [inner for target in targets if isinstance(target, ast.expr) for inner in ast.walk(target)]
    return {name for node in nodes for name in _bound(node)}


def _bound(node: ast.AST) -> list[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store()):
            return [name]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return [alias.asname or alias.name for alias in names]
    return []


def defined(codes: list[Code]) -> dict[str, list[tuple[Code, ast.AST]]]:
    """What the cells define at their top level, by name: functions, classes, assigned values, and their later changes.

    `Model.forward = forward`, `setattr(Model, "forward", forward)` and `steps.append(forward)` count as changes of what
    they change, and annotations of variables as values of the names under which Python keeps these.
    """
    out: dict[str, list[tuple[Code, ast.AST]]] = {}
    for code in [code for code in codes if code.tree]:
        statements = [*top_level(code.tree.body)]
        by_statements = [pair for node in statements for pair in (*_by_statement(node), *_annotated(node))]
        for name, value in (*by_statements, *_on_the_way(code.tree)):
            out.setdefault(name, []).append((code, value))
    return out


def _by_statement(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """The names that a statement defines or changes, each with what it is given."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name, node
        case ast.Assign() | ast.AnnAssign() | ast.AugAssign() if node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from ((name, node.value) for name in _changed(targets))
        case ast.Expr(value=ast.Call(func=ast.Name(id="setattr"), args=[target, _, value])):
            yield from ((name, value) for name in _changed([target]))
        case ast.stmt(name=ast.Name(id=name), type_params=parameters):  # `type A = nn.Linear`, from Python 3.12 on
            yield from ((name, later(one)) for one in (*parameters, node.value))
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=target, attr=name)) as call) if name in CHANGING:
            yield from _brought(target, call)
        case _:
            yield from _taken(node)


def _annotated(node: ast.stmt) -> Iterator[tuple[str, ast.AST]]:
    """The names under which Python keeps the annotation of a variable, with what it computes."""
    if isinstance(node, ast.AnnAssign):
        yield from ((name, later(node.annotation)) for name in ("__annotations__", "__annotate__"))


def later(value: ast.AST) -> ast.Lambda:
    """What Python computes once it is asked for, and each time: so code that can be called, as a function is."""
    none = ast.arguments([], [], None, [], [], None, [])
    parts = [one for one in ast.iter_child_nodes(value) if isinstance(one, ast.expr)]
    body = value if isinstance(value, ast.expr) else ast.Tuple(parts, ast.Load())  # of `T: bound = default`
    return ast.copy_location(ast.Lambda(none, ast.copy_location(body, value)), value)


def _brought(target: ast.expr, call: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    """What a call brings into a list or a mapping; globals().update(f=…) sets f itself."""
    named = [(keyword.arg or "", keyword.value) for keyword in call.keywords]
    if not isinstance(target, ast.Call):
        given = [*call.args, *(value for _, value in named)]
        yield from ((name, value) for name in _changed([target]) for value in given)
        return
    for one in call.args:
        named += zip(one.keys, one.values, strict=True) if isinstance(one, ast.Dict) else ()
    named += [tuple(call.args)] if len(call.args) == 2 else []
    yield from ((name if isinstance(name, str) else folded(name) or "", value) for name, value in named)


def _on_the_way(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """The names that := gives, wherever it stands, and those that a function makes global, each with its value."""
    nodes = [*walk(tree)]
    made_global = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
    for node in nodes:
        if isinstance(node, ast.NamedExpr):
            yield node.target.id, node.value
        elif made_global and isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Assign)):
            yield from ((name, value) for name, value in _by_statement(node) if name in made_global)


def _taken(node: ast.stmt) -> Iterator[tuple[str, ast.AST]]:
    """The names that a loop, a with or a match gives to what it takes, and of what."""
    match node:
        case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
            yield from ((name, value) for name in _changed([target]))
        case ast.With(items=items) | ast.AsyncWith(items=items):
            taken = [(item.optional_vars, item.context_expr) for item in items if item.optional_vars]
            yield from ((name, value) for target, value in taken for name in _changed([target]))
        case ast.Match(subject=subject, cases=cases):
            for pattern in (case.pattern for case in cases):
                named = [getattr(n, "name", None) or getattr(n, "rest", None) for n in walk(pattern)]
                yield from ((name, value) for name in named if name for value in (subject, pattern))


def _changed(targets: list[ast.expr]) -> set[str]:
    """The names that an assignment to the targets sets, or changes in part; globals()["f"] is f."""
    names, targets = set(), list(targets)
    while targets:
        match targets.pop():
            case ast.Name(id=name):
                names.add(name)
            case ast.Subscript(value=ast.Call(func=ast.Name(id="globals" | "locals" | "vars")), slice=key) if (
                name := folded(key)
            ):
                names.add(name)
            case ast.Attribute(value=inner) | ast.Subscript(value=inner) | ast.Starred(value=inner):
                targets = [*targets, inner]
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                targets = [*targets, *parts]
    return names
