"""What the documents quote is what the code prints: reports, marks, tables and figures of the benchmarks."""

import ast
import csv
import re
import sys
from pathlib import Path

import pytest
from documents import DOCS, README, ROOT, blocks, text
from hand_written import notebook
from hidden_tests import answered

from attention import course
from attention.course import COURSE
from dev import handed_in, sample_class, suite
from grading.gradebook import marks
from grading.judge import execution

SAMPLE = handed_in.ANSWERS / "part03" / "06-forgot-the-root.py"


def printed() -> str:
    """The report of the sample's answer, as the hidden test of part 3 prints it."""
    part, answer = course.PARTS[3], SAMPLE.read_text(encoding="utf-8")
    test = handed_in.sources(part)[f"{part.stem}-test"]
    with notebook(part.stem, answer), answered(part.number, answer):
        return execution.run_test(test, f"{part.stem}-test", float(part.automatic)).text()


def test_the_sample_report_is_what_the_code_prints():
    samples = [block for block in blocks(DOCS / "students.md") if block[0].startswith("Part 3")]
    assert [" ".join(sample).split() for sample in samples] == [printed().split()]


def earned(name: str) -> float:
    """The marks that an answer earns, as its name says."""
    return float(name.split("-")[0])


def of_sample_class(part: course.Part) -> dict[str, float]:
    """What each student of the sample class earns in a part before anybody reads a written answer."""
    full, number = float(part.automatic), part.number
    return {
        "damaged-submission": 0.0 if number in (2, 4) else full,  # no notebook, and a missing one
        "half-done": full if number <= 7 else 0.0,
        "model-answers": full,
        "rule-breaker": earned(sample_class.RULE_BREAKER[number]),
        "untouched-release": 0.0,
        "unusual-style": earned(sample_class.UNUSUAL_STYLE[number]),
        "usual-mistakes": earned(sample_class.USUAL_MISTAKES[number]),
    }


def test_the_readme_shows_the_marks_that_the_demo_prints():
    (shown,) = [block for block in blocks(README) if block[0].startswith("student ")]
    unread = {line.split()[0]: int(line.split()[-1]) for line in shown[3:]}
    by_part = {number: of_sample_class(part) for number, part in course.PARTS.items()}
    made = [marks.Row(name, {n: by_part[n][name] for n in by_part}, unread[name]) for name in by_part[1]]
    assert shown == marks.table(made, COURSE).splitlines()


def test_the_step_that_is_quoted_is_one_of_the_suite():
    steps = {
        node.args[0].value
        for node in ast.walk(ast.parse(Path(suite.__file__).read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("_step", "_alongside")
        if isinstance(node.args[0], ast.Constant)
    }
    for page in (README, DOCS / "developers.md"):
        quoted = re.findall(r"`== (.*?): passed in \d+ s`", text(page))
        assert quoted and set(quoted) <= steps


def benchmark(name: str) -> object:
    """A module of benchmarks/."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        return __import__(name)
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))


def test_the_tables_of_the_benchmark_are_those_of_its_last_run(monkeypatch: pytest.MonkeyPatch):
    autograde = benchmark("autograde")
    with open(autograde.csv_table.RESULTS / "autograde.csv", newline="", encoding="utf-8") as file:
        runs = [{name: number(value) for name, value in run.items()} for run in csv.DictReader(file)]
    for run in runs:
        run["parts"] = str(run["parts"])
    monkeypatch.setattr(autograde.measured, "memory_mb", lambda code: 0.0)  # measured whenever it is printed
    *said, _ = autograde.summary(runs).strip("\n").splitlines()
    assert said in blocks(DOCS / "performance.md")


def test_the_start_s_table_is_that_of_its_last_run():
    start = benchmark("start")
    taken = start.read(ROOT / "benchmarks" / "results" / "start.csv")
    assert start.summary(taken).splitlines() in blocks(DOCS / "performance.md")


def test_the_account_of_a_notebook_is_that_of_its_last_run():
    account = benchmark("account")
    assert account.summary(account.read(ROOT / "benchmarks" / "results" / "account.csv")).splitlines() in blocks(
        DOCS / "performance.md"
    )


def number(value: str) -> object:
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    return value


def test_every_figure_below_the_benchmark_s_tables_is_in_them():
    (section,) = re.findall(r"(?ms)^## How fast a class.*?(?=^## )", text(DOCS / "performance.md"))
    tables = re.findall(r"(?m)^ {4}.*$", section.split("The last run")[1])
    known = set(re.findall(r"\d+(?:\.\d+)?", "\n".join(tables)))
    said = section.split(tables[-1])[1].replace("209 MB", "")  # of a Python with torch: measured whenever it is printed
    found = set(re.findall(r"\d+(?:\.\d+)?", said))
    assert len(found) > 10 and found - known == set()


def test_the_simulated_class_is_what_the_command_prints(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture):
    simulate = benchmark("simulate")
    monkeypatch.setattr(sys, "argv", ["simulate.py"])
    assert simulate.main() == 0
    assert ["$ python benchmarks/simulate.py", *capsys.readouterr().out.splitlines()] in blocks(DOCS / "performance.md")


def test_what_is_said_of_the_service_under_load_is_what_its_last_run_measured():
    load, table = benchmark("load"), benchmark("load_table")
    said = table.summary(table.read(load.csv_table.RESULTS / "load.csv"))
    assert said.splitlines() in blocks(DOCS / "performance.md")
    (section,) = re.findall(r"(?ms)^## 300 submissions.*?(?=^## )", text(DOCS / "performance.md"))
    after = section.split(said.splitlines()[-1])[-1].split("`")[::2]  # without commands
    found = set(re.findall(r"\d+(?:\.\d+)?", " ".join(after)))
    assert len(found) > 5 and found - set(re.findall(r"\d+(?:\.\d+)?", said)) == set()


def test_the_simulated_service_is_what_the_command_prints(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    simulate = benchmark("simulate")
    monkeypatch.setattr(sys, "argv", ["simulate.py", "--service"])
    assert simulate.main() == 0
    printed = ["$ python benchmarks/simulate.py --service", *capsys.readouterr().out.splitlines()]
    assert printed in blocks(DOCS / "performance.md")


def test_what_is_said_of_a_network_is_what_its_last_run_measured():
    table = benchmark("network_table")
    said = table.summary(table.read(ROOT / "benchmarks" / "results" / "network.csv"))
    assert said.splitlines() in blocks(DOCS / "performance.md")
