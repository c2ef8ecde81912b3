"""All tests of the course: lint, then nbval and unit tests; alongside these classes, a browser, and answers.

`quick` runs the few that tell within a minute or so whether a changed line broke something.
"""

import ast
import contextlib
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from dev.packages import REPOSITORY
from grading.gradebook import course_folder

SOLVED = "notebooks/attention"
NBVAL = ["-q", "-p", "no:cacheprovider", "-p", "tests.support.kernels_on_sockets"]
NBVAL += ["--nbval", "--nbval-sanitize-with", "tests/nbval.cfg"]

# Three runs of pytest go on alongside the unit tests. One grades whole classes with workers of its own, or waits for
# limits; one waits for a browser; the last one computes for minutes, and waits for the service and the Formgrader.
CLASSES = [
    "tests/project/test_benchmarks.py",
    "tests/grading/classroom/test_class_run.py",
    *(f"tests/whole/test_{name}.py" for name in ("commands", "attacks")),
]
BROWSER = [f"tests/whole/test_{name}.py" for name in ("site", "lab", "hub")]
ANSWERS = [
    f"tests/whole/test_{name}.py" for name in ("answers", "attacks_marked", "attacks_watched", "watch", "marking")
]
ONE_NOTEBOOK = "tests/whole/test_one_notebook.py"  # the only slow test that `quick` runs

LIMIT_S = 80 * 60  # for all of it: before a forge's own limit, which would end it without a word of what was going on
MESSAGE_CHARACTERS = 300  # of a failed test's message, in the list at the end
SAID_LIMIT_S = 10  # for a run of pytest to say where it hangs

# The import contracts of pyproject.toml; import-linter is no module that runs by its name.
CONTRACTS = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
# deptry reads all code: whatever it imports must be listed in pyproject.toml, and the first step refuses what is listed
# there for the tests alone (DEP004), which graders don't install.
OURS = [".", "benchmarks"]
PACKAGES = ["attention", "benchmarks", "dev", "docs", "grading"]
OURS_AND_TESTS = ["tests", "tests/support", *PACKAGES, "--exclude", "tests/(answers|attacks|web)", "--ignore", "DEP004"]


def run(pytest_arguments: list[str]) -> int:
    """Runs everything, or only pytest with the arguments given; the exit status of the first step that fails."""
    _prepare()
    if pytest_arguments:
        return _step("tests", "pytest", *pytest_arguments)
    if status := _lint():
        return status
    _end_in_time()
    os.environ["DRAWN"] = "1"  # some of the answers that are alike, and of the benchmarks: others once the code changes
    ignored = [f"--ignore={path}" for path in (*CLASSES, *BROWSER, *ANSWERS)]
    with tempfile.TemporaryDirectory() as folder:
        answers, browser, classes, notebooks, tests = [f"--junitxml={folder}/{number}.xml" for number in range(5)]
        with (
            _alongside("answers, the service", "-q", "--durations=5", *ANSWERS, answers) as answering,
            _alongside("a browser", "-q", "--durations=5", *BROWSER, browser) as browsing,
            _alongside("classes, attacks", "-v", "--durations=20", *CLASSES, classes) as grading,
        ):
            statuses = [  # all of them, whatever the first ones say: one run shows all that fails
                _step("solved notebooks, run again", "pytest", *NBVAL, SOLVED, *_at_once(1), notebooks),
                _step("tests", "pytest", "-q", "--durations=10", "tests", *_at_once(1.5), *ignored, tests),
                grading.wait(),
                browsing.wait(),
                answering.wait(),
            ]
        say_what_failed(Path(folder))
    return next(filter(None, statuses), 0)


