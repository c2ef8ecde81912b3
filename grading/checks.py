"""All tests of the course, from fast to slow: lint, nbval, unit tests, classes, a browser; every answer beside them."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from grading import courses

NBVAL = ["--nbval", "notebooks/attention", "--nbval-sanitize-with", "tests/nbval.cfg", "-q", "-p", "no:cacheprovider"]

# These grade whole classes, a student a core, or wait for a browser or for limits.
ALONE = ("benchmarks", "class", "commands", "hand_ins", "attacks", "lab", "hub")
ANSWERS = "tests/test_answers.py"  # computes for minutes and waits for nothing, so it fills what the others leave free


def run(pytest_arguments: list[str]) -> int:
    """Runs everything, or only pytest with the arguments given; the exit status of the first step that fails."""
    courses.config(courses.REPOSITORY)  # sets PATH and PYTHONPATH for what is started here
    os.environ.pop("MPLBACKEND", None)  # figures are to be shown in the notebooks, as students see them
    if pytest_arguments:
        return _step("tests", "pytest", *pytest_arguments)
    os.environ["PYTHONHASHSEED"] = "0"  # so that tests have the same names in all processes
    if status := _step("lint", "ruff", "check", ".") or _step("format", "ruff", "format", "--check", "."):
        return status
    cores, alone = ["-n", str(os.cpu_count()), "--dist", "loadfile"], [f"tests/test_{name}.py" for name in ALONE]
    ignored = [f"--ignore={path}" for path in (*alone, ANSWERS)]
    with _behind("every answer", "-q", "--durations=5", ANSWERS) as answers:
        return (
            _step("solved notebooks, run again", "pytest", *NBVAL, *cores)
            or _step("tests", "pytest", "-q", "--durations=10", "tests", *cores, *ignored)
            or _step("classes, attacks, a browser", "pytest", "-v", "--durations=20", *alone)
            or answers.wait()
        )


@contextlib.contextmanager
def _behind(name: str, *arguments: str) -> Iterator[subprocess.Popen]:
    """Runs pytest beside what stands in the block, and yields to it; what it printed is shown at the end."""
    started = time.monotonic()
    with tempfile.TemporaryFile() as shown:
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *arguments],
            cwd=courses.REPOSITORY,
            stdout=shown,
            stderr=subprocess.STDOUT,
            preexec_fn=lambda: os.nice(10),
            start_new_session=True,  # so that it can be ended with all that it started
        )
        try:
            yield process
        finally:
            said = {None: "STOPPED", 0: "passed"}.get(process.poll(), "FAILED")
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            shown.seek(0)
            print(f"== {name}, beside all this\n{shown.read().decode(errors='replace')}", flush=True)
            print(f"== {name}: {said} in {time.monotonic() - started:.0f} s", flush=True)


def _step(name: str, module: str, *arguments: str) -> int:
    print(f"== {name}", flush=True)
    started = time.monotonic()
    status = subprocess.call([sys.executable, "-m", module, *arguments], cwd=courses.REPOSITORY)
    print(f"== {name}: {'passed' if status == 0 else 'FAILED'} in {time.monotonic() - started:.0f} s\n", flush=True)
    return status
