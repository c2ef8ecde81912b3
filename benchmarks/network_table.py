"""The table benchmarks/results/network.csv, a line a run of the class, and what it shows as text.

wall_s        the class command, start included; on other machines the workers wait already, here they start with it
sent_kb, received_kb   what went over the command's own cable, headers and repeats included, in 1000 bytes
after_kb      what the machine that had vanished sent after it came back
packets_lost  of all machines, without those of a cable that was out
"""

import csv
import platform
from pathlib import Path

import psutil
import torch
from grading_runs import cores

LOCAL, WELL = "two workers on this machine", "three machines"
VANISHING, OTHER = "two of them vanish and come back", "one has another version, then two machines"
NUMBERS = (
    *("delay_ms", "jitter_ms", "loss", "students", "notebooks"),
    *("wall_s", "sent_kb", "received_kb", "after_kb", "packets_lost"),
)
COLUMNS = ("date", "machine", "what", *NUMBERS)
DIGITS = 2  # after the point

Row = dict[str, object]


def machine() -> str:
    """This machine and its versions, in a line."""
    memory = psutil.virtual_memory().total / 2**30
    return f"{cores()} cores, {memory:.0f} GiB, Python {platform.python_version()}, torch {torch.__version__}"


def write(path: Path, rows: list[Row]) -> None:
    """Writes the rows."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, COLUMNS)
        table.writeheader()
        for row in rows:
            table.writerow({name: round(v, DIGITS) if isinstance(v, float) else v for name, v in row.items()})


def read(path: Path) -> list[Row]:
    """The rows of a table; a number that is not there is None."""
    with path.open(newline="", encoding="utf-8") as file:
        return [{name: _value(name, text) for name, text in row.items()} for row in csv.DictReader(file)]


def summary(rows: list[Row]) -> str:
    """What was measured, as text."""
    first = rows[0]
    lines = [f"{first['students']:.0f} students, {first['notebooks']:.0f} notebooks each" ]
    return "\n".join(lines + [str(r) for r in rows])


def _value(name: str, text: str) -> object:
    if name not in NUMBERS:
        return text
    return float(text) if text else None
