"""What a hidden test found, as data: the report of one part that its test cell leaves, as text, as a table, as JSON.

The judge writes it into the graded notebook; feedback pages and the class report read it there.
"""

import html
from dataclasses import asdict, dataclass

from nbformat import NotebookNode
from nbformat.v4 import new_output

from grading.core import messages

MIME = "application/vnd.grading.report+json"
OF_ANY_VERSION = ".report+json"  # with which its name has always ended


@dataclass(frozen=True)
class Line:
    """One item: its points, those won, what was asked, what was found if it was lost, the mistake if it is known."""

    points: float
    won: float
    what: str
    found: str = ""
    mistake: str = ""


@dataclass(frozen=True)
class Report:
    """One part: what it asks for, in short, points, marks, and its items; or the rule that was broken, or the
    fault that left nothing to mark.

    `ended` says that the fault is a limit, or an exit, that ended the notebook; `late` says which limit a call overran.
    """

    part: int
    points: float
    marks: float
    items: tuple[Line, ...] = ()
    breach: str = ""
    fault: str = ""
    task: str = ""
    ended: bool = False
    late: str = ""

    def text(self) -> str:
        """A heading, and a line per item; or the rule that was broken, or why nothing was marked."""
        lines = [f"  {i.won:g}/{i.points:g}  {i.what}" + (f": {i.found}" if i.found else "") for i in self.items]
        return "\n".join([self._heading(), *map(messages.short, () if self.breach or self.fault else lines)])

    def table(self) -> str:
        """The same as HTML, every text escaped."""
        rows = "".join(
            f"<tr><td>{'✓' if item.won else '✗'}</td><td>{item.won:g} of {item.points:g}</td>"
            f"<td>{html.escape(item.what)}</td><td>{html.escape(item.found)}</td></tr>"
            for item in self.items
        )
        head = "<tr><th></th><th>Points</th><th>Asked</th><th>Found</th></tr>"
        return f"<p><strong>{html.escape(self._heading())}</strong></p>" + (
            f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>" if rows and not self.breach else ""
        )

    def _heading(self) -> str:
        """The part and its points, with the rule that was broken or the fault, in one line."""
        heading = f"Part {self.part} · {self.task}: {self.marks:g} of {self.points:g} points"
        return messages.short(f"{heading}. {self.breach or self.fault}") if self.breach or self.fault else heading

    def output(self) -> NotebookNode:
        """The report as an output of a notebook's cell."""
        return new_output(
            "display_data", data={"text/plain": self.text(), "text/html": self.table(), MIME: asdict(self)}
        )


def read(cell: NotebookNode) -> Report | None:
    """The report in a graded test cell; None if there is none, as where the part is not marked.

    Errors  ValueError for one that was written by another version.
    """
    for output in cell.get("outputs", []):
        kept = output.get("data", {})
        if any(name.endswith(OF_ANY_VERSION) for name in kept):
            try:
                data = kept[MIME]
                return Report(**{**data, "items": tuple(Line(**item) for item in data["items"])})
            except (KeyError, TypeError):
                raise ValueError("this report was written by another version of the course: grade again") from None
    return None
