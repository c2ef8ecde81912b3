"""Where the cells define a method of a class, in whatever way: in its body, in a base class, by a later assignment, in
a class that a function makes, behind the functions that wrap it.

Read from the syntax trees alone, so it is a search and no proof: what is found is the code that most likely runs.
"""

import ast
from collections.abc import Iterator

from grading.rules.student_code import Code, defined, top_level

Place = tuple[Code, ast.stmt]  # a function, or the assignment of a lambda, and its cell


def method(codes: list[Code], class_name: str, name: str) -> Place | None:
    """The method of the class as it is in the end; None if it isn't found."""
    return next(_Search(codes, name).of_named(class_name), None)


def function(codes: list[Code], name: str) -> Place | None:
    """The function that the cells define last under a name."""
    found = [(code, node) for code, node in defined(codes).get(name, []) if isinstance(node, ast.FunctionDef)]
    return found[-1] if found else None


class _Search:
    """The search for one method, the likeliest place first; names may lead in circles, so each is followed once."""

    def __init__(self, codes: list[Code], name: str) -> None:
        self.codes, self.name = codes, name
        self.seen: set[str] = set()

    def of_named(self, class_name: str) -> Iterator[Place]:
        """The method of the class that has this name in the end."""
        if class_name in self.seen:
            return
        self.seen.add(class_name)
        statements = [(code, node) for code in self.codes for node in top_level(code.tree.body if code.tree else [])]
        for code, node in reversed(statements):
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
            case ast.Call(
                func=ast.Name(id="type"), args=[_, ast.Tuple(elts=bases), ast.Dict(keys=keys, values=values)]
            ):
                for key, member in zip(keys, values, strict=True):
                    if isinstance(key, ast.Constant) and key.value == self.name:
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
                        case ast.Return(value=ast.Call() as made):
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
        if f"{name}()" in self.seen:
            return
        self.seen.add(f"{name}()")
        for code, node in reversed(defined(self.codes).get(name, [])):
            if isinstance(node, ast.FunctionDef):
                yield code, node
            elif isinstance(node, ast.expr):
                yield from self._of_function(code, ast.Expr(node), node)
        for code in self.codes:
            for node in ast.walk(code.tree) if code.tree else ():
                if isinstance(node, ast.FunctionDef) and node.name == name:
                    yield code, node

    def _body(self, maker: ast.expr) -> Iterator[Place]:
        """The statements of a function of the student's that makes a class or a function, the last first."""
        found = function(self.codes, maker.id) if isinstance(maker, ast.Name) else None
        if found and maker.id not in self.seen:
            self.seen.add(maker.id)
            yield from ((found[0], inner) for inner in reversed([*top_level(found[1].body)]))