def quick() -> int:
    """Runs lint, the unit tests and one notebook through the judge; prints what it leaves out."""
    _prepare()
    tests = REPOSITORY / "tests"
    files = {path.name: path for path in tests.rglob("test_*.py")}  # no two have one name: a test sees to that
    slow = [files[name] for name in runpy.run_path(str(tests / "conftest.py"))["SLOW"]]
    left_out = [path for path in slow if path != REPOSITORY / ONE_NOTEBOOK]
    ignored = [f"--ignore={path}" for path in left_out]
    status = _lint() or _step(
        "unit tests, and one notebook through the judge", "pytest", "-q", "tests", *_at_once(1), *ignored
    )
    print("Left out; `make test` runs these too: the solved notebooks once more, and in tests/")
    for path in left_out:
        print(f"  {path.name:<20} {_first_line(path)}")
    return status


def _prepare() -> None:
    course_folder.config(REPOSITORY)  # sets PATH and PYTHONPATH for what is started here
    os.environ.pop("MPLBACKEND", None)  # the notebooks must show figures as students see them
    os.environ["PYTHONHASHSEED"] = "0"  # so that tests have the same names in all processes
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # or each of hundreds of processes compiles our code again
    os.environ["OMP_NUM_THREADS"] = "1"  # torch's threads wait by computing, and there is a test process for each core


def _lint() -> int:
    return (
        _step("lint", "ruff", "check", ".")
        or _step("format", "ruff", "format", "--check", ".")
        or _step("packages that the code imports", "deptry", *OURS)
        or _step("packages that the tests import", "deptry", *OURS_AND_TESTS)
        or _run("which package imports which", ["-c", CONTRACTS])
    )


def _at_once(files_a_core: float) -> list[str]:
    """Options of pytest that run so many files at once: more than one a core where tests wait much of the time."""
    return ["-n", str(round(files_a_core * (os.cpu_count() or 1))), "--dist", "loadfile"]


def say_what_failed(folder: Path) -> None:
    """Prints each failed test once more, last of all: a forge may show no more than the end of a long log."""
    for report in sorted(folder.glob("*.xml")):
        for test in ElementTree.parse(report).iter("testcase"):
            for failed in (*test.iter("failure"), *test.iter("error")):
                why = (failed.get("message") or "").partition("\n")[0]
                print(f"FAILED {test.get('classname')}::{test.get('name')}: {why[:MESSAGE_CHARACTERS]}", flush=True)


def _first_line(path: Path) -> str:
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]


def _end_in_time() -> None:
    """Lets a run that is asked to end, or takes far too long, still print what its parts have said."""

    def end(number: int, _: object) -> None:
        asked = f"not done after {LIMIT_S // 60} minutes" if number == signal.SIGALRM else "asked to end"
        sys.exit(f"tests: {asked}; what was still running is shown above.")

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGALRM, end)
    signal.alarm(LIMIT_S)


@contextlib.contextmanager
def _alongside(name: str, *arguments: str) -> Iterator[subprocess.Popen]:
    """Runs pytest while the block runs, and prints its output at the end."""
    started = time.monotonic()
    with tempfile.TemporaryFile() as shown:
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *arguments],
            cwd=REPOSITORY,
            stdout=shown,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # so that it can be ended with all that it started
        )
        try:
            yield process
        finally:
            said = {None: "STOPPED", 0: "passed"}.get(process.poll(), "FAILED")
            if process.returncode is None:
                process.send_signal(signal.SIGABRT)  # pytest's faulthandler answers with what each thread is doing
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(SAID_LIMIT_S)
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            shown.seek(0)
            print(f"== {name}, run alongside\n{shown.read().decode(errors='replace')}", flush=True)
            print(f"== {name}: {said} in {time.monotonic() - started:.0f} s", flush=True)


def _step(name: str, module: str, *arguments: str) -> int:
    return _run(name, ["-m", module, *arguments])


def _run(name: str, words: list[str]) -> int:
    """Has Python do what the words of its command line say; its exit status."""
    print(f"== {name}", flush=True)
    started = time.monotonic()
    status = subprocess.call([sys.executable, *words], cwd=REPOSITORY)
    print(f"== {name}: {'passed' if status == 0 else 'FAILED'} in {time.monotonic() - started:.0f} s\n", flush=True)
    return status
