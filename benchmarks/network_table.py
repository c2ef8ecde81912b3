"""The table benchmarks/results/network.csv, a line a run of the class, and what it shows as text.

what          `local` for this machine alone, and the ways of benchmarks/network.py
wall_s        the class command, its start included; over the network its workers wait already, here it starts them
sent_kb, received_kb   what went over its machine's cable, headers and repeats included; a KB has 1000 bytes
shared_kb     the files that all workers are given: part of what is sent
back_kb       the less that one of two machines sent after it had come back
lost          the share of packets that were lost, without those of a cable that was out
"""

import platform
from pathlib import Path

import csv_table
import psutil
import torch
from csv_table import Row
from grading_runs import cores

TITLES = {
    "local": "two workers on this machine",
    "well": "three machines, a worker each",
    "vanish": "two of the three vanish and come back",
    "version": "one has other code; the other two",
}
NUMBERS = (
    *("delay_ms", "jitter_ms", "students", "notebooks", "wall_s"),
    *("sent_kb", "received_kb", "shared_kb", "back_kb", "lost"),
)
COLUMNS = ("date", "machine", "what", *NUMBERS)
DIGITS = 4  # after the point


def machine() -> str:
    """This machine and its versions, in a line."""
    memory = psutil.virtual_memory().total / 2**30
    return f"{cores()} cores, {memory:.0f} GiB, Python {platform.python_version()}, torch {torch.__version__}"


def write(path: Path, rows: list[Row]) -> None:
    """Writes the rows."""
    csv_table.write(path, COLUMNS, rows, DIGITS)


def read(path: Path) -> list[Row]:
    """The rows of a table; a number that is not there is None.

    Errors  OSError if there is none.
    """
    return csv_table.read(path, NUMBERS)


def summary(rows: list[Row]) -> str:
    """What was measured, as text."""
    first = rows[0]
    students, notebooks = first["students"], first["notebooks"]
    lines = [
        f"{students:.0f} students, {notebooks:.0f} notebooks each, the same marks every time",
        f"{'':<40} seconds   KB sent   KB received   lost",
        f"{'':<40}           a student   a student",
    ]
    for row in rows:
        line = f"{TITLES[row['what']]:<40} {row['wall_s']:>7.1f}"
        if row["sent_kb"] is not None:
            sent, received = (row[name] / students for name in ("sent_kb", "received_kb"))
            line += f" {sent:>9.0f} {received:>13.0f} {row['lost']:>5.1%}"
        lines.append(line)
    over = [row for row in rows if row["shared_kb"] is not None]
    if over:
        lines.append(f"packets take {first['delay_ms']:.0f} ± {first['jitter_ms']:.0f} ms each way")
        lines.append(f"what all workers share: {over[0]['shared_kb']:.0f} KB, sent once")
    lines += [f"sent by each machine that came back: at least {r['back_kb']:.0f} KB" for r in over if r["back_kb"]]
    return "\n".join([*lines, f"{first['machine']}; {first['date']}"])
