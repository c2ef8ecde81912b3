"""Whether marks depend on the build of torch: the same class, graded with this Python and with the public registry's.

    python benchmarks/public_torch.py [--environment FOLDER] [--only sample|part13] [--students PATTERN …] [--workers N]

`requirements-grading.txt` pins torch's version. Which build of it comes depends on where pip looks: with a folder of
wheels or an index of its own it may be the small one for CPUs, but on Linux the public registry serves one with CUDA
packages.
This command makes a second environment in .venv-public with what pip installs when no folder of wheels is configured
(about 5 GB on the disk and as much again while it installs; kept for the next time), or takes one that exists already.
It grades the sample class and every answer of part 13 in both, and prints what each environment takes, the marks in
each, and every difference; exit status 1 if there is any.
"""

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import earned
import grade_once
import grading_runs

from dev.packages import REPOSITORY
from grading.classroom import progress
from grading.core import errors, names

MADE = REPOSITORY / ".venv-public"
REQUIREMENTS = REPOSITORY / "requirements-grading.txt"
NEEDED_GB = 10  # free on the disk: 5.5 to keep, and the packages while they are unpacked
HERE, THERE = "here", "public"
SITE = "import json, sys, sysconfig; print(json.dumps([sys.prefix, sysconfig.get_path('purelib')]))"
CUDA = ("nvidia*", "triton*", "cuda*")  # what torch brings along, next to its own folder


def main() -> int:
    """Makes the second environment if need be, grades in both, and says what differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--environment", type=Path, help="a second environment that exists already")
    parser.add_argument("--workers", type=int, default=grading_runs.cores(), help="default: one per core")
    grade_once.add_options(parser)
    chosen = parser.parse_args()
    grading_runs.stop_on_signals()
    words = [*grading_runs.options(chosen), "--workers", str(chosen.workers), "--sizes"]
    try:
        second = chosen.environment or made(MADE)
        pythons = {HERE: Path(sys.executable), THERE: python(second)}
        disk = {name: disk_sizes(path) for name, path in pythons.items()}
        runs = {}
        for name, path in pythons.items():
            print(f"\nGrading with the Python {'that runs this' if name == HERE else f'in {second}'}.", flush=True)
            runs[name] = grading_runs.grade(words, path)
    except (RuntimeError, errors.CourseError) as error:
        print(f"public_torch: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\npublic_torch: stopped.", file=sys.stderr)
        return 130
    differing = earned.differences({name: run.earned for name, run in runs.items()})
    print(environments(runs, disk))
    print(marks(runs))
    print(summary(runs, differing))
    return 1 if differing else 0


def made(folder: Path) -> Path:
    """The environment in the folder, made if it isn't there, isn't whole, or is older than the requirements.

    Errors  CourseError if the disk is too full or pip fails.
    """
    ready = folder / "ready"
    if ready.exists() and ready.stat().st_mtime >= REQUIREMENTS.stat().st_mtime:
        return folder
    free_gb = shutil.disk_usage(folder.parent).free / 1e9
    if free_gb < NEEDED_GB:
        raise errors.CourseError(f"{NEEDED_GB} GB are needed in {folder.parent}, and {free_gb:.1f} are free.")
    print(f"Making {names.path(folder)}: some gigabytes to download.", flush=True)
    with without_wheels() as environment:
        _call([sys.executable, "-m", "venv", "--clear", str(folder)], environment)
        pip = [str(python(folder)), "-m", "pip", "install", "--disable-pip-version-check", "--no-cache-dir"]
        _call([*pip, "--progress-bar", "off", "--requirement", str(REQUIREMENTS)], environment)
    ready.touch()
    return folder


@contextlib.contextmanager
def without_wheels() -> Iterator[dict[str, str]]:
    """Environment variables with which pip looks in no folder of wheels; all its other settings stay as they are.

    An empty folder takes the place of those configured, because pip ignores a setting that is empty. What pip unpacks
    on the way is removed at the end, however that comes.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        empty, unpacked = (os.path.join(folder, name) for name in ("empty", "unpacked"))
        os.mkdir(empty)
        os.mkdir(unpacked)
        yield {**os.environ, "PIP_FIND_LINKS": empty, "TMPDIR": unpacked}


def python(folder: Path) -> Path:
    """The Python of an environment.

    Errors  CourseError if there is none.
    """
    path = folder.absolute() / "bin" / "python"
    if not path.exists():
        raise errors.CourseError(f"{folder} is not an environment: it has no bin/python.")
    return path


