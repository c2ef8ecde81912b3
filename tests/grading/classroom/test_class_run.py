"""A class on Dask: the same marks and files as nbgrader's own command, and nothing lost whatever happens on the way.

One small course, of parts 1 and 6, and one cluster of one worker for most tests, which is another process on another
temporary folder. What goes wrong here is done: processes are killed, a disk is full, a submission is replaced.
"""

import contextlib
import csv
import importlib
import json
import logging
import multiprocessing.util
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import busy
import dask
import full_disk
import lean
import nbformat
import psutil
import pytest
from busy import wait_for
from distributed import Client, LocalCluster
from nbgrader.api import Base, Gradebook
from postgres import Server
from sqlalchemy import create_engine, select

from attention import course
from attention.course import COURSE
from dev import handed_in
from dev.packages import REPOSITORY
from grading.__main__ import main
from grading.classroom import class_run, cluster, crash_notes, inputs, local_cluster, merge, worker
from grading.classroom.task_queue import TaskQueue
from grading.core.course import Part
from grading.gradebook import course_folder
from grading.submission import bundle, times

ONE, SIX = course.PARTS[1], course.PARTS[6]
NOTES = (".attention.json", ".registered.json", crash_notes.NAME)
TIMES = {"iopub.execute_input", "iopub.status.busy", "iopub.status.idle", "shell.execute_reply"}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A registered course of two parts with three submissions, to be copied."""
    root = tmp_path_factory.mktemp("template") / "course"
    for name in ("attention", "grading"):
        shutil.copytree(REPOSITORY / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "nbgrader_config.py", root)
    for part in (ONE, SIX):
        for step in ("source", "release"):
            path = Path(step) / COURSE.name / f"{part.stem}.ipynb"
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPOSITORY / path, root / path)
    lean.make(root)
    (root / "source" / COURSE.name / "data.csv").write_text("1,2\n")
    submit(root, "anna", ONE, SIX)
    (folder(root, "anna") / "notes.txt").write_text("mine")
    times.note(root, "anna", "2026-01-02 03:04:05 UTC")
    submit(root, "ben", ONE)
    (folder(root, "ben") / "part06.ipynb").write_bytes(b"<html>502 Bad Gateway</html>")
    (folder(root, "ben") / "link.txt").symlink_to("/etc/passwd")
    lean.write(make(folder(root, "cleo")), SIX, handed_in.released(SIX))
    class_run.register(root, "")
    return root


@pytest.fixture
def root(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the course, in place of the repository."""
    shutil.copytree(template, tmp_path / "course", symlinks=True)
    monkeypatch.chdir(tmp_path / "course")
    return tmp_path / "course"


@pytest.fixture(scope="module")
def work() -> Iterator[Path]:
    """The worker's temporary folder."""
    made = Path(tempfile.mkdtemp(prefix="work-"))
    made.chmod(0o711)
    yield made
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def address(work: Path) -> Iterator[str]:
    """A cluster that exists: one worker, which shares no folder with the course."""
    silent = {"dashboard_address": "127.0.0.1:0", "silence_logs": logging.CRITICAL}
    with (
        dask.config.set(local_cluster.SETTINGS),
        LocalCluster(1, 1, host="127.0.0.1", memory_limit=0, env={"TMPDIR": str(work)}, **silent) as own,
    ):
        yield own.scheduler_address


def make(path: Path) -> Path:
    path.mkdir(parents=True)
    return path


def folder(root: Path, student: str) -> Path:
    return root / "submitted" / student / COURSE.name


def submit(root: Path, student: str, *parts: Part) -> None:
    for part in parts:
        folder(root, student).mkdir(parents=True, exist_ok=True)
        lean.write(folder(root, student), part, handed_in.model(part))


