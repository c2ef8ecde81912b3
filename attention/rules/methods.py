"""Where the cells define a method of a class, in whatever way: in its body, in a base class, by a later assignment, in
a class that a function makes, behind the functions that wrap it.

Read from the syntax trees alone, so it is a search and not a proof: it finds the code that most likely runs.
"""

import ast
from collections.abc import Iterator

from grading.rules.nodes import top_level, walk
from grading.rules.student_code import Code, defined

MOST_NAMES = 50  # that are followed
Place = tuple[Code, ast.stmt]  # a function, or the assignment of a lambda, and its cell


def method(codes: list[Code], class_name: str, name: str) -> Place | None:
    """The method of the class as it is in the end; None if it isn't found."""
    return next(_Search(codes, name).of_named(class_name), None)


def function(codes: list[Code], name: str) -> Place | None:
    """The function that the cells define last under a name."""
    return _last_function(defined(codes).get(name, []))


class _Search:
    """The search for one method, the likeliest place first; names may lead in circles or without end."""

    def __init__(self, codes: list[Code], name: str) -> None:
        self.name = name
        self.seen: set[str] = set()
        self.statements = [(code, node) for code in codes for node in top_level(code.tree.body if code.tree else [])]
        self.nodes = [(code, node) for code in codes if code.tree for node in walk(code.tree)]
        self.defined = defined(codes)

    def of_named(self, class_name: str) -> Iterator[Place]:
        """The method of the class that has this name in the end."""
        if not self._is_new(class_name):
            return
        for code, node in reversed(self.statements):
            match node:
                case ast.ClassDef(name=name) if name == class_name:
                    yield from self._of_class(code, node)
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == class_name:
                    yield from self._of_value(code, value)
                case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=name), attr=attr)], value=value) if (
                    name,
                    attr,
                ) == (class_name, self.name):
                    yield from self._of_function(code, node, value)
                case ast.Expr(
                    value=ast.Call(
                        func=ast.Name(id="setattr"), args=[ast.Name(id=name), ast.Constant(value=attr), value]
                    )
                ) if (name, attr) == (class_name, self.name):
                    yield from self._of_function(code, node, value)

    def _of_class(self, code: Code, made: ast.ClassDef) -> Iterator[Place]:
        """The method that a class defines, takes from elsewhere, gives to each of its objects, or inherits."""
        for inner in reversed([*top_level(made.body)]):
            match inner:
                case ast.FunctionDef(name=name) if name == self.name:
                    yield code, inner
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == self.name:
                    yield from self._of_function(code, inner, value, made.body)
        for inner in ast.walk(made):
            match inner:
                case ast.Assign(targets=[ast.Attribute(attr=name)], value=value) if name == self.name:
                    yield from self._of_function(code, inner, value, made.body)
        for base in made.bases:
            yield from self._of_value(code, base)

    def _of_value(self, code: Code, value: ast.expr) -> Iterator[Place]:
        """The method of the class that an expression gives: a name's, or one that a call makes or was given."""
        match value:
            case ast.Name(id=name):
                yield from self.of_named(name)
            case ast.Attribute(attr=name) if self._is_new(f".{name}"):  # Outer.Inner
                for place, inner in self.nodes:
                    match inner:
                        case ast.ClassDef(name=known) if known == name:
                            yield from self._of_class(place, inner)
                        case ast.Assign(targets=[ast.Name(id=known)], value=other) if known == name:
                            yield from self._of_value(place, other)
            case ast.Call(func=ast.Name(id="type"), args=[_, ast.Tuple(elts=bases), members]):
                for key, member in _entries(members):
                    if key == self.name:
                        yield from self._of_function(code, ast.Expr(member), member)
                for base in bases:
                    yield from self._of_value(code, base)
            case ast.Call(func=func, args=args):
                for argument in args:
                    yield from self._of_value(code, argument)
                for place, inner in self._body(func):
                    match inner:
                        case ast.ClassDef():
                            yield from self._of_class(place, inner)
                        case ast.Return(value=ast.expr() as made):
                            yield from self._of_value(place, made)

    def _of_function(self, code: Code, statement: ast.stmt, value: ast.expr, body: list = ()) -> Iterator[Place]:
        """The function that an expression of a statement gives: a lambda, a name's, of the class's `body` first, or one
        that a call wraps or makes."""
        match value:
            case ast.Lambda():
                yield code, statement
            case ast.Name(id=name) | ast.Attribute(attr=name):
                own = [(code, n) for n in body if isinstance(n, ast.FunctionDef) and n.name == name]
                yield from reversed(own)
                yield from self._functions(name)
            case ast.Call(func=func, args=args):
                for argument in args:
                    yield from self._of_function(code, statement, argument, body)
                for place, inner in self._body(func):
                    if isinstance(inner, ast.FunctionDef):
                        yield place, inner

    def _functions(self, name: str) -> Iterator[Place]:
        """What the cells call by a function's name, as given last; else such a function within another."""
        if not self._is_new(f"{name}()"):
            return
        for code, node in reversed(self.defined.get(name, [])):
            if isinstance(node, ast.FunctionDef):
                yield code, node
            elif isinstance(node, ast.expr):
                yield from self._of_function(code, ast.Expr(node), node)
        yield from ((code, n) for code, n in self.nodes if isinstance(n, ast.FunctionDef) and n.name == name)

    def _body(self, maker: ast.expr) -> Iterator[Place]:
        """The statements of a function of the student's that makes a class or a function, the last first."""
        found = _last_function(self.defined.get(maker.id, [])) if isinstance(maker, ast.Name) else None
        if found and self._is_new(maker.id):
            yield from ((found[0], inner) for inner in reversed([*top_level(found[1].body)]))

    def _is_new(self, name: str) -> bool:
        """Whether to follow a name, which is done once, and with so many only."""
        if name in self.seen or len(self.seen) >= MOST_NAMES:
            return False
        self.seen.add(name)
        return True


def _last_function(found: list[tuple[Code, ast.AST]]) -> Place | None:
    return next(((code, node) for code, node in reversed(found) if isinstance(node, ast.FunctionDef)), None)


def _entries(members: ast.expr) -> list[tuple[str, ast.expr]]:
    """The entries of a dictionary in either spelling."""
    match members:
        case ast.Dict(keys=keys, values=values):
            return [(key.value, v) for key, v in zip(keys, values, strict=True) if isinstance(key, ast.Constant)]
        case ast.Call(func=ast.Name(id="dict"), keywords=keywords):
            return [(keyword.arg or "", keyword.value) for keyword in keywords]
    return []
