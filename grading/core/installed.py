"""Which installed distributions bring a module.

`importlib.metadata.packages_distributions` knows it, too, and takes a fifth of a second: it looks for every file
that any of them lists, and reads a distribution's metadata again for each of its modules.
"""

from importlib.metadata import Distribution, distributions


def modules() -> dict[str, list[Distribution]]:
    """The distributions that bring a module or package, by its name as in an import, up to the first dot."""
    found: dict[str, list[Distribution]] = {}
    for distribution in distributions():
        for name in _declared(distribution) or _listed(distribution):
            found.setdefault(name, []).append(distribution)
    return found


def _declared(distribution: Distribution) -> set[str]:
    return set((distribution.read_text("top_level.txt") or "").split())


def _listed(distribution: Distribution) -> set[str]:
    """The names of modules and of packages among a distribution's files."""
    record = distribution.read_text("RECORD")
    if record is None:
        paths = [path.as_posix() for path in distribution.files or ()]
    else:  # lines of path, hash and size
        paths = [line.rsplit(",", 2)[0].strip('"') for line in record.splitlines()]
    return {path.partition("/")[0].removesuffix(".py") for path in paths if path.endswith(".py")}
