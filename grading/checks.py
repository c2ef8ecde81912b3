"""All tests of the course, in order from fast to slow: lint, unit tests, what is made, nbval, every answer, a class."""

import os
import subprocess
import sys
import time

from grading import courses

NBVAL = ["--nbval", "notebooks/attention", "--nbval-sanitize-with", "tests/nbval.cfg", "-q", "-p", "no:cacheprovider"]


def run(pytest_arguments: list[str]) -> int:
    """Runs everything, or only pytest with the arguments given; the exit status of the first step that fails."""
    courses.config(courses.REPOSITORY)  # sets PATH and PYTHONPATH for what is started here
    os.environ.pop("MPLBACKEND", None)  # figures are to be shown in the notebooks, as students see them
    if pytest_arguments:
        return _step("tests", "pytest", *pytest_arguments)
    return (
        _step("lint", "ruff", "check", ".")
        or _step("format", "ruff", "format", "--check", ".")
        or _step("solved notebooks, run again", "pytest", *NBVAL)
        or _step("tests", "pytest", "-v", "--durations=10", "tests")
    )


def _step(name: str, module: str, *arguments: str) -> int:
    print(f"== {name}", flush=True)
    started = time.monotonic()
    status = subprocess.call([sys.executable, "-m", module, *arguments], cwd=courses.REPOSITORY)
    print(f"== {name}: {'passed' if status == 0 else 'FAILED'} in {time.monotonic() - started:.0f} s\n", flush=True)
    return status
