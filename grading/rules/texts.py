"""The texts that an expression can have as its value, as far as the student's cells tell."""

import ast
import builtins
import itertools
import re
from collections.abc import Collection

from grading.rules import own_calls
from grading.rules.compiling import unwarned
from grading.rules.nodes import mapping, walk
from grading.rules.parsing import LINE_MAGICS, folded
from grading.rules.student_code import Code

MAX_TEXTS = 64  # values of one expression that are followed up
MAX_STEPS = 2000  # of following them up
MAX_BITS = 1000  # of a number in one; Python writes none of more than 4,300 digits
IPYTHONS = frozenset("get_ipython exit quit In Out".split())
KEPT = re.compile(r"_{1,3}|_oh|Out|_ih|In|_i{1,3}|_i?\d+")  # here IPython keeps the cells' values, and their texts
# The line of a cell magic, unless it is code, which stands in the tree.
MAGIC = re.compile(rf"%%(?!(?:{'|'.join(LINE_MAGICS)})\b)[^\n]*|run_cell_magic(?s:.*)")
WORD = re.compile(r"[^\W\d]\w*")
COMPUTING = (ast.Name, ast.Constant, ast.Tuple, ast.List, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Load)
# What only reads a list or a mapping that it is given, or asked for.
READING = frozenset("len print display enumerate zip sorted list tuple set reversed str repr type max min".split())
LOOKS = frozenset("items keys values get copy index count".split())
SAME = frozenset("list tuple set sorted reversed".split())  # these give the pieces that they are given


def only_computes(text: str, modules: Collection[str], bound: Collection[str]) -> bool:
    """Whether the code in a text does no more than compute with names of the notebook's, none of them in `modules`, and
    give a name to what comes out, as in "area = (a * b, 'm')": none that is `bound` elsewhere, to what rules know."""
    try:
        with unwarned():
            statements = ast.parse(text.strip()).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    for statement in statements:
        match statement:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if not isinstance(value, ast.Name):
                # A name alone would be a second name, of a function, say.
                inside = [*ast.walk(value)]
            case _:
                return False
        names = {target, *(node.id for node in inside if isinstance(node, ast.Name))}
        given = any(name.startswith("_") or name in IPYTHONS or hasattr(builtins, name) for name in names)
        others = given or any(name in modules for name in names)
        if others or target in bound or not all(isinstance(node, COMPUTING) for node in inside):
            return False
    return True