def tables(url: str) -> dict[str, list]:
    """All rows of a gradebook, with names in place of ids."""
    engine, found, out, names = create_engine(url), {}, {}, {}
    with engine.connect() as connection:
        found = {
            n: [dict(r) for r in connection.execute(select(t)).mappings()] for n, t in Base.metadata.tables.items()
        }
    for name in ("assignment", "notebook", "base_cell"):
        names.update({row["id"]: row["name"] for row in found[name]})
    names.update({row["id"]: row["student_id"] for row in found["submitted_assignment"]})
    for row in found["submitted_notebook"]:
        names[row["id"]] = f"{names[row['assignment_id']]}/{names[row['notebook_id']]}"
    for name, rows in found.items():
        readable = [{column: names.get(value, value) for column, value in row.items()} for row in rows]
        for row in readable:
            if name not in ("student", "course"):
                del row["id"]
        out[name] = sorted(readable, key=repr)
    engine.dispose()
    return out


def files(root: Path) -> dict[str, tuple[int, object]]:
    """All graded notebooks and feedback pages, with their modes; of a notebook all but the times of day in it."""
    out = {}
    for path in (path for step in ("autograded", "feedback") for path in (root / step).rglob("*") if path.is_file()):
        if path.name in NOTES:
            continue
        content = path.read_bytes()
        if path.suffix == ".ipynb":
            content = json.loads(content)
            for cell in content["cells"]:
                assert cell["metadata"].pop("execution", {}).keys() <= TIMES
        out[str(path.relative_to(root))] = (path.stat().st_mode, content)
    return out


def marked(root: Path) -> dict[str, tuple]:
    with (root / "marks.csv").open() as file:
        return {row["student"]: (row["part01"], row["part06"]) for row in csv.DictReader(file)}


def noted(root: Path) -> dict[str, int]:
    """When each student was graded."""
    return {path.parent.name: path.stat().st_mtime_ns for path in root.glob("autograded/*/.attention.json")}


def nbgrader(root: Path, *arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "nbgrader", *arguments], cwd=root, check=True, capture_output=True)


def give_by_hand(root: Path, student: str, score: float) -> None:
    with Gradebook(course_folder.database(root), COURSE.name) as book:
        grade = book.find_grade("part06-reasoning", "part06", COURSE.name, student)
        grade.manual_score, grade.needs_manual_grade = score, False
        comment = book.find_comment("part06-reasoning", "part06", COURSE.name, student)
        comment.manual_comment = "Well said."
        book.db.commit()


def only(root: Path, student: str) -> None:
    """Takes the other submissions away."""
    for path in (root / "submitted").iterdir():
        if path.name != student:
            shutil.rmtree(path)


@contextlib.contextmanager
def at_the_same_time(function: Callable[[], None]) -> Iterator[None]:
    """Runs a function beside what stands in the block; what it raises is raised at the end.

    It must end with the block or fail, by `wait_for` or the like: whatever it still does then is waited for.
    """
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(function)
        yield
        running.result(timeout=busy.patience(60))


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A temporary folder for the workers that one test starts."""
    made = Path(tempfile.mkdtemp(prefix="home-"))
    made.chmod(0o711)
    multiprocessing.util.get_temp_dir()  # this process's own, which it keeps: not among the workers' folders
    monkeypatch.setattr(tempfile, "tempdir", str(made))
    yield made
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL database of the tests' own."""
    with Server() as server:
        yield server.address


