"""What a module of a package took from elsewhere: `torch.serialization.os` is Python's own `os`, not a piece of torch.

Read from the text of the package's files, by their import statements. Nothing is imported to see it.
"""

import ast
import builtins
import functools
import importlib.util
import os
from collections.abc import Collection

from grading.rules.nodes import top_level

# What a module may take from these is no use to an answer beyond names for types, and some of it is a package's own by
# habit, as `torch.pi` is.
TYPES = frozenset(
    "typing typing_extensions collections collections.abc dataclasses enum abc numbers __future__".split()
)
NUMBERS = frozenset({("math", name) for name in ("e", "inf", "nan", "pi")})
MAX_STEPS = 8  # from one module to the next one that it took a name from
LONGEST = 200  # characters of a module's path; PyTorch's longest has 90. A student's can have 50,000
KEPT = 10_000  # paths whose places are remembered: whoever grades goes on for days
Taken = dict[str, tuple[str, str | None]]  # by name: the module, and what was taken from it, None for all of it


def is_module(path: str, packages: Collection[str]) -> bool:
    """Whether a package has a module of this path among its files."""
    return len(path) <= LONGEST and path.split(".")[0] in packages and _place(path) is not None


def is_foreign(path: str, packages: Collection[str]) -> bool:
    """Whether a path such as torch.serialization.os leads to what is not a piece of these packages."""
    pieces = path.split(".")
    for end in range(1, len(pieces)):
        module, name = ".".join(pieces[:end]), pieces[end]
        if not is_module(module, packages):
            return False
        if not is_module(f"{module}.{name}", packages) and _is_taken(module, name, packages):
            return True
    return False


def foreign_names(module: str, packages: Collection[str]) -> set[str]:
    """The names in a module, no builtins', that lead out of these packages: `reduce` of functools."""
    found = _imports(module) if is_module(module, packages) else ()
    return {name for name in found if is_foreign(f"{module}.{name}", packages) and not hasattr(builtins, name)}


def _is_taken(module: str, name: str, packages: Collection[str]) -> bool:
    for _ in range(MAX_STEPS):
        source, taken = _imports(module).get(name, (None, None))
        if source is None or is_module(f"{source}.{taken}" if taken else source, packages):
            return False
        if source.split(".")[0] not in packages:
            return taken is None or not (source in TYPES or (source, taken) in NUMBERS)
        if taken is None:
            return False
        module, name = source, taken
    return False


@functools.lru_cache(KEPT)  # of what is installed: a cell asks for each name in it
def _place(path: str) -> str | None:
    """The file of a module, or its folder; None if there is no such module, or one that is not written in Python.

    A student spells the path, also as a text in `getattr(torch, "…")`, and must not lead to other files than modules.
    """
    package, *inner = path.split(".")
    if not all(map(str.isidentifier, inner)):
        return None
    spec = importlib.util.find_spec(package)
    for folder in (spec and spec.submodule_search_locations) or ():
        place = os.path.join(folder, *inner)
        for file in (f"{place}.py", os.path.join(place, "__init__.py")):
            if os.path.isfile(file):
                return file
        if os.path.isdir(place):
            return place
    return None


@functools.cache
def _imports(module: str) -> Taken:
    """What a module's import statements give it, by name; nothing where this Python cannot read it."""
    file = _place(module)
    if file is None or not os.path.isfile(file):
        return {}
    try:
        with open(file, "rb") as source:
            body = ast.parse(source.read()).body
    except SyntaxError:  # nobody can import it here
        return {}
    found: Taken = {}
    inside = module if file.endswith("__init__.py") else module.rpartition(".")[0]
    for node in top_level(body):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    whole = alias.name if alias.asname else alias.name.split(".")[0]
                    found.setdefault(alias.asname or whole, (whole, None))
            case ast.ImportFrom(module=name, names=names, level=level):
                above = ".".join(inside.split(".")[: len(inside.split(".")) - level + 1]) if level else ""
                source = ".".join(filter(None, (above, name)))
                for alias in names:
                    found.setdefault(alias.asname or alias.name, (source, alias.name))
    return found