class Texts:
    """The texts that an expression can have as its value, as far as the student's cells tell."""

    def __init__(self, codes: list[Code], packages: Collection[str]) -> None:
        self.packages = packages
        self.bound: dict[str, list[ast.expr | None]] = {}
        self.steps = 0
        loops, nodes = [], [node for code in codes for node in (walk(code.tree) if code.tree else ())]
        self.own, given = own_calls.meanings(nodes), own_calls.all_given(nodes)
        for node in nodes:
            match node:
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        self._bind(target, value)
                case ast.AnnAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
                    self._bind(target, value)
                case ast.For(target=target, iter=over) | ast.AsyncFor(target=target, iter=over):
                    loops.append((target, over))
                case ast.comprehension(target=target, iter=over):
                    loops.append((target, over))
                case ast.AugAssign(target=target) | ast.withitem(optional_vars=ast.expr() as target):
                    self._bind(target, None)
                case ast.arg(arg=name):
                    self.bound.setdefault(name, []).extend(given.get(node, [None]))
        imported = {*own_calls.imported(nodes)}
        for name in (*own_calls.names_of_other_kinds(nodes), *imported, *_set_by_magics(codes)):
            self.bound.setdefault(name, []).append(None)
        self.changed, self.hidden = _taken_elsewhere(nodes, READING - self.own), False
        for target, over in loops:
            for piece in self._pieces(over) or [None]:
                self._bind(target, piece)
        self._set_by_texts(nodes, imported, loops)

    def _bind(self, target: ast.expr, value: ast.expr | None) -> None:
        pair = (ast.Tuple, ast.List)
        if isinstance(target, ast.Name):
            self.bound.setdefault(target.id, []).append(value)
        elif isinstance(target, pair):
            same = isinstance(value, pair) and len(value.elts) == len(target.elts)
            for place, inner in enumerate(target.elts):
                self._bind(inner, value.elts[place] if same else None)

    def of(self, node: ast.expr | None, depth: int = 0) -> set[str] | None:
        """All possible texts, or None if they cannot be told."""
        self.steps = self.steps + 1 if depth else 0
        if node is None or depth > 8 or self.steps > MAX_STEPS:
            return None
        if (text := folded(node)) is not None:
            return {text} if "chr" not in self.own or not _calls_chr(node) else None
        match node:
            case ast.Constant(value=int(number)):  # in a text that is put together, as f"float{16}"
                return {str(number)} if number.bit_length() <= MAX_BITS else None
            case ast.Name(id=name):
                unknown = self.hidden or KEPT.fullmatch(name)
                return None if unknown else self._any_of(self.bound.get(name) or [None], depth)
            case ast.IfExp(body=body, orelse=other):
                return self._any_of([body, other], depth)
            case ast.Subscript(value=ast.List(elts=pieces) | ast.Tuple(elts=pieces) | ast.Dict(values=pieces)):
                return self._any_of(pieces, depth)
            case ast.Subscript(value=ast.Name(id=name) as whole, slice=ast.Constant() | ast.Name()) if isinstance(
                self.bound.get(name, [None])[0], ast.List | ast.Tuple
            ):
                return self._any_of(self._pieces(whole) or [None], depth)
            case ast.Subscript(value=ast.Name(id=name) as whole) if self._pieces(whole) and (
                table := self._mapping(self.bound[name][0])
            ):
                return self._any_of(table.values, depth)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._joined([left, right], depth)
            case ast.JoinedStr(values=values):
                return self._joined(values, depth)
            case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
                return self.of(value, depth + 1)
            case ast.Call(func=ast.Attribute(value=inner) as method, args=given):
                made = [
                    ast.Call(ast.Attribute(ast.Constant(one), method.attr), given, [])
                    for one in self._any(inner, depth)
                ]
            case ast.Subscript(value=inner, slice=ast.Slice() as cut):
                made = [ast.Subscript(ast.Constant(one), cut) for one in self._any(inner, depth)]
            case _:
                return None
        texts = {folded(one) for one in made}
        return texts if texts and None not in texts else None

    def _any(self, node: ast.expr, depth: int) -> list[str]:
        """All possible texts; none if they cannot be told."""
        return [*(self.of(node, depth + 1) or ())]

    def _joined(self, nodes: list[ast.expr], depth: int) -> set[str] | None:
        """All texts that these can make together, one after the other."""
        made = {""}
        for node in nodes:
            texts = self.of(node, depth + 1)
            if texts is None or len(made) * len(texts) > MAX_TEXTS:
                return None
            made = {a + b for a, b in itertools.product(made, texts)}
        return made

    def _any_of(self, nodes: list[ast.expr | None], depth: int) -> set[str] | None:
        sets = [self.of(node, depth + 1) for node in nodes[: MAX_TEXTS + 1]]
        return None if None in sets or len(sets) > MAX_TEXTS else set().union(*sets)

    def _pieces(self, over: ast.expr, depth: int = 0) -> list[ast.expr] | None:
        """What a loop goes over, if that is written down, also under a name that nothing else is; None if it isn't.

        A list, the letters of "QKV", the words of "a b".split(), the pairs of `zip`, `enumerate` and `.items()`.
        """
        match over:
            case ast.List(elts=pieces) | ast.Tuple(elts=pieces) | ast.Set(elts=pieces) | ast.Dict(keys=pieces):
                pieces = pieces[: MAX_TEXTS + 1]
                return pieces if not any(one is None or isinstance(one, ast.Starred) for one in pieces) else None
            case ast.Call(func=ast.Name(id="dict")) if table := self._mapping(over):
                return table.keys[: MAX_TEXTS + 1]
            case ast.Constant(value=str(text)):
                return [ast.Constant(letter) for letter in text[: MAX_TEXTS + 1]]
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="split"), args=[], keywords=[]):
                return [ast.Constant(word) for word in text.split()[: MAX_TEXTS + 1]]
            case ast.Name(id=name) if len(values := self.bound.get(name, [])) == 1 and depth < 8:
                value = values[0]
                fixed = isinstance(value, ast.Tuple | ast.Constant) or name not in self.changed
                pieces = self._pieces(value, depth + 1) if value is not None and fixed else None
                inner = [node for piece in pieces or () for node in ast.walk(piece)]
                return pieces if not any(isinstance(node, ast.List | ast.Dict | ast.Set) for node in inner) else None
            case ast.Call(func=ast.Name(id=name), args=[inner, *_]) if name in SAME and name not in self.bound:
                return self._pieces(inner, depth + 1)
            case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]) if "enumerate" not in self.bound:
                return self._rows([None, self._pieces(inner, depth + 1)])
            case ast.Call(func=ast.Name(id="zip"), args=columns) if "zip" not in self.bound:
                return self._rows([self._pieces(one, depth + 1) for one in columns])
            case ast.Call(func=ast.Attribute(value=inner, attr="items" | "keys" as attr), args=[]):
                keys = self._pieces(inner, depth + 1)
                return keys if attr == "keys" else self._rows([keys, None])
        return None

    def _mapping(self, value: ast.expr | None) -> ast.Dict | None:
        """A mapping that is written down; None for anything else, and for a `dict` that is the student's own."""
        return None if isinstance(value, ast.Call) and "dict" in self.own else mapping(value)

    def _rows(self, columns: list[list[ast.expr] | None]) -> list[ast.expr] | None:
        """The rows of some columns, of which those that aren't known hold anything; None if all are so."""
        known = [one for one in columns if one is not None]
        anything = ast.Name("", ast.Load())
        rows = [
            [anything if one is None else one[n] for one in columns] for n in range(min(map(len, known), default=0))
        ]
        return [ast.Tuple(row, ast.Load()) for row in rows] or None

    def _set_by_texts(self, nodes: list[ast.AST], imported: set[str], loops: list[tuple[ast.expr, ast.expr]]) -> None:
        """Notes the names that globals()[name] = 3 sets, which may be anything then; all, if it can't be told which."""
        calls, reads, keys = set(), set(), []
        for node in nodes:
            match node:
                case ast.Call(func=ast.Name(id="globals" | "locals" | "vars"), args=[]):
                    calls.add(node)
                case ast.Subscript(value=ast.Call() as call, slice=key):
                    reads.add(call)
                    keys += [(call, key)] if not isinstance(node.ctx, ast.Load) else []
                case ast.Attribute(value=call, attr=attr) if attr in LOOKS:
                    reads.add(call)
                case ast.Call(func=ast.Name(id=name), args=given, keywords=words):
                    looks = name in READING - self.own or name in imported
                    reads |= {*given} if looks else {w.value for w in words if w.arg == "globals"}
                case ast.Compare(comparators=given):
                    reads |= {*given}
                case ast.For(iter=over) | ast.comprehension(iter=over) | ast.Expr(value=over):
                    reads.add(over)
        keys = [key for call, key in keys if call in calls]
        self.hidden = not calls <= reads
        while keys and not self.hidden:
            texts = [self.of(key) for key in keys]
            new = {text for known in texts if known for text in known if None not in self.bound.get(text, [])}
            self.hidden = None in texts
            if not new:
                break
            for name in new:
                self.bound.setdefault(name, []).append(None)
            for target in [target for target, over in loops if not self._pieces(over)]:
                self._bind(target, None)


