"""All tests of the course, in order from fast to slow: lint, nbval, unit tests, a class, every answer, a browser."""

import os
import subprocess
import sys
import tempfile
import time

from grading import courses

NBVAL = ["--nbval", "notebooks/attention", "--nbval-sanitize-with", "tests/nbval.cfg", "-q", "-p", "no:cacheprovider"]

# These grade whole classes, a student a core, or wait for a browser or for limits.
ALONE = ("benchmarks", "class", "commands", "hand_ins", "attacks", "lab", "hub")
ANSWERS = "tests/test_answers.py"  # computes for minutes, and waits for nothing: so it runs beside those, behind them


def run(pytest_arguments: list[str]) -> int:
    """Runs everything, or only pytest with the arguments given; the exit status of the first step that fails."""
    courses.config(courses.REPOSITORY)  # sets PATH and PYTHONPATH for what is started here
    os.environ.pop("MPLBACKEND", None)  # figures are to be shown in the notebooks, as students see them
    if pytest_arguments:
        return _step("tests", "pytest", *pytest_arguments)
    os.environ["PYTHONHASHSEED"] = "0"  # so that tests have the same names in all processes
    cores, alone = ["-n", str(os.cpu_count()), "--dist", "loadfile"], [f"tests/test_{name}.py" for name in ALONE]
    ignored = [f"--ignore={path}" for path in (*alone, ANSWERS)]
    return (
        _step("lint", "ruff", "check", ".")
        or _step("format", "ruff", "format", "--check", ".")
        or _step("solved notebooks, run again", "pytest", *NBVAL, *cores)
        or _step("tests", "pytest", "-q", "--durations=10", "tests", *cores, *ignored)
        or _both(["-v", "--durations=20", *alone], ["-q", "--durations=5", ANSWERS])
    )


def _both(first: list[str], second: list[str]) -> int:
    """Runs pytest twice at the same time; the second one yields to the first, and is shown when that is done."""
    with tempfile.TemporaryFile() as shown:
        command = [sys.executable, "-m", "pytest", *second]
        behind = subprocess.Popen(
            command,
            cwd=courses.REPOSITORY,
            stdout=shown,
            stderr=subprocess.STDOUT,
            preexec_fn=(lambda: os.nice(10)) if hasattr(os, "nice") else None,
        )
        try:
            status = _step("classes, attacks, a browser (every answer meanwhile)", "pytest", *first)
            status = status or behind.wait()
        finally:
            behind.kill()
            behind.wait()
            shown.seek(0)
            print(f"== every answer\n{shown.read().decode(errors='replace')}", flush=True)
    return status


def _step(name: str, module: str, *arguments: str) -> int:
    print(f"== {name}", flush=True)
    started = time.monotonic()
    status = subprocess.call([sys.executable, "-m", module, *arguments], cwd=courses.REPOSITORY)
    print(f"== {name}: {'passed' if status == 0 else 'FAILED'} in {time.monotonic() - started:.0f} s\n", flush=True)
    return status
