"""The criteria by which a written answer is marked: a list at the end of its model answer, in source/.

    **Marking, a point each**

    - $G = H$, and with it …
    - With that, everything else …

Each item is worth the same share of the cell's points. What follows the list is a note for whoever marks.
"""

import re
from dataclasses import dataclass

_HEAD = re.compile(r"^\*\*Marking\b[^*]*\*\*[ \t]*$", re.MULTILINE)
_MARKERS = ("BEGIN SOLUTION", "END SOLUTION")  # nbgrader's, around what a release leaves out; they are no text
_ITEM = re.compile(r"(?:[-*]|\d+\.)\s+(?P<text>\S.*)")


@dataclass(frozen=True)
class Criteria:
    """The model answer, what must be in an answer, item by item, and what else its marking should know."""

    answer: str
    items: tuple[str, ...]
    note: str = ""


def read(source: str) -> Criteria | None:
    """The criteria in a model answer; None if it ends without a list of them."""
    source = "\n".join(line for line in source.splitlines() if not any(marker in line for marker in _MARKERS))
    found = _HEAD.search(source)
    if found is None:
        return None
    items: list[str] = []
    note: list[str] = []
    for line in source[found.end() :].strip().splitlines():
        item = _ITEM.fullmatch(line.strip())
        if item and not note:
            items.append(item["text"])
        elif items and not note and line.startswith(" ") and line.strip():  # goes on below its item
            items[-1] += f" {line.strip()}"
        elif note or line.strip():
            note.append(line)
    return Criteria(source[: found.start()].strip(), tuple(items), "\n".join(note).strip()) if items else None
