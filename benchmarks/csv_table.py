"""Tables of what was measured, as CSV: a line a row, with numbers that may be missing."""

import csv
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

Row = dict[str, object]
RESULTS = Path(__file__).resolve().parent / "results"  # where each benchmark keeps the table of its last run


def write(path: Path, columns: Sequence[str], rows: Iterable[Row], digits: int) -> None:
    """Writes the rows, with so many digits after the point."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, columns)
        table.writeheader()
        for row in rows:
            table.writerow({name: round(v, digits) if isinstance(v, float) else v for name, v in row.items()})


def read(path: Path, numbers: Collection[str]) -> list[Row]:
    """The rows of a table, in whose columns `numbers` a number that is not there is None.

    Errors  OSError if there is none.
    """

    def value(name: str, text: str) -> object:
        if name not in numbers:
            return text
        return float(text) if text else None

    with path.open(newline="", encoding="utf-8") as file:
        return [{name: value(name, text) for name, text in row.items()} for row in csv.DictReader(file)]