def _set_by_magics(codes: list[Code]) -> set[str]:
    """All words of the cells' magics: one is a variable that gets a program's output, as in `%%bash --out text`."""
    return {word for code in codes for line in MAGIC.findall(code.source) for word in WORD.findall(line)}


def _calls_chr(node: ast.expr) -> bool:
    return any(isinstance(inner, ast.Call) and getattr(inner.func, "id", "") == "chr" for inner in ast.walk(node))


def _taken_elsewhere(nodes: list[ast.AST], reading: Collection[str]) -> set[str]:
    """The names of what may be changed, as it is used for more than to read it; `reading` are functions that do."""
    reads = set()
    for node in nodes:
        match node:
            case ast.Subscript(value=one, ctx=ast.Load()):
                reads.add(one)
            case ast.Attribute(value=one, attr=attr) if attr in LOOKS:
                reads.add(one)
            case ast.Call(func=ast.Name(id=name), args=given) if name in reading:
                reads |= {*given}
            case ast.Compare(left=left, comparators=others):
                reads |= {left, *others}
            case (
                ast.For(iter=over)
                | ast.comprehension(iter=over)
                | ast.Expr(value=over)
                | ast.FormattedValue(value=over)
            ):
                reads.add(over)
    names = (node for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store))
    return {node.id for node in names if node not in reads}
