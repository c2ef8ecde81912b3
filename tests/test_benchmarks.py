"""The benchmarks run, and what they say follows from what was measured."""

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from grading import courses

BENCHMARKS = courses.REPOSITORY / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

import measured  # noqa: E402  (found through the line above)
import simulate  # noqa: E402


def test_the_benchmark_grades_a_class_every_way_and_leaves_a_table_and_a_picture(tmp_path: Path):
    arguments = "--students 1 --parts 1 --rounds 1 --workers 1 --results".split()
    run = subprocess.run(
        [sys.executable, BENCHMARKS / "autograde.py", *arguments, tmp_path], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert "[4/4]" in run.stdout and "x stock" in run.stdout
    with open(tmp_path / "autograde.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["way"] for row in rows] == ["judge", "class on 1", "floor", "stock"]
    for row in rows:
        assert float(row["wall_s"]) > 0 and float(row["cpu_s"]) > 0.5 and float(row["peak_mb"]) > 100, row
    assert (tmp_path / "autograde.png").read_bytes().startswith(b"\x89PNG")


def test_the_parents_part_is_measured_with_workers_that_have_graded_before(tmp_path: Path):
    arguments = "--students 12 --parts 1 --workers 1 --results".split()
    run = subprocess.run(
        [sys.executable, BENCHMARKS / "parent.py", *arguments, tmp_path], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert re.search(r"^[1-9]\d+ students a minute", run.stdout, re.MULTILINE)
    with open(tmp_path / "parent.csv", newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert row["students"] == "11" and float(row["parent_s"]) > 0


def test_computing_is_counted_in_children_and_grandchildren_killed_or_not(tmp_path: Path):
    busy = "import time\nwhile time.process_time() < 1: pass\n"
    (tmp_path / "busy.py").write_text(busy)
    (tmp_path / "child.py").write_text(
        "import subprocess, sys, time\n"
        "subprocess.run([sys.executable, 'busy.py'])\n"
        "left = subprocess.Popen([sys.executable, '-c', open('busy.py').read() + 'time.sleep(60)'])\n"
        "while 'S' not in open(f'/proc/{left.pid}/stat').read().rpartition(')')[2].split()[0]: time.sleep(0.1)\n"
        "time.sleep(0.5)\n"
        "left.kill()\n"
    )
    (tmp_path / "first.py").write_text("import subprocess, sys\nsubprocess.run([sys.executable, 'child.py'])\n")
    cost = measured.run([sys.executable, "first.py"], tmp_path, dict(os.environ), tmp_path / "log")
    assert 2.0 <= cost.cpu_s < 3.5 and cost.parent_s < 1.0


def test_a_command_that_fails_is_told_with_its_last_line(tmp_path: Path):
    with pytest.raises(RuntimeError, match="ended with 3: no such class"):
        code = "import sys\nprint('no such class')\nsys.exit(3)"
        measured.run([sys.executable, "-c", code], tmp_path, dict(os.environ), tmp_path / "log")


def test_with_few_workers_the_simulated_time_is_that_of_grading():
    found = simulate.simulate(1000, 10, simulate.Costs(grade_s=10.0, parent_s=0.01, start_s=0.0))
    assert found.seconds == pytest.approx(1000 * 10.0 / 10, rel=0.05)
    assert found.worker_busy > 0.95 and found.parent_busy < 0.02


def test_with_many_workers_the_simulated_time_is_that_of_the_parent():
    found = simulate.simulate(1000, 500, simulate.Costs(grade_s=10.0, parent_s=0.2, start_s=5.0))
    assert found.seconds == pytest.approx(1000 * 0.2, rel=0.05)
    assert found.parent_busy > 0.95


def test_a_simulation_without_measured_costs_says_what_to_do(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.setattr(simulate, "RESULTS", tmp_path)
    monkeypatch.setattr(sys, "argv", ["simulate.py"])
    assert simulate.main() == 1
    assert capsys.readouterr().err.count("\n") == 1
    monkeypatch.setattr(sys, "argv", "simulate.py --grade-s 12 --parent-s 0.1 --start-s 6".split())
    assert simulate.main() == 0
    assert "at most 600 students a minute" in capsys.readouterr().out


def test_the_simulation_takes_what_a_further_student_costs_from_the_tables(tmp_path: Path):
    columns = "way,workers,parts,students,cpu_s,parent_s"
    lines = ["class on 2,2,others,8,50,3.0", "class on 2,2,others,32,146,5.4", "class on 2,2,13,2,38,3.0"]
    (tmp_path / "autograde.csv").write_text("\n".join([columns, *lines]))
    (tmp_path / "parent.csv").write_text("students,workers,parts,wall_s,parent_s\n200,2,14,10.0,9.0\n")
    costs = simulate.measured(tmp_path)
    # 96 s for 24 students; 18 s to start; part 13: 20 s for 2; of each the parent's 0.1 s; 10 s for 200 merged
    assert costs == simulate.Costs(grade_s=4 - 0.1 + 10, parent_s=0.05, start_s=18.0)


def test_the_document_quotes_what_the_simulation_prints(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", "simulate.py --grade-s 12 --parent-s 0.1 --start-s 6".split())
    assert simulate.main() == 0
    printed = "".join(f"    {line}\n" if line else "\n" for line in capsys.readouterr().out.splitlines())
    assert printed in (courses.REPOSITORY / "docs" / "scaling.md").read_text(encoding="utf-8")
