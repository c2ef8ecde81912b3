"""Makes the lock, requirements*.txt, from pyproject.toml: `make lock`, which needs uv.

One lock for Python 3.11 to 3.14 on Linux, Windows and macOS, with markers where they differ. Versions stay as they are
unless pyproject.toml asks for others; `make lock ARGS=--upgrade` brings the newest.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from dev.packages import CUDA, FILES, REPOSITORY

UV = "uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest --annotation-style line".split()
ASKED = {
    "students": [],
    "grading": ["--extra", "grading"],
    "tests": ["--extra", "grading", "--extra", "hub", "--extra", "site", "--group", "tests"],
}
OF_CUDA = re.compile(r"(nvidia-|cuda-|triton==)")
HEADER = """\
# {what}
# Python 3.11 to 3.14. Made by `make lock` (uv pip compile --universal) from pyproject.toml: change that, not this.
"""
COMPLETE = """\
# Complete, so .venv is installed with --no-deps (dev/packages.py): what some packages ask for otherwise is left out
# for the reasons given in pyproject.toml. Then torch brings what its build needs: CUDA, or nothing.
-c {cuda}
"""
WHAT = {
    "students": "What students need to open, solve and check the notebooks.",
    "grading": "What graders need: all of requirements.txt, and what grades a class.",
    "tests": "What the tests need: all of requirements-grading.txt, and what tests it.",
}


def make(options: list[str]) -> None:
    """Writes the files. The largest is resolved first, and the others take its versions."""
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.txt"
        lines = "\n".join((REPOSITORY / name).read_text() for name in (FILES["tests"], CUDA)).splitlines()
        whole.write_text("\n".join(line for line in lines if "==" in line))
        pins = _compile("tests", whole, options)
        for who in FILES:
            fewer = Path(folder) / f"{who}.txt"
            chosen = pins if who == "tests" else _compile(who, fewer, ["--constraint", str(whole)])
            _write(FILES[who], WHAT[who], COMPLETE.format(cuda=CUDA), [pin for pin in chosen if not OF_CUDA.match(pin)])
        what = "What torch's public build for Linux brings along: constraints (pip install -c), installed only with it."
        _write(CUDA, what, "", [pin for pin in pins if OF_CUDA.match(pin)])


def _compile(who: str, output: Path, options: list[str]) -> list[str]:
    """The pins that uv finds; it keeps to the versions in `output`, where that exists."""
    command = [*UV, *ASKED[who], *options, "--no-header", "--output-file", str(output), "pyproject.toml"]
    if status := subprocess.call(command, cwd=REPOSITORY):
        sys.exit(status)
    return [re.sub(r",? -c \S+( \(workspace\))?", "", line) for line in output.read_text().splitlines()]


def _write(name: str, what: str, more: str, pins: list[str]) -> None:
    (REPOSITORY / name).write_text(HEADER.format(what=what) + more + "".join(f"{pin}\n" for pin in pins))


if __name__ == "__main__":
    if shutil.which("uv") is None:
        sys.exit("make lock needs uv, which `pip install uv` brings.")
    make(sys.argv[1:])
