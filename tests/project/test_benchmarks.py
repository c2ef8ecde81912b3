"""The benchmarks run, and what they say follows from what was measured."""

import argparse
import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import busy
import drawn
import graded_class
import psutil
import pytest

from attention import course
from attention.course import COURSE
from dev.packages import REPOSITORY
from grading.core.course import Part
from grading.core.errors import CourseError
from grading.gradebook import course_folder

BENCHMARKS = REPOSITORY / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

import account  # noqa: E402  (found through the line above)
import autograde  # noqa: E402
import earned  # noqa: E402
import grade_once  # noqa: E402
import grading_runs  # noqa: E402
import load  # noqa: E402
import load_table  # noqa: E402
import measured  # noqa: E402
import mutants  # noqa: E402
import mutations  # noqa: E402
import network_machines  # noqa: E402
import network_table  # noqa: E402
import phases  # noqa: E402
import public_torch  # noqa: E402
import repeat  # noqa: E402
import simulate  # noqa: E402
import simulate_service  # noqa: E402
import start  # noqa: E402
import storm_checks  # noqa: E402
import system_calls  # noqa: E402
import watched_course  # noqa: E402


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_load_that_is_ended_ends_its_service_too(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def course(root: Path, _: object) -> None:
        (root / "grading").mkdir(parents=True)
        (root / "grading" / "__main__.py").write_text("import time; print('up', flush=True); time.sleep(99)")

    def look(service: watched_course.Service) -> bool:
        if service.lines():
            services.append(service.process)
            signal.raise_signal(number)
        return False

    services: list[psutil.Popen] = []
    monkeypatch.setattr(watched_course, "build", course)
    monkeypatch.setattr(watched_course.ways, "environment", lambda: {})
    monkeypatch.setattr(watched_course.Service, "is_up", look)
    monkeypatch.setattr(sys, "argv", f"load.py --results {tmp_path}".split())
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        assert load.main() == 130
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    assert services and not services[0].is_running()


@drawn.one_in_three
def test_the_benchmark_grades_a_class_every_way_and_leaves_a_table_and_a_picture(tmp_path: Path):
    arguments = "--students 1 --parts 1 --rounds 1 --workers 1 --results".split()
    run = subprocess.run(
        [sys.executable, BENCHMARKS / "autograde.py", *arguments, tmp_path], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert "[4/4]" in run.stdout and "x stock" in run.stdout
    (torch_mb,) = re.findall(r"A Python that has imported torch takes (\d+) MB\.", run.stdout)
    assert int(torch_mb) > 100
    with open(tmp_path / "autograde.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["way"] for row in rows] == ["judge", "class on 1", "floor", "stock"]
    for row in rows:
        assert float(row["wall_s"]) > 0 and float(row["cpu_s"]) > 0.5 and float(row["peak_mb"]) > 100, row
    assert (tmp_path / "autograde.png").read_bytes().startswith(b"\x89PNG")


def test_the_largest_class_shows_how_the_class_command_grows_and_stock_grades_students_of_all_kinds():
    plan = [(way.name, size) for way, size in autograde._plan([1, 8, 32, 64], [1, 2])]
    assert [way for way, size in plan if size == 64] == ["class on 2"]
    assert [size for way, size in plan if way == "class on 2"] == [8, 1, 32, 64]
    ours = {"judge", "class on 1", "class on 1, 1 core", "class on 2"}
    assert {way for way, size in plan if size == 32} == {*ours, "floor", "floor, 2 at once"}
    assert [size for way, size in plan if way == "stock"] == [8] and len(autograde.ways.KINDS) <= 8
    most = [n for n, (way, size) in enumerate(plan) if way == "class on 2" and size > 8]
    assert [plan[n + 1] for n in most] == [(autograde.ways.TWO_FLOORS.name, 32)] * 2  # the machine's speed changes


def test_a_second_worker_is_measured_by_what_each_further_student_takes_and_against_two_floors(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(measured, "memory_mb", lambda code: 200.0)  # another test has torch imported and measured

    def run(way: str, students: int, wall_s: float, cpu_s: float) -> dict[str, object]:
        named = {"way": way, "parts": "others", "students": students, "notebooks": students, "round": 1}
        return {**named, "wall_s": wall_s, "cpu_s": cpu_s, "parent_s": 1.0, "peak_mb": 500.0}

    taken = {"class on 1": 2.0, "class on 1, 1 core": 3.0, "class on 2": 1.0}  # seconds a student, after 10 to start
    runs = [run(way, students, 10 + students * s, 100.0) for way, s in taken.items() for students in (8, 32)]
    runs += [run("stock", 1, 20.0, 20.0), run("floor", 8, 8.0, 8.0), run("floor, 2 at once", 8, 5.0, 10.0)]
    more = [run("floor", 32, 16.0, 16.0), run("floor, 2 at once", 32, 20.0, 20.0), run("class on 2", 64, 99.0, 80.0)]
    told = autograde.summary(runs)
    assert "from 8 to 32, two workers do 2.00 times what one does that may use both cores, and 3.00 times" in told
    assert "compute 1.25 times as long for a notebook as one alone, so a second core gives 1.60 times" in told
    nearest = (
        "Computing for a notebook on two workers, in times of two floors at once with the nearest number of students"
    )
    assert f"{nearest}, by size of the class: 8: 10.00, 32: 2.50." in told
    told = autograde.summary(runs + more)
    assert f"{nearest}, by size of the class: 8: 10.00, 32: 5.00, 64: 2.00." in told
    assert "class on 2                64" in told and re.search(r"class on 2 +64 .* 2\.50 +\d+$", told, re.MULTILINE)
    told = autograde.summary([run for run in runs if run["students"] < 32])
    assert "In a class of 8, the start included, two workers do 1.44 times" in told


@drawn.one_in_three
def test_the_parents_part_is_measured_with_workers_that_have_graded_before(tmp_path: Path):
    arguments = "--students 6 --parts 1 --workers 1 --results".split()
    run = subprocess.run(
        [sys.executable, BENCHMARKS / "parent.py", *arguments, tmp_path], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert re.search(r"^[1-9]\d* students a minute", run.stdout, re.MULTILINE)
    with open(tmp_path / "parent.csv", newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert row["students"] == "5" and float(row["parent_s"]) > 0


@drawn.one_in_three
def test_the_start_of_each_command_is_measured_and_a_class_s_steps_follow_one_another(tmp_path: Path):
    arguments = ["--rounds", "1", "--results", tmp_path]
    run = subprocess.run([sys.executable, BENCHMARKS / "start.py", *arguments], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    taken = start.read(tmp_path / "start.csv")
    assert [what for what, _, _ in taken] == [start.HELP, start.CHECK, start.CLASS, *start.STEPS]
    (_, helped, _), (_, checked, _), (_, whole, _), *steps = taken
    assert 0 < helped < checked and whole > steps[-1][1]
    assert [seconds for _, seconds, _ in steps] == sorted(seconds for _, seconds, _ in steps)
    computed = [computing for _, _, computing in taken[:3]]
    assert 0 < computed[0] < min(computed[1:]) and computed[2] > 3  # not the command's alone, which takes half of it
    assert run.stdout.endswith(f"{start.summary(taken)}\n")


IMPORTED_FIRST = """
import sys, start
from grading import __main__ as command
before = {*sys.modules}
command.main = lambda: print(*({*sys.modules} - before))
start.traced()
"""


def test_a_command_whose_start_is_measured_imports_nothing_that_it_would_not():
    run = subprocess.run(
        [sys.executable, "-c", IMPORTED_FIRST], env=autograde.ways.environment(), capture_output=True, text=True
    )
    assert (run.stdout, run.stderr) == ("\n", "")


@drawn.one_in_three
def test_the_account_of_a_notebook_adds_up_to_what_autograde_computes(tmp_path: Path):
    arguments = ["--rounds", "1", "--parts", "1", "--results", tmp_path]
    run = subprocess.run([sys.executable, BENCHMARKS / "account.py", *arguments], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    taken = account.read(tmp_path / "account.csv")
    assert run.stdout.endswith(f"{account.summary(taken)}\n")
    shown = dict(re.findall(r"^(\S.*?) {2,}(-?\d+)$", run.stdout, re.MULTILINE))
    whole = int(shown.pop("in all"))
    assert whole > 0 and abs(sum(map(int, shown.values())) - whole) <= len(shown) / 2  # rounded
    measured = {measure: ms for _, measure, ms in taken}
    assert 0 < measured["undrawn"] < measured["again"] < measured["autograde"]
    assert measured["pages"] > 100 and measured["cells"] >= 3 and 1 < measured["nbclient"] < measured["tested judge"]
    least, times = re.search(r"nothing else: (\d+), (\d+\.\d\d) times$", run.stdout, re.MULTILINE).groups()
    libraries, test = measured["first"] - measured["remembered"], measured["floor"] - measured["again"]
    answers = measured["tested kernel"] - measured["untested kernel"]
    judge = measured["tested judge"] - measured["nbclient"] - measured["messages judge"]
    assert int(least) == pytest.approx(measured["autograde"] - libraries - answers - judge + test, abs=1)
    assert int(least) > measured["floor"] and float(times) == pytest.approx(int(least) / measured["floor"], rel=0.02)


@drawn.one_in_three
def test_what_a_walled_process_for_each_notebook_and_nbgrader_cost_is_measured_next_to_the_floor():
    arguments = "--rounds 1 --students 1 --parts 1 2".split()
    run = subprocess.run([sys.executable, BENCHMARKS / "floor_in_forks.py", *arguments], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    shown = re.findall(r"^\S.* (\d+)   (\d+\.\d\d) \(", run.stdout, re.MULTILINE)
    one, forks, walled, apart, nbgrader = (int(ms) for ms, _ in shown)
    assert min(one, forks, walled, apart) > 10 and nbgrader > 1
    times = [float(found) for _, found in shown]
    assert times == pytest.approx([ms / one for ms in (one, forks, walled, apart, nbgrader)], abs=0.1)
    gain, least, least_apart = map(float, re.findall(r"(\d+\.\d\d) .*?times", run.stdout)[-3:])
    assert gain > 0
    assert [least, least_apart] == pytest.approx([(ms + nbgrader) / one for ms in (walled, apart)], abs=0.1)


@drawn.one_in_three
def test_each_step_of_a_notebook_has_its_time():
    arguments = ["--students", "2", "--parts", "1"]
    run = subprocess.run([sys.executable, BENCHMARKS / "phases.py", *arguments], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    for _, _, label in phases.STEPS:
        assert re.search(rf"^{re.escape(label)} +\d+ +\d+$", run.stdout, re.MULTILINE), f"{label}\n{run.stdout}"


def test_computing_is_counted_in_children_and_grandchildren_killed_or_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    look = measured._look

    def look_and_tell(seen: dict[int, measured._Process], *more: object) -> None:
        look(seen, *more)
        first = [pid for pid, process in seen.items() if process.parent == os.getpid()]
        if first and measured._total(seen, *first) >= 1.95:  # both of those that compute
            (tmp_path / "looked at").touch()

    monkeypatch.setattr(measured, "_look", look_and_tell)
    busy = "import time\nwhile time.process_time() < 1: pass\n"
    (tmp_path / "busy.py").write_text(busy)
    (tmp_path / "child.py").write_text(
        "import os, subprocess, sys, time\n"
        "subprocess.run([sys.executable, 'busy.py'])\n"
        'wait = "print(flush=True)\\ntime.sleep(60)"\n'
        "left = subprocess.Popen([sys.executable, '-c', open('busy.py').read() + wait], stdout=subprocess.PIPE)\n"
        "left.stdout.readline()\n"  # it has computed; a busy machine may show it asleep before it has begun
        "for _ in range(600): os.path.exists('looked at') or time.sleep(0.1)\n"
        "left.kill()\n"
    )
    (tmp_path / "first.py").write_text("import subprocess, sys\nsubprocess.run([sys.executable, 'child.py'])\n")
    cost = measured.run([sys.executable, "first.py"], tmp_path, dict(os.environ), tmp_path / "log")
    assert 1.9 <= cost.cpu_s < 3.5 and cost.parent_s < 1.0


def test_of_what_was_reaped_all_is_counted_next_to_what_nobody_reaped():
    """The first child was seen a while before its end, and its parent reaped it; the second one was killed."""
    seen: dict[int, measured._Process] = {}
    looks = [
        {1: (0, 0.0, 0.0), 2: (1, 0.0, 0.0), 3: (2, 0.8, 0.0)},
        {1: (0, 0.0, 0.0), 2: (1, 0.0, 1.0), 4: (2, 0.5, 0.0)},
        {1: (0, 0.0, 1.0)},
    ]
    for living in looks:
        measured._look(seen, living, set(living))
    assert measured._total(seen, 1) == pytest.approx(1.0 + 0.5)


def test_a_cost_that_is_asked_for_twice_is_counted_once(tmp_path: Path):
    busy = "import time\nwhile time.process_time() < 1: pass\n"
    code = "import subprocess, sys, time\nprint(flush=True)\nsys.stdin.readline()\n"
    code += f"subprocess.run([sys.executable, '-c', {busy!r}])\nprint(flush=True)\ntime.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()  # a process that has only begun has hardly any memory yet
        with measured.Watch(process.pid, look_s=0.05) as watch:
            process.stdin.write(b"\n")
            process.stdin.flush()
            process.stdout.readline()
            time.sleep(1)
            costs = [watch.cost(), watch.cost()]
        process.kill()
    assert costs[0] == costs[1] and 0.9 <= costs[0].cpu_s < 1.9 and costs[0].parent_s < 0.5
    assert 1 < watch.memory[0].parent_mb <= watch.memory[0].all_mb


def test_a_process_whose_name_is_no_text_is_counted_like_any_other():
    code = r"import ctypes; ctypes.CDLL(None).prctl(15, b'na\xf6me'); print(flush=True); input()"  # PR_SET_NAME
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        assert process.pid in dict(measured._processes())
        process.stdin.close()


@pytest.mark.parametrize(
    ("machine", "openat", "mount", "unlinkat", "memfd_create"),
    [("x86_64", 257, 165, 263, 319), ("aarch64", 56, 40, 35, 279)],
    ids=["x86_64", "aarch64"],
)
def test_system_calls_are_counted_within_the_walls_alone_and_those_refused_apart(
    machine: str, openat: int, mount: int, unlinkat: int, memfd_create: int
):
    enter, leave = "raw_syscalls:sys_enter: NR {} (3, 0, 0, 0, 0, 0)", "raw_syscalls:sys_exit: NR {} = {}"
    trace = [
        f"python 7/7 {enter.format(openat)}",  # outside
        "python 7/7 PERF_RECORD_FORK(8:8):(7:7)",
        "bwrap 8/8 PERF_RECORD_COMM exec: bwrap:8/8",
        f"bwrap 8/8 {enter.format(mount)}",  # bubblewrap's own
        "bwrap 8/8 PERF_RECORD_FORK(9:9):(8:8)",
        f"python 9/11 {enter.format(openat)}",
        f"a name (of: its own) 9/9 {enter.format(unlinkat)}",
        f"python 9/9 {leave.format(memfd_create, -1)}",
        "python 7/7 PERF_RECORD_FORK(9:9):(7:7)",  # the number again, for another process
        f"python 9/9 {enter.format(unlinkat)}",
        "no line of perf's",
    ]
    found = system_calls.read(trace, machine)
    assert (found.made, found.refused) == ({"openat": 1, "unlinkat": 1}, {f"number {memfd_create}": 1})
    lines = system_calls.table(found, machine).splitlines()
    assert lines[0].endswith("openat 1, unlinkat 1") and lines[1].endswith(f"number {memfd_create} 1")
    unused = lines[2].replace(":", ",").split(", ")
    assert "fallocate" in unused and not {"openat", "poll", "ppoll"} & set(unused)
    assert ("unlink" in unused) == (machine == "x86_64")  # which aarch64 does not have


def test_the_trace_of_system_calls_finds_its_packages_from_any_folder(tmp_path: Path):
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, BENCHMARKS / "system_calls.py", "--help"]
    run = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")


def test_what_is_measured_keeps_what_python_compiles_as_a_user_s_command_does(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")

    said = [sys.executable, "-c", "import sys; print(sys.dont_write_bytecode)"]

    assert subprocess.check_output(said, env=autograde.ways.environment(), text=True).strip() == "False"


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


@drawn.one_in_three
def test_a_small_storm_is_accepted_graded_and_leaves_a_table_and_a_picture(tmp_path: Path):
    # Six in half a second: so many that one worker has a line before it, however fast it is.
    arguments = "--storm --parts 1 --submissions 6 --seconds 0.5 --replayed 3 --workers 1 --accepted-s 60 --results"
    run = subprocess.run(
        [sys.executable, BENCHMARKS / "load.py", *arguments.split(), tmp_path], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    rows = load_table.read(tmp_path / "load.csv")
    storm = load_table.of(rows, load_table.STORM)
    assert [row["number"] for row in storm] == [*range(1, 7)]
    for row in storm:  # whoever finds no line is graded in the moment of being accepted
        assert 0 < row["accepted_s"] <= row["begun_s"] < row["feedback_s"], row
    assert storm[-1]["at_s"] == pytest.approx(5 / 12, abs=busy.patience(1))
    assert 1 <= max(load_table.column(storm, "place")) <= 6
    looks, (parent,) = load_table.of(rows, load_table.SAMPLE), load_table.of(rows, load_table.PARENT)
    assert looks and all(50 < row["parent_mb"] < row["all_mb"] for row in looks)
    assert parent["number"] == 2 and parent["parent_busy_s"] > 0 and parent["waiting_us"] > 0
    assert load_table.summary(rows) in run.stdout and "6 submissions of 1 part in " in run.stdout
    assert (tmp_path / "load.png").read_bytes().startswith(b"\x89PNG")


def test_on_the_idle_service_one_student_after_the_other_submits_one_part_and_then_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    submitted: list[tuple[list[int], watched_course.Submitted]] = []

    def submit(root: Path, number: int, parts: list[int], kinds: tuple[str, ...]) -> watched_course.Submitted:
        assert all(each.feedback_at for _, each in submitted), "somebody is still waiting"
        page = tmp_path / f"{number}.html"
        page.write_text("<strong>3</strong> of 5 points")
        os.utime(page, (102.5, 102.5))
        submitted.append((parts, watched_course.Submitted(kinds[0], 100.0, page)))
        return submitted[-1][1]

    monkeypatch.setattr(load.watched_course, "submit", submit)
    monkeypatch.setattr(load, "QUIET_S", 0.0)
    with psutil.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        service = watched_course.Service(process, tmp_path / "log")
        rows = list(load.single(tmp_path, service, argparse.Namespace(times=3, parts=[1, 4], workers=1)))
        process.kill()
    assert [parts for parts, _ in submitted] == [[1, 4], [1], [4], [1], [1, 4], [1, 4], [1, 4]]  # one to get warm
    expected = [(load_table.ONE, n, 1, 2.5) for n in (1, 2, 3)] + [(load_table.ALL, n, 2, 2.5) for n in (1, 2, 3)]
    assert [(row["what"], row["number"], row["notebooks"], row["feedback_s"]) for row in rows] == expected


KINDS = ("model-answers", "usual-mistakes")


@pytest.fixture
def a_storm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """What `storm_checks.failed` takes, of four submissions with which all is well."""
    students = [f"{number:05d}-{KINDS[number % 2]}" for number in range(4)]
    marks = {student: {1: 5.0 if student.endswith(KINDS[0]) else 3.0} for student in students}
    monkeypatch.setattr(storm_checks.ways, "earned", lambda *_: marks)
    submitted = [watched_course.Submitted(student, 100.0 + n, tmp_path) for n, student in enumerate(students)]
    entries = [
        storm_checks.Entry(n, each.student, each.at + 0.5, each.at + 1 + 20 * n, "graded")
        for n, each in enumerate(submitted)
    ]
    for number, each in enumerate(submitted):
        each.feedback_at = each.at + 1 + 20 * (number + 1)
        each.told = watched_course.Told(number + 1, 20.0, each.at + 1)
    looks = [{"what": load_table.SAMPLE, "parent_mb": mb, "all_mb": 900.0} for mb in (200.0, 210.0, 205.0)]
    lines = [f"2026-11-24 04:00:00  {student}: graded, 20.0 s after it arrived" for student in students]
    return {"submitted": submitted, "found": entries, "looks": looks, "lines": lines, "marks": marks}


def checked(storm: dict[str, object], root: Path) -> list[str]:
    table = [*storm_checks.rows(storm["submitted"], storm["found"], 1), *storm["looks"]]
    return storm_checks.failed(root, storm["submitted"], storm["found"], table, storm["lines"], accepted_s=2.0)


def test_a_storm_with_which_all_is_well_passes_the_checks(a_storm: dict[str, object], tmp_path: Path):
    assert checked(a_storm, tmp_path) == []


def lost(storm: dict) -> None:
    del storm["found"][2], storm["lines"][2]


def failed(storm: dict) -> None:
    storm["found"][2] = replace(storm["found"][2], outcome="not graded: our failure")


def graded_twice(storm: dict) -> None:
    storm["lines"].append(storm["lines"][2])


def another_order(storm: dict) -> None:
    storm["found"][1:3] = storm["found"][2], storm["found"][1]


def overtaken(storm: dict) -> None:
    storm["found"][2] = replace(storm["found"][2], begun=storm["found"][1].begun - 1)


def accepted_late(storm: dict) -> None:
    storm["found"][2] = replace(storm["found"][2], arrived=storm["submitted"][2].at + 2.5)


def shown_no_place(storm: dict) -> None:
    storm["submitted"][2].told = None


def parent_that_grows(storm: dict) -> None:
    storm["looks"][-1]["parent_mb"] = 500.0


def much_memory(storm: dict) -> None:
    storm["looks"][-1]["all_mb"] = 9000.0


def other_marks(storm: dict) -> None:
    storm["marks"]["00003-usual-mistakes"] = {1: 2.0}


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lost, "00002-model-answers: 0 times in the journal as graded, graded 0 times"),
        (failed, "00002-model-answers: 0 times in the journal as graded, graded 1 times"),
        (graded_twice, "00002-model-answers: 1 times in the journal as graded, graded 2 times"),
        (another_order, "other submissions, or in another order"),
        (overtaken, "00002-model-answers was begun before 00001-usual-mistakes"),
        (accepted_late, "1 were accepted later than after 2 s, the last after 2.5 s"),
        (shown_no_place, "1 waited longer than 15 s and were shown no place"),
        (parent_that_grows, "the parent grew by 300 MB"),
        (much_memory, "all processes took 9000 MB"),
        (other_marks, "usual-mistakes: not all of them earned the same"),
    ],
)
def test_what_goes_wrong_in_a_storm_is_said(wrong, told, a_storm: dict[str, object], tmp_path: Path):
    wrong(a_storm)
    assert any(told in line for line in checked(a_storm, tmp_path)), checked(a_storm, tmp_path)


def test_a_student_sees_a_place_first_and_then_marks(tmp_path: Path):
    page = tmp_path / "page.html"
    each = watched_course.Submitted("anna", 100.0, page)
    assert not each.fetch()
    page.write_text("When this page was written it was number 7 in line, with its feedback expected within 41 s.")
    assert not each.fetch() and (each.told.place, each.told.expected_s) == (7, 41.0)
    page.write_text("<strong>3</strong> of 5 points so far")
    os.utime(page, (150.0, 150.0))
    assert each.fetch() and each.feedback_at == 150.0


def test_a_submission_that_never_gets_feedback_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def submit(root: Path, number: int, parts: list[int]) -> watched_course.Submitted:
        page = tmp_path / f"{number}.html"
        if number != 1:
            page.write_text("<strong>3</strong> of 5 points")
        return watched_course.Submitted(f"student-{number}", time.time(), page)

    monkeypatch.setattr(load.watched_course, "submit", submit)
    monkeypatch.setattr(load, "FEEDBACK_LIMIT_S", 2.0)
    with psutil.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        service = watched_course.Service(process, tmp_path / "log")
        (tmp_path / "log").touch()
        monkeypatch.setattr(service, "queue", lambda: {"waiting": [1], "at_work": []})
        chosen = argparse.Namespace(submissions=3, seconds=0.5, parts=[1])
        with pytest.raises(RuntimeError, match="1 submissions have none, the first is student-1's"):
            load.storm(tmp_path, service, chosen)
        process.kill()


def test_of_a_table_that_is_written_again_stays_what_was_not_measured(tmp_path: Path):
    def row(what: str, seconds: float) -> dict[str, object]:
        return {"date": "2026-11-24", "machine": "m", "what": what, "feedback_s": seconds}

    load_table.write(tmp_path / "load.csv", [row("one", 1.0), row("storm", 2.0), row("storm", 3.0)])
    load_table.write(tmp_path / "load.csv", [row("storm", 4.0)])
    found = load_table.read(tmp_path / "load.csv")
    assert [(each["what"], each["feedback_s"]) for each in found] == [("one", 1.0), ("storm", 4.0)]


def test_the_service_simulated_takes_as_long_as_its_workers_or_its_parent():
    arrivals = [0.0] * 1000
    few = simulate_service.simulate(arrivals, 10, simulate_service.Costs(grade_s=10.0, parent_s=0.01))
    assert max(few.seconds) == pytest.approx(1000 * 10.0 / 10, rel=0.05)
    many = simulate_service.simulate(arrivals, 500, simulate_service.Costs(grade_s=10.0, parent_s=0.2))
    assert max(many.seconds) == pytest.approx(1000 * 0.2, rel=0.15) and many.longest == 1000
    assert few.worker_busy > 0.95 and many.parent_busy > 0.9
    looked = simulate_service.simulate(arrivals, 500, simulate_service.Costs(10.0, 0.2, waiting_s=0.001))
    assert max(looked.seconds) > 1.4 * max(many.seconds)  # a turn a result, and some 250 in line in the mean


def test_who_submits_while_a_worker_is_idle_waits_for_nobody():
    found = simulate_service.simulate([0.0, 100.0, 200.0], 1, simulate_service.Costs(grade_s=4.0, parent_s=0.1))
    assert all(2.0 < seconds < 8.8 for seconds in found.seconds) and found.longest == 1


def test_half_of_all_submit_in_the_last_ten_minutes():
    arrivals = simulate_service.before_a_deadline(1000)
    assert len(arrivals) == 1000 and arrivals == sorted(arrivals)
    assert sum(at > 3000 for at in arrivals) == 500 and arrivals[0] >= 0 and arrivals[-1] <= 3600


def test_the_service_s_simulation_without_a_storm_says_what_to_do(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.setattr(simulate, "RESULTS", tmp_path)
    monkeypatch.setattr(sys, "argv", ["simulate.py", "--service"])
    assert simulate.main() == 1
    load_table.write(tmp_path / "load.csv", [{"date": "", "machine": "", "what": "one", "feedback_s": 1.0}])
    assert simulate.main() == 1
    assert [line.split(". ")[-1] for line in capsys.readouterr().err.splitlines()] == [
        "Run `python benchmarks/load.py`."
    ] * 2


SCORE = {"shape": 2.0, "right up to a constant factor": 4.0, "exact": 4.0}
RIGHT = {"model-answers": {"part03": earned.Part(10.0, SCORE)}}
LESS = {"model-answers": {"part03": earned.Part(6.0, {**SCORE, "exact": 0.0}, {"exact": "still running after 20 s"})}}
VERSIONS = {"Python": "3.11.7", "torch": "2.13.0+cpu", "numpy": "2.4.6"}


def a_run(found: earned.Earned, torch: str = "2.13.0+cpu") -> grading_runs.Run:
    return grading_runs.Run(found, 60.0, {}, {**VERSIONS, "torch": torch}, {"kernel, part 1": 10**9}, 1.0)


def test_a_mark_that_differs_is_named_with_its_item_its_runs_and_the_reason():
    marks, item = earned.differences({"first": RIGHT, "second": LESS, "third": RIGHT})
    assert (marks.student, marks.part, marks.item) == ("model-answers", "part03", "marks")
    assert marks.runs == {10.0: ["first", "third"], 6.0: ["second"]}
    assert item.item == "exact" and "0 in second: still running after 20 s" in item.text()


def test_items_that_change_places_differ_although_the_marks_are_the_same():
    one, other = ({"shape": first, "exact": 4.0 - first} for first in (4.0, 0.0))
    runs = {name: {"student": {"part03": earned.Part(4.0, items)}} for name, items in (("a", one), ("b", other))}
    found = earned.differences(runs)
    assert [each.item for each in found] == ["shape", "exact"]


def test_a_student_or_a_part_that_is_missing_or_not_marked_in_one_run_differs():
    unmarked = {"model-answers": {"part03": earned.Part(None, found={"marks": "our failure"})}}
    for found in ({}, {"model-answers": {}}, unmarked):
        (difference,) = earned.differences({"first": RIGHT, "second": found})
        assert difference.runs == {10.0: ["first"], None: ["second"]}


def test_runs_that_agree_with_each_other_but_not_with_an_answers_name_differ():
    named = {"model-answers": earned.expected("model-answers", ["part03"])}
    (difference,) = earned.differences({earned.EXPECTED: named, "first": LESS, "second": LESS})
    assert difference.runs == {10.0: [earned.EXPECTED], 6.0: ["first", "second"]}


def test_the_marks_by_name_are_those_of_the_answers_that_a_student_is_made_of():
    stems = [part.stem for part in course.PARTS.values()]
    names = "model-answers unusual-style rule-breaker half-done untouched-release damaged-submission".split()
    totals = [sum(part.marks for part in earned.expected(name, stems).values()) for name in names]
    assert totals == [81, 81, 0, 48, 0, 0]
    assert earned.expected("usual-mistakes", ["part03"]) == {"part03": earned.Part(6)}
    assert earned.expected("part13-03-root-of-r-over-H", ["part13"]) == {"part13": earned.Part(3)}


def test_marks_items_and_what_was_found_are_read_from_a_graded_course(tmp_path: Path):
    lost, broken = {"exact": "2.236 times too large"}, "Line 2: remove it."

    def change(part: Part, notebook: dict) -> dict:
        return graded_class.report(notebook, part, lost if part.number == 3 else {}, broken if part.number == 8 else "")

    graded_class.entered(tmp_path, {"student": change})
    for stem in ("part03", "part08"):
        (tmp_path / "submitted" / "student" / COURSE.name).mkdir(parents=True, exist_ok=True)
        (tmp_path / "submitted" / "student" / COURSE.name / f"{stem}.ipynb").touch()
    with course_folder.gradebook(tmp_path) as book:
        found = earned.read(book, tmp_path, "student")
        failed = earned.read(book, tmp_path, "student", "the walls fell")
    assert set(found) == {"part03", "part08"}
    assert found["part03"].items["exact"] == 0 and found["part03"].found == lost
    assert found["part03"].marks == pytest.approx(sum(found["part03"].items.values()), abs=1e-5)
    assert found["part08"].marks == 0 and found["part08"].found == {"marks": broken}
    assert failed["part03"] == earned.Part(None, found={"marks": "the walls fell"})
    assert earned.load(earned.dump({"student": found})) == {"student": found}


@pytest.mark.parametrize(("second", "status"), [(RIGHT, 0), (LESS, 1)])
def test_graded_again_with_other_marks_the_command_says_which_and_fails(second, status, monkeypatch, capsys):
    runs = iter([a_run(RIGHT), a_run(second)])
    monkeypatch.setattr(grading_runs, "grade_at_once", lambda words, count: [next(runs)])
    monkeypatch.setattr(sys, "argv", "repeat.py --runs 1 --load 0 --workers 1 8".split())
    assert repeat.main() == status
    printed = capsys.readouterr().out
    assert "[2/2]" in printed and "torch 2.13.0+cpu" in printed
    lines = ["part03, exact", "    4 in run 1 (no load, 1 worker)", "    0 in run 2 (no load, 8 workers): still"]
    assert ("\n".join(lines) in printed) == (status == 1)
    assert ("the same in all 2 runs" in printed) == (status == 0)


def test_a_run_that_fails_is_a_failure_and_those_before_it_are_shown(monkeypatch, capsys):
    runs = iter([a_run(RIGHT)])

    def grade(words: list[str], count: int) -> list[grading_runs.Run]:
        for run in runs:
            return [run]
        raise RuntimeError("a run ended with exit status 1")

    monkeypatch.setattr(grading_runs, "grade_at_once", grade)
    monkeypatch.setattr(sys, "argv", "repeat.py --runs 2 --load 0 --workers 1".split())
    assert repeat.main() == 1
    printed = capsys.readouterr()
    assert "exit status 1" in printed.err and "same in all 1 runs" in printed.out


@pytest.mark.parametrize(("second", "status"), [(RIGHT, 0), (LESS, 1)])
def test_another_build_of_torch_with_other_marks_is_said_and_fails(second, status, monkeypatch, capsys):
    runs = iter([a_run(RIGHT), a_run(second, "2.13.0+cu130")])
    monkeypatch.setattr(grading_runs, "grade", lambda words, python: next(runs))
    monkeypatch.setattr(public_torch, "disk_sizes", lambda python: (2 * 10**9, 10**9))
    monkeypatch.setattr(sys, "argv", ["public_torch.py", "--environment", sys.prefix])
    assert public_torch.main() == status
    printed = capsys.readouterr().out
    assert re.search(r"^torch +2\.13\.0\+cpu +2\.13\.0\+cu130$", printed, re.MULTILINE)
    assert ("    4 in here\n    0 in public: still running after 20 s" in printed) == (status == 1)
    assert ("same in both environments" in printed) == (status == 0)


def test_the_same_build_twice_is_said():
    assert "no two builds are compared" in public_torch.summary({"here": a_run(RIGHT), "public": a_run(RIGHT)}, [])


def test_the_second_environment_takes_nothing_from_a_folder_of_wheels(tmp_path: Path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "onlyhere-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("onlyhere-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: onlyhere\nVersion: 1.0\n")
        wheel.writestr("onlyhere-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("onlyhere-1.0.dist-info/RECORD", "")
    (tmp_path / "pip.conf").write_text(f"[global]\nfind-links = {tmp_path}\n", encoding="utf-8")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    ask = [sys.executable, "-m", "pip", "install", "--no-index", "--dry-run", "--target", tmp_path / "out", "onlyhere"]
    assert subprocess.run(ask, capture_output=True).returncode == 0
    with public_torch.without_wheels() as environment:
        assert subprocess.run(ask, capture_output=True, env=environment).returncode == 1


def test_five_runs_two_at_once_are_three_batches_of_which_the_last_is_smaller(monkeypatch, capsys):
    counts = []

    def grade(words: list[str], count: int) -> list[grading_runs.Run]:
        counts.append(count)
        return [a_run(RIGHT)] * count

    monkeypatch.setattr(grading_runs, "grade_at_once", grade)
    monkeypatch.setattr(sys, "argv", "repeat.py --runs 5 --at-once 2 --load 0 --workers 1".split())
    assert repeat.main() == 0
    printed = capsys.readouterr().out
    assert counts == [2, 2, 1] and "[5/5]" in printed and "the same in all 5 runs" in printed


def test_runs_at_once_run_beside_each_other_and_each_has_its_result(tmp_path: Path, monkeypatch):
    script = tmp_path / "run.py"
    script.write_text(
        "import json, pathlib, sys, time\n"
        f"seen = pathlib.Path({str(tmp_path)!r})\n"
        "folder = pathlib.Path(sys.argv[1])\n"
        "(seen / f'{folder.name}.up').touch()\n"
        "limit = time.monotonic() + 20\n"
        "while len(list(seen.glob('*.up'))) < 2:\n"  # for ever, were it alone
        "    assert time.monotonic() < limit\n"
        "    time.sleep(0.01)\n"
        "about = {'seconds': 1.0, 'struck': {}, 'versions': {}, 'sizes': {}}\n"
        "(folder / 'run.json').write_text(json.dumps(about))\n"
        "(folder / 'earned.json').write_text('{}')\n"
    )
    monkeypatch.setattr(grading_runs, "SCRIPT", script)
    assert [run.earned for run in grading_runs.grade_at_once([], 2)] == [{}, {}]
    (tmp_path / "broken.up").touch()
    script.write_text("raise SystemExit(3)")
    with pytest.raises(RuntimeError, match="status 3"):
        grading_runs.grade_at_once([], 2)


def test_busy_processes_end_with_the_run_that_they_load():
    before = set(psutil.Process().children())
    with pytest.raises(ValueError), grading_runs.busy(1):
        busy = set(psutil.Process().children()) - before
        assert len(busy) >= grading_runs.cores()
        raise ValueError
    assert not any(process.is_running() for process in busy)


def test_busy_processes_end_even_if_the_command_is_killed():
    code = "import grading_runs, time\nwith grading_runs.busy(1):\n print('up', flush=True)\n time.sleep(60)\n"
    with subprocess.Popen([sys.executable, "-c", code], cwd=BENCHMARKS, stdout=subprocess.PIPE) as command:
        assert command.stdout.readline() == b"up\n"
        busy = psutil.Process(command.pid).children()
        command.kill()
    assert len(busy) == grading_runs.cores()
    _, alive = psutil.wait_procs(busy, timeout=20)
    assert not alive


def test_a_run_ends_with_the_command_and_with_all_that_it_started(tmp_path: Path):
    script = tmp_path / "stubborn.py"
    script.write_text(
        "import os, signal, subprocess, sys, time\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "left = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], start_new_session=True)\n"
        "print(os.getpid(), left.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    code = "import sys, grading_runs\ngrading_runs.SCRIPT, grading_runs.END_LIMIT_S = sys.argv[1], 0.5\n"
    code += "grading_runs.stop_on_signals()\ngrading_runs.grade([])\n"
    settings = {"cwd": BENCHMARKS, "env": {**os.environ, "TMPDIR": str(tmp_path)}, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([sys.executable, "-c", code, script], stdout=subprocess.PIPE, **settings) as command:
        started = [psutil.Process(int(pid)) for pid in command.stdout.readline().split()]
        command.send_signal(signal.SIGTERM)
    _, alive = psutil.wait_procs(started, timeout=20)
    assert len(started) == 2 and not alive
    assert not list(tmp_path.glob("runs-*"))


@drawn.one_in_three
def test_a_run_leaves_what_everybody_earned(tmp_path: Path):
    command = [sys.executable, BENCHMARKS / "grade_once.py", tmp_path, "--workers", "1", "--quiet"]
    with subprocess.Popen([*command, "--students", "untouched-release"], stdin=subprocess.PIPE) as run:
        assert run.wait(300) == 0
    (found,) = earned.load((tmp_path / "earned.json").read_text(encoding="utf-8")).values()
    assert {part.marks for part in found.values()} == {0.0} and len(found) == len(course.PARTS)
    assert json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))["struck"] == {}


def test_the_sample_class_alone_can_be_graded_without_part_13(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delitem(course.PARTS, 13)
    grade_once.build(tmp_path, "sample", ["untouched-release"])
    assert [folder.name for folder in (tmp_path / "submitted").iterdir()] == ["untouched-release"]
    with pytest.raises(CourseError, match="no part 13"):
        grade_once.build(tmp_path, None, None)


def test_a_run_ends_when_the_command_has_been_killed(tmp_path: Path):
    command = [sys.executable, BENCHMARKS / "grade_once.py", tmp_path, "--students", "untouched-release"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as run:
        while not (tmp_path / "course" / "submitted").exists():
            time.sleep(0.1)
        run.stdin.close()
        assert run.wait(60) == 130
    assert not (tmp_path / "earned.json").exists()


def test_what_is_said_of_a_network_follows_from_what_was_measured(tmp_path: Path):
    about = {"date": "2026-11-24", "machine": "a machine", "delay_ms": 20.0, "jitter_ms": 5.0}
    about |= {"students": 4, "notebooks": 2}
    over = {"sent_kb": 4000.0, "received_kb": 800.0, "shared_kb": 3400.0, "lost": 0.0123}
    rows = [{**about, "what": "local", "wall_s": 9.0}, {**about, "what": "well", "wall_s": 10.5, **over}]
    network_table.write(tmp_path / "network.csv", rows)
    said = network_table.summary(network_table.read(tmp_path / "network.csv")).splitlines()
    assert said[0].startswith("4 students, 2 notebooks each")
    assert said[3].split()[-1:] == ["9.0"] and said[4].split()[-4:] == ["10.5", "1000", "200", "1.2%"]
    assert "3400 KB, sent once" in "\n".join(said)


@pytest.mark.skipif(bool(network_machines.missing()), reason=network_machines.missing())
@drawn.one_in_three
def test_a_class_over_a_network_earns_the_marks_of_this_machine(tmp_path: Path):
    arguments = "--students 2 --parts 1 --delay-ms 2 --jitter-ms 1 --only well --results".split()
    run = subprocess.run(
        [sys.executable, BENCHMARKS / "network.py", *arguments, tmp_path], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert [row["what"] for row in network_table.read(tmp_path / "network.csv")] == ["local", "well"]


CHANGED = """
class A:
    def forward(self, x, y):
        q = self.W_Q(x)  # (B, L_1)
        return torch.softmax(q[:, 1:] @ y.T, dim=-1) / self.D  # (B, L_2)

    def __init__(self, D):
        self.D, self.W_Q = D, nn.Linear(D, D)
"""


def test_mutants_change_operators_numbers_axes_names_slices_calls_and_statements():
    found = {mutant.change for mutant in mutations.of(CHANGED)}
    assert {
        "q[:, 1:] @ y.T → (y.T @ q[:, 1:])",
        "torch.softmax(q[:, 1:] @ y.T, dim=-1) → torch.softmax(q[:, 1:] @ y.T)",
        "-1 → 1",
        "y.T → y",
        "q[:, 1:] → q",
        "x → y",
        "self.D → self.W_Q",
        "q = self.W_Q(x) → pass",
        "torch.softmax → torch.sigmoid",
        "1 → 2",
    } <= found


def test_a_mutant_differs_in_one_line_keeps_the_comments_and_is_there_once():
    found = list(mutations.of(CHANGED))
    assert len({mutant.text for mutant in found}) == len(found)
    for mutant in found:
        pairs = zip(CHANGED.splitlines(), mutant.text.splitlines(), strict=True)
        ((before, after),) = [pair for pair in pairs if pair[0] != pair[1]]
        assert after.strip() == mutant.now and after.partition("#")[2] == before.partition("#")[2]


def test_the_letters_of_einsum_and_the_symbols_of_a_part_are_exchanged():
    found = {
        mutant.change for mutant in mutations.of("x = torch.einsum('bd,de->be', y, z)\nshape = (H, d)", ("H", "d"))
    }
    assert {"'bd,de->be' → 'db,de->be'", "'bd,de->be' → 'bd,de->eb'", "H → d", "(H, d) → (d, H)"} <= found


@pytest.mark.parametrize(("part", "given"), [(1, ("D_1", "D_2", "D_qk", "D_v", "H")), (3, ())])
def test_the_symbols_are_those_of_the_setup_cell(part: int, given: tuple[str, ...]):
    assert mutants.symbols(course.PARTS[part]) == given


@drawn.one_in_three
def test_the_mutants_of_a_part_are_graded_and_those_that_survive_are_known():
    command = [sys.executable, BENCHMARKS / "mutants.py", "--parts", "3", "8", "--most", "8", "--items"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert re.search(r"^part08 model: 8 mutants, \d killed, 0 survived, 0 of them known$", run.stdout, re.MULTILINE)
    assert re.search(r"^  - line 7: .* → .*: kv_head$", run.stdout, re.MULTILINE)
    assert run.stdout.endswith("No new mutant survived.\n")


def test_a_mutant_that_survives_is_named_unless_it_is_known(monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.setattr(mutants, "graded", lambda part, answer: mutants.Graded({"all": 3.0}))
    monkeypatch.setattr(mutants, "understood", lambda part: {("h % G → h", "return h")})
    chosen = argparse.Namespace(most=None, seed=0, items=False)
    new = mutants.tried(course.PARTS[8], "model", "def kv_head(h, G):\n    return h % G\n", chosen)
    out = capsys.readouterr().out
    assert "  part08 model, line 2: h % G → G: 3\n" in out and "h % G → h:" not in out
    assert out.endswith(f"{new + 1} mutants, 0 killed, {new + 1} survived, 1 of them known\n")


def test_what_ends_or_hangs_a_mutant_earns_nothing(monkeypatch: pytest.MonkeyPatch):
    def ends(part: Part, answer: str) -> dict:
        time.sleep(60) if answer == "hangs" else os._exit(3)

    monkeypatch.setattr(mutants, "_marked", ends)
    monkeypatch.setattr(mutants, "LIMIT_S", 0.2)
    for answer in ("hangs", "ends"):
        found = mutants.graded(course.PARTS[8], answer)
        assert found.marks == 0 and found.trouble == "it took too long, or its process ended"


def test_each_mutant_that_is_known_is_one_of_its_part_and_has_a_reason():
    for line in mutants.KNOWN.read_text(encoding="utf-8").splitlines():
        stem, change, now, reason = line.split("\t")
        part = COURSE.part_of(stem)
        every = mutants.made(part)
        assert (change, now) in every and reason, line


def test_a_whole_run_has_a_third_of_the_benchmarks_measure_and_another_code_others(monkeypatch: pytest.MonkeyPatch):
    def left_out(name: str) -> bool:
        def test() -> None:
            pass

        test.__name__ = name
        (mark,) = drawn.one_in_three(test).pytestmark
        return mark.args[0]

    names = [f"test_{number}" for number in range(300)]
    assert not any(map(left_out, names)) or drawn.WHOLE_RUN
    monkeypatch.setattr(drawn, "WHOLE_RUN", True)
    runs = {name for name in names if not left_out(name)}
    assert 60 < len(runs) < 140
    monkeypatch.setattr(drawn, "_code", lambda: b"another code")
    assert len(runs - {name for name in names if not left_out(name)}) > 30