def disk_sizes(path: Path) -> tuple[int, int]:
    """The bytes of a Python's environment, and those of them that are torch and what it brings for CUDA.

    Errors  RuntimeError if that Python doesn't start.
    """
    asked = subprocess.run([str(path), "-I", "-c", SITE], capture_output=True, text=True)
    if asked.returncode != 0:
        raise RuntimeError(f"{path} doesn't start: {(asked.stderr.splitlines() or ['no reason given'])[-1]}")
    prefix, site = map(Path, json.loads(asked.stdout))
    torch = [site / "torch", *(folder for pattern in CUDA for folder in site.glob(pattern))]
    return _bytes(prefix), sum(map(_bytes, torch))


def environments(runs: dict[str, grading_runs.Run], disk: dict[str, tuple[int, int]]) -> str:
    """The machine, and what each environment is and takes."""
    versions = {name: run.versions for name, run in runs.items()}
    differ = [name for name in versions[HERE] if versions[HERE][name] != versions[THERE].get(name)]
    lines = ["", grading_runs.machine(versions[HERE]), "", f"{'':<40}" + "".join(f"{name:>16}" for name in runs)]
    for name in dict.fromkeys(["Python", "torch", "numpy", *differ]):
        lines += [_line(name, [each.get(name, "none") for each in versions.values()])]
    lines += [_line("environment on the disk", [_gb(disk[name][0]) for name in runs])]
    lines += [_line("  of it torch and its CUDA packages", [_gb(disk[name][1]) for name in runs])]
    for name in runs[HERE].sizes | runs[THERE].sizes:
        sizes = [run.sizes.get(name) for run in runs.values()]
        lines += [_line(f"address space: {name}", ["?" if size is None else _gb(size) for size in sizes])]
    first = runs[HERE].seconds
    times = [f"{progress.duration(run.seconds)} (x {run.seconds / first:.2f})" for run in runs.values()]
    lines += [_line("time to grade the class", times)]
    return "\n".join(lines)


def marks(runs: dict[str, grading_runs.Run]) -> str:
    """Each student's marks in both environments, and what the names of the answers say."""
    lines = ["", f"{'marks (automatic)':<52}{earned.EXPECTED:>10}" + "".join(f"{name:>10}" for name in runs)]
    for student, parts in runs[HERE].earned.items():
        named = earned.expected(student, list(parts))
        found = [named if set(named) == set(parts) else None, *(run.earned.get(student, {}) for run in runs.values())]
        lines += [f"{student:<52}" + "".join(f"{_total(each):>10}" for each in found)]
    return "\n".join(lines)


def summary(runs: dict[str, grading_runs.Run], differing: list[earned.Difference]) -> str:
    """The differences, or that there are none; and what makes the comparison worth less."""
    lines = [""]
    builds = [run.versions["torch"] for run in runs.values()]
    if builds[0] == builds[1]:
        lines += [f"Both environments have torch {builds[0]}: no two builds are compared."]
    if not differing:
        return "\n".join([*lines, "Every mark and item is the same in both environments."])
    parts = len({(each.student, each.part) for each in differing})
    lines += [f"{len(differing)} differences, in {parts} parts:", *(each.text() for each in differing)]
    return "\n".join(lines)


def _total(parts: dict[str, earned.Part] | None) -> str:
    if parts is None:
        return "-"
    unmarked = sum(part.marks is None for part in parts.values())
    total = f"{sum(part.marks or 0 for part in parts.values()):g}"
    return f"{total}, {unmarked} ?" if unmarked else total


def _line(name: str, values: list[str]) -> str:
    return f"{name:<40}" + "".join(f"{value:>16}" for value in values)


def _gb(size: int) -> str:
    return f"{size / 1e9:.2f} GB"


def _bytes(place: Path) -> int:
    """The bytes of all files in a folder, or of one file; a file that has several names counts once."""
    files = {}
    for folder, _, files_there in os.walk(place):
        for name in files_there:
            with contextlib.suppress(OSError):
                state = os.lstat(os.path.join(folder, name))
                files[state.st_dev, state.st_ino] = state.st_size
    return sum(files.values())


def _call(command: list[str], environment: dict[str, str]) -> None:
    """Runs a command to its end.

    Errors  CourseError if it fails.
    """
    code = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL).returncode
    if code != 0:
        raise errors.CourseError(f"`{' '.join(command[:4])} …` ended with exit status {code}.")


if __name__ == "__main__":
    sys.exit(main())
