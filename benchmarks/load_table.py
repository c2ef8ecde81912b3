"""The table benchmarks/results/load.csv, a line a submission or a look at the service, and what it shows as text.

what          `one` and `all` for one student at a time, `storm` for a submission of the storm, `sample` for a look at
              the service meanwhile, `total` for its whole, `parent` for the parent's own work
at_s          since the storm began: when it was submitted, or looked at
accepted_s, told_s, begun_s, feedback_s   since it was submitted
place, expected_s   what the student was told
parent_cpu_s, all_cpu_s   what the parent and all processes computed; for `parent`, of one submission
parent_busy_s   how long a submission keeps the parent, if its workers need no time
waiting_us, known_us   what a turn of the service takes longer for each submission in line, and for each it knows
"""

import statistics
from pathlib import Path

import csv_table
from csv_table import Row

ONE, ALL, STORM, SAMPLE, TOTAL, PARENT = "one", "all", "storm", "sample", "total", "parent"
NUMBERS = (
    *("number", "notebooks", "at_s", "accepted_s", "told_s", "place", "expected_s", "begun_s", "feedback_s"),
    *("waiting", "at_work", "parent_mb", "all_mb", "parent_cpu_s", "all_cpu_s", "parent_busy_s"),
    *("waiting_us", "known_us"),
)
COLUMNS = ("date", "machine", "what", *NUMBERS)
DIGITS = 3  # after the point


def write(path: Path, rows: list[Row]) -> None:
    """Writes the rows; of what was not measured now, those of the last run stay."""
    measured = {row["what"] for row in rows}
    kept = [row for row in read(path) if row["what"] not in measured] if path.exists() else []
    csv_table.write(path, COLUMNS, [*kept, *rows], DIGITS)


def read(path: Path) -> list[Row]:
    """The rows of a table; a number that is not there is None.

    Errors  OSError if there is none.
    """
    return csv_table.read(path, NUMBERS)


def of(rows: list[Row], what: str) -> list[Row]:
    """The rows of one kind."""
    return [row for row in rows if row["what"] == what]


def column(rows: list[Row], name: str) -> list[float]:
    """The numbers in a column, where there are any."""
    return [row[name] for row in rows if row[name] is not None]


def within(values: list[float], share: float) -> float:
    """The smallest value that this share of all do not exceed."""
    return sorted(values)[max(0, round(share * len(values)) - 1)]


def summary(rows: list[Row]) -> str:
    """What was measured, as text."""
    lines = []
    for kinds, told in (((ONE, ALL), _single), ((STORM,), _storm), ((PARENT,), _parent)):
        if any(of(rows, kind) for kind in kinds):
            first = next(row for row in rows if row["what"] in kinds)
            lines += ["", *told(rows), f"{first['machine']}; {first['date']}"]
    return "\n".join(lines[1:])


def _single(rows: list[Row]) -> list[str]:
    lines = ["one student at a time   submissions   median s   worst s"]
    for what in (ONE, ALL):
        if here := of(rows, what):
            name = "one part" if what == ONE else parts(here)
            seconds = column(here, "feedback_s")
            lines += [f"{name:<23} {len(seconds):>11} {statistics.median(seconds):>10.1f} {max(seconds):>9.1f}"]
    return lines


def _storm(rows: list[Row]) -> list[str]:
    here, looks, (total,) = of(rows, STORM), of(rows, SAMPLE), of(rows, TOTAL)
    number, notebooks = len(here), here[0]["notebooks"]
    title = f"{number} submissions of {parts(here)} in {over_s(here):.0f} s"
    lines = [f"{title:<37} median s   9 of 10   worst s"]
    for name, title in (
        ("accepted_s", "accepted after"),
        ("told_s", "place in line shown after"),
        ("begun_s", "grading begins after"),
        ("feedback_s", "feedback after"),
    ):
        if seconds := column(here, name):
            found = statistics.median(seconds), within(seconds, 0.9), max(seconds)
            lines += [f"{title:<37} {found[0]:>8.1f} {found[1]:>9.1f} {found[2]:>9.1f}"]
    told = column(here, "place")
    rate = 60 * number / total["at_s"]
    parent_s, all_s = (total[name] / number for name in ("parent_cpu_s", "all_cpu_s"))
    return [
        *lines,
        f"shown a place in line: {len(told)}, up to place {max(told, default=0):.0f}",
        f"graded: {rate:.1f} submissions per minute, {rate * notebooks:.0f} notebooks per minute",
        f"memory: at most {max(column(looks, 'all_mb')):.0f} MB, of which the parent has"
        f" {looks[0]['parent_mb']:.0f} at first and {max(column(looks, 'parent_mb')):.0f} at most",
        f"computing per submission: {all_s - parent_s:.2f} s of the workers, {parent_s:.2f} s of the parent",
    ]


def _parent(rows: list[Row]) -> list[str]:
    (row,) = of(rows, PARENT)
    return [
        f"the parent with workers that need no time: busy {row['parent_busy_s']:.3f} s per submission,"
        f" {60 / row['parent_busy_s']:.0f} per minute",
        f"a turn of the service: {row['waiting_us']:.1f} us more per submission in line,"
        f" {row['known_us']:.2f} us more per submission that it knows",
    ]


def parts(rows: list[Row]) -> str:
    """How many parts a submission has."""
    number = rows[0]["notebooks"]
    return f"{number:.0f} part{'s' * (number > 1)}"


def over_s(storm: list[Row]) -> float:
    """The seconds in which the submissions of a storm arrive."""
    return len(storm) * storm[-1]["at_s"] / max(1, len(storm) - 1)