@pytest.fixture(scope="module")
def stock(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The course, graded by nbgrader's own commands."""
    root = tmp_path_factory.mktemp("stock") / "course"
    shutil.copytree(template, root, symlinks=True)
    nbgrader(root, "autograde", COURSE.name)
    nbgrader(root, "generate_feedback", COURSE.name)
    return root


def test_marks_flags_and_files_are_those_of_nbgrader_row_for_row(stock: Path, root: Path, address: str):
    assert main(["autograde", "--scheduler", address]) == 0
    expected, found = tables(f"sqlite:///{stock}/gradebook.db"), tables(f"sqlite:///{root}/gradebook.db")
    assert len(expected["grade"]) == 9 and {row["notebook_id"] for row in expected["comment"]} >= {"ben/part06"}
    assert found == expected
    assert files(stock).keys() == files(root).keys() and "feedback/anna/attention/part06.html" in files(root)
    assert files(root) == files(stock)
    given = [root / "autograded" / student / COURSE.name / "data.csv" for student in ("anna", "ben", "cleo")]
    assert {path.stat().st_ino for path in given} == {given[0].stat().st_ino}  # one file on the disk
    assert marked(root) == {"anna": ("5", "3"), "ben": ("5", "0"), "cleo": ("0", "0")}


def test_a_gradebook_in_postgresql_gets_the_same_rows(stock: Path, root: Path, address: str, postgres: str):
    with (root / "nbgrader_config.py").open("a") as file:
        file.write(f"\nc.CourseDirectory.db_url = {postgres!r}\n")
    assert main(["autograde", "--scheduler", address]) == 0
    assert tables(postgres) == tables(f"sqlite:///{stock}/gradebook.db")
    assert marked(root)["anna"] == ("5", "3")
    assert main(["report", "--course", str(root)]) == 0
    roster, file = root / "roster.csv", root / "canvas.csv"
    roster.write_text("student,lms_id\nanna,1\nben,2\ncleo,3\n", encoding="utf-8")
    assert (
        main(["export", "canvas", "--course", str(root), "--roster", str(roster), "--so-far", "--to", str(file)]) == 0
    )
    for name in ("report.html", "canvas.csv"):
        assert "anna" in (root / name).read_text(encoding="utf-8")


def test_what_is_graded_and_unchanged_is_left_alone(root: Path, address: str, capsys: pytest.CaptureFixture):
    only(root, "cleo")
    command = ["autograde", "--scheduler", address]

    def graded_anew(*more: str) -> bool:
        before = noted(root)
        assert main([*command, *more]) == 0
        return noted(root) != before

    assert graded_anew()
    assert not graded_anew()
    assert "cleo: graded" not in capsys.readouterr().out.split("out of")[-1]
    assert graded_anew("--force")
    give_by_hand(root, "cleo", 1.5)
    assert not graded_anew()  # a mark by hand is no reason
    lean.write(folder(root, "cleo"), SIX, handed_in.model(SIX))
    assert graded_anew()
    grade = next(row for row in tables(course_folder.database(root))["grade"] if row["cell_id"] == "part06-reasoning")
    assert (grade["manual_score"], grade["needs_manual_grade"]) == (1.5, True)  # and stays, to be looked at again
    graded_notebook = root / "autograded" / "cleo" / COURSE.name / "part06.ipynb"
    graded_notebook.chmod(0o644)
    graded_notebook.write_text("damaged")
    assert graded_anew()
    source = root / "source" / COURSE.name / "part06.ipynb"
    before = source.read_text()
    source.write_text(before.replace("part06.equal(", "rubric.fact(False, 'it is not.') or ("))
    assert source.read_text() != before
    assert graded_anew()
    assert marked(root)["cleo"][1] == "3.5"  # 2 of 3, and 1.5 by hand
    assert not graded_anew()


def test_what_is_replaced_or_marked_by_hand_while_it_is_graded_is_graded_again(root: Path, work: Path, address: str):
    only(root, "anna")
    assert main(["autograde", "--scheduler", address]) == 0
    first = noted(root)

    with Client(address) as client:
        (worker_process,) = map(psutil.Process, client.run(os.getpid).values())

    def meddle() -> None:
        wait_for(lambda: list(work.glob("student-*/submitted/anna")))
        worker_process.suspend()  # or it might have graded her before a busy machine has done all this
        try:
            lean.write(folder(root, "anna"), ONE, handed_in.released(ONE))
            give_by_hand(root, "anna", 1.5)
        finally:
            worker_process.resume()

    with at_the_same_time(meddle):
        assert main(["autograde", "--scheduler", address, "--force"]) == 0
    assert marked(root) == {"anna": ("0", "4.5")} and noted(root) != first
    released = nbformat.read(folder(root, "anna") / "part01.ipynb", as_version=4)
    graded = nbformat.read(root / "autograded" / "anna" / COURSE.name / "part01.ipynb", as_version=4)
    assert [cell.source for cell in graded.cells if cell.id == "part01-answer"] == [
        cell.source for cell in released.cells if cell.id == "part01-answer"
    ]
    grade = next(row for row in tables(course_folder.database(root))["grade"] if row["cell_id"] == "part06-reasoning")
    assert (grade["manual_score"], grade["needs_manual_grade"]) == (1.5, False)  # the answer is the same
    assert "Well said." in (root / "feedback" / "anna" / COURSE.name / "part06.html").read_text()


def test_what_replaces_a_submission_meanwhile_is_not_taken_for_what_was_graded(stock: Path, tmp_path: Path):
    root = tmp_path / "course"
    shutil.copytree(stock, root, symlinks=True)
    submission = bundle.read("anna", folder(root, "anna"), COURSE, times.text(root, "anna"))
    before, found = tables(f"sqlite:///{root}/gradebook.db"), files(root)
    with course_folder.engine(root) as engine:
        rows = merge.before(engine, COURSE, "anna")
        result = worker.Result("anna", after=rows, graded={".": (0o755, None), "other.txt": (0o444, b"")})
        lean.write(folder(root, "anna"), ONE, handed_in.released(ONE))
        with pytest.raises(merge.Changed, match="it was replaced while it was graded"):
            merge.merge(root, COURSE, engine, result, rows, submission, "key", None)
    assert tables(f"sqlite:///{root}/gradebook.db") == before and files(root) == found


def test_a_parent_that_is_killed_loses_nothing_and_two_runs_at_once_are_refused(
    stock: Path, root: Path, address: str, capsys: pytest.CaptureFixture
):
    command = ["autograde", "--scheduler", address]
    with subprocess.Popen([sys.executable, "-m", "grading", *command], cwd=root, stdout=subprocess.DEVNULL) as parent:
        wait_for(lambda: noted(root))
        parent.send_signal(signal.SIGSTOP)  # or it would grade the others while a busy machine refuses this one
        try:
            assert main(command) == 1
            said = rf"autograde: process {parent.pid} on .* is grading .* already\..*\n"
            assert re.fullmatch(said, capsys.readouterr().err)
        finally:
            parent.kill()
    first = noted(root)
    assert len(first) < 3
    assert main(command) == 0
    assert noted(root).items() > first.items() and len(noted(root)) == 3
    assert tables(course_folder.database(root)) == tables(f"sqlite:///{stock}/gradebook.db")
    assert files(root) == files(stock)


def test_a_parent_that_is_killed_at_any_step_of_merging_leaves_the_student_to_the_next_run(
    template: Path, stock: Path, tmp_path: Path
):
    script = [sys.executable, "-c", KILLED_AT_EACH_STEP, str(template), str(stock), str(tmp_path)]
    ran = subprocess.run(script, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    # Rows, note away, twice two folders moved, commit, whatever lies where the note is written, note.
    assert ran.stdout == "killed at 9 steps\n"


KILLED_AT_EACH_STEP = """
import os, shutil, sys
from pathlib import Path
sys.path[:0] = ["tests/support"]
from attention.course import COURSE
from grading.classroom import merge, worker
from grading.gradebook import course_folder, snapshot
from grading.submission import bundle, times
from killed_merge import STATUS, dying

template, stock, out = map(Path, sys.argv[1:])
folders = [stock / step / "anna" / "attention" for step in ("autograded", "feedback")]
files = [worker.files(folder) for folder in folders]
submission = bundle.read("anna", template / "submitted" / "anna" / "attention", COURSE, times.text(template, "anna"))


def opened(root):
    return snapshot.engine(course_folder.database(root))


def result(score):
    after = merge.before(opened(stock), COURSE, "anna")
    next(iter(after["grade"].values()))["auto_score"] = score
    made = {"graded": files[0], "digest": worker.digest(files[0]), "feedback": files[1]}
    return worker.Result("anna", after=after, **made)


def merged(root, score, key):
    engine = opened(root)
    merge.merge(root, COURSE, engine, result(score), merge.before(engine, COURSE, "anna"), submission, key, None)


def noted(root, engine):
    return merge.noted(merge.read_note(root, COURSE, "anna"), root, COURSE, engine, "anna", "new", True)


step, status = 0, STATUS
while status == STATUS:
    step += 1
    root = out / str(step)
    shutil.copytree(template, root, symlinks=True)
    merged(root, 1.25, "old")
    was = merge.before(opened(root), COURSE, "anna")
    child = os.fork()
    if child == 0:
        engine = opened(root)
        engine.connect().close()
        dying(step, engine)
        merge.merge(root, COURSE, engine, result(2.5), was, submission, "new", None)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    engine = opened(root)
    assert (noted(root, engine) is None) == (status == STATUS), step
    merge.clean(root, COURSE.name)
    merged(root, 2.5, "new")
    assert noted(root, engine) == [], step
    assert merge.before(engine, COURSE, "anna") == result(2.5).after, step
    assert [worker.files(root / folder.relative_to(stock)) for folder in folders] == files, step
    assert not list(root.glob("*/*/.attention.*/")), step
print(f"killed at {step - 1} steps")
"""


def test_a_full_disk_stops_with_a_line_and_the_next_run_goes_on(
    template: Path, stock: Path, tmp_path: Path, address: str
):
    disk = make(tmp_path / "disk")
    ran = full_disk.run(FULL_DISK, disk, 64, str(template), str(disk / "course"), address, str(tmp_path / "out"))
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[-1] == "1 [] 0"  # refused, nothing half done; then graded
    assert re.search(
        r"(?m)^autograde: the course in .* cannot be written: .*(No space left|full).* go on\.$", ran.stderr
    )
    assert "Traceback" not in ran.stderr
    assert tables(f"sqlite:///{tmp_path}/out/gradebook.db") == tables(f"sqlite:///{stock}/gradebook.db")
    assert files(tmp_path / "out") == files(stock)


FULL_DISK = """
import shutil, sys
from pathlib import Path
from grading.__main__ import main
template, root, address, out = sys.argv[1:]
shutil.copytree(template, root, symlinks=True)
root = Path(root)
fill(root)
refused = main(["autograde", "--course", str(root), "--scheduler", address])
left = [str(path) for path in root.glob("autograded/*/*")]
(root / "filler").unlink()
done = main(["autograde", "--course", str(root), "--scheduler", address])
shutil.copytree(root, out, symlinks=True)
print(refused, left, done)
"""


def gone(process: psutil.Process) -> bool:
    """Whether a killed process has ended; nothing is waited for, because whoever started it waits for it, too."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.status() == psutil.STATUS_ZOMBIE
    return True


def test_a_lost_worker_costs_a_retry_and_what_ends_two_workers_is_named(root: Path, home: Path):
    left, over = {"ben": 2, "anna": 1}, threading.Event()

    def kill() -> None:
        while any(left.values()) and not over.is_set():
            for child in psutil.Process().children(recursive=True):
                with contextlib.suppress(psutil.Error, OSError):
                    place = Path(child.cwd())  # nbgrader goes to the course's folder
                    if place.name.startswith("student-"):
                        child.suspend()  # or it might go on to the next student meanwhile
                        graded = [path.name for path in (place / "submitted").glob("*") if left[path.name]]
                        if graded:
                            child.kill()
                            wait_for(lambda child=child: gone(child))
                            left[graded[0]] -= 1
                        else:
                            child.resume()
            time.sleep(0.01)

    with at_the_same_time(kill):
        try:
            results = {r.student: r for r in class_run.graded(root, ["ben", "anna"], workers=1)}
        finally:
            over.set()
    assert not any(left.values())
    assert (results["anna"].error, noted(root).keys()) == ("", {"anna"})
    assert "the worker that graded it ended twice" in results["ben"].error and "worker" in results["anna"].aside
    assert not list(home.iterdir())


def test_a_submission_that_ends_two_runs_holds_up_nobody_in_the_third(
    root: Path, work: Path, address: str, capsys: pytest.CaptureFixture
):
    command = ["autograde", "--scheduler", address]
    shutil.copytree(folder(root, "anna"), folder(root, "aaron"))
    for _ in range(2):
        with subprocess.Popen(
            [sys.executable, "-m", "grading", *command], cwd=root, stdout=subprocess.DEVNULL
        ) as parent:
            wait_for(lambda: (root / "autograded" / "aaron" / crash_notes.NAME).exists())
            wait_for(lambda: list(work.glob("student-*/submitted/aaron")))
            parent.kill()
        wait_for(lambda: not list(work.glob("student-*")))
        for other in ("anna", "ben", "cleo"):  # the cluster holds all of them at once; here aaron alone is to blame
            (root / "autograded" / other / crash_notes.NAME).unlink(missing_ok=True)
    assert main(command) == 1
    assert noted(root).keys() == {"anna", "ben", "cleo"}
    printed = capsys.readouterr().out
    (line,) = [line for line in printed.splitlines() if line.startswith("  aaron: not graded. ")]
    assert line.endswith("grading autograde --student aaron") and "1 not graded" in printed
    assert main([*command, "--student", "aaron"]) == 0
    assert main(command) == 0 and noted(root).keys() == {"aaron", "anna", "ben", "cleo"}


def test_ctrl_c_stops_within_seconds_and_says_how_to_go_on(root: Path, home: Path):
    command = [sys.executable, "-m", "grading", "autograde", "--workers", "1"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": {**os.environ, "TMPDIR": str(home)}}
    as_in_a_shell = {"start_new_session": True, "preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
    with subprocess.Popen(command, cwd=root, text=True, **as_in_a_shell, **pipes) as run:
        wait_for(lambda: list(home.glob("class-*/student-*/submitted")))
        started = psutil.Process(run.pid).children(recursive=True)
        asked = time.monotonic()
        os.killpg(run.pid, signal.SIGINT)
        _, errors = run.communicate(timeout=busy.patience(60))
        taken = time.monotonic() - asked
    assert run.returncode == 130
    assert errors.strip() == "autograde: stopped. 0 of 3 students are graded and kept. Run it again to go on."
    assert taken < busy.patience(5)
    assert psutil.wait_procs(started, timeout=busy.patience(5))[1] == []
    assert not list(home.iterdir())


def test_a_worker_that_is_gone_already_does_not_take_the_parent_with_it(root: Path):
    gone = "from types import SimpleNamespace as Any; cluster = Any(workers={0: Any(pid=None, status=None)})"
    code = f"from grading.classroom.local_cluster import kill; {gone}; kill(cluster)"
    assert subprocess.run([sys.executable, "-c", code], cwd=root, timeout=busy.patience(60)).returncode == 0


def test_no_scheduler_at_the_address_is_said_in_a_line(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    monkeypatch.setattr(cluster, "FIND_LIMIT_S", 0.5)
    assert main(["autograde", "--scheduler", "tcp://127.0.0.1:9"]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "no Dask scheduler answers at tcp://127.0.0.1:9" in error


def test_a_scheduler_that_ends_meanwhile_is_said_in_a_line(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture):
    place = tmp_path / "scheduler.json"
    command = [sys.executable, "-m", "dask", "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    with subprocess.Popen([*command, "--scheduler-file", place], stderr=subprocess.DEVNULL) as scheduler:
        wait_for(place.exists)
        process = psutil.Process(scheduler.pid)

        def end() -> None:
            wait_for(lambda: any(c.status == psutil.CONN_ESTABLISHED for c in process.net_connections()))
            time.sleep(1)  # it has no workers, so that the tasks wait there
            scheduler.kill()

        with at_the_same_time(end):
            assert main(["autograde", "--scheduler", str(place)]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == f"autograde: {cluster.GONE}"
    assert not noted(root)


def test_workers_with_other_limits_are_refused_and_nothing_is_graded(
    root: Path, address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    monkeypatch.setenv("GRADING_CALL_LIMIT_S", "7")
    assert main(["autograde", "--scheduler", address]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "GRADING_CALL_LIMIT_S nothing, but here is GRADING_CALL_LIMIT_S 7" in error
    assert not noted(root)


def test_workers_without_this_code_are_refused_and_nothing_is_graded(
    root: Path, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    (tmp_path / "newer").mkdir()
    (tmp_path / "newer" / "newer_worker.py").write_text("def grade(*given):\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path / "newer")
    monkeypatch.setattr(worker, "grade", importlib.import_module("newer_worker").grade)
    assert main(["autograde", "--scheduler", address]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "No module named 'newer_worker'" in error and "PYTHONPATH" in error
    assert not noted(root)


def test_a_class_that_was_graded_with_a_secret_is_not_graded_without_it_by_mistake(
    root: Path, address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    only(root, "cleo")
    monkeypatch.chdir(root.parent)  # so that a command must name the course

    def grade(secret: str, *options: str) -> tuple[int, str, str]:
        monkeypatch.setenv(COURSE.secret, secret)
        capsys.readouterr()
        status = main(["autograde", "--course", str(root), "--scheduler", address, *options])
        return status, *capsys.readouterr()

    assert grade("")[0] == 0  # it never had one
    assert grade("nine grey geese")[0] == 0
    first = noted(root)
    status, out, refused = grade("")
    assert (status, out, refused.count("\n")) == (1, "", 1)
    assert refused.startswith(f"autograde: {COURSE.secret} is not set here, but the last marks were made with a")
    assert "docs/instructors.md, Choose a secret" in refused and "grade --course" in refused
    assert "nine grey geese" not in refused + "".join(p.read_text() for p in root.glob("autograded/.*.json"))
    command = [sys.executable, "-m", "grading", "watch", "--course", str(root), "--folder", str(root / "submitted")]
    watched = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert (watched.returncode, watched.stdout) == (1, "")
    assert watched.stderr == refused.replace("autograde:", "watch:")
    assert noted(root) == first
    assert grade("", "--force")[0] == 0
    assert noted(root) != first
    assert grade("")[0] == 0


def test_a_worker_gets_the_inputs_once_and_again_if_it_has_not_kept_them(
    root: Path, address: str, monkeypatch: pytest.MonkeyPatch
):
    whole, submit = [], cluster.Workers.submit

    def watched(team: cluster.Workers, name: str, function: Callable, given: inputs.Inputs, *more: object) -> None:
        whole.append(bool(given.archive))
        submit(team, name, function, given, *more)

    monkeypatch.setattr(cluster.Workers, "submit", watched)
    assert main(["autograde", "--scheduler", address]) == 0
    assert whole == [False] * 3
    with Client(address) as client:
        client.run(inputs.keep, "others", b"")
    monkeypatch.setattr(cluster.Workers, "share", lambda *_: True)  # as for a worker that joins later
    whole.clear()
    assert main(["autograde", "--scheduler", address, "--force"]) == 0
    assert whole[:3] == [False] * 3 and 1 <= whole.count(True) <= 3
    assert marked(root) == {"anna": ("5", "3"), "ben": ("5", "0"), "cleo": ("0", "0")}


def test_what_is_submitted_goes_to_the_workers_of_this_machine_in_files_and_not_through_dask(
    root: Path, monkeypatch: pytest.MonkeyPatch
):
    sizes, left, submit, settle = [], [], cluster.Workers.submit, TaskQueue.settle

    def watched(team: cluster.Workers, name: str, function: Callable, *arguments: object) -> None:
        sizes.append(len(pickle.dumps(arguments)))
        submit(team, name, function, *arguments)

    def settled(queue: TaskQueue, team: cluster.Workers, student: str, found: object) -> object:
        result = settle(queue, team, student, found)
        left.append(len([*team.folder.glob("*.submission")]))
        return result

    (folder(root, "anna") / "w.npy").write_bytes(bytes(2**20))
    monkeypatch.setattr(cluster.Workers, "submit", watched)
    monkeypatch.setattr(TaskQueue, "settle", settled)
    assert main(["autograde", "--workers", "1"]) == 0
    assert max(sizes) < 2**17
    assert left == [1, 1, 0]  # of whoever is at work by then
    assert marked(root) == {"anna": ("5", "3"), "ben": ("5", "0"), "cleo": ("0", "0")}


def test_a_gradebook_that_cannot_be_reached_is_said_in_a_line_without_its_password(
    root: Path, capsys: pytest.CaptureFixture
):
    with (root / "nbgrader_config.py").open("a") as file:
        file.write('\nc.CourseDirectory.db_url = "postgresql+psycopg://me:secret@127.0.0.1:9/marks"\n')
    assert main(["autograde"]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "the gradebook postgresql+psycopg://me:***@127.0.0.1:9/marks" in error
