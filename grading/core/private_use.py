"""What a use of another package's private names is, as the tables of a course and of the engine list them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Use:
    """Names of other packages, patched, overridden, copied or read by one module of ours.

    names    dotted, the package first; the last part may be an attribute of instances
    why      what we get from it
    instead  the public way that would serve, or "none: " and what is missing
    words    a text of theirs that we look for, in what they print, warn of or name
    """

    ours: str
    names: tuple[str, ...]
    why: str
    instead: str
    words: str = ""


def of(place: str, names: str) -> tuple[str, ...]:
    """Dotted names from a place and the names in it, separated by spaces."""
    return tuple(f"{place}.{name}" for name in names.split())
