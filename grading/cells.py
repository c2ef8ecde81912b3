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

# Cell magics whose body runs as ordinary code of this kernel.
PLAIN_MAGICS = frozenset({"time", "timeit", "capture", "prun"})


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
    notebook = _bound
    if notebook is None:
        notebook = json.loads(Path(f"{part_of(answer_id).stem}.ipynb").read_text(encoding="utf-8"))
    codes = []
    for position, cell in enumerate(notebook["cells"], start=1):
        meta = cell.get("metadata", {}).get("nbgrader", {})
        if cell["cell_type"] != "code" or is_ours(meta):
            continue
        source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
        answer = meta.get("grade_id") == answer_id
        where = "Answer" if answer else f"Cell {position}"
        codes.append(Code(where, answer, source, parse(source)))
    return codes


def is_ours(meta: dict) -> bool:
    """Whether nbgrader's metadata mark a cell that only the course's makers write: text, setup, checks, tests."""
    return bool(meta) and not meta.get("solution", False) and bool(meta.get("locked") or meta.get("grade"))


def parse(source: str) -> ast.Module | None:
    """The syntax tree of a cell, after IPython's own transformation; None if the cell cannot run at all.

    The numbers of the lines are those of the cell, also below a cell magic such as %%time.
    """
    blank_lines = len(source) - len(source.lstrip("\n"))
    text = source.lstrip("\n")
    magic = re.match(r"%%(\w+)[^\n]*\n?", text)
    if magic:
        if magic.group(1) not in PLAIN_MAGICS:
            return ast.Module([], [])
        text = text[magic.end() :]
        blank_lines += 1
    with warnings.catch_warnings(), contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        warnings.simplefilter("ignore")
        transformed = TransformerManager().transform_cell(text)
        tree = compile(
            transformed, "<cell>", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True
        )
        return ast.increment_lineno(tree, blank_lines)
    return None


def defined(codes: list[Code]) -> dict[str, list[tuple[Code, ast.AST]]]:
    """What the cells define at their top level, by name: functions, classes, assigned values, and their later changes.

    `MyMHA.forward = forward` counts as a change of MyMHA.
    """
    out: dict[str, list[tuple[Code, ast.AST]]] = {}
    for code in codes:
        for node in _top_level(code.tree.body if code.tree else []):
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    out.setdefault(node.name, []).append((code, node))
                case ast.Assign() | ast.AnnAssign() | ast.AugAssign() if node.value is not None:
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    for name in {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}:
                        out.setdefault(name, []).append((code, node.value))
    return out


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run as the cell runs, also those inside if, with, try and loops."""
    for node in body:
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for field in ("body", "orelse", "finalbody"):
                yield from _top_level(getattr(node, field, []))
            for handler in getattr(node, "handlers", []):
                yield from _top_level(handler.body)
